"""Task pools and teams: they share out what the supply holds, and ask for no job that could never start."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

from gpuplan import conventions
from tests.generated import words
from tests.generated.hardware import KINDS
from tests.generated.supply import Entry, Offer, Supply, addressed

SERVING: tuple[Entry, ...] = (
    {"engine": "vllm", "slo": {"latencyMilliseconds": 2500, "objectivePercent": 99.5}},
    {"engine": "sglang", "port": 8080, "slo": {"latencyMilliseconds": 2000}},
    {"engine": "triton", "slo": {"latencyMilliseconds": 250}},
    {"engine": "tgi"},
)
SERVICES = ("guaranteed", "queued", "shared", "reclaimable")
FRAMEWORKS = {
    "training": ("job", "jobset", "mpijob", "pod"),
    "batchInference": ("job", "jobset", "pod"),
    "onlineInference": ("deployment", "statefulset", "leaderworkerset", "pod"),
    "experiment": ("job", "pod", "statefulset"),
}
Reach = dict[Offer, tuple[int, int]]
"""What a queue can get of an offer: pieces that are its own, and the most that it may hold."""


@st.composite
def demand(draw: st.DrawFn, supply: Supply) -> dict[str, Entry]:
    """Return the sections `taskPools` and `teams`; either may be empty."""
    usable = [tier for tier in supply.tiers if supply.go_together([tier])]
    count = draw(st.integers(0, len(words.TASK_POOLS))) if usable else 0
    pools = {name: draw(_task_pool(supply, usable)) for name in draw(words.names(words.TASK_POOLS, count, 31))}
    shares = {name: draw(_shares(supply, pool)) for name, pool in pools.items() if pool["service"] == "shared"}
    teams = {name: draw(_team(name)) for name in draw(words.names(words.TEAMS, draw(st.integers(0, 4)), 31))}
    reaches: dict[str, list[Reach]] = {name: [] for name in pools}
    for team in teams.values():
        wanted = [name for name, pool in pools.items() if pool["service"] != "shared" or shares[name]]
        for name in draw(_some_of(wanted)):
            quota, reach = draw(_quota(supply, pools[name], shares.get(name, {})))
            team.setdefault("quotas", {})[name] = quota
            reaches[name].append(reach)
    for name, pool in pools.items():
        pool.update(draw(_job(supply, pool, reaches[name])))
    return {key: section for key, section in (("taskPools", pools), ("teams", teams)) if section}


def _some_of(names: list[str]) -> st.SearchStrategy[list[str]]:
    """Return some names, at least one wherever there is one, save now and then."""
    if not names:
        return st.just([])
    return st.lists(st.sampled_from(names), min_size=1, unique=True) | st.just(names) | st.just([])


@st.composite
def _task_pool(draw: st.DrawFn, supply: Supply, usable: list[str]) -> Entry:
    kind = draw(st.sampled_from(KINDS))
    pool: Entry = {"kind": kind, "service": draw(st.sampled_from(SERVICES))}
    tiers: list[str] = []
    for tier in draw(st.lists(st.sampled_from(usable), min_size=1, unique=True)):
        if supply.go_together([*tiers, tier]):
            tiers.append(tier)
    pool["tiers"] = tiers
    pool.update(draw(_fallback(supply, tiers)))
    if draw(st.booleans()):
        pool["queueing"] = draw(st.sampled_from(("strict", "bestEffort")))
    if kind == "onlineInference" and draw(st.booleans()):
        pool["stateful"] = draw(st.sampled_from(({}, {"drainSeconds": 900}, {"drainSeconds": 1})))
    if kind == "onlineInference" and draw(st.booleans()):
        pool["serving"] = draw(st.sampled_from(SERVING))
    if draw(st.booleans()):
        pool["frameworks"] = draw(st.lists(st.sampled_from(FRAMEWORKS[kind]), min_size=1, unique=True))
    return pool


@st.composite
def _fallback(draw: st.DrawFn, supply: Supply, tiers: list[str]) -> Entry:
    """Say how work moves: a must between tiers of one name, a choice within one, and nothing where it cannot move."""
    chosen = {"fallback": draw(st.sampled_from(("nextTier", "lastResort")))}
    alternatives = supply.alternatives(tiers)
    if any(len({flavor.tier.name for flavor in flavors}) > 1 for flavors in alternatives):
        return chosen
    return draw(st.sampled_from(({}, chosen))) if alternatives else {}


@st.composite
def _shares(draw: st.DrawFn, supply: Supply, pool: Entry) -> Reach:
    """Give a shared task pool cards of its own and perhaps the right to borrow; it may end up with nothing."""
    nominal: dict[Offer, int] = {}
    borrow: dict[Offer, int] = {}
    for offer in supply.offers(pool["tiers"]):
        if supply.left[offer.item] and draw(st.sampled_from((True, True, False))):
            nominal[offer] = draw(st.integers(1, supply.left[offer.item]))
            supply.take(offer, nominal[offer])
        if draw(words.SELDOM):
            borrow[offer] = draw(st.integers(1, offer.capacity))
    if nominal:
        pool["pool"] = draw(addressed(supply, nominal))
    if borrow:
        pool["poolBorrow"] = draw(addressed(supply, borrow))
    return {offer: (own := nominal.get(offer, 0), own + borrow.get(offer, 0)) for offer in {**nominal, **borrow}}


@st.composite
def _team(draw: st.DrawFn, name: str) -> Entry:
    more = draw(st.lists(st.sampled_from(("batch", "on", "x" * (62 - len(name)))), max_size=2, unique=True))
    team: Entry = {"namespaces": [name, *(f"{name}-{end}" for end in more)]}
    if draw(st.booleans()):
        team["groups"] = draw(st.lists(words.texts(), max_size=3, unique=True))
    if draw(st.booleans()):
        team["costCenter"] = draw(st.sampled_from(("cc-120", "on", "1e3", "", "A_b.c", "x" * 63)))
    if draw(st.booleans()):
        team["alerts"] = {"receiver": draw(words.texts())}
    return team


@st.composite
def _quota(draw: st.DrawFn, supply: Supply, pool: Entry, shares: Reach) -> tuple[Entry, Reach]:
    """Return a team's part in a task pool, and what its queue can get."""
    if pool["service"] == "shared":
        return draw(_shared_quota(supply, shares))
    offers = supply.offers(pool["tiers"])
    chosen = draw(st.lists(st.sampled_from(offers), min_size=1, unique_by=lambda offer: offer.item))
    if pool["service"] == "reclaimable":
        caps = {offer: draw(st.integers(1, offer.capacity)) for offer in chosen if draw(st.booleans())}
        written = draw(addressed(supply, {offer: {"cap": cap} for offer, cap in caps.items()}))
        return written, {offer: (0, caps.get(offer, offer.capacity)) for offer in caps or offers}
    amounts = {offer: draw(_amount(supply, offer)) for offer in chosen}
    reach = {offer: (own := said.get("guaranteed", 0), own + said.get("borrow", 0)) for offer, said in amounts.items()}
    return draw(addressed(supply, amounts)), reach


@st.composite
def _shared_quota(draw: st.DrawFn, supply: Supply, shares: Reach) -> tuple[Entry, Reach]:
    """Return a weight and caps, in clusters where the task pool has something."""
    caps = {offer: draw(st.integers(1, most)) for offer, (_, most) in shares.items() if draw(st.booleans())}
    quota = draw(addressed(supply, {offer: {"cap": cap} for offer, cap in caps.items()}))
    if not caps:
        quota = {"clusters": {offer.cluster: {} for offer in shares}}
    if draw(st.booleans()):
        quota["weight"] = draw(st.sampled_from((1, 2, 1_000_000)))
    present = {offer.cluster for offer in caps or shares}
    limits = {offer: caps.get(offer, most) for offer, (_, most) in shares.items() if offer.cluster in present}
    return quota, {offer: (min(shares[offer][0], limit), limit) for offer, limit in limits.items()}


@st.composite
def _amount(draw: st.DrawFn, supply: Supply, offer: Offer) -> Entry:
    """Return a floor out of what is left, and what may be borrowed and lent."""
    floor = draw(st.integers(0, supply.left[offer.item]))
    supply.take(offer, floor)
    amount: Entry = {"guaranteed": floor} if floor or draw(st.booleans()) else {}
    if not floor or draw(st.booleans()):
        amount["borrow"] = draw(st.integers(0 if floor else 1, offer.capacity))
    if draw(st.booleans()):
        amount["lend"] = draw(st.integers(0, floor))
    return amount


@st.composite
def _job(draw: st.DrawFn, supply: Supply, pool: Entry, reaches: list[Reach]) -> Entry:
    """Return the largest job and where it sits; the queue that reaches furthest can start it."""
    made = draw(_topology(supply, pool["tiers"]))
    widest = max((_most(supply, reach) for reach in reaches), default=0)
    offers = supply.offers(pool["tiers"])
    largest_pod = min(*(offer.largest_pod for offer in offers), max(widest, 1))
    if draw(st.booleans()):
        return made
    together = made.get("topology", {}).get("required") == conventions.LABEL_HOSTNAME
    pod = draw(st.integers(1, largest_pod))
    most = largest_pod if together else max(widest, pod)
    job: dict[str, Any] = {"pods": draw(st.integers(1, max(most // pod, 1)))}
    if pod > 1 or draw(st.booleans()):
        job["cardsPerPod"] = pod
    return {**made, "largestJob": job}


def _most(supply: Supply, reach: Mapping[Offer, tuple[int, int]]) -> int:
    """Return the most that a queue can get at once: its own, and what nobody owns."""
    return max((min(most, own + supply.left[offer.item]) for offer, (own, most) in reach.items()), default=0)


@st.composite
def _topology(draw: st.DrawFn, supply: Supply, tiers: list[str]) -> Entry:
    levels = [set(offer.flavor.levels) for offer in supply.offers(tiers)]
    common = sorted(set.intersection(*levels)) if levels else []
    if not common or draw(st.booleans()):
        return {}
    return {"topology": {draw(st.sampled_from(("required", "preferred"))): draw(st.sampled_from(common))}}
