"""A taint whose key Node Feature Discovery refuses to set.

NFD sets taints only under a prefixed key, and never in Kubernetes' own domain. It drops the others with a line in its
log, and the nodes stay open to all work.

Source: Node Feature Discovery, NodeFeatureRule taints.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.model.pools import SelectedBy
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import pools

DOC = RuleDoc(
    id="taint/refused-by-nfd",
    severity=Severity.ERROR,
    summary="A taint key that NFD refuses",
    why="NFD refuses keys without a prefix and keys of Kubernetes' own domain: the taint is never set.",
    fix="Use a key with a domain of your own, such as `nvidia.com/gpu`.",
    bad="nodePools:\n  a: {selectedBy: {nfd: {}}, taints: [{key: gpu, effect: NoSchedule}]}",
    good="nodePools:\n  a: {selectedBy: {nfd: {}}, taints: [{key: nvidia.com/gpu, effect: NoSchedule}]}",
)

KUBERNETES = "kubernetes.io"


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each such taint of a pool whose taints NFD sets."""
    for cluster, pool in pools(fleet):
        if pool.selection.by is not SelectedBy.NFD or not cluster.nfd_taints:
            continue
        for index, taint in enumerate(pool.taints):
            domain = taint.key.rpartition("/")[0]
            if not domain or domain == KUBERNETES or domain.endswith("." + KUBERNETES):
                summary = f"NFD does not set taint `{taint.key}` on pool `{pool.name}`"
                yield DOC.found(summary, at=fleet.places.value((*pool.path, "taints", index, "key")))
