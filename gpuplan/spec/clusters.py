"""`clusters:` and the top-level pieces that describe where things run."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Discriminator, Tag

from gpuplan.spec.base import Count, Name, SpecModel, Stack, Text, VersionText, text_or_mapping

Distribution = Literal["kubeadm", "rke2", "k3s", "openshift", "eks", "gke", "aks", "talos"]


class ComponentSpec(SpecModel):
    """One component of the release set, overridden."""

    version: VersionText
    """Version of the component, with or without a leading `v`."""
    image: Text | None = None
    """Full image reference; by default the release's image with this version as its tag."""


class DestinationSpec(SpecModel):
    """How Argo CD names the cluster: by name, or by the address of its API server."""

    name: Text | None = None
    """Name under which Argo CD knows the cluster; by default its name in the spec."""
    server: Text | None = None
    """Address of its API server, instead of a name."""


class KueueSpec(SpecModel):
    """How Kueue runs in the cluster."""

    install: Literal["managed", "external"] = "managed"
    """`managed`: gpuplan renders Kueue's installation. `external`: others install it, with the settings that we state."""
    pods_ready_timeout_seconds: Count = 1800
    """Seconds that a started job may take until all its pods are ready, before it is put back; 0 switches this off."""


KueueChoice = Annotated[
    Annotated[Literal["managed", "external"], Tag("word")] | Annotated[KueueSpec, Tag("choice")],
    Discriminator(text_or_mapping),
]
"""`kueue: external` for short, or the mapping."""


class GpuOperatorSpec(SpecModel):
    """How the GPU Operator runs in the cluster, where a pool is on `stack: operator`."""

    install: Literal["managed", "external"] = "managed"
    """`managed`: gpuplan renders its Helm installation. `external`: others install it, and gpuplan its configuration."""
    namespace: Name | None = None
    """Namespace that the operator and its agents run in; by default `gpu-operator`, or what the distribution has."""


GpuOperatorChoice = Annotated[
    Annotated[Literal["managed", "external"], Tag("word")] | Annotated[GpuOperatorSpec, Tag("choice")],
    Discriminator(text_or_mapping),
]
"""`gpuOperator: external` for short, or the mapping."""


class NvidiaRuntimeSpec(SpecModel):
    """Whether nvidia is the default runtime of every GPU node."""

    default: bool = False
    """Whether every pod runs with the nvidia runtime, so that no RuntimeClass is needed."""
    device_list_strategy: Literal["envvar", "volume-mounts"] = "envvar"
    """How the device plugin of `stack: manual` names a pod's cards to the runtime. By `envvar` any pod can name any card."""


class NfdSpec(SpecModel):
    """What the cluster's own Node Feature Discovery allows."""

    taints: bool = False
    """Whether NFD's master runs with `-enable-taints`."""


class ClusterSpec(SpecModel):
    """One Kubernetes cluster."""

    kubernetes: VersionText
    """Kubernetes version: `"1.36"`. Quote it, or YAML reads a number."""
    distribution: Distribution = "kubeadm"
    """Who makes the Kubernetes in use."""
    os: Text = "ubuntu24.04"
    """Operating system of the GPU nodes, as in driver image tags: `ubuntu24.04`, `rhel9`."""
    container_runtime: Literal["containerd", "cri-o"] = "containerd"
    """Container runtime of the GPU nodes."""
    stack: Stack = "manual"
    """Who runs the node agents: `manual` (our DaemonSets), `operator` (the GPU Operator) or `external` (others)."""
    release: Text | None = None
    """A tested set of component versions from the catalogue; by default the newest."""
    components: dict[Text, ComponentSpec] = {}
    """Single components at other versions than the release's."""
    kueue: KueueChoice = KueueSpec()
    """How Kueue runs: `managed`, `external`, or a mapping."""
    gpu_operator: GpuOperatorChoice = GpuOperatorSpec()
    """How the GPU Operator runs: `managed`, `external`, or a mapping."""
    operator_standby: Literal["labels", "installed"] | None = None
    """The GPU Operator before its first pool comes and after its last has left, as `gpuplan migrate-stack` writes it.

    `labels`: NVIDIA nodes of other stacks carry the label that keeps it off them. `installed`: it is there, too. On nodes of
    pools selected by labels of their own somebody else sets that label, which this word says; it stays for as long as the
    operator does.
    """
    nvidia_runtime: NvidiaRuntimeSpec = NvidiaRuntimeSpec()
    """The container runtime's nvidia handler."""
    nfd: NfdSpec = NfdSpec()
    """What the cluster's own Node Feature Discovery allows."""
    destination: DestinationSpec = DestinationSpec()
    """How Argo CD names the cluster."""
    owners: list[Text] = []
    """Who is asked before a change disrupts the cluster, as the code host knows them: `@acme/gpu-eu`."""


class MetadataSpec(SpecModel):
    """`metadata:`."""

    name: Name
    """Name of the fleet; also of the root cohort and the AppProject."""
