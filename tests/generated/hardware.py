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
EXPOSURES = ("exclusive", "timeSlicing", "mps", "mig")


def _common_names() -> tuple[str, ...]:
    """Return NVIDIA's cards, two of the usual ones first."""
    nvidia = sorted(card.name for card in CATALOG.cards.values() if card.vendor is Vendor.NVIDIA)
    return tuple(dict.fromkeys(("l40s", "h100-sxm-80gb", *nvidia, "own-nvidia", "own-mig")))


NVIDIA = _common_names()
FOREIGN = ("mi300x", "gaudi3", "ascend-910b3", "own-npu", "own-amd", "own-intel")


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
        ours = any(clusters[name].get("stack") != "external" for name in where)
        exposure = draw(st.sampled_from(EXPOSURES if ours else (*EXPOSURES, "foreign", "foreign")))
        tiers[tier] = draw(_tier(exposure, currency))
        for cluster in where:
            for pool in draw(_pools_of_tier(cluster, tier, tiers[tier], exposure, clusters[cluster])):
                companions = {name: draw(st.sampled_from(COMPANIONS[name])) for name in beside}
                pools[draw(words.decorated(next(pool_words), 42))] = pool | (
                    {"companions": companions} if beside else {}
                )
    draw(selection.select(clusters, pools, lambda pool: card_of(pool, tiers)))
    used = {card for tier in tiers.values() for card in tier["cards"]}
    cards = {name: card for name, card in OWN_CARDS.items() if name in used}
    return (
        {"cards": cards, "cardTiers": tiers, "nodePools": pools} if cards else {"cardTiers": tiers, "nodePools": pools}
    )


def card_of(pool: Entry, tiers: dict[str, Entry]) -> str:
    """Return the card of a pool, which a tier with one card need not repeat."""
    return str(pool.get("card") or tiers[pool["tier"]]["cards"][0])


@st.composite
def _tier(draw: st.DrawFn, exposure: str, currency: str) -> Entry:
    cuttable = [name for name in NVIDIA if _mig_class(name)]
    known = {"mig": cuttable, "foreign": FOREIGN}.get(exposure, NVIDIA)
    most = 1 if exposure in ("mig", "foreign") else 3
    tier: Entry = {"cards": draw(st.lists(st.sampled_from(known), min_size=1, max_size=most, unique=True))}
    if draw(st.booleans()):
        tier["suits"] = draw(st.lists(st.sampled_from(KINDS), min_size=1, unique=True))
    topology = draw(st.sampled_from(("default", "default", "off", "hostname", "levels")))
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
            pool = {"cluster": cluster, "tier": name, **said, **own_size, **sharing, **revision}
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
    if exposure != "mig":
        return draw(st.sampled_from(({}, {"sharing": "exclusive"})))
    layout = draw(mig.layouts(CATALOG.mig[_mig_class(card)], cards))
    return {"sharing": {"mig": {**layout, "name": name}}}


@st.composite
def _trimmings(draw: st.DrawFn, card: str, tier: Entry, platform: Entry) -> Entry:
    """Return what a pool may say besides: taints, the driver, and who labels its nodes with the levels."""
    made: Entry = {}
    taints = draw(selection.taints(platform))
    if taints:
        made["taints"] = taints
    driver = draw(_drivers(card))
    if driver:
        made["driver"] = driver
    levels = tier.get("topology", {})
    wide = isinstance(levels, dict) and len(levels.get("levels", ())) > 1
    if wide or draw(words.SELDOM):
        made["topologyLabels"] = draw(st.sampled_from(("provided", "nfd", "kubelet")))
    return made


def _drivers(card: str) -> st.SearchStrategy[Entry]:
    """Volta ended with branch 580, so that a pool of it has to say so; others may leave the branch to the release."""
    pinned: Entry = {"branch": "580"}
    if card in CATALOG.cards and CATALOG.cards[card].architecture == "volta":
        return st.sampled_from(
            (pinned, {**pinned, "kernelModules": "auto"}, {**pinned, "kernelModules": "proprietary"})
        )
    return st.sampled_from(({}, pinned, {"branch": "595", "kernelModules": "open"}, {"branch": "620"}))


def _mig_class(card: str) -> str:
    """Return the card's MIG class, empty where it has none."""
    known: Card | None = CATALOG.cards.get(card)
    return (known.mig_class if known else OWN_CARDS[card].get("migClass")) or ""
