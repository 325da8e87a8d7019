"""A time limit in which GPU pods hardly start.

With waitForPodsReady, Kueue evicts a job whose pods are not all ready in time, puts it back into the queue and tries
again, without end by default. Images of tens of gigabytes and the loading of a model take minutes on a node that has
neither; with a shorter limit, the job goes round in circles and its cards are busy with pulling images.

Source: Kueue #11366, #11855 (on with 30 minutes by default since 0.19).
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import point

DOC = RuleDoc(
    id="kueue/pods-ready-timeout-short",
    severity=Severity.WARNING,
    summary="A time limit in which GPU pods hardly start",
    why="Kueue evicts and requeues a job whose pods are not ready in time; one whose image takes longer to pull never runs.",
    fix="Write 600 or more (the default is 1800), or 0 to switch the limit off.",
    bad="clusters:\n  eu: {kubernetes: '1.36', kueue: {podsReadyTimeoutSeconds: 60}}",
    good="clusters:\n  eu: {kubernetes: '1.36', kueue: {podsReadyTimeoutSeconds: 1800}}",
)

SHORTEST = 300
"""Seconds: a 25 GB image over 1 Gbit/s takes 200 and has to be unpacked. A figure of ours, hence a warning."""


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each cluster whose limit is on and below that."""
    for cluster in fleet.clusters:
        seconds = cluster.kueue.pods_ready_timeout_seconds
        if 0 < seconds < SHORTEST:
            yield DOC.found(
                f"Jobs in cluster `{cluster.name}` are evicted after {seconds} s if their pods are not ready",
                at=point(fleet, (*cluster.path, "kueue", "podsReadyTimeoutSeconds")),
            )
