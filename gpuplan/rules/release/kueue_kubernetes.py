"""A Kueue version of the fleet's own choice that is not tested on the cluster's Kubernetes.

Each minor of Kueue is tested by its own project on three Kubernetes minors. A release respects that; an override under
`components` may not. Kueue before 0.15 does not serve `kueue.x-k8s.io/v1beta2`, the only version that gpuplan writes: the
server would refuse every queue.

Source: Kueue's test matrix (Makefile-test.mk) and its API history.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.judge_cluster import kueue
from gpuplan.rules.judgement import Verdict
from gpuplan.rules.walk import point, written

DOC = RuleDoc(
    id="release/kueue-kubernetes",
    severity=Severity.ERROR,
    summary="A Kueue version that does not go with the cluster",
    why="gpuplan writes kueue.x-k8s.io/v1beta2, which Kueue serves since 0.15; each minor is tested on a few of Kubernetes'.",
    fix="Remove the override, so that the release's own Kueue is used.",
    bad="clusters:\n  eu: {kubernetes: '1.36', components: {kueue: {version: v0.13.4}}}",
    good="clusters:\n  eu: {kubernetes: '1.36', components: {kueue: {version: v0.19.2}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each overridden Kueue that is too old, or not tested on the cluster's Kubernetes."""
    for cluster in fleet.clusters:
        path = (*cluster.path, "components", "kueue", "version")
        if written(fleet, path):
            judged = kueue(fleet, cluster)
            if judged.verdict is Verdict.BAD:
                summary = f"Kueue {cluster.kueue.version} does not serve kueue.x-k8s.io/v1beta2, the version that gpuplan writes"
                yield DOC.found(summary, at=point(fleet, path))
            elif judged.verdict is Verdict.WARN:
                runs = f"cluster `{cluster.name}` runs {cluster.kubernetes}"
                summary = f"Kueue {cluster.kueue.version} is {judged.known}, and {runs}"
                yield DOC.found(summary, at=point(fleet, path), severity=Severity.WARNING)
