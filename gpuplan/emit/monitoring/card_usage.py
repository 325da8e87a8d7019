"""How busy, how full, how hot and how hungry cards are, in one unit and under one set of labels for every vendor.

NVIDIA's cards are busy as DCGM's profiling module says, and where that says nothing of a card, as GPU_UTIL does, which is a
lie for MIG instances and therefore not asked of them. Every value is bounded, since exporters have shipped 4294967295
percent; a value out of bounds is no value. Rows that repeat a card, for each pod that shares it or for each partition, are
taken once by their maximum: a card is as busy as its busiest part, so that nobody takes a busy card for an idle one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from gpuplan.catalog import Catalog, Family
from gpuplan.catalog.cards import Vendor
from gpuplan.emit.monitoring import card_series
from gpuplan.emit.monitoring.series import GPU_UTIL, MIG_FRACTION, NODE_POOL
from gpuplan.model.pools import NodePool
from gpuplan.model.sharing import SharingMode

_HOLDER = ("namespace", "pod", "container")
INSTANCE = ("GPU_I_ID", "GPU_I_PROFILE")
"""What DCGM's exporter calls a MIG instance; empty for whole cards."""
WHOLE = 'GPU_I_ID=""'
MOST_WATTS = 5000
"""No card draws more and is right."""
MOST_MEBIBYTES = 10**7
"""No card reports more memory in MiB and is right: DCGM's sign for no value is far beyond."""


def utilisation(catalog: Catalog, pools: Iterable[NodePool], *, profiling: bool) -> str:
    """Return the busy part of each card or instance, 0 to 1, for each pod that holds it."""
    families = card_series.families(catalog, pools)
    return card_series.either(
        _nvidia_utilisation(family, members, profiling=profiling) if family.vendor is Vendor.NVIDIA else _part(family)
        for family, members in families.values()
    )


def memory(catalog: Catalog, pools: Iterable[NodePool]) -> str:
    """Return the used part of the memory of each card or instance, 0 to 1, for each pod that holds it."""
    families = card_series.families(catalog, pools)
    return card_series.either(
        _nvidia_memory(family, members) if family.vendor is Vendor.NVIDIA else _memory(family)
        for family, members in families.values()
    )


def whole_cards(pools: Iterable[NodePool]) -> str:
    """Return the busy part of each physical card: of a cut one, what its instances do by their parts of it."""
    card = "node, pool, gpu, UUID"
    whole = f'max by ({card}) ({GPU_UTIL}{{GPU_I_ID=""}})'
    if not any(pool.sharing.mode is SharingMode.MIG for pool in pools):
        return whole
    return (
        f"sum by ({card}) (\n"
        f'  max by ({card}, {", ".join(INSTANCE)}) ({GPU_UTIL}{{GPU_I_ID!=""}})\n'
        f"  * on (pool, GPU_I_PROFILE) group_left () {MIG_FRACTION}\n"
        f")\nor\n{whole}"
    )


def power(catalog: Catalog, pools: Iterable[NodePool]) -> str:
    """Return the power draw of each physical card in watts."""
    return card_series.either(
        _watts(family, members) for family, members in card_series.families(catalog, pools).values()
    )


def temperature(catalog: Catalog, pools: Iterable[NodePool]) -> str:
    """Return the temperature of each physical card in degrees Celsius; 0 means no data."""
    return card_series.either(
        _cards(family, members, family.exporter.metrics.temperature, f"> 0 < {card_series.HOTTEST}")
        for family, members in card_series.families(catalog, pools).values()
    )


def _nvidia_utilisation(family: Family, pools: tuple[NodePool, ...], *, profiling: bool) -> str:
    """A card without a row of the profiling module is looked up in the other metric as a whole."""
    labels, metrics = (*INSTANCE, *_HOLDER), family.exporter.metrics

    def fallback(*matchers: str) -> str:
        return f"({_select(metrics.utilisation, WHOLE, *matchers)} >= 0 <= 100) / 100"

    def profiled(*matchers: str) -> str:
        return f"{_select('DCGM_FI_PROF_GR_ENGINE_ACTIVE', *matchers)} >= 0 <= 1.01"

    looked_up = _nvidia(family, pools, fallback, labels)
    if not profiling:
        return looked_up
    return f"clamp_max({_nvidia(family, pools, profiled, labels)}, 1)\nor on (node, UUID) (\n{looked_up}\n)"


def _nvidia_memory(family: Family, pools: tuple[NodePool, ...]) -> str:
    """What a pod uses against all that is there: on shared cards used memory is that of the pod, free memory the card's."""

    def bounded(metric: str, *matchers: str) -> str:
        return f"{_select(metric, *matchers)} >= 0 < {MOST_MEBIBYTES}"

    def used(*matchers: str) -> str:
        return bounded("DCGM_FI_DEV_FB_USED", *matchers)

    card = f"node, UUID, {INSTANCE[0]}"
    total = f"max by ({card}) (({used()}) + ({bounded('DCGM_FI_DEV_FB_FREE')})) > 0"
    return f"({_nvidia(family, pools, used, (*INSTANCE, *_HOLDER))})\n/ on ({card}) group_left () ({total})"


def _part(family: Family) -> str:
    selector = family.exporter.metrics.utilisation
    full = family.exporter.metrics.utilisation_full
    bounded = f"{selector} >= 0 <= {full}"
    return _by_node(family, f"({bounded}) / {full}" if full != 1 else bounded, family.exporter.holder_labels)


def _memory(family: Family) -> str:
    metrics = family.exporter.metrics
    identity = next(ours for ours, theirs in family.exporter.card.items() if theirs == family.exporter.identity)
    total = card_series.labelled(family, f"{metrics.memory_total} > 0")
    used = _by_node(family, f"{metrics.memory_used} >= 0", family.exporter.holder_labels)
    card = f"node, {identity}"
    return f"({used}\n/ on ({card}) group_left () max by ({card}) ({total})) <= 1"


def _watts(family: Family, pools: tuple[NodePool, ...]) -> str:
    metrics = family.exporter.metrics
    per_watt = metrics.power_per_watt
    rows = _cards(family, pools, metrics.power, f">= 0 < {MOST_WATTS * per_watt}")
    return f"({rows}) / {per_watt}" if per_watt != 1 else rows


def _cards(family: Family, pools: tuple[NodePool, ...], selector: str, bounds: str) -> str:
    """Take each card's value once."""
    if family.vendor is not Vendor.NVIDIA:
        return _by_node(family, f"{selector} {bounds}")
    return _nvidia(family, pools, lambda *matchers: f"{_select(selector, *matchers)} {bounds}")


def _nvidia(family: Family, pools: tuple[NodePool, ...], of: Callable[..., str], more: tuple[str, ...] = ()) -> str:
    """Take each card once, with labels of `more` and its pool: by our scrape contract, or where others scrape, by its node.

    `of` makes the expression with matchers that tell the two apart, where a cluster has both.
    """
    external = [pool for pool in pools if pool.stack == "external"]
    if len(external) == len(pools):
        return _by_node(family, of(), more)
    labels = ", ".join(("node", "pool", *family.exporter.card, *more))
    if not external:
        return f"max by ({labels}) ({of()})"
    ours, theirs = of('pool!=""'), of('pool=""')
    return f"max by ({labels}) ({ours})\nor\n{_by_node(family, theirs, more)}"


def _by_node(family: Family, expression: str, more: tuple[str, ...] = ()) -> str:
    """Take each card once, under our labels, in the pool of its node; what is on no node that we know is left out."""
    labels = ", ".join(("node", *family.exporter.card, *more))
    rows = f"max by ({labels}) ({card_series.labelled(family, expression)})"
    return f"{rows} * on (node) group_left (pool) {NODE_POOL}"


def _select(metric: str, *matchers: str) -> str:
    return f"{metric}{{{', '.join(matchers)}}}" if matchers else metric
