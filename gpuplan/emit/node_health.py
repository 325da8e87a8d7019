"""Nodes whose GPUs are not healthy take no new pods: a rule of the node readiness controller for each pool.

The controller taints a node while one of the conditions is not as on a healthy node, and takes the taint away afterwards.
Workloads and flavors do not tolerate it, node agents do, so that a repaired driver can be seen to work again. Nothing is
evicted: what runs goes on until a person drains the node.

The controller refuses to change a rule, so a changed one is deleted and made anew (emit/sync_options.py); it refuses two rules
with this taint whose selectors can select one node, too, so that the old one must go first.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan import conventions
from gpuplan.emit.base import NODE_HEALTH, manifest, metadata
from gpuplan.manifests.kinds import NodeReadinessRule
from gpuplan.manifests.kinds.readiness import NodeReadinessRuleSpec
from gpuplan.manifests.set import Manifest
from gpuplan.model.fleet import Cluster, Fleet, NodeHealth
from gpuplan.model.labels import lasting_labels
from gpuplan.model.pools import NodePool


def emit(fleet: Fleet, cluster: Cluster) -> Iterator[Manifest]:
    """Yield a rule for each pool of a cluster in which the controller judges."""
    health = fleet.governance.node_health
    if cluster.name in health.clusters:
        for pool in cluster.pools:
            yield manifest(fleet, cluster, NODE_HEALTH, _rule(cluster, pool, health), health.path, pool.path)


def _rule(cluster: Cluster, pool: NodePool, health: NodeHealth) -> NodeReadinessRule:
    """Select by labels that last: a rule made anew leaves broken nodes open for a moment."""
    spec: NodeReadinessRuleSpec = {
        "conditions": [
            {"type": condition, "requiredStatus": "True" if status else "False"}
            for condition, status in health.conditions
        ],
        "enforcementMode": "continuous",
        "nodeSelector": {"matchLabels": lasting_labels(cluster, pool)},
        "taint": {"key": conventions.TAINT_UNHEALTHY, "effect": conventions.TAINT_UNHEALTHY_EFFECT},
    }
    if health.dry_run:
        spec["dryRun"] = True
    return {
        "apiVersion": "readiness.node.x-k8s.io/v1alpha1",
        "kind": "NodeReadinessRule",
        "metadata": metadata(conventions.node_readiness_rule_name(pool.name), NODE_HEALTH),
        "spec": spec,
    }
