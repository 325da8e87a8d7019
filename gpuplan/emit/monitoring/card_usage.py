"""How busy, how full, how hot and how hungry cards are, in one unit and under one set of labels for every vendor.

NVIDIA's cards are busy as DCGM's profiling module says, and where that says nothing of a card, as GPU_UTIL does, which is a
lie for MIG instances and therefore not asked of them. Every value is bounded, since exporters have shipped 4294967295
percent; a value out of bounds is no value. Rows that repeat a card, for each pod that shares it or for each partition, are
taken once by their maximum: a card is as busy as its busiest part, so that nobody takes a busy card for an idle one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from gpuplan.catalog import Catalog, Family
from gpuplan.catalog.cards import Vendor
from gpuplan.emit.monitoring import card_series
from gpuplan.emit.monitoring.series import GPU_UTIL, MIG_FRACTION, NODE_POOL
from gpuplan.model.pools import NodePool
from gpuplan.model.sharing import SharingMode

_HOLDER = ("namespace", "pod", "container")
INSTANCE = ("GPU_I_ID", "GPU_I_PROFILE")
"""What DCGM's exporter calls a MIG instance; empty for whole cards."""
MOST_WATTS = 5000
"""No card draws more and is right."""
MOST_MEBIBYTES = 10**7
"""No card reports more memory in MiB and is right: DCGM's sign for no value is far beyond."""

Families = Mapping[str, tuple[Family, tuple[NodePool, ...]]]


def utilisation(catalog: Catalog, pools: Iterable[NodePool], *, profiling: bool) -> str:
    """Return the busy part of each card or instance, 0 to 1, for each pod that holds it."""
    families = card_series.families(catalog, pools)
    return card_series.either(
        _nvidia_utilisation(family, members, profiling=profiling)
        if family.vendor is Vendor.NVIDIA
        else _part(family, members, family.exporter.metrics.utilisation)
        for family, members in families.values()
    )


def memory(catalog: Catalog, pools: Iterable[NodePool]) -> str:
    """Return the used part of the memory of each card or instance, 0 to 1, for each pod that holds it."""
    families = card_series.families(catalog, pools)
    return card_series.either(
        _nvidia_memory(family, members) if family.vendor is Vendor.NVIDIA else _memory(family, members)
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
        _rows(family, members, f"{family.exporter.metrics.temperature} > 0 < {card_series.HOTTEST}")
        for family, members in card_series.families(catalog, pools).values()
    )


def _nvidia_utilisation(family: Family, pools: tuple[NodePool, ...], *, profiling: bool) -> str:
    """By pod, so that a card without a row of the profiling module is looked up in the other metric as a whole."""
    labels = (*INSTANCE, *_HOLDER)
    fallback = _rows(family, pools, f'({family.exporter.metrics.utilisation}{{GPU_I_ID=""}} >= 0 <= 100) / 100', labels)
    if not profiling:
        return fallback
    profiled = _rows(family, pools, "DCGM_FI_PROF_GR_ENGINE_ACTIVE >= 0 <= 1.01", labels)
    return f"clamp_max({profiled}, 1)\nor on (node, UUID)\n{fallback}"


def _part(family: Family, pools: tuple[NodePool, ...], selector: str) -> str:
    full = family.exporter.metrics.utilisation_full
    bounded = f"{selector} >= 0 <= {full}"
    rows = f"({bounded}) / {full}" if full != 1 else bounded
    return _rows(family, pools, rows, family.exporter.holder_labels)


def _nvidia_memory(family: Family, pools: tuple[NodePool, ...]) -> str:
    """What a pod uses against all that is there: on shared cards used memory is that of the pod, free memory the card's."""
    used, free = "DCGM_FI_DEV_FB_USED", "DCGM_FI_DEV_FB_FREE"
    card = f"node, UUID, {INSTANCE[0]}"
    total = f"max by ({card}) (({used} >= 0 < {MOST_MEBIBYTES}) + ({free} >= 0 < {MOST_MEBIBYTES})) > 0"
    return (
        f"{_rows(family, pools, f'{used} >= 0 < {MOST_MEBIBYTES}', (*INSTANCE, *_HOLDER))}\n"
        f"/ on ({card}) group_left () ({total})"
    )


def _memory(family: Family, pools: tuple[NodePool, ...]) -> str:
    metrics = family.exporter.metrics
    identity = next(ours for ours, theirs in family.exporter.card.items() if theirs == family.exporter.identity)
    total = card_series.labelled(family, f"{metrics.memory_total} > 0")
    used = _rows(family, pools, f"{metrics.memory_used} >= 0", family.exporter.holder_labels)
    card = f"node, {identity}"
    return f"({used}\n/ on ({card}) group_left () max by ({card}) ({total})) <= 1"


def _watts(family: Family, pools: tuple[NodePool, ...]) -> str:
    metrics = family.exporter.metrics
    bounded = f"{metrics.power} >= 0 < {MOST_WATTS * metrics.power_per_watt}"
    return _rows(family, pools, f"({bounded}) / {metrics.power_per_watt}" if metrics.power_per_watt != 1 else bounded)


def _rows(family: Family, pools: tuple[NodePool, ...], expression: str, more: tuple[str, ...] = ()) -> str:
    """Take each card once, under our labels, with those of `more`, and its pool.

    NVIDIA's series have a pool by our scrape contract. Where others scrape some of them, the pool of all follows from the
    node, as it does for other vendors; what is on no node that we know is left out.
    """
    card = tuple(family.exporter.card)
    scraped = family.vendor is Vendor.NVIDIA and all(pool.stack != "external" for pool in pools)
    labels = ", ".join(("node", *(("pool",) if scraped else ()), *card, *more))
    rows = f"max by ({labels}) ({card_series.labelled(family, expression)})"
    return rows if scraped else f"{rows} * on (node) group_left (pool) {NODE_POOL}"
