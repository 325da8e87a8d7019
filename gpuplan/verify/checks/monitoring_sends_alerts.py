"""Prometheus sends its alerts to an Alertmanager."""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.verify.loaded import alertmanagers, rules_of
from gpuplan.verify.saying import Words, verdict
from gpuplan.verify.scene import Scene
from gpuplan.verify.verdicts import CheckDoc, Verdict

DOC = CheckDoc(
    id="monitoring/sends-alerts",
    title="Prometheus knows an Alertmanager",
    reads=("prometheus",),
    why="Alerts then fire in Prometheus alone, and nobody hears of them.",
)


def check(scene: Scene) -> Iterator[Verdict]:
    """Yield one verdict where alerts were rendered."""
    if not any(rule.alerts for group in rules_of(scene.manifests) for rule in group.rules):
        return
    found = alertmanagers(scene)
    words = Words(
        at=scene.place(scene.fleet.monitoring.alertmanager.path),
        good="alerts are sent",
        bad="alerts are sent to nobody",
        fix="Name Alertmanager under `alerting:` in Prometheus' configuration, or `alertingEndpoints` of its operator.",
        look="Name the Prometheus, or the ruler, that evaluates the rules; of a ruler look at its setting for Alertmanager.",
    )
    unseen = [found] if isinstance(found, str) else []
    wrong = [] if found else ["Prometheus has no active Alertmanager"]
    right = [] if isinstance(found, str) else [f"to {one}" for one in found]
    yield verdict(DOC, f"cluster {scene.cluster.name}", words, wrong=wrong, unseen=unseen, right=right)
