"""Snippets for what makes the nodes: each in its tool's own shape, all with the pool's labels and taints."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from gpuplan.emit import provisioner
from gpuplan.manifests.set import ManifestSet, TextFile
from tests.unit.emit.fleets import assert_golden_text, place

TAINTS = "taints: [{key: nvidia.com/gpu, effect: NoSchedule}, {key: team, value: x, effect: PreferNoSchedule}]"
LABELS = {
    "gpuplan.dev/card": "t4",
    "gpuplan.dev/pool": "desk",
    "gpuplan.dev/sharing": "time-slicing-4",
    "gpuplan.dev/tier": "desk",
}


def texts(pools: str, cluster: str = "") -> tuple[TextFile, ...]:
    here = place(pools, cluster)
    return tuple(provisioner.texts(here.fleet, here.cluster))


def snippet(by: str, taints: str = TAINTS, cluster: str = "") -> Any:
    sharing = "sharing: {timeSlicing: {replicas: 4}}"
    (made,) = texts(f"desk: {{tier: desk, selectedBy: {{provisioner: {by}}}, {sharing}, {taints}}}", cluster)
    assert made.path == "provisioner/eu/desk.yaml"
    return yaml.safe_load(made.text)


@pytest.mark.parametrize("by", ["karpenter", "capi", "eks", "gke", "talos", "kubelet"])
def test_each_tool_gets_its_own_shape(by: str) -> None:
    pools = (
        f"desk: {{tier: desk, selectedBy: {{provisioner: {by}}}, sharing: {{timeSlicing: {{replicas: 4}}}}, {TAINTS}}}"
    )
    (made,) = texts(pools)
    assert_golden_text(f"provisioner-{by}", made.text)
    ManifestSet.of((), [made])  # a path that Argo CD does not read


def test_labels_and_taints_are_the_pools_whatever_the_tool_calls_them() -> None:
    assert snippet("karpenter")["spec"]["template"]["metadata"]["labels"] == LABELS
    assert snippet("eks")["nodegroupConfig"]["labels"]["addOrUpdateLabels"] == LABELS
    assert snippet("gke")["config"]["labels"] == LABELS
    assert snippet("talos")["machine"]["nodeLabels"] == LABELS
    assert snippet("kubelet", cluster="distribution: rke2")["node-label"] == [f"{k}={v}" for k, v in LABELS.items()]
    assert snippet("kubelet", cluster="distribution: rke2")["node-taint"] == [
        "nvidia.com/gpu=:NoSchedule",
        "team=x:PreferNoSchedule",
    ]


def test_clouds_spell_taint_effects_in_their_own_way() -> None:
    effects = ["NO_SCHEDULE", "PREFER_NO_SCHEDULE"]
    assert [taint["effect"] for taint in snippet("gke")["config"]["taints"]] == effects
    added = snippet("eks")["nodegroupConfig"]["taints"]["addOrUpdateTaints"]
    assert [taint["effect"] for taint in added] == effects


def test_the_autoscaler_is_told_what_a_node_will_offer() -> None:
    tags = snippet("eks")["autoScalingGroupTags"]
    assert tags["k8s.io/cluster-autoscaler/node-template/resources/nvidia.com/gpu.shared"] == "32"
    assert tags["k8s.io/cluster-autoscaler/node-template/taint/team"] == "x:PreferNoSchedule"
    hints = snippet("capi")["metadata"]["annotations"]
    assert hints["capacity.cluster-autoscaler.kubernetes.io/gpu-count"] == "32"
    assert hints["capacity.cluster-autoscaler.kubernetes.io/gpu-type"] == "nvidia.com/gpu.shared"


@pytest.mark.parametrize("by", ["karpenter", "capi", "eks", "gke", "talos", "kubelet"])
def test_a_pool_without_taints_speaks_of_none(by: str) -> None:
    assert "taint" not in repr(snippet(by, taints="revision: 0")).lower()


def test_a_labelled_mig_pool_needs_one_label_more() -> None:
    mig = "sharing: {mig: {profiles: {1g.5gb: 7}}}"
    (made,) = texts(f"lab: {{selectedBy: {{labels: {{pool: lab}}}}, {mig}}}")
    assert yaml.safe_load(made.text) == {"nodeLabels": {"nvidia.com/mig.config": "7x1g.5gb"}}
    present = "nvidia.com/mig.config: 7x1g.5gb"
    assert texts(f"lab: {{selectedBy: {{labels: {{pool: lab, {present}}}}}, {mig}}}") == ()


def test_nothing_is_written_for_nodes_that_others_label() -> None:
    assert texts("a: {selectedBy: {labels: {pool: a}}}, b: {}") == ()
