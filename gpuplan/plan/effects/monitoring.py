"""What is scraped, recorded and alerted on: alerts that are gone, series that stop, counters that nobody collects any more."""

from __future__ import annotations

import dataclasses
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from gpuplan import conventions
from gpuplan.manifests.set import Manifest, ManifestSet
from gpuplan.model.monitoring import Thresholds
from gpuplan.plan.comparison import Comparison
from gpuplan.plan.effects import pool_pairs, reading
from gpuplan.plan.effects.reading import differs, labels, listed, spec
from gpuplan.plan.parts import Action, Effect, ObjectChange, Risk
from gpuplan.words import counted

RULES = "PrometheusRule"
MONITORS = ("PodMonitor", "ServiceMonitor")
KINDS = (RULES, *MONITORS, "ConfigMap")
THRESHOLDS = ("monitoring", "thresholds")
LISTS = (conventions.DCGM_COUNTERS, conventions.OPERATOR_COUNTERS)
"""ConfigMaps with the fields that exporters collect, without the hash at the end of their names."""
DASHBOARD = conventions.dashboard_name("")
HASHED = re.compile(r"-[0-9a-f]{8}$")

Rules = Mapping[str, set[str]]
"""What is evaluated under each name: expression, times and severity; words for people do not count."""


def effects(comparison: Comparison) -> Iterator[Effect]:
    """Yield what people no longer see or hear, cluster by cluster, and what they hear anew."""
    before, after = (_told_by(side.manifests) for side in (comparison.old, comparison.new))
    changed: dict[str, list[ObjectChange]] = defaultdict(list)
    for change in comparison.of_kind(*KINDS):
        changed[reading.new_cluster(comparison, change)].append(change)
    for cluster in sorted(changed.keys() & reading.staying(comparison)):
        old, new = before[comparison.moves.old_name("clusters", cluster)], after[cluster]
        changes = changed[cluster]
        rules = [change for change in changes if change.ref.key.kind == RULES]
        if rules:
            was, will = ([_rules(some, key) for key in ("alert", "record")] for some in (old, new))
            yield from _alerts(cluster, rules, was[0], will[0])
            yield from _series(cluster, rules, was[1], will[1])
            yield from _words(cluster, rules, was, will)
        yield from _counters(cluster, changes, _collected(old), _collected(new))
        yield from _monitors(cluster, [change for change in changes if change.ref.key.kind != "ConfigMap"])
        yield from _dashboards(cluster, changes)
    yield from _thresholds(comparison)


def _told_by(manifests: ManifestSet) -> Mapping[str, list[Manifest]]:
    """Return the objects of some kinds by cluster."""
    found: dict[str, list[Manifest]] = defaultdict(list)
    for made in manifests:
        if made.key.kind in KINDS:
            found[str(made.cluster)].append(made)
    return found


def _rules(objects: Iterable[Manifest], key: str) -> Rules:
    """Return the alerts or recorded series of some objects by name."""
    found: dict[str, set[str]] = defaultdict(set)
    for made in objects:
        for group in spec(made.object).get("groups", ()) if made.key.kind == RULES else ():
            for rule in group["rules"]:
                if key in rule:
                    judged = {name: value for name, value in rule.items() if name not in (key, "annotations")}
                    found[rule[key]].add(repr(sorted(judged.items())))
    return found


def _alerts(cluster: str, changes: list[ObjectChange], old: Rules, new: Rules) -> Iterator[Effect]:
    gone, come = sorted(old.keys() - new.keys()), sorted(new.keys() - old.keys())
    changed = [name for name in sorted(old.keys() & new.keys()) if old[name] != new[name]]
    if gone:
        text = f"{counted(len(gone), 'alert')} will never fire again: {listed(gone)}"
        yield reading.told("monitoring/alerts-gone", Risk.LOW, cluster, "alerts", text, changes)
    if changed and _asked_for(changes):
        text = f"{counted(len(changed), 'alert')} will fire on something else than before: {listed(changed)}"
        yield reading.told("monitoring/alerts-changed", Risk.LOW, cluster, "alerts", text, changes)
    elif changed:
        text = f"alerts follow the change of what they watch: {listed(changed)}"
        yield reading.told("monitoring/alerts-follow", Risk.NONE, cluster, "alerts", text, changes)
    if come:
        text = f"{counted(len(come), 'alert')} can fire from now on: {listed(come)}"
        yield reading.told("monitoring/alerts-added", Risk.NONE, cluster, "alerts", text, changes)


def _asked_for(changes: list[ObjectChange]) -> bool:
    """Tell whether monitoring itself changes in the spec, or nobody knows why alerts do."""
    causes = reading.causes(changes)
    return not causes or any(cause.path[0] == THRESHOLDS[0] for cause in causes)


def _series(cluster: str, changes: list[ObjectChange], old: Rules, new: Rules) -> Iterator[Effect]:
    gone = sorted(old.keys() - new.keys())
    if gone:
        verb = "series stops" if len(gone) == 1 else "series stop"
        text = f"{len(gone)} recorded {verb}: {listed(gone)}"
        yield reading.told("monitoring/series-stop", Risk.LOW, cluster, "recorded series", text, changes)
    changed = [name for name in new if old.get(name) != new[name]]
    if changed:
        text = f"{len(changed)} of the recorded series {'follows' if len(changed) == 1 else 'follow'} the change"
        yield reading.told("monitoring/rules-follow", Risk.NONE, cluster, "recorded series", text, changes)


def _words(cluster: str, changes: list[ObjectChange], old: list[Rules], new: list[Rules]) -> Iterator[Effect]:
    """Yield that nothing is judged in another way: addresses of runbooks, or labels of objects."""
    if old == new:
        text = "rules differ in their words alone"
        yield reading.told("monitoring/words", Risk.NONE, cluster, "rules", text, changes)


def _collected(objects: Iterable[Manifest]) -> set[str]:
    """Return the fields that some objects let exporters collect."""
    found: set[str] = set()
    for made in objects:
        if made.key.kind == "ConfigMap" and HASHED.sub("", made.key.name) in LISTS:
            data: Any = made.object.get("data", {})
            lines = (line for text in data.values() for line in text.splitlines())
            found |= {line.split(",")[0].strip() for line in lines if line.strip() and not line.startswith("#")}
    return found


def _counters(cluster: str, changed: list[ObjectChange], old: set[str], new: set[str]) -> Iterator[Effect]:
    changes = [change for change in changed if HASHED.sub("", change.ref.key.name) in LISTS]
    gone, come = sorted(old - new), sorted(new - old)
    if gone and new:
        text = f"no longer collected: {counted(len(gone), 'DCGM field')} ({listed(gone)})"
        yield reading.told("monitoring/counters-gone", Risk.LOW, cluster, "DCGM exporter", text, changes)
    if come and old:
        text = f"collected from now on: {counted(len(come), 'DCGM field')} ({listed(come)})"
        yield reading.told("monitoring/counters-added", Risk.NONE, cluster, "DCGM exporter", text, changes)


def _monitors(cluster: str, changes: list[ObjectChange]) -> Iterator[Effect]:
    unseen = [change for change in changes if differs(change, labels)]
    if unseen:
        wanted = listed(f"{key}={value}" for key, value in sorted(_new_labels(unseen).items()))
        text = (
            f"{counted(len(unseen), 'object')} with rules or targets count for a Prometheus alone that selects {wanted}"
        )
        yield reading.told("monitoring/selector", Risk.LOW, cluster, "Prometheus", text, unseen)
    for action, fact, risk, what in SCRAPES:
        some = [
            change
            for change in changes
            if change.ref.key.kind in MONITORS
            and change.action is action
            and (action is not Action.UPDATE or differs(change, spec))
        ]
        if some:
            text = f"{listed(change.ref.key.name for change in some)} {what}"
            yield reading.told(fact, risk, cluster, "scraping", text, some)


def _new_labels(changes: Iterable[ObjectChange]) -> dict[str, str]:
    """Return the labels that some objects did not have before."""
    found: dict[str, str] = {}
    for change in changes:
        before = labels(change.before)
        found |= {key: value for key, value in labels(change.after).items() if before.get(key) != value}
    return found


def _dashboards(cluster: str, changed: list[ObjectChange]) -> Iterator[Effect]:
    changes = [change for change in changed if change.ref.key.name.startswith(DASHBOARD)]
    for action, fact, risk, what in BOARDS:
        some = [change for change in changes if change.action is action]
        if some:
            names = listed(change.ref.key.name.removeprefix(DASHBOARD) for change in some)
            yield reading.told(fact, risk, cluster, "dashboards", f"dashboards {what}: {names}", some)


def _thresholds(comparison: Comparison) -> Iterator[Effect]:
    old, new = comparison.old.fleet, comparison.new.fleet
    for field in dataclasses.fields(Thresholds) if old and new else ():
        was, will = (getattr(side.monitoring.thresholds, field.name) for side in (old, new) if side)
        if was != will:
            first, *rest = field.name.split("_")
            name = first + "".join(word.capitalize() for word in rest)
            yield Effect(
                fact="monitoring/threshold",
                risk=Risk.LOW,
                cluster=None,
                subject=f"threshold {name}",
                summary=f"threshold {name} of alerts: {was} → {will}",
                causes=pool_pairs.caused(comparison, (*THRESHOLDS, name)),
            )


SCRAPES: tuple[tuple[Action, str, Risk, str], ...] = (
    (Action.DELETE, "monitoring/scrape-ends", Risk.LOW, "is scraped no more: its series end"),
    (Action.UPDATE, "monitoring/scrape-changes", Risk.LOW, "is scraped in another way: series may get other labels"),
    (Action.CREATE, "monitoring/scrape-begins", Risk.NONE, "is scraped from now on"),
)
BOARDS: tuple[tuple[Action, str, Risk, str], ...] = (
    (Action.DELETE, "monitoring/dashboards-gone", Risk.LOW, "that Grafana no longer shows"),
    (Action.UPDATE, "monitoring/dashboards-change", Risk.NONE, "that follow the change"),
    (Action.CREATE, "monitoring/dashboards-added", Risk.NONE, "that Grafana shows anew"),
)
"""(what becomes of objects, fact, risk, words)."""
