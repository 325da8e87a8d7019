"""Cards, tiers and node pools of given clusters: pools that can be told apart, and layouts that fit."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from gpuplan import catalog
from gpuplan.catalog import Card, Vendor
from tests.generated import mig, selection, words

Entry = dict[str, Any]

CATALOG = catalog.load()
OWN_CARDS: dict[str, Entry] = {
    "own-nvidia": {"vendor": "nvidia", "productName": "NVIDIA-Own_1.0", "memoryGiB": 48},
    "own-mig": {"vendor": "nvidia", "productName": "NVIDIA-Own-MIG", "memoryGiB": 80, "migClass": "A80c"},
    "own-npu": {"vendor": "huawei", "productName": "Own-NPU", "memoryGiB": 32, "resource": "acme.example/npu"},
    "own-amd": {"vendor": "amd", "productName": "Own-AMD", "memoryGiB": 64},
    "own-intel": {"vendor": "intel", "productName": "", "memoryGiB": 48},
}
LEVELS = ("topology.gpuplan.dev/block", "topology.gpuplan.dev/rack", "acme.example/Row_1")
KINDS = ("training", "batchInference", "onlineInference", "experiment")
COMPANIONS: dict[str, tuple[Any, ...]] = {
    "cpu": (90, "500m", 7.5),
    "memory": ("1536Gi", "1T", 2_000_000_001),
    "rdma/ib": (8, 1),
}
"""What nodes offer besides cards, and amounts of it."""
EXPOSURES = ("exclusive", "timeSlicing", "mps", "mig", "exclusive", "timeSlicing", "mps", "mig", "hami")
"""Ways to offer NVIDIA's cards; the usual ones are drawn more often."""
OTHERS: dict[str, tuple[str, ...]] = {
    "foreign": ("gaudi3", "ascend-910b3", "own-npu", "own-intel"),
    "amd": ("mi300x", "mi210", "own-amd"),
    "partition": ("mi300x", "mi325x"),
    "vnpu": ("ascend-310p3", "ascend-910b3"),
}
"""Ways to offer other vendors' cards -> cards that can be offered so."""


def _common_names() -> tuple[str, ...]:
    """Return NVIDIA's cards, two of the usual ones first."""
    nvidia = sorted(card.name for card in CATALOG.cards.values() if card.vendor is Vendor.NVIDIA)
    return tuple(dict.fromkeys(("l40s", "h100-sxm-80gb", *nvidia, "own-nvidia", "own-mig")))


NVIDIA = _common_names()
MODERN = ("h100-sxm-80gb", "h200-141gb", "l40s")
"""Cards that pods may claim."""
USUAL_EXPOSURE: Entry = {"exposure": "devicePlugin"}


@st.composite
def hardware(draw: st.DrawFn, clusters: dict[str, Entry]) -> dict[str, Entry]:
    """Return the sections `cards`, `cardTiers` and `nodePools`; each tier has a pool somewhere."""
    tier_names = draw(words.names(words.TIERS, draw(st.integers(1, 4)), 20))
    pool_words = iter(words.POOLS)
    currency = draw(st.sampled_from(("USD", "EUR")))
    beside = draw(st.sampled_from(((), (), ("cpu", "memory"), ("rdma/ib",), tuple(COMPANIONS))))
    tiers: dict[str, Entry] = {}
    pools: dict[str, Entry] = {}
    for tier in tier_names:
        where = draw(st.lists(st.sampled_from(sorted(clusters)), min_size=1, max_size=2, unique=True))
        exposure = draw(st.sampled_from(_exposures([clusters[name] for name in where])))
        tiers[tier] = draw(_tier(exposure, currency))
        for cluster in where:
            for pool in draw(_pools_of_tier(cluster, tier, tiers[tier], exposure, clusters[cluster])):
                companions = {name: draw(st.sampled_from(COMPANIONS[name])) for name in beside}
                pools[draw(words.decorated(next(pool_words), 41))] = pool | (
                    {"companions": companions} if beside else {}
                )
    _one_strategy(clusters, pools)
    _one_layout_a_name(pools, tuple(tiers))
    draw(selection.select(clusters, pools, lambda pool: card_of(pool, tiers)))
    draw(_pilots(clusters, pools, tiers))
    used = {card for tier in tiers.values() for card in tier["cards"]}
    cards = {name: card for name, card in OWN_CARDS.items() if name in used}
    return (
        {"cards": cards, "cardTiers": tiers, "nodePools": pools} if cards else {"cardTiers": tiers, "nodePools": pools}
    )


def _one_strategy(clusters: dict[str, Entry], pools: dict[str, Entry]) -> None:
    """Cut the pools of an operator by one strategy: its device plugin has one for all of them, and mixed suits every layout."""
    for cluster, platform in clusters.items():
        cuts = [
            cut
            for pool in pools.values()
            if pool["cluster"] == cluster and platform.get("stack") == "operator"
            if isinstance(cut := _as_map(pool.get("sharing")).get("mig"), dict)
        ]
        if len({cut.get("strategy", "mixed") for cut in cuts}) > 1:
            for cut in cuts:
                cut["strategy"] = "mixed"


def _one_layout_a_name(pools: dict[str, Entry], tiers: tuple[str, ...]) -> None:
    """Number layouts by their tier, too: an operator keeps those of all its pools in one file."""
    for pool in pools.values():
        cut = _as_map(pool.get("sharing")).get("mig")
        if isinstance(cut, dict):
            number = cut["name"].removeprefix("cut-")
            pool["sharing"] = {"mig": {**cut, "name": f"cut-{tiers.index(pool['tier'])}-{number}"}}


def _exposures(platforms: list[Entry]) -> tuple[str, ...]:
    """Return what all the clusters can offer.

    AMD's cards need AMD's operator, or others who see to them; claims do not go with the GPU Operator, and need
    resource.k8s.io/v1.
    """
    stacks = {platform.get("stack", "manual") for platform in platforms}
    amd = ("amd", "partition", "partition") if "manual" not in stacks else ()
    new = all(platform.get("release") != "2026.05" for platform in platforms)
    return (*EXPOSURES, "foreign", "vnpu", *amd, *(("dra",) if new and "operator" not in stacks else ()))


@st.composite
def _pilots(draw: st.DrawFn, clusters: dict[str, Entry], pools: dict[str, Entry], tiers: dict[str, Entry]) -> None:
    """Put a pool of a cluster on another stack now and then, where no node needs a label that nobody sets.

    The GPU Operator serves no cluster in which our own MIG manager cuts cards.
    """
    for cluster, platform in clusters.items():
        here = [pool for pool in pools.values() if pool["cluster"] == cluster]
        ours = all("labels" not in pool["selectedBy"] and pool.get("exposure") != "dra" for pool in here)
        cut = [pool for pool in here if "mig" in _as_map(pool.get("sharing"))]
        if not ours or platform.get("stack") == "external" or (cut and platform.get("stack", "manual") == "manual"):
            continue
        for pool in here:
            if card_of(pool, tiers) in NVIDIA and draw(words.SELDOM):
                pool["stack"] = "operator" if pool in cut else draw(st.sampled_from(("manual", "operator")))


def _as_map(sharing: object) -> dict[str, object]:
    return sharing if isinstance(sharing, dict) else {}


def card_of(pool: Entry, tiers: dict[str, Entry]) -> str:
    """Return the card of a pool, which a tier with one card need not repeat."""
    return str(pool.get("card") or tiers[pool["tier"]]["cards"][0])


@st.composite
def _tier(draw: st.DrawFn, exposure: str, currency: str) -> Entry:
    cuttable = [name for name in NVIDIA if _mig_class(name)]
    known = {"mig": cuttable, "dra": MODERN, **OTHERS}.get(exposure, NVIDIA)
    most = 3 if known is NVIDIA else 1
    tier: Entry = {"cards": draw(st.lists(st.sampled_from(known), min_size=1, max_size=most, unique=True))}
    if draw(st.booleans()):
        tier["suits"] = draw(st.lists(st.sampled_from(KINDS), min_size=1, unique=True))
    uncounted = exposure in ("hami", "dra")
    topology = "off" if uncounted else draw(st.sampled_from(("default", "default", "off", "hostname", "levels")))
    if topology == "off":
        tier["topology"] = "off"
    elif topology != "default":
        wide = draw(st.lists(st.sampled_from(LEVELS), min_size=1, unique=True)) if topology == "levels" else []
        tier["topology"] = {"levels": [*wide, "kubernetes.io/hostname"]}
    if draw(st.booleans()):
        tier["costPerCardHour"] = f"{draw(st.sampled_from(('2.40', '0', '10000000000000.000000001')))} {currency}"
    if draw(words.SELDOM):
        tier["revision"] = draw(st.sampled_from((0, 1, 12)))
    return tier


@st.composite
def _pools_of_tier(
    draw: st.DrawFn, cluster: str, name: str, tier: Entry, exposure: str, platform: Entry
) -> list[Entry]:
    """Return the pools of a tier in a cluster: one flavor or several, and one pool a flavor or two."""
    replicas = {"replicas": draw(st.integers(2, 16))} | draw(
        st.sampled_from(({}, {"renameByDefault": True}, {"renameByDefault": False}))
    )
    revision = draw(st.sampled_from(({}, {}, {"revision": 3})))
    flavors = draw(st.lists(st.sampled_from(tier["cards"]), min_size=1, max_size=2, unique=exposure != "mig"))
    made: list[Entry] = []
    for number, card in enumerate(flavors):
        size = draw(_size(card))
        sharing = draw(_sharing(card, exposure, replicas, f"cut-{number}", size["cardsPerNode"]))
        said = {"card": card} if len(tier["cards"]) > 1 or draw(st.booleans()) else {}
        for _ in range(draw(st.sampled_from((1, 1, 2)))):
            own_size = size if exposure == "mig" else draw(_size(card))
            claimed = {"exposure": "dra"} if exposure == "dra" else draw(st.sampled_from(({}, {}, USUAL_EXPOSURE)))
            pool = {"cluster": cluster, "tier": name, **said, **own_size, **sharing, **revision, **claimed}
            made.append(pool | draw(_trimmings(card, tier, platform)))
    return made


@st.composite
def _size(draw: st.DrawFn, card: str) -> Entry:
    usual = CATALOG.cards[card].cards_per_node if card in CATALOG.cards else (4,)
    return {"nodes": draw(st.integers(1, 6)), "cardsPerNode": draw(st.sampled_from((*usual, 2)))}


@st.composite
def _sharing(draw: st.DrawFn, card: str, exposure: str, replicas: Entry, name: str, cards: int) -> Entry:
    """Return `sharing`, or nothing for whole cards. A named layout keeps flavor names short and different."""
    if exposure in ("timeSlicing", "mps"):
        return {"sharing": {exposure: replicas}}
    if exposure == "dra" and _mig_class(card) and draw(st.booleans()):
        layout = draw(mig.layouts(CATALOG.mig[_mig_class(card)], cards))
        return {"sharing": {"mig": {**layout, "strategy": "mixed", "name": name}}}
    if exposure in CUTS:
        return {"sharing": {exposure: draw(CUTS[exposure](card))}}
    if exposure != "mig":
        return draw(st.sampled_from(({}, {"sharing": "exclusive"})))
    layout = draw(mig.layouts(CATALOG.mig[_mig_class(card)], cards))
    return {"sharing": {"mig": {**layout, "name": name}}}


def _partitions(card: str) -> st.SearchStrategy[Entry]:
    known = CATALOG.cuts.partitions[card]
    naming: tuple[Entry, ...] = ({}, {"resourceNaming": "mixed"})
    modes = [{"compute": mode, "memory": memory} for mode in known.devices for memory in known.memory[mode]]
    return st.builds(lambda mode, more: {**mode, **more}, st.sampled_from(modes), st.sampled_from(naming))


def _virtual_npus(card: str) -> st.SearchStrategy[Entry]:
    known = CATALOG.cuts.vnpus[card]
    most = {name: known.cores // template.cores for name, template in known.templates.items()}
    return st.sampled_from(sorted(most)).flatmap(
        lambda name: st.builds(lambda count: {"templates": {name: count}}, st.integers(1, most[name]))
    )


def _shares_of_hami(card: str) -> st.SearchStrategy[Entry]:
    return st.sampled_from(({}, {"split": 10}))


CUTS = {"partition": _partitions, "vnpu": _virtual_npus, "hami": _shares_of_hami}
"""Ways of sharing whose amounts are drawn for a card."""


@st.composite
def _trimmings(draw: st.DrawFn, card: str, tier: Entry, platform: Entry) -> Entry:
    """Return what a pool may say besides: taints, the driver, and who labels its nodes with the levels."""
    made: Entry = {}
    taints = draw(selection.taints(platform))
    if taints:
        made["taints"] = taints
    driver = draw(_drivers(card, platform))
    if driver:
        made["driver"] = driver
    levels = tier.get("topology", {})
    wide = isinstance(levels, dict) and len(levels.get("levels", ())) > 1
    if wide or draw(words.SELDOM):
        made["topologyLabels"] = draw(st.sampled_from(("provided", "nfd", "kubelet")))
    return made


def _drivers(card: str, platform: Entry) -> st.SearchStrategy[Entry]:
    """Volta ended with branch 580, so that a pool of it has to say so; others may leave the branch to the release."""
    pinned: Entry = {"branch": "580"}
    if card in CATALOG.cards and CATALOG.cards[card].architecture == "volta":
        return st.sampled_from(
            (pinned, {**pinned, "kernelModules": "auto"}, {**pinned, "kernelModules": "proprietary"})
        )
    newest: Entry = {"branch": "595", "kernelModules": "open"}
    if platform.get("stack") != "operator":
        return st.sampled_from(({}, pinned, newest, {"branch": "620"}, {"preinstalled": True}))
    built = ({**pinned, "precompiled": True},) if platform.get("os", "ubuntu24.04").startswith("ubuntu") else ()
    return st.sampled_from(({}, pinned, newest, {"preinstalled": True}, *built))


def _mig_class(card: str) -> str:
    """Return the card's MIG class, empty where it has none."""
    known: Card | None = CATALOG.cards.get(card)
    return (known.mig_class if known else OWN_CARDS[card].get("migClass")) or ""
