"""Guard rails: their shape from a spec, and their judgement on a real API server."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from gpuplan import conventions
from gpuplan.emit import guardrails
from gpuplan.emit.workloads import WORKLOADS
from gpuplan.manifests.set import Manifest
from tests.build import fleet
from tests.controlplane.acceptance import apply_manifests, stored_differences
from tests.controlplane.client import ApiError, Client, Object, reference
from tests.controlplane.controlplane import ControlPlane
from tests.controlplane.workloads import job, pod_spec

SPEC = """
apiVersion: gpuplan.dev/v1alpha1
metadata: {name: acme}
clusters: {main: {kubernetes: "1.36"}}
defaults: {nodePool: {topologyLabels: provided}}
cardTiers:
  train: {cards: [h100-sxm-80gb], topology: {levels: [topology.gpuplan.dev/block, kubernetes.io/hostname]}}
  lab: {cards: [a100-sxm-40gb]}
nodePools:
  h100: {cluster: main, tier: train, nodes: 2, cardsPerNode: 8, selectedBy: {labels: {pool: h100}}}
  a100:
    cluster: main
    tier: lab
    nodes: 1
    cardsPerNode: 8
    selectedBy: {labels: {pool: a100}}
    sharing: {mig: {profiles: {1g.5gb: 7}}}
taskPools:
  pretrain: {kind: training, service: guaranteed, tiers: [train], frameworks: [job, jobset, leaderworkerset, mpijob]}
  chat: {kind: onlineInference, service: queued, tiers: [train], frameworks: [deployment]}
  notebooks: {kind: experiment, service: reclaimable, tiers: [lab], frameworks: [job, pod]}
  gang: {kind: training, service: queued, tiers: [train], topology: {required: topology.gpuplan.dev/block}}
  pack: {kind: training, service: queued, tiers: [train], topology: {preferred: kubernetes.io/hostname}}
teams:
  vision:
    namespaces: [vision]
    quotas: {pretrain: {train: {guaranteed: 8}}, chat: {}, notebooks: {}, gang: {}, pack: {}}
"""
PLAIN = "\n".join(line for line in SPEC.splitlines() if not line.startswith(("  gang:", "  pack:")))
PLAIN = PLAIN.replace(", gang: {}, pack: {}", "") + "\n"
GOVERNED = SPEC + "governance: {guardRails: {queueRequired: %s, producedResources: %s, exemptUsers: [robot]}}\n"
DENYING = GOVERNED % ("deny", "deny")

CARD = {"nvidia.com/gpu": 1}
SLICE = {"nvidia.com/mig-1g.5gb": 1}


def made(text: str) -> list[Manifest]:
    built = fleet(text)
    return list(guardrails.emit(built, built.clusters[0]))


def actions(text: str) -> dict[str, list[str]]:
    """Return what each policy does, by the name of its binding."""
    bindings: list[Any] = [one.object for one in made(text) if str(one.object["kind"]).endswith("Binding")]
    return {one["metadata"]["name"]: one["spec"]["validationActions"] for one in bindings}


@pytest.mark.parametrize(
    ("required", "produced", "expected"),
    [
        ("off", "off", {}),
        ("warn", "deny", {"gpuplan-queue-required": ["Warn", "Audit"], "gpuplan-produced-resources": ["Deny"]}),
        ("deny", "off", {"gpuplan-queue-required": ["Deny"]}),
    ],
)
def test_each_guard_rail_acts_as_the_spec_says_and_bands_always_deny(
    required: str, produced: str, expected: dict[str, list[str]]
) -> None:
    always = {"gpuplan-priority-band": ["Deny"], "gpuplan-topology": ["Deny"]}
    assert actions(GOVERNED % (required, produced)) == {**always, **expected}


def test_without_a_topology_wish_no_policy_asks_for_one() -> None:
    assert "gpuplan-topology" in actions(SPEC)
    assert "gpuplan-topology" not in actions(PLAIN)


def test_a_message_lists_so_many_namespaces_that_the_server_keeps_it() -> None:
    many = ", ".join(f"{'n' * 58}-{number:03}" for number in range(90))
    manifests = made(SPEC.replace("[vision]", f"[{many}]"))
    rails: dict[tuple[str, str], Any] = {(one.key.kind, one.key.name): one.object for one in manifests}
    validations = rails["ValidatingAdmissionPolicy", "gpuplan-queue-required"]["spec"]["validations"]
    said = validations[0]["messageExpression"]
    assert "-019, …)" in said
    assert len(said) < 5_000


def test_a_cluster_without_teams_has_nothing_to_guard() -> None:
    assert made(SPEC[: SPEC.index("teams:")]) == []


@pytest.mark.parametrize(
    ("cluster", "exempt"),
    [
        ("stack: manual", ""),
        ("stack: external", "gpu-operator"),
        ("stack: external, distribution: openshift", "nvidia-gpu-operator"),
        ("stack: external, gpuOperator: {namespace: gpus}", "gpus"),
    ],
)
def test_the_validator_of_an_operator_that_others_run_may_try_a_card(cluster: str, exempt: str) -> None:
    text = PLAIN.replace('kubernetes: "1.36"', f'kubernetes: "1.36", {cluster}')
    policy: Any = next(one.object for one in made(text) if one.key.name == conventions.POLICY_QUEUE_REQUIRED)
    people = policy["spec"]["matchConditions"][0]
    account = f"system:serviceaccount:{exempt}:nvidia-operator-validator"
    assert (account in people["expression"], "validator" in people["expression"]) == (bool(exempt), bool(exempt))


def test_the_policies_stand_in_a_wave_before_their_bindings() -> None:
    areas = {str(one.object["kind"]): one.area for one in made(DENYING)}
    assert areas == {
        "ValidatingAdmissionPolicy": "70-guard-rails",
        "ValidatingAdmissionPolicyBinding": "75-guard-rail-bindings",
    }


# From here on a real API server judges.

QUEUE, CLASS = conventions.LABEL_QUEUE_NAME, conventions.LABEL_PRIORITY_CLASS
PRETRAIN = {QUEUE: "pretrain", CLASS: "guaranteed"}
NOTEBOOKS = {QUEUE: "notebooks", CLASS: "reclaimable-low"}
CHAT = {QUEUE: "chat", CLASS: "queued"}
GANG = {QUEUE: "gang", CLASS: "queued"}
PACK = {QUEUE: "pack", CLASS: "queued"}
BLOCK = {"kueue.x-k8s.io/podset-required-topology": "topology.gpuplan.dev/block"}
HOST = {"kueue.x-k8s.io/podset-preferred-topology": "kubernetes.io/hostname"}
Labels = Mapping[str, str]
Devices = Mapping[str, int]


@pytest.fixture(scope="module")
def guarded(control_plane: ControlPlane) -> Iterator[Client]:
    """A server with the policies of `DENYING` in force, and one unlabelled job that is older than they."""
    control_plane.reset()
    client = control_plane.client
    for name in ("vision", "elsewhere", "gpu-system"):
        client.apply(reference("v1", "Namespace", name))
    for name, value in (("gpuplan-guaranteed", 4000), ("gpuplan-reclaimable", 1000)):
        client.apply({**reference("scheduling.k8s.io/v1", "PriorityClass", name), "value": value})
    client.create(job("vision", "older", devices=CARD))
    manifests: list[Object] = [copy.deepcopy(dict(one.object)) for one in made(DENYING)]
    assert apply_manifests(client, manifests) == []
    assert stored_differences(client, manifests) == []
    wrong = [a_job({}, CARD), a_job({QUEUE: "pretrain"}, CARD), a_job(PRETRAIN, SLICE), a_job(GANG, CARD)]
    control_plane.wait_for(lambda: all(refusal(client, one) for one in wrong), what="the policies to hold")
    yield client
    control_plane.reset()


def acting_as(client: Client, user: str) -> Client:
    """Return a client whose requests count as a user's, with an administrator's rights."""
    other = copy.copy(client)
    other._headers = client._headers | {"Impersonate-User": user, "Impersonate-Group": "system:masters"}
    return other


def refusal(client: Client, workload: Object) -> str:
    """Return why the server refuses a workload; empty when it takes it."""
    try:
        client.apply(workload, dry_run=True)
    except ApiError as error:
        return error.message
    return ""


def a_job(labels: Labels, devices: Devices) -> Object:
    made = job("vision", "work", devices=devices)
    made["metadata"]["labels"] = dict(labels)
    return made


def workload(api_version: str, kind: str, labels: Labels, spec: object, namespace: str = "vision") -> Object:
    made = reference(api_version, kind, "work", namespace)
    return {**made, "metadata": {**made["metadata"], "labels": dict(labels)}, "spec": spec}


def template(devices: Devices, labels: Labels | None = None) -> dict[str, Any]:
    return {"metadata": {"labels": {"app": "work", **(labels or {})}}, "spec": pod_spec(devices)}


def serving_template(devices: Devices, labels: Labels | None = None) -> dict[str, Any]:
    made = template(devices, labels)
    return {**made, "spec": {**made["spec"], "restartPolicy": "Always"}}


def a_pod(labels: Labels, devices: Devices, namespace: str = "vision") -> Object:
    return workload("v1", "Pod", labels, pod_spec(devices), namespace)


def an_app(kind: str, labels: Labels, devices: Devices, inner: Labels | None = None) -> Object:
    spec = {"selector": {"matchLabels": {"app": "work"}}, "template": serving_template(devices, inner)}
    return workload("apps/v1", kind, labels, spec)


def a_job_set(labels: Labels, devices: Devices, child: Labels | None = None) -> Object:
    cpu = {"name": "driver", "template": {"spec": {"template": {"spec": pod_spec({})}}}}
    child_job = {"metadata": {"labels": dict(child or {})}, "spec": {"template": {"spec": pod_spec(devices)}}}
    spec = {"replicatedJobs": [cpu, {"name": "workers", "template": child_job}]}
    return workload("jobset.x-k8s.io/v1alpha2", "JobSet", labels, spec)


def a_leader_worker_set(labels: Labels, leader: Devices | None, worker: Devices) -> Object:
    templates = {"size": 2, "workerTemplate": {"spec": serving_template(worker)["spec"]}}
    if leader is not None:
        templates["leaderTemplate"] = {"spec": serving_template(leader)["spec"]}
    return workload("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", labels, {"leaderWorkerTemplate": templates})


def an_mpi_job(labels: Labels, worker: Devices) -> Object:
    roles = {"Launcher": {"template": {"spec": pod_spec({})}}, "Worker": {"template": {"spec": pod_spec(worker)}}}
    return workload("kubeflow.org/v2beta1", "MPIJob", labels, {"mpiReplicaSpecs": roles})


def with_pods(asked: Object, annotations: Labels | None = None, priority_class: str = "") -> Object:
    """Return a workload whose pod templates have these annotations and this priority class."""
    changed: dict[str, Any] = copy.deepcopy(dict(asked))
    spec = changed["spec"]
    jobs = [job["template"]["spec"]["template"] for job in spec.get("replicatedJobs", [])]
    for one in [changed] if changed["kind"] == "Pod" else jobs or [spec["template"]]:
        one.setdefault("metadata", {})["annotations"] = dict(annotations or {})
        one["spec"] |= {"priorityClassName": priority_class} if priority_class else {}
    return changed


def elsewhere(asked: Object) -> Object:
    return {**asked, "metadata": {**asked["metadata"], "namespace": "elsewhere"}}


def resources_of_init_container_only() -> Object:
    made = a_job({}, {})
    spec = made["spec"]["template"]["spec"]
    spec["initContainers"] = [{**pod_spec(CARD)["containers"][0], "name": "init"}]
    return made


UNQUEUED = "asks for nvidia.com/gpu outside every queue"
HOMELESS = "asks for nvidia.com/gpu in namespace 'elsewhere', where no team has queues: put it into a team's namespace"
ASTRAY = "pods with cards in queue 'gang' need annotation kueue.x-k8s.io/podset-required-topology: topology.gpuplan.dev"
WRONG_CLASS = "need label kueue.x-k8s.io/priority-class with one of"

CASES: dict[str, tuple[Object, str]] = {
    "a job in its band and with its resource": (a_job(PRETRAIN, CARD), ""),
    "the highest level of the band": (a_job({**PRETRAIN, CLASS: "guaranteed-high"}, CARD), ""),
    "a job without cards and queue": (a_job({}, {}), ""),
    "a job that asks for no card explicitly": (a_job({}, {"nvidia.com/gpu": 0}), ""),
    "a job with a network adapter and no card": (a_job({}, {"nvidia.com/hostdev": 1}), ""),
    "a job with cards and no queue": (a_job({}, CARD), f"this Job {UNQUEUED}: set its label"),
    "a job with cards in an init container": (resources_of_init_container_only(), UNQUEUED),
    "a job of another vendor without queue": (a_job({}, {"amd.com/gpu": 1}), "amd.com/gpu outside every queue"),
    "a job in a queue without priority class": (
        a_job({QUEUE: "pretrain"}, CARD),
        f"jobs in queue 'pretrain' {WRONG_CLASS} guaranteed-low, guaranteed, guaranteed-high, not ''",
    ),
    "a job that forges a higher band": (
        a_job({**NOTEBOOKS, CLASS: "guaranteed-high"}, SLICE),
        "one of reclaimable-low, reclaimable, reclaimable-high, not 'guaranteed-high'",
    ),
    "a job without cards but a forged band": (a_job({**NOTEBOOKS, CLASS: "queued"}, {}), WRONG_CLASS),
    "a job in no queue of the cluster": (
        a_job({**PRETRAIN, QUEUE: "pretain"}, CARD),
        "no queue is named 'pretain': set label kueue.x-k8s.io/queue-name to one of chat, gang, notebooks, pack, pretrain",
    ),
    "a job with a resource of another tier": (
        a_job(PRETRAIN, SLICE),
        "queue 'pretrain' has no nvidia.com/mig-1g.5gb: ask for nvidia.com/gpu",
    ),
    "whole cards where the tier has slices": (
        a_job(NOTEBOOKS, CARD),
        "queue 'notebooks' has no nvidia.com/gpu: ask for nvidia.com/mig-1g.5gb",
    ),
    "a pod in its queue": (a_pod(NOTEBOOKS, SLICE), ""),
    "a bare pod with cards": (a_pod({}, CARD), f"this Pod {UNQUEUED}"),
    "a bare pod in no team's namespace": (a_pod({}, CARD, "elsewhere"), f"this Pod {HOMELESS} (vision)"),
    "a queue's name in no team's namespace": (elsewhere(a_job(PRETRAIN, CARD)), f"this Job {HOMELESS}"),
    "a job without cards in no team's namespace": (elsewhere(a_job({}, {})), ""),
    "a pod of the platform": (a_pod({}, CARD, "gpu-system"), ""),
    "a pod of Kubernetes": (a_pod({}, CARD, "kube-system"), ""),
    "pods of their band's class": (with_pods(a_job(PRETRAIN, CARD), priority_class="gpuplan-guaranteed"), ""),
    "pods of a class above their band": (
        with_pods(a_job(NOTEBOOKS, SLICE), priority_class="gpuplan-guaranteed"),
        "pods in queue 'notebooks' may have priorityClassName 'gpuplan-reclaimable' or none, not 'gpuplan-guaranteed'",
    ),
    "pods of a system class": (
        with_pods(a_job_set(PRETRAIN, CARD), priority_class="system-node-critical"),
        "not 'system-node-critical'",
    ),
    "a bare pod of a system class": (
        with_pods(a_pod(NOTEBOOKS, SLICE), priority_class="system-cluster-critical"),
        "not 'system-cluster-critical'",
    ),
    "a deployment's queued pods of a system class": (
        with_pods(an_app("Deployment", {}, CARD, CHAT), priority_class="system-node-critical"),
        "pods in queue 'chat' may have priorityClassName 'gpuplan-queued' or none",
    ),
    "a gang that names its level": (with_pods(a_job(GANG, CARD), BLOCK), ""),
    "a gang that names no level": (a_job(GANG, CARD), f"{ASTRAY}/block in the metadata of their pod template"),
    "a gang that names another level": (
        with_pods(a_job(GANG, CARD), {next(iter(BLOCK)): "kubernetes.io/hostname"}),
        ASTRAY,
    ),
    "a gang that only prefers its level": (with_pods(a_job(GANG, CARD), HOST), ASTRAY),
    "a gang without cards": (a_job(GANG, {}), ""),
    "a job set of which no part names its level": (a_job_set(GANG, CARD), ASTRAY),
    "a job set that names its level": (with_pods(a_job_set(GANG, CARD), BLOCK), ""),
    "a pack that names its level": (with_pods(a_job(PACK, CARD), HOST), ""),
    "a pack that names no level": (
        a_job(PACK, CARD),
        "in queue 'pack' need annotation kueue.x-k8s.io/podset-preferred-topology: kubernetes.io/hostname in",
    ),
    "a deployment in its queue": (an_app("Deployment", CHAT, CARD), ""),
    "a deployment whose pods are queued": (an_app("Deployment", {}, CARD, CHAT), ""),
    "a deployment without queue": (an_app("Deployment", {}, CARD), f"this Deployment {UNQUEUED}"),
    "a deployment whose pods forge a band": (
        an_app("Deployment", {}, CARD, {**CHAT, CLASS: "guaranteed"}),
        WRONG_CLASS,
    ),
    "a kind that Kueue does not watch here": (an_app("StatefulSet", CHAT, CARD), f"this StatefulSet {UNQUEUED}"),
    "an unwatched kind whose pods are queued": (an_app("StatefulSet", {}, CARD, CHAT), ""),
    "a replica set made by hand": (an_app("ReplicaSet", {}, CARD), UNQUEUED),
    "a daemon set with cards": (an_app("DaemonSet", {}, CARD), UNQUEUED),
    "a job set in its queue": (a_job_set(PRETRAIN, CARD), ""),
    "a job set without queue": (a_job_set({}, CARD), f"this JobSet {UNQUEUED}"),
    "a job set with a foreign resource in one job": (a_job_set(PRETRAIN, SLICE), "has no nvidia.com/mig-1g.5gb"),
    "a job set whose child forges a band": (a_job_set(PRETRAIN, CARD, {QUEUE: "pretrain"}), WRONG_CLASS),
    "a leader and workers in their queue": (a_leader_worker_set(PRETRAIN, CARD, CARD), ""),
    "workers without a leader of their own": (a_leader_worker_set(PRETRAIN, None, CARD), ""),
    "a leader with a foreign resource": (a_leader_worker_set(PRETRAIN, SLICE, CARD), "has no nvidia.com/mig-1g.5gb"),
    "workers without queue": (a_leader_worker_set({}, None, CARD), f"this LeaderWorkerSet {UNQUEUED}"),
    "an MPI job in its queue": (an_mpi_job(PRETRAIN, CARD), ""),
    "an MPI job without queue": (an_mpi_job({}, CARD), f"this MPIJob {UNQUEUED}"),
    "an MPI job with a foreign resource": (an_mpi_job(PRETRAIN, SLICE), "has no nvidia.com/mig-1g.5gb"),
}


@pytest.mark.parametrize("case", CASES)
def test_the_server_lets_right_work_pass_and_tells_others_what_to_write(guarded: Client, case: str) -> None:
    asked, expected = CASES[case]
    said = refusal(guarded, asked)
    assert expected in said if expected else said == ""


def test_a_gang_of_many_parts_stays_within_the_server_s_cost_limit(guarded: Client) -> None:
    asked = with_pods(a_job_set(GANG, CARD, GANG), BLOCK)
    worker = asked["spec"]["replicatedJobs"][1]
    container = worker["template"]["spec"]["template"]["spec"]["containers"][0]
    worker["template"]["spec"]["template"]["spec"]["containers"] = [
        {**container, "name": f"main-{number}"} for number in range(8)
    ]
    asked["spec"]["replicatedJobs"] = [{**worker, "name": f"workers-{number}"} for number in range(100)]
    assert refusal(guarded, asked) == ""


def test_every_kind_that_makes_pods_is_judged_with_and_without_a_queue() -> None:
    judged = {asked["kind"] for asked, _ in CASES.values()}
    assert {kind.kind for kind in WORKLOADS} - judged == {"ReplicationController"}, "which differs by its group alone"


@pytest.mark.parametrize(
    ("user", "passes"),
    [
        ("system:serviceaccount:kube-system:job-controller", True),
        ("system:serviceaccount:kube-system:replicaset-controller", True),
        (conventions.KUEUE_USER, True),
        ("robot", True),
        ("system:serviceaccount:kube-system:cronjob-controller", False),
        ("system:serviceaccount:vision:job-controller", False),
        ("alice", False),
    ],
)
def test_pods_of_controllers_and_exempt_users_need_no_queue(guarded: Client, user: str, passes: bool) -> None:
    said = refusal(acting_as(guarded, user), a_pod({}, CARD))
    assert said == "" if passes else UNQUEUED in said


def test_an_exempt_user_may_not_forge_a_priority(guarded: Client) -> None:
    assert WRONG_CLASS in refusal(acting_as(guarded, "robot"), a_job({**PRETRAIN, CLASS: "queued"}, CARD))


def test_what_is_older_than_the_policies_can_be_finished(guarded: Client) -> None:
    older = reference("batch/v1", "Job", "older", "vision")
    guarded.patch(older, {"metadata": {"annotations": {"seen": "yes"}, "finalizers": ["example.com/held"]}})
    guarded.delete(older)
    guarded.patch(older, {"metadata": {"finalizers": []}})
    assert guarded.find(older) is None


def test_a_priority_cannot_be_forged_after_the_fact(guarded: Client) -> None:
    honest = {**a_job(NOTEBOOKS, SLICE), "spec": {**a_job(NOTEBOOKS, SLICE)["spec"], "suspend": True}}
    guarded.create(honest)
    with pytest.raises(ApiError, match="not 'guaranteed'"):
        guarded.patch(honest, {"metadata": {"labels": {CLASS: "guaranteed"}}})
    guarded.delete(honest)
