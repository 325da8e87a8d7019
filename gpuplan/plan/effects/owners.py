"""Who is asked: a change of that says nothing to a cluster, and decides who may agree to all later ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from gpuplan.diagnostics import KeyPath
from gpuplan.plan.approvals import OWNERS_CHANGED
from gpuplan.plan.comparison import Comparison
from gpuplan.plan.effects import reading
from gpuplan.plan.parts import Effect, Risk

PLATFORM: KeyPath = ("governance", "approvals")

Owned = Mapping[str, tuple[tuple[str, ...], KeyPath]]
"""Name -> (who is asked, where the spec says so)."""


def effects(comparison: Comparison) -> Iterator[Effect]:
    """Yield each team, cluster and platform that had owners and has others. Who was named before is asked for it."""
    old, new = comparison.old.fleet, comparison.new.fleet
    if old is None or new is None:
        return
    teams: list[Owned] = [{team.name: (team.owners, team.path) for team in fleet.teams} for fleet in (old, new)]
    for name, told, path in _others(teams, {team: comparison.moves.old_name("teams", team) for team in teams[1]}):
        yield _effect(comparison, f"team {name}", told, (*path, "owners"), teams=(name,))
    clusters: list[Owned] = [{one.name: (one.owners, one.path) for one in fleet.clusters} for fleet in (old, new)]
    for name, told, path in _others(clusters, {one: comparison.moves.old_name("clusters", one) for one in clusters[1]}):
        yield _effect(comparison, f"cluster {name}", told, (*path, "owners"), cluster=name)
    before, after = (fleet.governance.approvals for fleet in (old, new))
    if before.owners and (set(before.owners), before.since) != (set(after.owners), after.since):
        told = _told((*before.owners, f"from {before.since}"), (*after.owners, f"from {after.since}"))
        yield _effect(comparison, "platform", told, PLATFORM)


def _others(sides: Sequence[Owned], names: Mapping[str, str]) -> Iterator[tuple[str, str, KeyPath]]:
    """Yield (name, who was asked and is, where it stands) of those with other owners; `names` are new -> old."""
    for name, was in names.items():
        before, (after, path) = sides[0].get(was, ((), ()))[0], sides[1][name]
        if before and set(before) != set(after):
            yield name, _told(before, after), path


def _told(before: Sequence[str], after: Sequence[str]) -> str:
    return reading.stepped_text(reading.listed(before), reading.listed(after) or "nobody")


def _effect(
    comparison: Comparison,
    subject: str,
    told: str,
    path: KeyPath,
    cluster: str | None = None,
    teams: tuple[str, ...] = (),
) -> Effect:
    return Effect(
        fact=OWNERS_CHANGED,
        risk=Risk.LOW,
        cluster=cluster,
        subject=subject,
        summary=f"{subject}: who must agree to changes: {told}",
        objects=(),
        causes=comparison.touched.related([path]),
        teams=teams,
    )
