"""The configuration of Kueue's manager, which reads it once, when it starts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from gpuplan import conventions
from gpuplan.compare import Change, ChangeKind, Item, compare
from gpuplan.emit.kueue import manager_configuration
from gpuplan.model.fleet import Cluster
from gpuplan.plan.comparison import Comparison
from gpuplan.plan.effects import reading
from gpuplan.plan.parts import Action, Effect, ObjectChange, Risk, SpecChange
from gpuplan.words import counted

_SECONDS = re.compile(r"(\d+)s")
HELD = "controllerManagerConfigYaml"
"""Value of the chart that holds the configuration."""


def effects(comparison: Comparison) -> Iterator[Effect]:
    """Yield what a new configuration does, in each cluster that both sides have."""
    applications = {change.ref.key.name: change for change in comparison.of_kind("Application", action=Action.UPDATE)}
    pairs = {after.name: (before, after) for before, after in comparison.clusters()}
    for cluster in sorted(reading.staying(comparison)):
        change = applications.get(conventions.kueue_application_name(cluster))
        changes = _configuration(pairs.get(cluster), change)
        if changes:
            told = _Told(comparison, cluster, change)
            yield from _frameworks(told, changes)
            yield from _pods_ready(told, changes)
            if not (told.managed and _upgraded(pairs.get(cluster))):
                yield _restart(told, changes)


def _upgraded(pair: tuple[Cluster, Cluster] | None) -> bool:
    """Tell whether Kueue gets another version, with which it restarts anyway: that is told by `components`."""
    versions = {cluster.components["kueue"].version for cluster in pair or () if "kueue" in cluster.components}
    return len(versions) > 1


class _Told:
    """Where the configuration of a cluster comes from, for the effects of its change."""

    def __init__(self, comparison: Comparison, cluster: str, change: ObjectChange | None) -> None:
        self.cluster = cluster
        self.managed = change is not None
        self._refs = (change.ref,) if change else ()
        self._causes: tuple[SpecChange, ...] = change.causes if change else comparison.spec

    def effect(self, fact: str, risk: Risk, told: str) -> Effect:
        """Return an effect on the manager."""
        return Effect(
            fact=fact,
            risk=risk,
            cluster=self.cluster,
            subject=f"Kueue of {self.cluster}",
            summary=f"Kueue of {self.cluster}: {told}",
            objects=self._refs,
            causes=self._causes,
        )


def _configuration(pair: tuple[Cluster, Cluster] | None, change: ObjectChange | None) -> Sequence[Change]:
    """Return what differs in the configuration: by the specs, or by the chart's values where a side is a rendered tree.

    An installation of ours that stays the same has the same configuration.
    """
    if pair is not None:
        ours = all(cluster.kueue.managed for cluster in pair)
        return () if ours and change is None else compare(*map(manager_configuration, pair))
    values = (one for one in (change.changes if change else ()) if one.path and one.path[-1] == HELD)
    return [inner for one in values for inner in one.within]


def _starts(change: Change, *path: str) -> bool:
    return change.path[: len(path)] == path


def _frameworks(told: _Told, changes: Sequence[Change]) -> Iterator[Effect]:
    some = [one for one in changes if _starts(one, "integrations", "frameworks")]
    before = {_item(one, one.old) for one in some if one.kind is not ChangeKind.ADDED}
    after = {_item(one, one.new) for one in some if one.kind is not ChangeKind.REMOVED}
    gone, come = sorted(before - after), sorted(after - before)
    if gone:
        text = (
            f"no longer looks after {reading.listed(gone)}: what waits of them never starts, what ends keeps its quota"
        )
        yield told.effect("kueue/frameworks-removed", Risk.DISRUPTIVE, text)
    if come:
        yield told.effect("kueue/frameworks-added", Risk.NONE, f"looks after {reading.listed(come)} too, from now on")


def _item(change: Change, value: object) -> str:
    """Return the name of an item of a list on one side: one may stand where another stood."""
    last = change.path[-1]
    return str(last.keys[0][1] if isinstance(last, Item) else value)


def _pods_ready(told: _Told, changes: Sequence[Change]) -> Iterator[Effect]:
    """Yield what a new limit for starting does: a shorter one evicts jobs that would have come up."""
    for change in changes:
        if change.path in (("waitForPodsReady",), ("waitForPodsReady", "timeout")):
            old, new = (_timeout(value) for value in (change.old, change.new))
            shorter = new is not None and (old is None or new < old)
            text = f"jobs may take {_time(old)} → {_time(new)} to start"
            text += "; those that take longer are evicted and tried again" if shorter else ""
            yield told.effect("kueue/pods-ready-changed", Risk.DISRUPTIVE if shorter else Risk.LOW, text)


def _timeout(value: object) -> int | None:
    """Return the seconds of a timeout, or of the section that holds it; None where there is none."""
    written = value.get("timeout") if isinstance(value, dict) else value
    read = _SECONDS.fullmatch(str(written))
    return int(read[1]) if read else None


def _time(seconds: int | None) -> str:
    if seconds is None:
        return "any time"
    return counted(seconds // 60, "minute") if seconds % 60 == 0 else counted(seconds, "second")


def _restart(told: _Told, changes: Sequence[Change]) -> Effect:
    keys = reading.listed(dict.fromkeys(str(one.path[0]) for one in changes))
    if told.managed:
        text = (
            f"restarts for a new configuration ({keys}); until it is back, new work is refused, and nothing is admitted"
        )
        return told.effect("kueue/restarts", Risk.LOW, text)
    text = (
        f"whoever installs it must give it the new configuration ({keys}) and restart it; until then the old one holds"
    )
    return told.effect("kueue/configuration-of-others", Risk.LOW, text)
