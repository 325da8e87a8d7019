"""Every label, annotation and object name that gpuplan writes, in one place.

Emitters write these names and importers read them; nothing else spells them. Functions return plain strings and never
shorten or hash: a name that is too long or that collides is a finding (`rules/names`), not something to hide.
"""

from __future__ import annotations

import enum
from typing import Final, NamedTuple

MAX_LABEL_VALUE = 63
"""Characters in a label value; names of ours that end up in labels keep to it (Kubernetes API conventions)."""

# Labels that gpuplan owns on nodes.
LABEL_DOMAIN = "gpuplan.dev"
LABEL_POOL = f"{LABEL_DOMAIN}/pool"
LABEL_TIER = f"{LABEL_DOMAIN}/tier"
LABEL_CARD = f"{LABEL_DOMAIN}/card"
LABEL_SHARING = f"{LABEL_DOMAIN}/sharing"

# Labels that gpuplan owns on namespaces and other objects.
LABEL_TEAM = f"{LABEL_DOMAIN}/team"
LABEL_SERVICE = f"{LABEL_DOMAIN}/service"
"""On a ClusterQueue: the service class of its task pool."""
LABEL_TASK_POOL = f"{LABEL_DOMAIN}/task-pool"
"""On a ClusterQueue or Cohort of a task pool whose cohort has another name: the task pool."""
LABEL_COST_CENTER = f"{LABEL_DOMAIN}/cost-center"
LABEL_CLUSTER = f"{LABEL_DOMAIN}/cluster"
"""On an Application: the cluster that it syncs."""
LABEL_MANAGED_BY = "app.kubernetes.io/managed-by"
LABEL_APP_NAME = "app.kubernetes.io/name"
MANAGED_BY = "gpuplan"

ANNOTATION_GPU_OPERATOR = f"{LABEL_DOMAIN}/gpu-operator-version"
"""On a ClusterPolicy: the version of the operator that others have installed, for which it was rendered."""

# Kubernetes' and others' well-known names.
LABEL_HOSTNAME = "kubernetes.io/hostname"
LABEL_NAMESPACE_NAME = "kubernetes.io/metadata.name"
POD_SECURITY = "pod-security.kubernetes.io"
LEVEL_BLOCK = f"topology.{LABEL_DOMAIN}/block"
LABEL_JOB_NAME = "batch.kubernetes.io/job-name"
LABEL_MPI_JOB_NAME = "training.kubeflow.org/job-name"

# The taint of nodes whose GPUs are not healthy. The node readiness controller takes keys of this domain only.
TAINT_UNHEALTHY = "readiness.k8s.io/gpuplan-unhealthy"
TAINT_UNHEALTHY_EFFECT: Final = "NoSchedule"
"""Nothing that runs is evicted: whether it must go is for a person to say."""

# What `gpuplan label-nodes` writes on nodes (docs/label-nodes.md).
NODE_LABELLER = f"{MANAGED_BY}-label-nodes"
"""The manager of the fields that it writes."""
ANNOTATION_NODE_NOTE = f"{LABEL_DOMAIN}/label-nodes"
"""What it keeps in mind of a node: the pool, and which taints are its own."""

# What the reclaimer reads and writes on work (docs/reclaim.md). The exemption is a label; its last day a label or an annotation.
RECLAIMER = f"{MANAGED_BY}-reclaim"
"""Its objects' name, and the manager of the fields that it writes."""
LABEL_RECLAIM_EXEMPT = f"{LABEL_DOMAIN}/reclaim-exempt"
RECLAIM_EXEMPT_UNTIL = f"{LABEL_DOMAIN}/reclaim-exempt-until"
ANNOTATION_RECLAIM_NOTICE_AT = f"{LABEL_DOMAIN}/reclaim-notice-at"
ANNOTATION_RECLAIM_WITHDRAWN_AT = f"{LABEL_DOMAIN}/reclaim-withdrawn-at"
ANNOTATION_RECLAIMED_AT = f"{LABEL_DOMAIN}/reclaimed-at"
ANNOTATION_RECLAIM_REASON = f"{LABEL_DOMAIN}/reclaim-reason"
ANNOTATION_RECLAIM_REPLICAS = f"{LABEL_DOMAIN}/reclaim-replicas"
ANNOTATION_RECLAIM_UNTOLD = f"{LABEL_DOMAIN}/reclaim-untold"
"""On work that was suspended until its people have been told."""

# What a drill writes on nodes (docs/drill.md).
DRILLER = f"{MANAGED_BY}-drill"
"""The manager of the fields that a drill writes."""
ANNOTATION_DRILL = f"{LABEL_DOMAIN}/drill"
"""On a node that takes part in a drill: which, until when it may be thought alive, and what was there before."""

# Kueue's labels.
LABEL_QUEUE_NAME = "kueue.x-k8s.io/queue-name"
LABEL_PRIORITY_CLASS = "kueue.x-k8s.io/priority-class"
LABEL_POD_GROUP = "kueue.x-k8s.io/pod-group-name"
"""On pods that are admitted together; their Workload has this name."""
ANNOTATION_REQUIRED_TOPOLOGY = "kueue.x-k8s.io/podset-required-topology"
ANNOTATION_PREFERRED_TOPOLOGY = "kueue.x-k8s.io/podset-preferred-topology"

# NVIDIA's labels and resource names.
RESOURCE_GPU = "nvidia.com/gpu"
RESOURCE_GPU_SHARED = "nvidia.com/gpu.shared"
LABEL_DEVICE_PLUGIN_CONFIG = "nvidia.com/device-plugin.config"
"""Key of the device plugin's configuration that a node uses, where one plugin serves all pools (the GPU Operator)."""
LABEL_OPERANDS = "nvidia.com/gpu.deploy.operands"
"""Set to `false`, it keeps all agents of the GPU Operator off a node."""
LABEL_MIG_CONFIG = "nvidia.com/mig.config"
LABEL_MIG_STRATEGY = "nvidia.com/mig.strategy"
LABEL_PRODUCT = "nvidia.com/gpu.product"
"""Model of the cards of a node, with what sharing and MIG append, as feature discovery writes it."""
LABEL_CARD_COUNT = "nvidia.com/gpu.count"
"""Physical cards of a node."""
LABEL_MPS_CAPABLE = "nvidia.com/mps.capable"
LABEL_DEPLOY = "nvidia.com/gpu.deploy"
"""Prefix of the labels by which the MIG manager pauses the other agents of a node."""
LABEL_DEPLOY_PLUGIN = f"{LABEL_DEPLOY}.device-plugin"
"""Set to `false`, it keeps the GPU Operator's device plugin off a node."""
LABEL_DEPLOY_DRIVER = f"{LABEL_DEPLOY}.driver"
"""Set to `false`, the GPU Operator installs no driver on a node."""
DRA_DRIVER = "gpu.nvidia.com"
"""NVIDIA's DRA driver: its name in ResourceSlices, the domain of its devices' attributes, and its class of whole cards."""
LABEL_HAMI = f"{LABEL_DOMAIN}/hami"
"""Set to `on`, it brings HAMi's device plugin to a node. HAMi's own choice is `gpu`, which NFD would put into its own domain."""
HAMI_ON = "on"

# Other vendors' labels, namespaces and objects.
LABEL_AMD_PARTITION = "dcm.amd.com/gpu-config-profile"
"""Profile by which AMD's device config manager partitions the cards of a node."""
LABEL_ASCEND_ACCELERATOR = "accelerator"
"""By its value (`huawei-Ascend910`) MindCluster's device plugin knows the nodes of each kind of NPU."""
LABEL_ASCEND_WORKER = "workerselector"
ASCEND_WORKER = "dls-worker-node"
"""Value of the label by which MindCluster's other agents know the nodes with NPUs."""
AMD_NAMESPACE = "kube-amd-gpu"
AMD_NAMESPACE_ON_OPENSHIFT = "openshift-amd-gpu"
AMD_PARTITIONS = "gpuplan-gpu-partitions"
"""ConfigMap with the partition profiles of a cluster."""

# Grafana.
ANNOTATION_GRAFANA_FOLDER = "grafana_folder"
"""On a dashboard's ConfigMap: the folder into which Grafana's sidecar puts it, by its usual setting."""

# Argo CD.
ANNOTATION_SYNC_WAVE = "argocd.argoproj.io/sync-wave"
ANNOTATION_SYNC_OPTIONS = "argocd.argoproj.io/sync-options"

# Namespaces of the platform's own agents.
SYSTEM_NAMESPACE = "gpu-system"
KUEUE_NAMESPACE = "kueue-system"
ARGOCD_NAMESPACE = "argocd"
SYSTEM_NAMESPACES = (
    "kube-system",
    "kube-public",
    "kube-node-lease",
    SYSTEM_NAMESPACE,
    KUEUE_NAMESPACE,
    ARGOCD_NAMESPACE,
)
"""Namespaces of Kubernetes and of the platform's own agents, where nobody needs a queue."""
RUNTIME_CLASS = "nvidia"
KUEUE_RELEASE = "kueue"
"""Kueue's Helm release. The chart names its objects after it, so every other name would move the manager's account."""
KUEUE_USER = f"system:serviceaccount:{KUEUE_NAMESPACE}:{KUEUE_RELEASE}-controller-manager"
KUEUE_CONFIG = f"{KUEUE_RELEASE}-manager-config"
"""ConfigMap of Kueue's manager, as Kueue's own manifests and its chart name it."""
KUEUE_CONFIG_KEY = "controller_manager_config.yaml"

# NVIDIA's node agents: their DaemonSets, service accounts and roles. No name begins as another does, so that those of no
# two agents and pools collide.
DEVICE_PLUGIN = "nvidia-device-plugin"
FEATURE_DISCOVERY = "gpu-feature-discovery"
MPS_DAEMON = "nvidia-mps-control-daemon"
MIG_MANAGER = "nvidia-mig-manager"
DCGM_EXPORTER = "nvidia-dcgm-exporter"
DCGM_COUNTERS = "dcgm-counters"
PRIVILEGED_AGENTS = "nvidia-node-agents-privileged"

# The GPU Operator: its only ClusterPolicy, as its chart names it, what the policy refers to, and the Service of its exporters.
CLUSTER_POLICY = "cluster-policy"
OPERATOR_RELEASE = "gpu-operator"
OPERATOR_PLUGIN_CONFIG = "gpuplan-device-plugin"
OPERATOR_MIG_LAYOUTS = "gpuplan-mig-layouts"
OPERATOR_COUNTERS = "gpuplan-dcgm-counters"
OPERATOR_EXPORTER = "gpuplan-dcgm-exporter"
"""ServiceMonitor of the operator's exporters. Under the operator's own name for it, it would delete ours."""

# Objects that a cluster has once. What shares its API group with others starts with our name.
OWN_PREFIX = f"{MANAGED_BY}-"
TEAM_ROLE = f"{OWN_PREFIX}team-member"
MIG_MANAGER_ROLE = f"{OWN_PREFIX}{MIG_MANAGER}"
DCGM_EXPORTER_ROLE = f"{OWN_PREFIX}{DCGM_EXPORTER}"
KUEUE_METRICS = f"{OWN_PREFIX}kueue-metrics"
"""ServiceMonitor of Kueue, and the role by which Prometheus reads there."""
CRITICAL_PODS_QUOTA = f"{OWN_PREFIX}critical-pods"
POLICY_PRIORITY_BAND = f"{OWN_PREFIX}priority-band"
POLICY_TOPOLOGY = "gpuplan-topology"
POLICY_QUEUE_REQUIRED = f"{OWN_PREFIX}queue-required"
POLICY_PRODUCED_RESOURCES = f"{OWN_PREFIX}produced-resources"
POLICY_STATEFUL_SERVING = f"{OWN_PREFIX}stateful-serving"


class ServerValue(enum.Enum):
    """Values of a `ServerAddition` that no constant can name."""

    ANY = "any value"
    OWN_NAME = "the object's own name"


class ServerAddition(NamedTuple):
    """What the server may add to an object of ours: to which kind (`*`: to every kind), at which path, and which value."""

    kind: str
    path: tuple[str, ...]
    value: object = ServerValue.ANY


_KUEUE_KEEPS = ["kueue.x-k8s.io/resource-in-use"]
SERVER_ADDITIONS: tuple[ServerAddition, ...] = (
    ServerAddition("*", ("status",)),
    ServerAddition("*", ("metadata", "uid")),
    ServerAddition("*", ("metadata", "resourceVersion")),
    ServerAddition("*", ("metadata", "generation")),
    ServerAddition("*", ("metadata", "creationTimestamp")),
    ServerAddition("*", ("metadata", "managedFields")),
    ServerAddition("Namespace", ("metadata", "labels", LABEL_NAMESPACE_NAME), ServerValue.OWN_NAME),
    ServerAddition("Namespace", ("spec", "finalizers"), ["kubernetes"]),
    ServerAddition("Service", ("spec", "clusterIP")),
    ServerAddition("Service", ("spec", "clusterIPs")),
    ServerAddition("Service", ("spec", "ipFamilies")),
    ServerAddition("DaemonSet", ("metadata", "annotations", "deprecated.daemonset.template.generation")),
    ServerAddition("Deployment", ("metadata", "annotations", "deployment.kubernetes.io/revision")),
    ServerAddition("ClusterQueue", ("metadata", "finalizers"), _KUEUE_KEEPS),
    ServerAddition("ResourceFlavor", ("metadata", "finalizers"), _KUEUE_KEEPS),
    ServerAddition("Topology", ("metadata", "finalizers"), _KUEUE_KEEPS),
    ServerAddition("NodeReadinessRule", ("metadata", "finalizers"), ["readiness.node.x-k8s.io/cleanup-taints"]),
    # We leave `stopPolicy` out, so that a person's emergency Hold survives self-heal; the server then says None.
    ServerAddition("ClusterQueue", ("spec", "stopPolicy"), "None"),
    ServerAddition("LocalQueue", ("spec", "stopPolicy"), "None"),
)
"""All that the server and Kueue add to what we wrote; anything else that differs is a difference."""


DRA_RESOURCES = f"dra.{LABEL_DOMAIN}/"
"""How the names begin that Kueue counts claimed devices by."""


def dra_resource(profile: str) -> str:
    """Name what Kueue counts of claimed devices: whole cards, or instances of a MIG profile."""
    safe = profile.replace("+", ".")
    return f"{DRA_RESOURCES}mig-{safe}" if profile else f"{DRA_RESOURCES}gpu"


def device_class_name(profile: str) -> str:
    """Name the DeviceClass of whole cards, or of instances of a MIG profile."""
    safe = profile.replace("+", ".")
    return f"mig-{safe}.{LABEL_DOMAIN}" if profile else f"gpu.{LABEL_DOMAIN}"


def claim_template_name(task_pool: str, profile: str, count: int) -> str:
    """Name the ResourceClaimTemplate of so many whole cards, or instances of a MIG profile, for each pod.

    `<taskPool>[-<profile>]-<count>`: only a profile holds a dot, so no two task pools share a name.
    """
    safe = profile.replace("+", ".")
    return f"{task_pool}-{safe}-{count}" if profile else f"{task_pool}-{count}"


def flavor_name(tier: str, card: str, sharing: str, revision: int) -> str:
    """Name a ResourceFlavor: `<tier>-<card>[-<sharing>][-<revision>]`; exclusive pools carry no sharing part."""
    parts = [tier, card]
    if sharing != "exclusive":
        parts.append(sharing)
    return revised("-".join(parts), revision)


def topology_name(tier: str, revision: int) -> str:
    """Name the Topology of a card tier."""
    return revised(tier, revision)


def revised(name: str, revision: int) -> str:
    """Append a revision; 0 means that the spec sets none."""
    return f"{name}-{revision}" if revision else name


def cluster_queue_name(team: str, task_pool: str) -> str:
    """Name the ClusterQueue of a team in a task pool."""
    return f"{team}-{task_pool}"


def priority_class_name(service: str, level: str) -> str:
    """Name a WorkloadPriorityClass: the service class, and the level unless it is the normal one."""
    return service if level == "normal" else f"{service}-{level}"


def pod_priority_class_name(service: str) -> str:
    """Name the PriorityClass for pods of a service class."""
    return f"{OWN_PREFIX}{service}"


def topology_annotation(mode: str) -> str:
    """Name the annotation of a pod template that asks Kueue for a topology level; `mode` is required or preferred."""
    return ANNOTATION_REQUIRED_TOPOLOGY if mode == "required" else ANNOTATION_PREFERRED_TOPOLOGY


PROVISIONER_FILE = "provisioner/{cluster}/{pool}.yaml"
"""File below `rendered/` for what makes the nodes of a pool."""


def application_name(cluster: str) -> str:
    """Name the Argo CD Application of a cluster."""
    return f"{OWN_PREFIX}{cluster}"


def root_application_name(project: str) -> str:
    """Name the Argo CD Application that syncs a fleet's projects and applications; no other of ours can have this name."""
    return f"root-{project}"


def root_project_name(project: str) -> str:
    """Name the AppProject of that Application beside a fleet's own."""
    return f"{project}-root"


def kueue_application_name(cluster: str) -> str:
    """Name the Argo CD Application of a cluster's Kueue; no cluster's own Application can have this name."""
    return f"kueue-{cluster}"


def kueue_project_name(project: str) -> str:
    """Name the AppProject of the Kueue installations beside a fleet's own."""
    return f"{project}-kueue"


def gpu_operator_application_name(cluster: str) -> str:
    """Name the Argo CD Application of a cluster's GPU Operator; no cluster's own Application can have this name."""
    return f"gpu-operator-{cluster}"


def gpu_operator_project_name(project: str) -> str:
    """Name the AppProject of the GPU Operator installations beside a fleet's own."""
    return f"{project}-gpu-operator"


def nvidia_driver_name(pool: str) -> str:
    """Name the NVIDIADriver of a pool."""
    return f"{OWN_PREFIX}{pool}"


def node_feature_rule_name(pool: str) -> str:
    """Name the NodeFeatureRule of a pool."""
    return f"{OWN_PREFIX}{pool}"


def node_readiness_rule_name(pool: str) -> str:
    """Name the NodeReadinessRule of a pool."""
    return f"{OWN_PREFIX}{pool}"


def disruption_budget_name(task_pool: str) -> str:
    """Name the PodDisruptionBudget of a stateful task pool in a namespace."""
    return f"{OWN_PREFIX}{task_pool}"


def dashboard_name(key: str) -> str:
    """Name the ConfigMap of one of a cluster's dashboards."""
    return f"{OWN_PREFIX}dashboard-{key}"


def serving_monitor_name(task_pool: str) -> str:
    """Name the PodMonitor of a task pool's engines."""
    return f"{OWN_PREFIX}serving-{task_pool}"


def release_monitor_name(controller: str) -> str:
    """Name the ServiceMonitor of a release controller; its own chart may bring one under its plain name."""
    return f"{OWN_PREFIX}releases-{controller}"


def daemon_set_name(agent: str, pool: str) -> str:
    """Name an agent's DaemonSet of a pool, and the configuration that goes with it."""
    return f"{agent}-{pool}"


def device_config_name(pool: str) -> str:
    """Name the DeviceConfig of a pool of AMD cards; its agents' DaemonSets and Services begin with it."""
    return pool
