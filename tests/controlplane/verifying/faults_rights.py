"""Rights, pods, images and Pod Security, broken by hand."""

from __future__ import annotations

import copy
from typing import Any

from gpuplan import conventions
from tests.controlplane.client import Object, reference
from tests.controlplane.verifying.bed import Bed, Fault, Undo
from tests.controlplane.verifying.faults_policy import KUEUE, RBAC, SYSTEM, changed, edited, made, namespace

SECRETS = {"apiGroups": [""], "resources": ["secrets"], "verbs": ["get", "list"]}


def binding(name: str, role: str, subject: Object) -> Object:
    """Write a ClusterRoleBinding."""
    ref = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role}
    return {**reference(RBAC, "ClusterRoleBinding", name), "roleRef": ref, "subjects": [subject]}


def group(name: str) -> Object:
    """Write a group as a subject."""
    return {"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": name}


def pod(name: str, image: str, **spec: Any) -> Object:
    """Write a pod among the agents, with one container."""
    return {**reference("v1", "Pod", name, SYSTEM), "spec": {**spec, "containers": [{"name": "main", "image": image}]}}


def looking_around(bed: Bed) -> Undo:
    """Let the reclaimer's pods see all processes of their node."""
    which = reference("apps/v1", "Deployment", conventions.RECLAIMER, SYSTEM)

    def settled() -> bool:
        deployment = bed.client.get(which)
        status = deployment["status"]
        current = status.get("observedGeneration") == deployment["metadata"]["generation"]
        counts = [status.get(key) for key in ("readyReplicas", "updatedReplicas", "replicas")]
        return bool(current) and counts == [1, 1, 1]

    undo = bed.patched(which, {"spec": {"template": {"spec": {"hostPID": True}}}})
    bed.until(settled, "the reclaimer to be rolled out")

    def mend() -> None:
        undo()
        bed.until(settled, "the reclaimer to be rolled back")

    return mend


def pushed_anew(bed: Bed) -> Undo:
    """Let two nodes run different code by one tag."""
    pods = [
        one
        for one in bed.client.list("v1", "Pod", namespace=SYSTEM, labels="app.kubernetes.io/name=nvidia-dcgm-exporter")
        if one["metadata"]["labels"]["gpuplan.dev/pool"] == "h100"
    ]
    undone = []
    for one, digest in zip(pods[:2], ("a", "b"), strict=True):
        statuses = copy.deepcopy(one["status"]["containerStatuses"])
        statuses[0]["imageID"] = f"nvcr.io/nvidia/k8s/dcgm-exporter@sha256:{digest * 64}"
        undone.append(bed.patched(one, {"status": {"containerStatuses": statuses}}, subresource="status"))

    def undo() -> None:
        for one in undone:
            one()

    return undo


FAULTS: tuple[Fault, ...] = (
    Fault(
        name="an agent's account is an administrator",
        plant=made(
            binding(
                "debugging",
                "cluster-admin",
                {"kind": "ServiceAccount", "name": "nvidia-dcgm-exporter", "namespace": SYSTEM},
            )
        ),
        check="rights/accounts",
        evidence=r"ClusterRoleBinding debugging \(ClusterRole cluster-admin, by its name\) adds: every verb on all resources",
    ),
    Fault(
        name="all accounts of the agents' namespace may look at everything",
        plant=made(binding("looking", "view", group(f"system:serviceaccounts:{SYSTEM}"))),
        check="rights/accounts",
        evidence=r"ClusterRoleBinding looking .*group system:serviceaccounts:gpu-system\) adds: get, list, watch ",
    ),
    Fault(
        name="an agent's account has lost its rights",
        plant=changed(reference(RBAC, "Role", "gpu-feature-discovery", SYSTEM), {"rules": []}),
        check="rights/accounts",
        evidence="missing: .*nodefeatures.nfd.k8s-sigs.io in gpu-system",
    ),
    Fault(
        name="teams may read secrets",
        plant=edited(reference(RBAC, "ClusterRole", conventions.TEAM_ROLE), lambda role: role["rules"].append(SECRETS)),
        check="rights/roles",
        evidence="ClusterRole gpuplan-team-member: rules.*secrets",
    ),
    Fault(
        name="a team may work everywhere",
        plant=made(binding("everywhere", conventions.TEAM_ROLE, group("vision-engineers"))),
        check="rights/roles",
        evidence="ClusterRoleBinding everywhere gives it to Group vision-engineers everywhere",
    ),
    Fault(
        name="a stranger's pod holds the node's disk",
        plant=made(
            pod(
                "helper", "nvcr.io/nvidia/helper:1", volumes=[{"name": "root", "hostPath": {"path": "/"}}], hostPID=True
            )
        ),
        check="rights/pods",
        evidence="Pod gpu-system/helper .*: hostPID, hostPath /",
    ),
    Fault(
        name="a workload of ours has grown powers",
        plant=looking_around,
        check="rights/pods",
        evidence="Deployment gpu-system/gpuplan-reclaim, its template: hostPID",
    ),
    Fault(
        name="a stranger's image runs among the agents",
        plant=made(pod("miner", "docker.io/nobody/miner:latest")),
        check="rights/images",
        evidence="Pod gpu-system/miner: image docker.io/nobody/miner:latest from docker.io",
    ),
    Fault(
        name="one tag is two images",
        plant=pushed_anew,
        check="rights/images",
        evidence="dcgm-exporter.* is sha256:a+ on h100-",
    ),
    Fault(
        name="a team's namespace lets in privileged pods",
        plant=namespace("vision", enforce="privileged"),
        check="rights/pod-security",
        evidence="enforce=privileged, rendered baseline",
    ),
    Fault(
        name="the agents' namespace refuses agents",
        plant=namespace(SYSTEM, enforce="baseline"),
        check="rights/pod-security",
        evidence="enforce=baseline, rendered privileged",
        apart=True,  # the pods of other faults would be refused
    ),
    Fault(
        name="a namespace of nobody's takes work",
        plant=made(
            {**reference(KUEUE, "LocalQueue", "scratch", "default"), "spec": {"clusterQueue": "vision-scratch"}}
        ),
        check="rights/pod-security",
        evidence="Namespace default: pod-security.kubernetes.io/enforce=absent",
        also=("queues/quotas",),
    ),
)
