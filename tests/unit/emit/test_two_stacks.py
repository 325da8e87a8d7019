"""Two stacks, one meaning: what a fleet says is the same on our own agents and on the GPU Operator, and so is the way back."""

from __future__ import annotations

from typing import Any

import pytest

from gpuplan import rules
from gpuplan.conventions import LABEL_DEVICE_PLUGIN_CONFIG, LABEL_MIG_CONFIG, LABEL_OPERANDS
from gpuplan.diagnostics import has_errors
from gpuplan.emit.emitters import emit
from gpuplan.manifests.set import ManifestSet
from gpuplan.manifests.write import object_text
from gpuplan.model.fleet import Fleet
from gpuplan.model.labels import all_labels
from gpuplan.model.pools import node_labels, produced_resources
from gpuplan.pipeline import silent
from tests.build import fleet
from tests.unit.emit.readers import Cards, cut, offered

SPEC = """
apiVersion: gpuplan.dev/v1alpha1
metadata: {name: acme}
clusters: {eu: {kubernetes: "1.36", stack: %s}}
delivery: {argocd: {repoURL: https://git.acme.io/platform/fleet.git}}
cardTiers: {big: {cards: [h100-sxm-80gb]}, lab: {cards: [a100-sxm-40gb]}, desk: {cards: [t4]}, mps: {cards: [l40s]}}
defaults: {nodePool: {cluster: eu, nodes: 2, cardsPerNode: 8, selectedBy: {nfd: {}}, driver: {branch: "580"}}}
nodePools:
  whole: {tier: big, nodes: 16, taints: [{key: nvidia.com/gpu, value: present, effect: NoSchedule}]%s}
  cut: {tier: lab, sharing: {mig: {profiles: {1g.5gb: 5, 2g.10gb: 1}}}%s}
  sliced: {tier: desk, sharing: {timeSlicing: {replicas: 4}}}
  shared: {tier: mps, sharing: {timeSlicing: {replicas: 8, renameByDefault: false}}}
taskPools:
  pretrain: {kind: training, service: guaranteed, tiers: [big], largestJob: {pods: 2, cardsPerPod: 8}}
  chat: {kind: onlineInference, service: guaranteed, tiers: [mps], stateful: {drainSeconds: 600}}
  notebooks: {kind: experiment, service: shared, tiers: [lab], pool: {lab/1g.5gb: 80, lab/2g.10gb: 16}}
  scratch: {kind: experiment, service: reclaimable, tiers: [desk]}
teams:
  vision:
    namespaces: [vision]
    alerts: {receiver: vision-oncall}
    quotas: {pretrain: {big: {guaranteed: 64}}, chat: {mps: {guaranteed: 16}}, notebooks: {}, scratch: {}}
"""
NODE_SIDE = {
    "ClusterPolicy",
    "ConfigMap",
    "DaemonSet",
    "NVIDIADriver",
    "RuntimeClass",
    "Service",
    "ServiceAccount",
    "ServiceMonitor",
}
"""Kinds of which each stack has its own."""
MAY_DIFFER = {
    "AppProject": "it permits what is there",
    "NodeFeatureRule": "agents read labels of their own",
    "PrometheusRule": "who runs the agents decides how a node's pool is known",
    "ValidatingAdmissionPolicy": "the operator's namespace is the platform's, too",
}
AGENTS_LABELS = {LABEL_DEVICE_PLUGIN_CONFIG, LABEL_MIG_CONFIG, LABEL_OPERANDS}


def built(stack: str, more: str = "", cut_pool: str = "") -> Fleet:
    made = fleet(SPEC % (stack, more, cut_pool))
    assert not has_errors(tuple(rules.check(made)))
    return made


def rendered(made: Fleet) -> ManifestSet:
    return emit(made, silent)


MANUAL, OPERATOR = (rendered(built(stack)) for stack in ("manual", "operator"))


def texts(manifests: ManifestSet) -> dict[str, str]:
    return {str(one.key): object_text(one.object) for one in manifests}


def of_kind(manifests: ManifestSet, kind: str) -> list[Any]:
    return [one.object for one in manifests if one.key.kind == kind]


def of_dcgm(manifests: ManifestSet) -> Any:
    (monitor,) = [one for one in of_kind(manifests, "ServiceMonitor") if "dcgm" in one["metadata"]["name"]]
    return monitor


def test_all_that_is_above_the_nodes_is_equal_to_the_byte() -> None:
    ours, theirs = texts(MANUAL), texts(OPERATOR)
    kinds = {one.key.kind for one in MANUAL} - NODE_SIDE - MAY_DIFFER.keys()
    assert kinds >= {"ClusterQueue", "Cohort", "LocalQueue", "ResourceFlavor", "Topology", "WorkloadPriorityClass"}
    above = {str(one.key) for one in MANUAL if one.key.kind in kinds} & theirs.keys()
    assert {str(one.key) for one in MANUAL if one.key.kind in {"ClusterQueue", "ResourceFlavor", "LocalQueue"}} <= above
    assert {key for key in above if ours[key] != theirs[key]} == set()


def test_what_one_stack_has_and_the_other_lacks_is_on_the_nodes_side() -> None:
    ours, theirs = ({(one.key.kind, one.key.name) for one in made} for made in (MANUAL, OPERATOR))
    rights = {"ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"}
    assert {kind for kind, _ in ours - theirs} <= NODE_SIDE | rights
    others = {(kind, name) for kind, name in theirs - ours if kind not in NODE_SIDE}
    assert others == {
        ("AppProject", "acme-gpu-operator"),
        ("Application", "gpu-operator-eu"),
        ("Namespace", "gpu-operator"),
    }


def test_nodes_carry_the_same_labels_but_for_those_that_agents_read() -> None:
    manual, operator = (built(stack).clusters[0] for stack in ("manual", "operator"))
    for ours, theirs in zip(manual.pools, operator.pools, strict=True):
        assert node_labels(ours) == node_labels(theirs)
        sides = [{*all_labels(cluster, pool).items()} for cluster, pool in ((manual, ours), (operator, theirs))]
        assert {key for key, _ in sides[0] ^ sides[1]} <= AGENTS_LABELS


def test_both_plugins_offer_the_same_names_and_numbers() -> None:
    made = built("operator").clusters[0]
    (application,) = [one for one in of_kind(OPERATOR, "Application") if one["metadata"]["name"] == "gpu-operator-eu"]
    strategy = application["spec"]["source"]["helm"]["valuesObject"]["mig"]["strategy"]
    (theirs,) = [one["data"] for one in of_kind(OPERATOR, "ConfigMap") if "device-plugin" in one["metadata"]["name"]]
    (layouts,) = [one["data"] for one in of_kind(OPERATOR, "ConfigMap") if "mig-layouts" in one["metadata"]["name"]]
    for pool in made.pools:
        name = f"nvidia-device-plugin-{pool.name}-"
        (ours,) = [one["data"] for one in of_kind(MANUAL, "ConfigMap") if one["metadata"]["name"].startswith(name)]
        labels = all_labels(made, pool)
        cards: Cards = [None] * pool.cards_per_node
        if LABEL_MIG_CONFIG in labels:
            cards = cut(layouts["config.yaml"], labels[LABEL_MIG_CONFIG], pool.cards_per_node)
        promised = {one.resource: one.per_node for one in produced_resources(pool)}
        assert offered(ours["config.yaml"], cards) == promised
        assert offered(theirs[labels.get(LABEL_DEVICE_PLUGIN_CONFIG, "default")], cards, strategy) == promised


def test_both_exporters_collect_the_same_counters_at_the_same_pace() -> None:
    (ours,) = [one["data"] for one in of_kind(MANUAL, "ConfigMap") if "dcgm" in one["metadata"]["name"]]
    (theirs,) = [one["data"] for one in of_kind(OPERATOR, "ConfigMap") if "dcgm" in one["metadata"]["name"]]
    assert ours["counters.csv"] == theirs["dcgm-metrics.csv"]
    monitors = [of_dcgm(made) for made in (MANUAL, OPERATOR)]
    endpoints = [monitor["spec"]["endpoints"][0] for monitor in monitors]
    for key in ("interval", "scrapeTimeout", "honorLabels"):
        assert endpoints[0][key] == endpoints[1][key]
    targets = [{step.get("targetLabel") for step in endpoint["relabelings"]} for endpoint in endpoints]
    assert targets[0] == targets[1] == {"node", "pool", None}


def alerts(manifests: ManifestSet) -> dict[str, Any]:
    groups = [group for made in of_kind(manifests, "PrometheusRule") for group in made["spec"]["groups"]]
    return {rule["alert"]: rule for group in groups for rule in group["rules"] if "alert" in rule}


def test_the_same_alerts_mean_the_same() -> None:
    ours, theirs = alerts(MANUAL), alerts(OPERATOR)
    assert ours.keys() == theirs.keys()
    words = {"GpuNodesUnknown"}
    assert {name for name in ours if ours[name] != theirs[name]} <= words, "it says where to look"
    for name in ours:
        for key in ("expr", "for", "labels"):
            assert ours[name].get(key) == theirs[name].get(key), name


@pytest.mark.parametrize(("stack", "other"), [("manual", "operator"), ("operator", "manual")])
def test_a_pool_that_moves_to_the_other_stack_moves_alone_and_comes_back_to_the_byte(stack: str, other: str) -> None:
    with_mig = ", stack: operator"  # a MIG pool on our own agents cannot stand beside the operator
    before = texts(rendered(built(stack, "", with_mig)))
    moved = texts(rendered(built(stack, f", stack: {other}", with_mig)))
    back = texts(rendered(built(stack, f", stack: {stack}", with_mig)))
    assert before == back
    touched = {key for key in before.keys() | moved.keys() if before.get(key) != moved.get(key)}
    assert touched
    stays = {
        key for key in touched if any(f"-{name}-" in key or key.endswith(f"-{name}") for name in ("cut", "sliced"))
    }
    if stack == "operator":
        assert stays == set(), "the agents of other pools are as they were"
    queues = {"ClusterQueue", "Cohort", "LocalQueue", "ResourceFlavor", "Topology"}
    assert not {key for key in touched if key.split()[0] in queues}


def test_in_a_mixed_cluster_the_operator_keeps_off_the_nodes_that_are_ours() -> None:
    cluster = built("operator", ", stack: manual").clusters[0]
    labels = {pool.name: all_labels(cluster, pool).get(LABEL_OPERANDS) for pool in cluster.pools}
    assert labels == {"whole": "false", "cut": None, "sliced": None, "shared": None}
