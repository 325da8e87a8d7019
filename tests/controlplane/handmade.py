"""What people do by hand to a cluster, and where drift must see it: edits, and objects that come, go, stop and are made anew."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tests.controlplane.client import Client, Object, reference

FREE_FLAVOR = "serve-l40s"
"""A flavor that the tests leave without a topology: one with a topology cannot be changed."""
KUEUE = "kueue.x-k8s.io/v1beta2"
GPU_SYSTEM = "gpu-system"
JSON_PATCH = "application/json-patch+json"
QUOTA = "/spec/resourceGroups/0/flavors/0/resources/0/nominalQuota"


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """What somebody does by hand to an object of cluster prod-eu, and where drift must see it."""

    what: str
    api_version: str
    kind: str
    name: str
    namespace: str = ""
    pointer: str
    """Where the value is set, as JSON Pointer."""
    value: object
    path: str
    manager: str = "kubectl-edit"

    @property
    def reference(self) -> Object:
        return reference(self.api_version, self.kind, self.name, self.namespace)


EDITS = (
    Edit(
        what="a quota is raised",
        api_version=KUEUE,
        kind="ClusterQueue",
        name="vision-pretrain",
        pointer=QUOTA,
        value="80",
        path="spec.resourceGroups[0].flavors[train-h100-sxm-80gb].resources[nvidia.com/gpu].nominalQuota",
    ),
    Edit(
        what="a flavor selects other nodes",
        api_version=KUEUE,
        kind="ResourceFlavor",
        name=FREE_FLAVOR,
        pointer="/spec/nodeLabels/gpuplan.dev~1card",
        value="l4",
        path='spec.nodeLabels["gpuplan.dev/card"]',
    ),
    Edit(
        what="a cohort hangs elsewhere",
        api_version=KUEUE,
        kind="Cohort",
        name="nightly",
        pointer="/spec/parentName",
        value="pretrain",
        path="spec.parentName",
    ),
    Edit(
        what="a priority rises",
        api_version=KUEUE,
        kind="WorkloadPriorityClass",
        name="queued",
        pointer="/value",
        value=999,
        path="value",
    ),
    Edit(
        what="an agent gets another image",
        api_version="apps/v1",
        kind="DaemonSet",
        name="nvidia-device-plugin-h100-a",
        namespace=GPU_SYSTEM,
        pointer="/spec/template/spec/containers/0/image",
        value="registry.example/plugin:latest",
        path="spec.template.spec.containers[nvidia-device-plugin].image",
        manager="kubectl-set",
    ),
    Edit(
        what="an agent tolerates more",
        api_version="apps/v1",
        kind="DaemonSet",
        name="nvidia-device-plugin-h200-a",
        namespace=GPU_SYSTEM,
        pointer="/spec/template/spec/tolerations/-",
        value={"operator": "Exists"},
        path="spec.template.spec.tolerations[operator=Exists]",
    ),
    Edit(
        what="a configuration gets a key",
        api_version="v1",
        kind="ConfigMap",
        name="gpuplan-dashboard-fleet",
        namespace=GPU_SYSTEM,
        pointer="/data/extra",
        value="yes",
        path="data.extra",
    ),
    Edit(
        what="a role grants more",
        api_version="rbac.authorization.k8s.io/v1",
        kind="ClusterRole",
        name="gpuplan-team-member",
        pointer="/rules/0/verbs/-",
        value="impersonate",
        path='rules[apiGroups=batch,resources="cronjobs jobs"].verbs[impersonate]',
    ),
    Edit(
        what="a guard rail only warns",
        api_version="admissionregistration.k8s.io/v1",
        kind="ValidatingAdmissionPolicyBinding",
        name="gpuplan-queue-required",
        pointer="/spec/validationActions",
        value=["Warn"],
        path="spec.validationActions[0]",
    ),
    Edit(
        what="a namespace lets privileged pods in",
        api_version="v1",
        kind="Namespace",
        name="vision",
        pointer="/metadata/labels/pod-security.kubernetes.io~1enforce",
        value="privileged",
        path='metadata.labels["pod-security.kubernetes.io/enforce"]',
        manager="kubectl-label",
    ),
    Edit(
        what="a scrape is slower",
        api_version="monitoring.coreos.com/v1",
        kind="ServiceMonitor",
        name="nvidia-dcgm-exporter",
        namespace=GPU_SYSTEM,
        pointer="/spec/endpoints/0/interval",
        value="5m",
        path="spec.endpoints[port=metrics].interval",
    ),
    Edit(
        what="an alert asks something else",
        api_version="monitoring.coreos.com/v1",
        kind="PrometheusRule",
        name="gpuplan-guarantee",
        namespace=GPU_SYSTEM,
        pointer="/spec/groups/0/rules/0/expr",
        value="vector(0)",
        path="spec.groups[gpuplan-guarantee].rules[record=gpuplan:guarantee_at_peak:ratio7d].expr",
    ),
    Edit(
        what="a node may lose more pods",
        api_version="policy/v1",
        kind="PodDisruptionBudget",
        name="gpuplan-chat",
        namespace="search",
        pointer="/spec/unhealthyPodEvictionPolicy",
        value="IfHealthyBudget",
        path="spec.unhealthyPodEvictionPolicy",
    ),
    Edit(
        what="the reclaimer runs twice",
        api_version="apps/v1",
        kind="Deployment",
        name="gpuplan-reclaim",
        namespace=GPU_SYSTEM,
        pointer="/spec/replicas",
        value=2,
        path="spec.replicas",
        manager="kubectl-scale",
    ),
)


def change(client: Client, edit: Edit) -> None:
    """Set a value as a person with kubectl does."""
    op = [{"op": "add", "path": edit.pointer, "value": edit.value}]
    query = {"fieldManager": edit.manager}
    client.request("PATCH", client.path(edit.reference), op, query=query, content_type=JSON_PATCH)


WARNS = ("ValidatingAdmissionPolicyBinding", "", "gpuplan-queue-required")
"""An apply adds Deny to the Warn of another, and the server takes no binding with both."""
RECREATED = {("RuntimeClass", "", "nvidia"): "handler", ("LocalQueue", "search", "chat"): "spec.clusterQueue"}


def by_hand(client: Client, objects: Sequence[Object]) -> None:
    """Delete, recreate, stop, mark and add objects."""
    of = {(made["kind"], made["metadata"]["name"]): made for made in objects}  # of queues called chat, one
    client.delete(reference("scheduling.k8s.io/v1", "PriorityClass", "gpuplan-queued"))
    runtime, chat = of["RuntimeClass", "nvidia"], of["LocalQueue", "chat"]
    elsewhere = {"spec": {"clusterQueue": "nlp-chat"}}
    for made, other in ((runtime, {"handler": "runc"}), (chat, elsewhere)):  # neither can be edited
        client.delete(made)
        post(client, {**made, **other}, "kubectl-replace")
    client.delete(of["ResourceFlavor", "train-h200-141gb"])  # queues hold it
    queue = of["ClusterQueue", "nlp-chat"]
    spare = {**reference(KUEUE, "ClusterQueue", "spare"), "spec": {**queue["spec"], "cohortName": "chat"}}
    post(client, spare, "kubectl-create")
    quota = {**reference("v1", "ResourceQuota", "stopped", "vision"), "spec": {"hard": {"pods": "0"}}}
    post(client, quota, "kubectl-create")
    stop = {"spec": {"stopPolicy": "Hold"}}
    merge(client, of["ClusterQueue", "search-nightly"], stop, "kubectl-edit")
    merge(client, of["Namespace", "recsys"], {"metadata": {"labels": {"acme.example/owner": "ada"}}}, "kubectl-label")
    merge(client, of["Namespace", "search"], {"metadata": {"labels": {"gpuplan.dev/team": None}}}, "kubectl-label")


def post(client: Client, made: Object, manager: str) -> None:
    resource = client.resource(made["apiVersion"], made["kind"])
    path = resource.collection(made["metadata"].get("namespace", ""))
    client.request("POST", path, made, query={"fieldManager": manager})


def merge(client: Client, made: Object, change: Object, manager: str) -> None:
    query = {"fieldManager": manager}
    client.request("PATCH", client.path(made), change, query=query, content_type="application/merge-patch+json")
