"""Which pool each node with cards belongs to, as monitoring can tell: the series that all alerts on nodes rest on.

Facts: kube-state-metrics 2.20. It shows pods without any allow list, so where DaemonSets bear the pool's name (our own
agents, and those of AMD's operator) they tell the pool of a node. Elsewhere the nodes' labels do, which it exports only
if `--metric-labels-allowlist=nodes=[…]` names them (`label_keys`); and where no other pool of the cluster offers a pool's
resource, the nodes that offer it are the pool's.

A node is in one pool, whatever they say: the first that claims it. So joins by node cannot fail, for which two pools of one
node would be a reason to drop the whole rule.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan import conventions
from gpuplan.catalog.cards import Vendor
from gpuplan.emit import agents, amd, base
from gpuplan.emit.monitoring.alerts import record
from gpuplan.emit.monitoring.series import NODE_POOL
from gpuplan.manifests.kinds.monitoring import RecordingRule
from gpuplan.model.fleet import Cluster
from gpuplan.model.pools import NodePool, node_labels, produced_resources

_BY_PODS = "no agent of ours on any node"
_BY_LABELS = "no node with the labels of a pool (does --metric-labels-allowlist name them?)"
"""What is wrong where no node of any pool is known: nodes without their labels look like that, and so does silence."""


def info(cluster: Cluster) -> RecordingRule:
    """Return the series that says which pool each node belongs to, by `node` and `pool`."""
    return record(NODE_POOL, "\nor on (node)\n".join(_expressions(cluster)))


def unknown(cluster: Cluster) -> str:
    """Say what is wrong where no node of any pool is known."""
    seen = ((_BY_PODS, _known_by_pods(cluster)), (_BY_LABELS, _others(cluster)))
    return "kube-state-metrics shows " + " and ".join(words for words, pools in seen if pools)


def label_keys(cluster: Cluster) -> tuple[str, ...]:
    """Return the keys of node labels that kube-state-metrics must export, sorted."""
    return tuple(sorted({key for pool in _others(cluster) for key in node_labels(pool)}))


def _expressions(cluster: Cluster) -> Iterator[str]:
    for pool in agents.managed_pools(cluster):
        names = "|".join(f"{agent.name}-{pool.name}" for agent in (agents.DEVICE_PLUGIN, agents.DCGM_EXPORTER))
        yield _by_pods(pool, names, conventions.SYSTEM_NAMESPACE)
    for pool in amd.operator_pools(cluster):
        names = "|".join(amd.agent_name(pool, agent) for agent in (amd.PLUGIN, amd.EXPORTER))
        yield _by_pods(pool, names, amd.namespace(cluster))
    for pool in _others(cluster):
        yield _by_labels(pool)
    for pool in _others(cluster):
        if pool.card.vendor is not Vendor.NVIDIA or pool.stack == "operator":
            yield from _by_resource(cluster, pool)


def _known_by_pods(cluster: Cluster) -> list[NodePool]:
    return [*agents.managed_pools(cluster), *amd.operator_pools(cluster)]


def _others(cluster: Cluster) -> list[NodePool]:
    known = {pool.name for pool in _known_by_pods(cluster)}
    return [pool for pool in cluster.pools if pool.name not in known]


def _by_pods(pool: NodePool, names: str, namespace: str) -> str:
    """Match the exact names, so that another stack's DaemonSets in the cluster (a mixed pilot) are no pool of ours."""
    chosen = f'namespace="{namespace}", created_by_kind="DaemonSet", created_by_name=~"{names}", node!=""'
    return _of_pool(f"kube_pod_info{{{chosen}}}", pool)


def _by_labels(pool: NodePool) -> str:
    wanted = ", ".join(f'label_{base.prometheus_label(key)}="{value}"' for key, value in node_labels(pool).items())
    return _of_pool(f"kube_node_labels{{{wanted}}}", pool)


def _by_resource(cluster: Cluster, pool: NodePool) -> Iterator[str]:
    """By the first resource that no other pool offers; none where it has no such resource."""
    elsewhere = {made.resource for other in cluster.pools if other is not pool for made in produced_resources(other)}
    own = [made.resource for made in produced_resources(pool) if made.resource not in elsewhere]
    for resource in own[:1]:
        name = base.prometheus_label(resource)
        yield _of_pool(f'kube_node_status_capacity{{resource="{name}"}} > bool 0 == 1', pool)


def _of_pool(expression: str, pool: NodePool) -> str:
    return f'label_replace(max by (node) ({expression}), "pool", "{pool.name}", "", "")'
