"""The nine dimensions: points from -2 (for scripts) to 2 (for the operator), each with the reason and the facts it rests on.

No dimension gives fewer points for more nodes or more pools: that is what keeps a growing fleet from being advised to go back
to scripts, and `tests/unit/advise` holds all of them to it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from gpuplan.advise import hours
from gpuplan.advise.case import Case
from gpuplan.advise.settings import Settings, shown
from gpuplan.rules.judgement import Judgement, Verdict
from gpuplan.words import counted

FURTHEST: Final = 2
"""Points that a dimension may give at most, either way."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Points:
    """What one dimension says: points, the reason in a sentence, the facts that decided it, and the numbers it used."""

    points: int
    reason: str
    facts: tuple[str, ...]
    figures: tuple[str, ...] = ()


def _bounded(points: int) -> int:
    return max(-FURTHEST, min(FURTHEST, points))


def _consistency(case: Case, settings: Settings) -> Points:
    few, many, very = (f"thresholds.{name}" for name in ("fewNodes", "manyNodes", "veryManyNodes"))
    horizon = counted(case.horizon, "node") + (f" in a year, {case.nodes} now" if case.growth else "")
    figures = [few, many]
    if case.horizon < settings.of(few):
        points, reason = (
            -1,
            f"{horizon}: below {settings.shown(few)}, where scripts and a person's eye reach all of them",
        )
    elif case.horizon < settings.of(many):
        points, reason = 0, f"{horizon}: between {settings.shown(few)} and {settings.shown(many)}, where both ways hold"
    elif case.horizon < settings.of(very):
        points, reason = 1, f"{horizon}: from {settings.shown(many)} on, some node is always different from the others"
    else:
        points, reason = 2, f"{horizon}: from {settings.shown(very)} on, going round does not end"
        figures = [very]
    for value, key, words in (
        (case.growth, "thresholds.growthPercent", f"it grows by {case.growth} % a year"),
        (
            case.releases,
            "thresholds.releasesPerDay",
            f"{counted(case.releases, 'release')} a day meet whatever a node is like",
        ),
    ):
        if value >= settings.of(key):
            points, reason = points + 1, f"{reason}; {words} ({settings.shown(key)} and more count)"
            figures.append(key)
    return Points(points=_bounded(points), reason=reason, facts=("nodes", "growth", "releases"), figures=tuple(figures))


def _replacement(case: Case, settings: Settings) -> Points:
    if not case.drain_seconds:
        return Points(
            points=0, reason="no work on the pool holds state, so a node may be drained on either way", facts=("state",)
        )
    held = f"sessions need {case.drain_seconds} s to leave a node"
    if case.driver == "nodes":
        reason = f"{held}, but the driver stays on the nodes, and changes only when people change it, on either way"
        return Points(points=0, reason=reason, facts=("state", "driver"))
    key = "thresholds.longDrainSeconds"
    long = case.drain_seconds >= settings.of(key)
    reason = (
        f"{held}, and an operator's driver container unloads the driver whenever it is replaced: "
        f"{'longer' if long else 'shorter'} than the {settings.shown(key)} s after which its drain gives up by default"
    )
    return Points(points=-2 if long else -1, reason=reason, facts=("state", "driver"), figures=(key,))


def _monitoring(case: Case, settings: Settings) -> Points:
    del settings
    same = "cards, queues and alerts are seen alike on both ways, since gpuplan renders the same rules"
    if case.driver == "nodes":
        return Points(
            points=0, reason=f"{same}; the operator watches no driver that comes with the nodes", facts=("driver",)
        )
    reason = f"{same}; the operator also tells the state of each node's driver upgrade, by label, event and metric"
    return Points(points=1, reason=reason, facts=("driver",))


def _versions(case: Case, settings: Settings) -> Points:
    del settings
    facts = ("versions",)
    judged = against_operator(case)
    broken = [one for one in judged if one.verdict is Verdict.BAD]
    untried = [one for one in judged if one.verdict is Verdict.WARN]
    if broken:
        return Points(points=-2, reason=f"the operator does not work here: {_cells(broken)}", facts=facts)
    if untried:
        return Points(points=-1, reason=f"nobody has tried the operator like this: {_cells(untried)}", facts=facts)
    unnamed = [one for one in judged if one.verdict is Verdict.UNKNOWN]
    if unnamed:
        return Points(points=0, reason=f"the vendor's matrix does not name {_cells(unnamed)}", facts=facts)
    reason = (
        "the vendor tests the operator's parts together on this Kubernetes, system and runtime; by hand each is chosen"
    )
    return Points(points=1, reason=reason, facts=facts)


def _cells(judged: list[Judgement]) -> str:
    return "; ".join(f"{one.here} ({one.known})" if one.known else one.here for one in judged)


def against_operator(case: Case) -> tuple[Judgement, ...]:
    """Return what is known of the operator on the pool's cluster; its driver image only where it would be needed."""
    return (*case.judged, case.image) if case.driver == "operator" else case.judged


def _security(case: Case, settings: Settings) -> Points:
    del settings
    points = {"allowed": 0, "reviewed": -1, "forbidden": -2}[case.privileged]
    said = {
        "allowed": "privileged node agents are accepted",
        "reviewed": "privileged pods are reviewed one by one: the operator's need it, and gpuplan's own agents mostly do not",
        "forbidden": "privileged pods are forbidden, and the operator's driver, toolkit and validation need them",
    }[case.privileged]
    if case.air_gapped:
        points, said = (
            points - 1,
            f"{said}; cut off from the internet, the operator's images and packages must be mirrored",
        )
    return Points(points=_bounded(points), reason=said, facts=("privileged", "airGapped"))


def _cost(case: Case, settings: Settings) -> Points:
    nodes, driven = case.horizon, case.driver_horizon
    manual, operator = (hours.upkeep(way, nodes, driven, settings) for way in ("manual", "operator"))
    by_hand = f"{shown(manual)} hours a month by hand, {shown(operator)} with the operator"
    if case.driver == "nodes":
        points, reason = 0, f"{by_hand}: people upgrade drivers that come with the nodes on either way"
    else:
        points, reason = (manual > operator) - (manual < operator), by_hand
    if case.people is not None and manual > hours.available(case.people, settings):
        has = shown(hours.available(case.people, settings))
        points, reason = 2, f"{reason}; the team has {has} for operations, too few for scripts"
    key = "thresholds.controllerPeople"
    if case.controllers is not None and case.controllers < settings.of(key):
        points -= 1 if case.controllers else 2
        able = f"{case.controllers or 'nobody'} of them can debug a controller"
        reason = f"{reason}; {able}, and {settings.shown(key)} are needed"
    figures = ("hours.upgradeManual", "hours.upgradeOperator", "hours.baseManual", "hours.baseOperator", key)
    return Points(
        points=_bounded(points), reason=reason, facts=("nodes", "growth", "people", "controllers"), figures=figures
    )


def _heterogeneity(case: Case, settings: Settings) -> Points:
    kinds, clouds = "thresholds.kinds", "thresholds.clouds"
    points, parts = 0, []
    if case.kinds >= settings.of(kinds) and case.driver == "operator":
        points += 1
        parts.append(
            f"{case.kinds} kinds of architecture and driver in the cluster: one NVIDIADriver for each pool keeps them apart"
        )
    else:
        parts.append(f"{counted(case.kinds, 'kind')} of architecture and driver in the cluster: no difference")
    if case.clouds >= settings.of(clouds):
        points += 1
        parts.append(f"{case.clouds} clouds: the operator works alike on all of them")
    return Points(points=points, reason="; ".join(parts), facts=("kinds", "clouds"), figures=(kinds, clouds))


def _tenancy(case: Case, settings: Settings) -> Points:
    key = "thresholds.teams"
    if case.teams >= settings.of(key):
        reason = (
            f"{case.teams} teams in the cluster: a maintenance that goes node by node by itself needs no common day"
        )
        return Points(points=1, reason=reason, facts=("teams",), figures=(key,))
    reason = f"{counted(case.teams, 'team')} in the cluster: maintenance can be agreed, and queues keep them apart on either way"
    return Points(points=0, reason=reason, facts=("teams",), figures=(key,))


def _migration(case: Case, settings: Settings) -> Points:
    del settings
    facts = ("stack", "inService")
    if not case.in_service:
        return Points(points=0, reason="nothing runs yet, so nothing has to move", facts=facts)
    if case.now == "operator":
        return Points(
            points=1, reason="the pool is on the operator: going to scripts would drain every node", facts=facts
        )
    if case.beside_operator:
        reason = "the pool is on scripts beside an operator that serves others: it drains every node, and installs nothing new"
        return Points(points=0, reason=reason, facts=(*facts, "beside"))
    return Points(points=-1, reason="the pool is on scripts: going to the operator drains every node", facts=facts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dimension:
    """One thing by which the ways differ; `step` is the part of the decision path that it belongs to."""

    title: str
    step: str
    judge: Callable[[Case, Settings], Points]


SCALE, ABILITY, STATE, FIT, REST = "scale", "ability", "state", "compatibility", "direction"
DIMENSIONS: Final[Mapping[str, Dimension]] = MappingProxyType(
    {
        "consistency": Dimension(title="Consistency at scale", step=SCALE, judge=_consistency),
        "cost": Dimension(title="Cost and manpower", step=ABILITY, judge=_cost),
        "replacement": Dimension(title="Replacement control", step=STATE, judge=_replacement),
        "versions": Dimension(title="Version and upgrade path", step=FIT, judge=_versions),
        "security": Dimension(title="Security boundary", step=FIT, judge=_security),
        "monitoring": Dimension(title="Monitoring", step=REST, judge=_monitoring),
        "heterogeneity": Dimension(title="Heterogeneity", step=REST, judge=_heterogeneity),
        "tenancy": Dimension(title="Tenancy", step=REST, judge=_tenancy),
        "migration": Dimension(title="Migration", step=REST, judge=_migration),
    }
)
"""By the name under which their weights stand in the answers file, in the order of the decision path."""
