"""`clusters:` and the top-level pieces that describe where things run."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from gpuplan.spec.base import Count, Name, SpecModel, Text, VersionText

Distribution = Literal["kubeadm", "rke2", "k3s", "openshift", "eks", "gke", "aks", "talos"]
Stack = Literal["operator", "manual", "external"]


class ComponentSpec(SpecModel):
    """One component of the release set, overridden."""

    version: VersionText
    image: Text | None = None


class DestinationSpec(SpecModel):
    """How Argo CD names the cluster: by name, or by the address of its API server."""

    name: Text | None = None
    server: Text | None = None


class KueueSpec(SpecModel):
    """How Kueue runs in the cluster."""

    install: Literal["managed", "external"] = "managed"
    pods_ready_timeout_seconds: Count = 1800


class NvidiaRuntimeSpec(SpecModel):
    """Whether nvidia is the default runtime of every GPU node."""

    default: bool = False


class NfdSpec(SpecModel):
    """What the cluster's own Node Feature Discovery allows."""

    taints: bool = False


class ClusterSpec(SpecModel):
    """One Kubernetes cluster."""

    kubernetes: VersionText
    distribution: Distribution = "kubeadm"
    os: Text = "ubuntu24.04"
    container_runtime: Literal["containerd", "cri-o"] = "containerd"
    stack: Stack = "manual"
    release: Text | None = None
    components: dict[Name, ComponentSpec] = {}
    kueue: KueueSpec = KueueSpec()
    nvidia_runtime: NvidiaRuntimeSpec = NvidiaRuntimeSpec()
    nfd: NfdSpec = NfdSpec()
    destination: DestinationSpec = DestinationSpec()


class ArgoCdSpec(SpecModel):
    """Where Argo CD finds `rendered/`."""

    repo_url: Text = Field(default="https://git.example.com/fleet.git", alias="repoURL")
    target_revision: Text = "main"
    path: Text = "rendered"
    namespace: Name = "argocd"
    project: Name | None = None


class DeliverySpec(SpecModel):
    """`delivery:`."""

    argocd: ArgoCdSpec = ArgoCdSpec()


class MetadataSpec(SpecModel):
    """`metadata:`."""

    name: Name
