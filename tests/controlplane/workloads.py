"""Jobs as users write them, and what became of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tests.controlplane.client import Client, Object

IMAGE = "registry.k8s.io/pause:3.10"
QUEUE_LABEL = "kueue.x-k8s.io/queue-name"
PRIORITY_LABEL = "kueue.x-k8s.io/priority-class"


def job(
    namespace: str,
    name: str,
    *,
    queue: str = "",
    devices: Mapping[str, int] | None = None,
    pods: int = 1,
    priority: str = "",
    annotations: Mapping[str, str] | None = None,
) -> Object:
    """Return a Job of `pods` parallel pods, each asking for `devices` (resource name → count), with grace 0.

    `queue` and `priority` are the labels that a user sets for Kueue; `annotations` go to the pods, where a required
    topology is written.
    """
    labels = {key: value for key, value in ((QUEUE_LABEL, queue), (PRIORITY_LABEL, priority)) if value}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name, "namespace": namespace, "labels": labels},
        "spec": {
            "parallelism": pods,
            "completions": pods,
            "backoffLimit": 100,
            "template": {"metadata": {"annotations": dict(annotations or {})}, "spec": pod_spec(devices or {})},
        },
    }


def pod_spec(devices: Mapping[str, int]) -> dict[str, Any]:
    """Return the spec of a pod with one container that asks for these devices and ends without grace."""
    quantities = {resource: str(count) for resource, count in devices.items()}
    container = {"name": "main", "image": IMAGE, "resources": {"requests": quantities, "limits": quantities}}
    return {"restartPolicy": "Never", "terminationGracePeriodSeconds": 0, "containers": [container]}


def pods_of(client: Client, owner: Object) -> Sequence[Object]:
    """Return the pods of a Job that are not on their way out."""
    metadata = owner["metadata"]
    labels = f"batch.kubernetes.io/job-name={metadata['name']}"
    pods = client.list("v1", "Pod", namespace=metadata["namespace"], labels=labels)
    return [pod for pod in pods if "deletionTimestamp" not in pod["metadata"]]


def running_pods(client: Client, owner: Object) -> Sequence[Object]:
    """Return the pods of a Job that run."""
    return [pod for pod in pods_of(client, owner) if pod.get("status", {}).get("phase") == "Running"]


def runs(client: Client, owner: Object) -> bool:
    """Tell whether all pods of a Job run."""
    return bool(len(running_pods(client, owner)) == owner["spec"]["parallelism"])


def is_suspended(client: Client, owner: Object) -> bool:
    """Tell whether Kueue holds a Job back."""
    return bool(client.get(owner)["spec"].get("suspend", False))


def workload_of(client: Client, owner: Object) -> Object | None:
    """Return Kueue's Workload for a Job; None before Kueue has made it."""
    uid = client.get(owner)["metadata"]["uid"]
    found = client.list("kueue.x-k8s.io/v1beta2", "Workload", namespace=owner["metadata"]["namespace"])
    owned = [workload for workload in found if uid in {o["uid"] for o in workload["metadata"]["ownerReferences"]}]
    return owned[0] if owned else None


def condition(obj: Object | None, name: str) -> Object:
    """Return a condition of an object's status by its type; an empty mapping when there is none."""
    conditions = (obj or {}).get("status", {}).get("conditions", [])
    return next((entry for entry in conditions if entry["type"] == name), {})


def is_true(obj: Object | None, name: str) -> bool:
    """Tell whether a condition of an object holds, such as `Active` of a ClusterQueue."""
    return condition(obj, name).get("status") == "True"


def finish(client: Client, owner: Object) -> None:
    """Let all running pods of a Job succeed, as if their work were done."""
    for pod in running_pods(client, owner):
        client.patch(pod, {"status": {"phase": "Succeeded"}}, subresource="status")
