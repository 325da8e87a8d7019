"""The control plane is alive: what the other tests take for granted."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from gpuplan.cluster.kube import Fault, Kube, connect
from gpuplan.cluster.rights import rights
from gpuplan.cluster.served import Served
from tests.controlplane import acceptance, kueue
from tests.controlplane import rights as rights_of
from tests.controlplane.client import ApiError, Object, reference
from tests.controlplane.controlplane import ControlPlane
from tests.controlplane.processes import ProcessDiedError
from tests.controlplane.waiting import wait_for
from tests.controlplane.workloads import (
    condition,
    finish,
    is_suspended,
    is_true,
    job,
    pod_spec,
    pods_of,
    running_pods,
    runs,
    workload_of,
)

REPOSITORY = Path(__file__).parents[2]
API = "kueue.x-k8s.io/v1beta2"
GPU = "nvidia.com/gpu"
TAINT = {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}
END_LIMIT_SECONDS = 20


def flavor(name: str, *, tolerates: bool = False) -> Object:
    toleration = {"key": TAINT["key"], "operator": "Exists", "effect": TAINT["effect"]}
    spec: dict[str, Any] = {"nodeLabels": {"gpuplan.dev/tier": name}}
    spec |= {"tolerations": [toleration]} if tolerates else {}
    return {"apiVersion": API, "kind": "ResourceFlavor", "metadata": {"name": name}, "spec": spec}


def cluster_queue(name: str, *, flavor: str, cards: int, lend: int | None = None) -> Object:
    quota: dict[str, Any] = {"name": GPU, "nominalQuota": str(cards)}
    quota |= {} if lend is None else {"lendingLimit": str(lend)}
    group = {"coveredResources": [GPU], "flavors": [{"name": flavor, "resources": [quota]}]}
    spec = {
        "cohortName": "all",
        "namespaceSelector": {},
        "queueingStrategy": "BestEffortFIFO",
        "flavorFungibility": {"whenCanBorrow": "MayStopSearch", "whenCanPreempt": "TryNextFlavor"},
        "preemption": {
            "borrowWithinCohort": {"policy": "Never"},
            "reclaimWithinCohort": "Any",
            "withinClusterQueue": "LowerPriority",
        },
        "resourceGroups": [group],
    }
    return {"apiVersion": API, "kind": "ClusterQueue", "metadata": {"name": name}, "spec": spec}


def local_queue(namespace: str, name: str, cluster_queue: str) -> Object:
    return {
        "apiVersion": API,
        "kind": "LocalQueue",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"clusterQueue": cluster_queue},
    }


def one_team(cards: int) -> Sequence[Object]:
    """Namespace, flavor and queues of one team that may use this many cards."""
    return [
        reference("v1", "Namespace", "vision"),
        flavor("train", tolerates=True),
        cluster_queue("vision-pretrain", flavor="train", cards=cards),
        local_queue("vision", "pretrain", "vision-pretrain"),
    ]


def test_the_server_is_the_pinned_version(control_plane: ControlPlane) -> None:
    assert control_plane.client.request("GET", "/version")["gitVersion"] == "v1.36.3"


def test_kueue_refuses_to_lend_more_than_it_has(empty_control_plane: ControlPlane) -> None:
    queue = cluster_queue("vision-pretrain", flavor="train", cards=8, lend=16)

    refused = acceptance.rejection(empty_control_plane.client, queue, dry_run=True)

    assert refused is not None
    assert "must be less than or equal to the nominalQuota" in refused.message
    assert "admission webhook" in refused.message


def test_a_schema_rule_and_an_unknown_field_are_refused(empty_control_plane: ControlPlane) -> None:
    too_long: dict[str, Any] = {**flavor("train"), "spec": {"nodeLabels": {f"label-{i}": "x" for i in range(9)}}}
    misspelt: dict[str, Any] = {**flavor("train"), "spec": {"nodeLabel": {}}}

    refused = acceptance.apply_manifests(empty_control_plane.client, [too_long, misspelt, flavor("lab")])

    assert [(one.status, one.obj["spec"]) for one in refused] == [(422, too_long["spec"]), (500, misspelt["spec"])]


def test_a_cluster_queue_becomes_active_once_its_flavor_exists(empty_control_plane: ControlPlane) -> None:
    client = empty_control_plane.client
    queue = cluster_queue("vision-pretrain", flavor="train", cards=8)
    client.apply(queue)
    empty_control_plane.wait_for(lambda: client.get(queue).get("status", {}).get("conditions"), what="a first verdict")
    assert not is_true(client.get(queue), "Active")

    client.apply(flavor("train"))

    empty_control_plane.wait_for(lambda: is_true(client.get(queue), "Active"), what="the queue to be active")


def test_what_we_write_in_full_reads_back_the_same(empty_control_plane: ControlPlane) -> None:
    client = empty_control_plane.client
    objects = one_team(cards=8)

    assert acceptance.apply_manifests(client, objects) == []

    empty_control_plane.wait_for(lambda: is_true(client.get(objects[2]), "Active"), what="the queue to be active")
    assert acceptance.stored_differences(client, objects) == []


def test_a_default_left_to_the_server_is_a_difference(empty_control_plane: ControlPlane) -> None:
    client = empty_control_plane.client
    queue: dict[str, Any] = {**cluster_queue("vision-pretrain", flavor="train", cards=8)}
    queue["spec"] = {key: value for key, value in queue["spec"].items() if key != "queueingStrategy"}
    client.apply(queue)

    found = acceptance.stored_differences(client, [queue, flavor("train")])

    assert found == [
        'ClusterQueue vision-pretrain: spec.queueingStrategy: absent != "BestEffortFIFO"',
        "ResourceFlavor train: not on the server",
    ]


@pytest.fixture
def cluster(busy_control_plane: ControlPlane) -> ControlPlane:
    """One node with eight cards, and one team that may use all of them."""
    busy_control_plane.add_node("n1", labels={"gpuplan.dev/tier": "train"}, taints=[TAINT], capacity={GPU: 8})
    busy_control_plane.add_node("n2", labels={"gpuplan.dev/tier": "serve"}, capacity={GPU: 8})
    assert acceptance.apply_manifests(busy_control_plane.client, one_team(cards=8)) == []
    return busy_control_plane


def test_a_job_within_quota_runs_on_the_node_of_its_flavor(cluster: ControlPlane) -> None:
    client = cluster.client
    training = client.create(job("vision", "training", queue="pretrain", devices={GPU: 8}))

    cluster.wait_for(lambda: runs(client, training), what="the job to run")

    assert [pod["spec"]["nodeName"] for pod in running_pods(client, training)] == ["n1"]


def test_after_a_reset_no_policy_of_an_earlier_test_judges(empty_control_plane: ControlPlane) -> None:
    client = empty_control_plane.client
    rule = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["configmaps"]}
    version, name = "admissionregistration.k8s.io/v1", "no-configmaps"
    policy = {"matchConstraints": {"resourceRules": [rule]}, "validations": [{"expression": "false"}]}
    client.create({**reference(version, "ValidatingAdmissionPolicy", name), "spec": policy})
    binding = {"policyName": name, "validationActions": ["Deny"]}
    client.create({**reference(version, "ValidatingAdmissionPolicyBinding", name), "spec": binding})
    wanted = reference("v1", "ConfigMap", "one", "default")
    empty_control_plane.wait_for(
        lambda: acceptance.rejection(client, wanted, dry_run=True), what="the policy to be obeyed"
    )

    empty_control_plane.reset()

    client.create(wanted)


def test_what_an_account_uses_is_seen_and_what_it_may_not_is_refused(empty_control_plane: ControlPlane) -> None:
    """Also what the client of ours can ask for: kinds, server-side apply and its dry run, evictions, deletions."""
    plane = empty_control_plane
    granted = (*rights("get patch create delete", "", "configmaps"), *rights("create", "", "pods/eviction"))
    kube = connect("gpuplan-test", rights_of.account(plane, "tester", granted))
    assert isinstance(kube, Kube)
    served = kube.served()
    assert isinstance(served, Served)
    made = {**reference("v1", "ConfigMap", "one", "default"), "data": {"a": "1"}}
    path = served.path(made)
    assert path == "/api/v1/namespaces/default/configmaps/one"
    assert isinstance(kube.apply(path, made, dry_run=True), dict)
    assert isinstance(kube.get(path), Fault), "a dry run keeps nothing"
    assert isinstance(applied := kube.apply(path, made), dict)
    refused = kube.delete(path, uid="another")
    assert isinstance(refused, Fault)
    assert refused.conflict
    assert isinstance(kube.delete(path, uid=applied["metadata"]["uid"]), dict)
    assert isinstance(kube.evict("default", "nobody"), Fault)
    denied = kube.list("/api/v1/namespaces/default/pods")
    assert isinstance(denied, Fault)
    assert denied.status == 403
    assert rights_of.used(plane, "tester") - {right.grant for right in granted} == {("list", "", "pods")}
    assert {right.grant for right in granted} - rights_of.used(plane, "tester") == {("create", "", "configmaps")}


def test_a_job_beyond_quota_waits_until_cards_are_free(cluster: ControlPlane) -> None:
    client = cluster.client
    first = client.create(job("vision", "first", queue="pretrain", devices={GPU: 6}))
    cluster.wait_for(lambda: runs(client, first), what="the first job to run")
    second = client.create(job("vision", "second", queue="pretrain", devices={GPU: 4}))
    cluster.wait_for(lambda: refused_for_now(cluster, second), what="Kueue to say why the second job waits")
    assert is_suspended(client, second)
    assert pods_of(client, second) == []

    finish(client, first)

    cluster.wait_for(lambda: runs(client, second), what="the second job to run")


def refused_for_now(cluster: ControlPlane, owner: Object) -> bool:
    reserved = condition(workload_of(cluster.client, owner), "QuotaReserved")
    return reserved.get("status") == "False" and "insufficient unused quota" in reserved["message"]


def test_a_reset_leaves_no_object_and_no_used_quota(cluster: ControlPlane) -> None:
    client = cluster.client
    training = job("vision", "training", queue="pretrain", devices={GPU: 8})
    client.create(training)
    cluster.wait_for(lambda: runs(client, training), what="the job to run")

    cluster.reset()

    for api_version, kind in (
        ("batch/v1", "Job"),
        ("v1", "Pod"),
        ("v1", "Node"),
        (API, "Workload"),
        (API, "ClusterQueue"),
    ):
        assert client.list(api_version, kind) == []
    assert client.find(reference("v1", "Namespace", "vision")) is None
    cluster.add_node("n1", labels={"gpuplan.dev/tier": "train"}, capacity={GPU: 8})
    assert acceptance.apply_manifests(client, one_team(cards=8)) == []
    client.create(training)
    cluster.wait_for(lambda: runs(client, training), what="the same job to run again")


def test_controllers_write_under_their_own_accounts(cluster: ControlPlane) -> None:
    client = cluster.client
    client.apply(pod_creators_only({"system:serviceaccount:kube-system:job-controller"}))
    client.apply(everywhere("pod-creators"))
    by_hand = {"apiVersion": "v1", "kind": "Pod", "metadata": {"generateName": "x-", "namespace": "vision"}}
    by_hand["spec"] = pod_spec({})

    def is_refused() -> bool:
        try:
            client.delete(client.create(by_hand))
        except ApiError as error:
            return "only controllers" in error.message
        return False

    cluster.wait_for(is_refused, what="the policy to take hold")
    training = client.create(job("vision", "training", queue="pretrain", devices={GPU: 1}))
    cluster.wait_for(lambda: runs(client, training), what="the job to run")


def pod_creators_only(users: set[str]) -> Object:
    rule = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}
    check = {"expression": f"request.userInfo.username in {sorted(users)}", "message": "only controllers make pods"}
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingAdmissionPolicy",
        "metadata": {"name": "pod-creators"},
        "spec": {"matchConstraints": {"resourceRules": [rule]}, "validations": [check]},
    }


def everywhere(policy: str) -> Object:
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingAdmissionPolicyBinding",
        "metadata": {"name": policy},
        "spec": {"policyName": policy, "validationActions": ["Deny"]},
    }


def test_kueue_takes_the_configuration_that_is_rendered(empty_control_plane: ControlPlane) -> None:
    config = {**kueue.DEFAULT_CONFIG, "manageJobsWithoutQueueName": True}
    rendered = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "kueue-manager-config", "namespace": "kueue-system"},
        "data": {kueue.CONFIG_KEY: json.dumps(config)},
    }
    client = empty_control_plane.client
    client.apply(reference("v1", "Namespace", "vision"))
    try:
        empty_control_plane.start_kueue(rendered)
        unqueued = client.create(job("vision", "unqueued"))
        assert is_suspended(client, unqueued)
    finally:
        empty_control_plane.start_kueue()
    assert not is_suspended(client, client.create(job("vision", "another")))


def test_kueue_holds_jobs_of_each_framework_that_is_enabled(empty_control_plane: ControlPlane) -> None:
    config = {**kueue.DEFAULT_CONFIG, "integrations": {"frameworks": ["batch/job", "pod", *PROJECT_FRAMEWORKS]}}
    client = empty_control_plane.client
    try:
        empty_control_plane.start_kueue(config)
        acceptance.apply_manifests(client, one_team(cards=1))
        for obj in (job_set(), mpi_job()):
            assert suspension(client.create(obj)) is True
    finally:
        empty_control_plane.start_kueue()


PROJECT_FRAMEWORKS = ("jobset.x-k8s.io/jobset", "leaderworkerset.x-k8s.io/leaderworkerset", "kubeflow.org/mpijob")


def job_set() -> Object:
    pods = {"template": {"spec": {"template": {"spec": pod_spec({GPU: 1})}}}, "name": "workers", "replicas": 1}
    return in_pretrain({"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "spec": {"replicatedJobs": [pods]}})


def mpi_job() -> Object:
    roles = {role: {"replicas": 1, "template": {"spec": pod_spec({GPU: 1})}} for role in ("Launcher", "Worker")}
    return in_pretrain({"apiVersion": "kubeflow.org/v2beta1", "kind": "MPIJob", "spec": {"mpiReplicaSpecs": roles}})


def in_pretrain(obj: Object) -> Object:
    labels = {"kueue.x-k8s.io/queue-name": "pretrain"}
    return {**obj, "metadata": {"name": "training", "namespace": "vision", "labels": labels}}


def suspension(obj: Object) -> bool:
    spec = obj["spec"]
    return bool(spec.get("suspend") or spec.get("runPolicy", {}).get("suspend"))


def test_kueue_that_cannot_start_shows_the_end_of_its_log(empty_control_plane: ControlPlane) -> None:
    try:
        with pytest.raises(ProcessDiedError, match="noSuchField"):
            empty_control_plane.start_kueue({**kueue.DEFAULT_CONFIG, "noSuchField": 1})
    finally:
        empty_control_plane.start_kueue()


def test_two_control_planes_run_at_once_and_stop_without_a_trace(tools: None, tmp_path: Path) -> None:
    with ThreadPoolExecutor(2) as starters:
        planes = list(starters.map(lambda name: ControlPlane(tmp_path / name), ["one", "two"]))
    pids = [process.pid for plane in planes for process in plane.processes]
    try:
        for plane, owner in zip(planes, ("one", "two"), strict=True):
            plane.client.apply(reference("v1", "Namespace", f"only-{owner}"))
        assert planes[0].client.find(reference("v1", "Namespace", "only-two")) is None
    finally:
        for plane in planes:
            plane.stop()

    assert len(set(pids)) == 4
    assert [pid for pid in pids if is_alive(pid)] == []
    assert {path.parent.name for path in tmp_path.rglob("*") if path.is_file()} == {"logs"}


def test_no_program_outlives_tests_that_are_killed(tools: None, tmp_path: Path) -> None:
    script = (
        "import sys, time, pathlib; from tests.controlplane.controlplane import ControlPlane\n"
        "plane = ControlPlane(pathlib.Path(sys.argv[1]))\n"
        "print(*(process.pid for process in plane.processes), flush=True); time.sleep(600)"
    )
    command = [sys.executable, "-c", script, str(tmp_path / "plane")]
    with subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.PIPE, text=True) as tests:
        assert tests.stdout is not None
        pids = [int(word) for word in tests.stdout.readline().split()]
        assert [pid for pid in pids if not is_alive(pid)] == []
        tests.kill()

    wait_for(lambda: not any(map(is_alive, pids)), END_LIMIT_SECONDS, what="the programs to end")
    wait_for(lambda: not (tmp_path / "plane").exists(), END_LIMIT_SECONDS, what="the folder to go")
    assert len(pids) == 2


def is_alive(pid: int) -> bool:
    """Tell whether a process runs; one that has ended and waits for its parent does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
