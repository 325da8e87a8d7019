"""The programs that make pods live: kube-scheduler, kube-controller-manager, and kwok for the nodes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from tests.controlplane.client import Client, Object, reference
from tests.controlplane.modulefiles import KWOK, module_folder
from tests.controlplane.processes import Process
from tests.controlplane.workspace import Workspace

START_LIMIT_SECONDS = 90
CONTROLLERS = (
    "clusterrole-aggregation-controller",
    "cronjob-controller",
    "daemonset-controller",
    "deployment-controller",
    "disruption-controller",
    "garbage-collector-controller",
    "job-controller",
    "namespace-controller",
    "pod-garbage-collector-controller",
    "replicaset-controller",
    "resourceclaim-controller",
    "resourcequota-controller",
    "root-ca-certificate-publisher-controller",
    "serviceaccount-controller",
    "serviceaccount-token-controller",
    "statefulset-controller",
    "taint-eviction-controller",
    "ttl-after-finished-controller",
    "validatingadmissionpolicy-status-controller",
)
"""Without those of clouds, volumes and networks, and without the node controller, which would fail a node whose
heartbeat came late because this machine was busy."""

STAGES = (
    "node/fast/node-initialize.yaml",
    "node/heartbeat-with-lease/node-heartbeat-with-lease.yaml",
    "pod/fast/pod-ready.yaml",
    "pod/fast/pod-delete.yaml",
)
"""kwok's behaviours: nodes stay ready, bound pods run at once and for ever, deleted pods go at once."""

Taint = Mapping[str, str]


def start_scheduler(workspace: Workspace, server: str) -> Process:
    """Start kube-scheduler with its default plugins; it retries a pod that found no node after 1 s, not after 10."""
    config = {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "clientConnection": {"kubeconfig": str(workspace.write_kubeconfig(server, "kube-scheduler"))},
        "leaderElection": {"leaderElect": False},
        "podInitialBackoffSeconds": 1,
        "podMaxBackoffSeconds": 1,
    }
    path = workspace.write("kube-scheduler.json", json.dumps(config))
    return workspace.spawn("kube-scheduler", [f"--config={path}", "--secure-port=0"])


def start_controller_manager(workspace: Workspace, server: str, client: Client) -> Process:
    """Start kube-controller-manager, each controller with the account that it has in a cluster, and wait for it."""
    certificates = workspace.certificates
    process = workspace.spawn(
        "kube-controller-manager",
        [
            f"--kubeconfig={workspace.write_kubeconfig(server, 'kube-controller-manager')}",
            "--leader-elect=false",
            "--secure-port=0",
            f"--controllers={','.join(CONTROLLERS)}",
            "--use-service-account-credentials",
            f"--service-account-private-key-file={certificates / 'accounts.key'}",
            f"--root-ca-file={certificates / 'ca.crt'}",
            "--kube-api-qps=300",
            "--kube-api-burst=500",
        ],
    )
    account = reference("v1", "ServiceAccount", "default", "default")
    process.wait_until(lambda: client.find(account), START_LIMIT_SECONDS, what="makes service accounts")
    return process


def start_kwok(workspace: Workspace, server: str) -> Process:
    """Start kwok, which plays the kubelet of every node."""
    folder = module_folder(KWOK) / "kustomize" / "stage"
    stages = workspace.write(
        "kwok.yaml", "\n---\n".join((folder / name).read_text(encoding="utf-8") for name in STAGES)
    )
    kubeconfig = workspace.write_kubeconfig(server, "kwok")
    return workspace.spawn("kwok", [f"--kubeconfig={kubeconfig}", "--manage-all-nodes=true", f"--config={stages}"])


def node(name: str, *, labels: Mapping[str, str], taints: Sequence[Taint]) -> Object:
    """Return a Node as kubelet would register it."""
    own = {"kubernetes.io/hostname": name, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {**own, **labels}},
        "spec": {"taints": list(taints)} if taints else {},
    }


def node_status(capacity: Mapping[str, str | int]) -> Object:
    """Return the status of a ready node with this capacity, on top of plenty of processors and memory."""
    offered = {"cpu": "256", "memory": "2Ti", "ephemeral-storage": "10Ti", "pods": "500"}
    offered |= {resource: str(quantity) for resource, quantity in capacity.items()}
    ready = {"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "kubelet is ready"}
    return {"status": {"capacity": offered, "allocatable": offered, "conditions": [ready], "phase": "Running"}}
