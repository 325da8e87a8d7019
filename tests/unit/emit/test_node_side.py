"""The node side on a real API server: every object is taken and kept as written, and agents run where they should."""

from __future__ import annotations

import json

import pytest

from gpuplan.emit import amd, dcgm, device_plugin, exporters, mig, node_labels, runtime
from gpuplan.emit.monitoring import publish
from gpuplan.model.pools import node_labels as node_labels_of
from tests.controlplane.acceptance import apply_manifests, stored_differences
from tests.controlplane.client import reference
from tests.controlplane.controlplane import ControlPlane
from tests.unit.emit.fleets import place

EMITTERS = (
    node_labels.emit,
    runtime.emit,
    device_plugin.emit,
    mig.emit,
    amd.emit,
    dcgm.emit,
    exporters.emit,
)
NAMESPACE = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "gpu-system"}}
EVERY_KIND = """
whole: {tier: big, taints: [{key: nvidia.com/gpu, effect: NoSchedule}, {key: team, value: x, effect: NoExecute}]},
cut: {selectedBy: {nfd: {nodeNames: ["a-[0-9]+"]}}, sharing: {mig: {groups: [{cards: [0], profiles: {1g.5gb+me: 1}}]}}},
single: {selectedBy: {nfd: {nodeNames: [b-1]}}, sharing: {mig: {strategy: single, profiles: {3g.20gb: 2}}}},
sliced: {tier: desk, sharing: {timeSlicing: {replicas: 4}}},
mps: {tier: desk, selectedBy: {labels: {pool: mps}}, sharing: {mps: {replicas: 4}}},
amd: {tier: amd, taints: [{key: amd.com/gpu, effect: NoSchedule}]},
cpx: {tier: amd, stack: operator, selectedBy: {labels: {pool: cpx}}, taints: [{key: amd.com/gpu, effect: NoSchedule}],
  sharing: {partition: {compute: CPX}}},
npu: {tier: ascend, sharing: {vnpu: {templates: {vir02: 4}}}}, gaudi: {tier: gaudi}
"""
OF_AMD = [
    {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
    for name in ("kube-amd-gpu", "openshift-amd-gpu")
]


@pytest.mark.parametrize(
    ("cluster", "more"),
    [
        ("nfd: {taints: true}", "monitoring: {runbookBase: https://runbooks.example/}"),
        ("distribution: gke", "monitoring: {exporter: {profiling: false}}"),
        ("distribution: openshift", ""),
        ("stack: external", ""),
        ("nvidiaRuntime: {default: true}", ""),
    ],
)
def test_the_api_server_takes_every_object_and_keeps_it_as_written(
    empty_control_plane: ControlPlane, cluster: str, more: str
) -> None:
    here = place(EVERY_KIND, cluster, more)
    objects = json.loads(json.dumps([*here.objects(*EMITTERS), *here.of_rules(publish.emit)]))
    client = empty_control_plane.client
    assert [str(refused) for refused in apply_manifests(client, [NAMESPACE, *OF_AMD, *objects])] == []
    assert stored_differences(client, objects) == []


def agents_on(plane: ControlPlane, node: str) -> set[str]:
    """Return which agents have a pod on a node that is not on its way out."""
    pods = plane.client.list("v1", "Pod", namespace="gpu-system")
    return {
        pod["metadata"]["labels"]["app.kubernetes.io/name"]
        for pod in pods
        if pod["spec"].get("nodeName") == node and "deletionTimestamp" not in pod["metadata"]
    }


def test_agents_stand_on_tainted_nodes_of_their_pool_and_step_aside_for_the_mig_manager(
    busy_control_plane: ControlPlane,
) -> None:
    here = place(
        "cut: {taints: [{key: team, value: x, effect: NoExecute}], sharing: {mig: {profiles: {1g.5gb: 7}}}}, mps: {tier: desk, "
        "sharing: {mps: {replicas: 4}}}"
    )
    cut, mps = here.cluster.pools
    plane, client = busy_control_plane, busy_control_plane.client
    plane.add_node("n1", labels=node_labels_of(cut), taints=[{"key": "team", "value": "x", "effect": "NoExecute"}])
    plane.add_node("n2", labels={**node_labels_of(mps), "nvidia.com/mps.capable": "true"})
    plane.add_node("n3", labels={"gpuplan.dev/pool": "other"})
    objects = json.loads(json.dumps([*here.objects(*EMITTERS), *here.of_rules(publish.emit)]))
    assert apply_manifests(client, [NAMESPACE, *objects]) == []
    everyone = {"nvidia-device-plugin", "gpu-feature-discovery", "nvidia-dcgm-exporter", "nvidia-mig-manager"}
    plane.wait_for(lambda: agents_on(plane, "n1") == everyone, what="all agents on the MIG node")
    plane.wait_for(
        lambda: agents_on(plane, "n2") == everyone - {"nvidia-mig-manager"} | {"nvidia-mps-control-daemon"},
        what="all agents on the MPS node",
    )
    assert agents_on(plane, "n3") == set()

    def label(value: str, names: tuple[str, ...] = ("device-plugin", "gpu-feature-discovery", "dcgm-exporter")) -> None:
        labels = {f"nvidia.com/gpu.deploy.{name}": value for name in names}
        client.patch(reference("v1", "Node", "n1"), {"metadata": {"labels": labels}})

    label("paused-for-mig-change")
    plane.wait_for(lambda: agents_on(plane, "n1") == {"nvidia-mig-manager"}, what="the agents to step aside")
    label("true")
    plane.wait_for(lambda: agents_on(plane, "n1") == everyone, what="the agents to come back")
    label("false", ("mig-manager",))
    plane.wait_for(
        lambda: agents_on(plane, "n1") == everyone - {"nvidia-mig-manager"},
        what="the manager to be held off, by a person",
    )
    label("true", ("mig-manager",))
    plane.wait_for(lambda: agents_on(plane, "n1") == everyone, what="the manager to come back")
