"""What goes wrong with nodes, their agents and their cards."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from typing import Any

from gpuplan import conventions
from tests.controlplane.agents import node, node_status
from tests.controlplane.client import Object, reference
from tests.controlplane.verifying.bed import Bed, Fault, Undo, bare
from tests.controlplane.verifying.nodes import said_by_kubelet
from tests.controlplane.workloads import is_true

Plant = Callable[[Bed], Undo]
AGENTS = conventions.SYSTEM_NAMESPACE
PLUGIN_FOLDER = "/var/lib/kubelet/device-plugins"


def the(name: str) -> Object:
    """Name a node."""
    return reference("v1", "Node", name)


def labelled(name: str, **labels: str | None) -> Plant:
    """Set labels of a node; their keys are NVIDIA's, `_` for `.` and `__` for `-`; None takes one away."""
    keys = {f"nvidia.com/{key.replace('__', '-').replace('_', '.')}": value for key, value in labels.items()}
    return lambda bed: bed.patched(the(name), {"metadata": {"labels": keys}})


def says(name: str, **info: str) -> Plant:
    """Let the kubelet of a node say something else of itself."""
    return lambda bed: bed.patched(the(name), {"status": {"nodeInfo": info}}, subresource="status")


def offers(name: str, resource: str, capacity: str, allocatable: str) -> Plant:
    """Let a node list other numbers of a resource."""
    change = {"status": {"capacity": {resource: capacity}, "allocatable": {resource: allocatable}}}
    return lambda bed: bed.patched(the(name), change, subresource="status")


def tainted(name: str, taint: Mapping[str, str] | None) -> Plant:
    """Add a taint to those of a node, or take all away."""

    def plant(bed: Bed) -> Undo:
        listed = bed.client.get(the(name))["spec"].get("taints", [])
        return bed.patched(the(name), {"spec": {"taints": [*listed, taint] if taint else []}})

    return plant


def every(plants: Sequence[Plant]) -> Plant:
    """Plant several things as one."""

    def plant(bed: Bed) -> Undo:
        with ExitStack() as kept:
            for one in plants:
                kept.callback(one(bed))
            return kept.pop_all().close

    return plant


def pods_of(bed: Bed, agent: str, pool: str) -> Sequence[Object]:
    """Return the pods of an agent of a pool."""
    labels = f"{conventions.LABEL_APP_NAME}={agent},{conventions.LABEL_POOL}={pool}"
    found = bed.client.list("v1", "Pod", namespace=AGENTS, labels=labels)
    return [one for one in found if "deletionTimestamp" not in one["metadata"]]


def settling(plant: Plant, seen: Callable[[Bed], object]) -> Plant:
    """Plant what moves pods, and wait until it is seen."""

    def planted(bed: Bed) -> Undo:
        with ExitStack() as kept:
            kept.callback(plant(bed))
            bed.until(lambda: seen(bed), "the fault to show")
            return kept.pop_all().close

    return planted


def gone(bed: Bed, name: str) -> bool:
    """Tell whether no agent is left on a node."""
    agents = bed.client.list("v1", "Pod", namespace=AGENTS, labels=conventions.LABEL_POOL)
    return all(one["spec"].get("nodeName") != name for one in agents)


def lost(name: str) -> Plant:
    """Take a node out of the cluster with all that is on it."""

    def plant(bed: Bed) -> Undo:
        before = bed.client.get(the(name))
        bed.client.delete(the(name))
        for pod in bed.client.list("v1", "Pod"):
            if pod["spec"].get("nodeName") == name:
                bed.client.delete(pod, grace_seconds=0)

        def undo() -> None:
            bed.client.create(bare(before))
            bed.until(lambda: is_true(bed.client.get(the(name)), "Ready"), "kwok to greet the node")
            bed.client.patch(the(name), {"status": before["status"]}, subresource="status")

        return undo

    return plant


def stranger(bed: Bed) -> Undo:
    """Let a node join that nobody has labelled."""
    undo = bed.created(node("stranger-0", labels={}, taints=[]))
    status = node_status({conventions.RESOURCE_GPU: 8})["status"]
    bed.client.patch(the("stranger-0"), {"status": {**status, **said_by_kubelet()}}, subresource="status")
    return undo


def silent(bed: Bed) -> Undo:
    """Let a node's kubelet stop: kwok, which would start it again, is held meanwhile."""
    (kwok,) = (one for one in bed.plane.processes if one.name == "kwok")
    os.kill(kwok.pid, signal.SIGSTOP)
    conditions = [{"type": "Ready", "status": "Unknown", "reason": "NodeStatusUnknown", "message": "Kubelet stopped."}]
    undo = bed.patched(the("l40s-2"), {"status": {"conditions": conditions}}, subresource="status")

    def mended() -> None:
        undo()
        os.kill(kwok.pid, signal.SIGCONT)

    return mended


def other_handler(bed: Bed) -> Undo:
    """Make the RuntimeClass anew with a handler that has no cards."""
    which = reference("node.k8s.io/v1", "RuntimeClass", conventions.RUNTIME_CLASS)
    restore = bed.deleted(which)
    bed.client.create({**which, "handler": "runc"})

    def undo() -> None:
        bed.client.delete(which)
        bed.until(lambda: bed.client.find(which) is None, "the RuntimeClass to go")
        restore()

    return undo


def crashing(agent: str, pool: str, name: str) -> Plant:
    """Let an agent's pod on a node crash again and again."""

    def plant(bed: Bed) -> Undo:
        (pod,) = (one for one in pods_of(bed, agent, pool) if one["spec"].get("nodeName") == name)
        waiting = {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off 5m0s"}}
        containers = [
            {**one, "ready": False, "restartCount": 17, "state": waiting} for one in pod["status"]["containerStatuses"]
        ]
        conditions = [
            {**one, "status": "False"} if one["type"] == "Ready" else one for one in pod["status"]["conditions"]
        ]
        change = {"status": {"containerStatuses": containers, "conditions": conditions}}
        return bed.patched(pod, change, subresource="status")

    return plant


def agent_pod(name: str, namespace: str, where: str, image: str, labels: Mapping[str, str], *, plugin: bool) -> Plant:
    """Start a pod on a node, as somebody's DaemonSet would."""
    container: dict[str, Any] = {"name": "main", "image": image}
    spec: dict[str, Any] = {"nodeName": where, "containers": [container], "terminationGracePeriodSeconds": 0}
    if plugin:
        container["volumeMounts"] = [{"name": "plugins", "mountPath": PLUGIN_FOLDER}]
        spec["volumes"] = [{"name": "plugins", "hostPath": {"path": PLUGIN_FOLDER}}]
    metadata = {"name": name, "namespace": namespace, "labels": dict(labels)}
    return lambda bed: bed.created({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec})


def other_image(bed: Bed) -> Undo:
    """Change the image of a DaemonSet by hand."""
    which = reference("apps/v1", "DaemonSet", "nvidia-dcgm-exporter-a100", AGENTS)
    (container,) = bed.client.get(which)["spec"]["template"]["spec"]["containers"]
    image = "nvcr.io/nvidia/k8s/dcgm-exporter:3.3.5-3.4.1-ubuntu22.04"
    return bed.patched(which, {"spec": {"template": {"spec": {"containers": [{**container, "image": image}]}}}})


def has_old_exporter(bed: Bed) -> bool:
    """Tell whether the exporter's pod on a node has been replaced by one of the other image."""
    found = (one["spec"] for one in pods_of(bed, conventions.DCGM_EXPORTER, "a100"))
    return any(one.get("nodeName") == "a100-0" and "3.3.5" in one["containers"][0]["image"] for one in found)


EXPORTER = "nvcr.io/nvidia/k8s/dcgm-exporter:4.6.0-4.8.3-distroless"
PAUSED = "gpu_deploy_dcgm__exporter"
OLD = {conventions.LABEL_APP_NAME: conventions.DCGM_EXPORTER, conventions.LABEL_POOL: "old"}
DRIVER = "cuda_driver__version_full"
HGX = {"node.kubernetes.io/instance-type": "hgx-h100"}

FAULTS = (
    Fault(
        name="a node is gone",
        plant=lost("a100-3"),
        check="nodes/count",
        evidence=r"nodes: a100-0, a100-1, a100-2$",
    ),
    Fault(
        name="a node joined without labels",
        plant=stranger,
        check="nodes/pool",
        evidence=r"^stranger-0: in no pool.*nvidia.com/gpu: 8",
    ),
    Fault(
        name="a node is in two pools",
        plant=settling(
            lambda bed: bed.patched(the("l40s-3"), {"metadata": {"labels": HGX}}),
            lambda bed: any(
                one["spec"].get("nodeName") == "l40s-3" for one in pods_of(bed, conventions.DEVICE_PLUGIN, "h100")
            ),
        ),
        check="nodes/pool",
        evidence=r"^l40s-3: in the pools h100, l40s at once",
        also=(
            "nodes/count",
            "nodes/labels",
            "nodes/taints",
            "nodes/driver",
            "nodes/driver-alike",
            "agents/one-plugin",
            "devices/capacity",
            "devices/discovered",
            "monitoring/node-pools",
        ),
        apart=True,
    ),
    Fault(
        name="a node was left cordoned",
        plant=lambda bed: bed.patched(the("t4-3"), {"spec": {"unschedulable": True}}),
        check="nodes/ready",
        evidence=r"^t4-3: cordoned",
    ),
    Fault(
        name="a kubelet is silent",
        plant=silent,
        check="nodes/ready",
        evidence=r"^l40s-2: Ready=Unknown: Kubelet stopped\.",
        apart=True,  # kwok is held
    ),
    Fault(
        name="a node has the taint of unhealthy GPUs",
        plant=tainted("h100-3", {"key": conventions.TAINT_UNHEALTHY, "effect": conventions.TAINT_UNHEALTHY_EFFECT}),
        check="nodes/ready",
        evidence=r"^h100-3: tainted readiness.k8s.io/gpuplan-unhealthy",
    ),
    Fault(
        name="a node lacks its topology level",
        plant=lambda bed: bed.patched(the("h100-2"), {"metadata": {"labels": {conventions.LEVEL_BLOCK: None}}}),
        check="nodes/labels",
        evidence=r"^h100-2: topology.gpuplan.dev/block is absent",
    ),
    Fault(
        name="a node has the tier of another pool",
        plant=settling(
            lambda bed: bed.patched(the("l40s-0"), {"metadata": {"labels": {conventions.LABEL_TIER: "train"}}}),
            lambda bed: gone(bed, "l40s-0"),
        ),
        check="nodes/labels",
        evidence=r"^l40s-0: gpuplan.dev/tier=train, expected serve",
        also=("agents/ready",),
    ),
    Fault(
        name="a node lost its taint",
        plant=tainted("h100-0", None),
        check="nodes/taints",
        evidence=r"^h100-0: taint nvidia.com/gpu:NoSchedule is absent",
    ),
    Fault(
        name="a node has a taint of others",
        plant=tainted("t4-1", {"key": "dedicated", "value": "db", "effect": "NoSchedule"}),
        check="nodes/taints",
        evidence=r"^t4-1: taint dedicated=db:NoSchedule is not in the spec",
    ),
    Fault(
        name="a kubelet is too old",
        plant=says("a100-0", kubeletVersion="v1.32.9"),
        check="nodes/kubernetes",
        evidence=r"^a100-0: kubelet v1.32.9, \d+ minor versions behind",
    ),
    Fault(
        name="a kubelet is newer than the server",
        plant=says("t4-0", kubeletVersion="v1.99.0"),
        check="nodes/kubernetes",
        evidence=r"^t4-0: kubelet v1.99.0, newer",
    ),
    Fault(
        name="a node runs another runtime",
        plant=says("a100-1", containerRuntimeVersion="cri-o://1.36.0"),
        check="nodes/runtime",
        evidence=r"^a100-1: cri-o://1.36.0, expected containerd",
    ),
    Fault(
        name="the RuntimeClass has another handler",
        plant=other_handler,
        check="nodes/runtime-class",
        evidence=r"handler=runc, expected nvidia",
    ),
    Fault(
        name="the RuntimeClass is gone",
        plant=lambda bed: bed.deleted(reference("node.k8s.io/v1", "RuntimeClass", conventions.RUNTIME_CLASS)),
        check="nodes/runtime-class",
        evidence=r"RuntimeClass nvidia: absent",
        apart=True,  # no agent could start
    ),
    Fault(
        name="a node has another version of the driver",
        plant=labelled("h100-1", **{DRIVER: "580.105.08"}),
        check="nodes/driver-alike",
        evidence=r"^h100-1: driver 580.105.08, most run 580.173.02",
    ),
    Fault(
        name="a node has another branch of the driver",
        plant=labelled("l40s-1", **{DRIVER: "580.173.02"}),
        check="nodes/driver",
        evidence=r"^l40s-1: driver 580.173.02, expected 595",
        also=("nodes/driver-alike",),
    ),
    Fault(
        name="a pool has another branch of the driver",
        plant=every([labelled(f"t4-{number}", **{DRIVER: "570.211.01"}) for number in range(4)]),
        check="nodes/driver",
        evidence=r"^t4-3: driver 570.211.01, expected 580",
    ),
    Fault(
        name="an agent was deleted",
        plant=settling(
            lambda bed: bed.deleted(reference("apps/v1", "DaemonSet", "gpu-feature-discovery-l40s", AGENTS)),
            lambda bed: not pods_of(bed, conventions.FEATURE_DISCOVERY, "l40s"),
        ),
        check="agents/ready",
        evidence=r"DaemonSet gpu-system/gpu-feature-discovery-l40s is not there",
    ),
    Fault(
        name="an exporter crashes",
        plant=crashing(conventions.DCGM_EXPORTER, "t4", "t4-2"),
        check="agents/ready",
        evidence=r"^t4-2: gpu-system/nvidia-dcgm-exporter-t4-\w+: CrashLoopBackOff, restarted 17 times",
    ),
    Fault(
        name="an agent was paused for a cut and never came back",
        plant=settling(
            labelled("a100-2", **{PAUSED: "paused-for-mig-change"}),
            lambda bed: all(
                one["spec"].get("nodeName") != "a100-2" for one in pods_of(bed, conventions.DCGM_EXPORTER, "a100")
            ),
        ),
        check="agents/ready",
        evidence=r"^a100-2: no pod of nvidia-dcgm-exporter, kept off by nvidia.com/gpu.deploy.dcgm-exporter=paused",
    ),
    Fault(
        name="somebody's plugin runs beside ours",
        plant=agent_pod(
            "nvidia-device-plugin-daemonset-x7k2p",
            "kube-system",
            "l40s-2",
            "nvcr.io/nvidia/k8s-device-plugin:v0.14.5",
            {"name": "nvidia-device-plugin-ds"},
            plugin=True,
        ),
        check="agents/one-plugin",
        evidence=r"^l40s-2: .*kube-system/nvidia-device-plugin-daemonset-x7k2p",
    ),
    Fault(
        name="an agent of a pool that is gone still runs",
        plant=agent_pod("nvidia-dcgm-exporter-old-4hw9c", AGENTS, "t4-0", EXPORTER, OLD, plugin=False),
        check="agents/stray",
        evidence=r"^t4-0: gpu-system/nvidia-dcgm-exporter-old-4hw9c, of a pool that the spec does not have",
    ),
    Fault(
        name="somebody set another image",
        plant=settling(other_image, has_old_exporter),
        check="agents/images",
        evidence=r"^a100-0: gpu-system/nvidia-dcgm-exporter-a100-\w+ runs nvcr.io/nvidia/k8s/dcgm-exporter:3.3.5",
    ),
    Fault(
        name="a card fell off the bus",
        plant=offers("h100-2", conventions.RESOURCE_GPU, "7", "7"),
        check="devices/capacity",
        evidence=r"^h100-2: capacity nvidia.com/gpu=7, expected 8",
    ),
    Fault(
        name="a node lists whole cards beside shares",
        plant=offers("t4-2", conventions.RESOURCE_GPU, "4", "4"),
        check="devices/capacity",
        evidence=r"^t4-2: capacity nvidia.com/gpu=4, which this pool does not produce",
    ),
    Fault(
        name="a card is unhealthy",
        plant=offers("l40s-1", conventions.RESOURCE_GPU, "4", "3"),
        check="devices/healthy",
        evidence=r"^l40s-1: allocatable nvidia.com/gpu=3 of 4, 1 unhealthy",
    ),
    Fault(
        name="a cut failed",
        plant=labelled("a100-0", mig_config_state="failed"),
        check="devices/mig",
        evidence=r"^a100-0: nvidia.com/mig.config.state=failed, expected success",
    ),
    Fault(
        name="a node is cut otherwise",
        plant=labelled("a100-1", mig_config="all-disabled"),
        check="devices/mig",
        evidence=r"^a100-1: nvidia.com/mig.config=all-disabled, expected 2x1g.5gb-1x2g.10gb-1x3g.20gb",
    ),
    Fault(
        name="a node has another card",
        plant=labelled("l40s-3", gpu_product="NVIDIA-L40"),
        check="devices/discovered",
        evidence=r"^l40s-3: nvidia.com/gpu.product=NVIDIA-L40, expected NVIDIA-L40S",
    ),
    Fault(
        name="a node does not share its cards",
        plant=labelled("t4-3", gpu_replicas="1", gpu_sharing__strategy="none"),
        check="devices/discovered",
        evidence=r"^t4-3: nvidia.com/gpu.replicas=1, expected 4",
    ),
)
