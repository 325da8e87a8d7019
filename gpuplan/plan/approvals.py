"""Whose approval the fleet asks for: the base's owners, so that a change cannot take away who must agree to it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from gpuplan.model.fleet import Fleet
from gpuplan.plan.comparison import Comparison
from gpuplan.plan.parts import Approval, Effect, Risk

OWNERS_CHANGED = "approval/owners-changed"
"""The fact that somebody else is asked from now on."""


def approvals(comparison: Comparison, effects: Sequence[Effect]) -> tuple[Approval, ...]:
    """Return who is asked, and for which effects: teams that lose, clusters that are disrupted, and the platform."""
    fleets = tuple(side.fleet for side in (comparison.old, comparison.new) if side.fleet is not None)
    return tuple(
        approval
        for approval in (
            *_of_teams(comparison, fleets, effects),
            *_of_clusters(comparison, fleets, effects),
            *_of_platform(fleets, effects),
        )
        if approval.effects
    )


def _of_teams(comparison: Comparison, fleets: Sequence[Fleet], effects: Sequence[Effect]) -> Iterator[Approval]:
    renamed = comparison.moves.new_name
    owners = _first_said(((renamed("teams", team.name), team.owners) for team in fleet.teams) for fleet in fleets)
    for team in sorted({team for effect in effects for team in effect.teams}):
        theirs = tuple(effect for effect in effects if team in effect.teams)
        yield Approval(role=f"team {team}", owners=owners.get(team, ()), effects=theirs)


def _of_clusters(comparison: Comparison, fleets: Sequence[Fleet], effects: Sequence[Effect]) -> Iterator[Approval]:
    renamed = comparison.moves.new_name
    owners = _first_said(((renamed("clusters", one.name), one.owners) for one in fleet.clusters) for fleet in fleets)
    for name, people in owners.items():
        here = [effect for effect in effects if effect.cluster == name]
        if people:
            theirs = tuple(effect for effect in here if _asks(effect, Risk.DISRUPTIVE))
            yield Approval(role=f"cluster {name}", owners=people, effects=theirs)


def _of_platform(fleets: Sequence[Fleet], effects: Sequence[Effect]) -> Iterator[Approval]:
    rules = [fleet.governance.approvals for fleet in fleets]
    if rules:
        owners = next((rule.owners for rule in rules if rule.owners), ())
        since = min((Risk(rule.since) for rule in rules), key=lambda risk: risk.rank)
        theirs = tuple(effect for effect in effects if _asks(effect, since))
        yield Approval(role="platform", owners=owners, effects=theirs)


def _asks(effect: Effect, since: Risk) -> bool:
    """Tell whether clusters' and platform's owners are asked; who takes their place is always a matter of theirs."""
    return effect.risk.rank >= since.rank or effect.fact == OWNERS_CHANGED


Named = Iterable[tuple[str, tuple[str, ...]]]
"""Names with their owners."""


def _first_said(sides: Iterable[Named]) -> dict[str, tuple[str, ...]]:
    """Return the owners by name, those of the earlier side where it names any."""
    found: dict[str, tuple[str, ...]] = {}
    for side in sides:
        for name, owners in side:
            found[name] = found.get(name) or owners
    return found
