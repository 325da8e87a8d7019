"""What Kueue really shows Prometheus is what the catalogue says of it: our rules rest on these names and labels."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator

from gpuplan.catalog import load
from gpuplan.catalog.metrics import Exporter
from tests.controlplane.behaviour.stage import Stage

SAMPLE = re.compile(r"^(?P<name>[a-z_]+)\{(?P<labels>.*)\} \S+$", re.MULTILINE)
PARTS = ("_bucket", "_count", "_sum")
"""What a histogram's series are called besides its name."""
HISTOGRAMS_OWN = {"le"}
SHOWN_LAST = "kueue_admitted_until_ready_wait_time_seconds_count{"
TARGETS = {"instance", "job"}
"""Labels that come from the scrape."""


def shown(text: str) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield the name and the label names of each series, those of a histogram under its own name."""
    for sample in SAMPLE.finditer(text):
        name = sample["name"]
        labels = frozenset(re.findall(r'([a-z_]+)="', sample["labels"])) - HISTOGRAMS_OWN
        yield next((name.removesuffix(part) for part in PARTS if name.endswith(part)), name), labels


def test_kueue_shows_what_the_catalogue_says(stage: Stage) -> None:
    """Work that is admitted, gives way, waits and ends: then all that our rules read is there."""
    scene = stage.play("""
nodePools: {h100: {tier: train, nodes: 1, cardsPerNode: 8}}
taskPools:
  pretrain: {kind: training, service: guaranteed, tiers: [train]}
  scratch: {kind: experiment, service: reclaimable, tiers: [train]}
teams:
  vision: {namespaces: [vision], quotas: {pretrain: {train: {guaranteed: 8}}}}
  nlp: {namespaces: [nlp], quotas: {scratch: {}}}
""")
    reclaimable = scene.submit("nlp", "scratch", cards=8)
    scene.runs(reclaimable)
    scene.runs(scene.submit("vision", "pretrain", cards=8))
    scene.evicted(reclaimable)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Kueue makes its own certificate, and our monitor does not check it either
        stage.plane.wait_for(
            lambda: SHOWN_LAST in stage.plane.kueue_metrics(), 30, what="pods to be ready in Kueue's eyes"
        )
        found = dict(shown(stage.plane.kueue_metrics()))
    known = {
        name: frozenset(metric.labels) - TARGETS
        for name, metric in load().metrics.items()
        if metric.exporter is Exporter.KUEUE and name in found
    }
    assert {name: found[name] for name in known} == known
    assert {
        "kueue_admission_wait_time_seconds",
        "kueue_admitted_workloads_total",
        "kueue_admitted_until_ready_wait_time_seconds",
        "kueue_cluster_queue_nominal_quota",
        "kueue_cluster_queue_resource_pending",
        "kueue_cluster_queue_resource_usage",
        "kueue_evicted_workloads_total",
        "kueue_local_queue_evicted_workloads_total",
        "kueue_pending_workloads",
        "kueue_preempted_workloads_total",
    } <= known.keys()
