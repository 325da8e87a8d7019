"""Who hears of alerts: teams whose receiver changes, and receivers that are reached in another way."""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.model.fleet import Fleet
from gpuplan.plan.comparison import Comparison
from gpuplan.plan.effects import pool_pairs
from gpuplan.plan.effects.reading import listed
from gpuplan.plan.parts import Effect, Risk

ROUTES = ("monitoring", "alertmanager")


def effects(comparison: Comparison) -> Iterator[Effect]:
    """Yield who no longer hears, and who hears instead. Somebody has to bring the configuration to Alertmanager."""
    old, new = comparison.old.fleet, comparison.new.fleet
    if old is None or new is None:
        return
    yield from _teams(comparison, old, new)
    yield from _platform(comparison, old, new)
    yield from _ways(comparison, old, new)


def _teams(comparison: Comparison, old: Fleet, new: Fleet) -> Iterator[Effect]:
    before = {comparison.moves.new_name("teams", team.name): team.receiver for team in old.teams}
    for team in new.teams:
        was, will = before.get(team.name), team.receiver
        if was is None or was == will:
            continue
        instead = f"{will} hears of them" if will else "only the platform hears of them"
        ends = f"{was} no longer hears of its alerts, " if was else ""
        yield Effect(
            fact="monitoring/receiver",
            risk=Risk.LOW,
            cluster=None,
            subject=f"team {team.name}",
            summary=f"team {team.name}: {ends}{instead}",
            causes=pool_pairs.caused(comparison, (*team.path, "alerts")),
            teams=(team.name,) if was else (),
        )


def _platform(comparison: Comparison, old: Fleet, new: Fleet) -> Iterator[Effect]:
    was, will = old.monitoring.alertmanager.platform, new.monitoring.alertmanager.platform
    if was != will:
        yield Effect(
            fact="monitoring/receiver",
            risk=Risk.LOW,
            cluster=None,
            subject="platform alerts",
            summary=f"platform alerts: {was or 'nobody'} → {will or 'nobody'}",
            causes=pool_pairs.caused(comparison, (*ROUTES, "platform")),
        )


def _ways(comparison: Comparison, old: Fleet, new: Fleet) -> Iterator[Effect]:
    """Yield the receivers that both sides have and that are told in another way, or at other hours."""
    before = {one.name: one for one in old.monitoring.alertmanager.receivers}
    for one in new.monitoring.alertmanager.receivers:
        was = before.get(one.name)
        if was is not None and (was.kind, was.to, was.secret, was.key) != (one.kind, one.to, one.secret, one.key):
            yield Effect(
                fact="monitoring/receiver-way",
                risk=Risk.LOW,
                cluster=None,
                subject=f"receiver {one.name}",
                summary=f"receiver {one.name}: {listed([f'{was.kind} {was.to}'.strip()])} → {f'{one.kind} {one.to}'.strip()}",
                causes=pool_pairs.caused(comparison, (*ROUTES, "receivers", one.name)),
            )
    hours, others = old.monitoring.alertmanager.office_hours, new.monitoring.alertmanager.office_hours
    if hours != others:
        yield Effect(
            fact="monitoring/office-hours",
            risk=Risk.LOW,
            cluster=None,
            subject="office hours",
            summary="office hours: alerts that can wait are sent at other times"
            if others
            else "office hours: alerts that can wait are sent at any time",
            causes=pool_pairs.caused(comparison, (*ROUTES, "officeHours")),
        )
