"""Which pods are one piece of work, and by what it is stopped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from gpuplan.reclaim.owners import owners, suspended

Raw = dict[str, Any]


def raw(kind: str, name: str, *, by: Raw | None = None, spec: Raw | None = None, **metadata: Any) -> Raw:
    made: Raw = {"kind": kind, "metadata": {"name": name, "namespace": "vision", "uid": f"{kind}/{name}", **metadata}}
    if by:
        meta = by["metadata"]
        above = {"apiVersion": "x/v1", "kind": by["kind"], "name": meta["name"], "uid": meta["uid"], "controller": True}
        made["metadata"]["ownerReferences"] = [above]
    return {**made, "spec": spec or {}}


def pod(name: str, *, by: Raw | None = None, cards: int = 1, resource: str = "nvidia.com/gpu", **metadata: Any) -> Raw:
    container = {"name": "main", "resources": {"limits": {resource: str(cards), "cpu": "4"}}}
    running = {"state": {"running": {"startedAt": "2026-11-30T10:00:00Z"}}}
    made = raw("Pod", name, by=by, spec={"nodeName": "n", "containers": [container]}, **metadata)
    status = {"phase": "Running", "startTime": "2026-11-30T09:00:00Z", "containerStatuses": [running]}
    return {**made, "status": status}


def workload(name: str, *of: Raw, queue: str = "notebooks", pods: int = 1, **more: Any) -> Raw:
    made = raw("Workload", name, spec={"queueName": queue, "active": True, "podSets": [{"count": pods}]}, **more)
    made["metadata"]["ownerReferences"] = [{"kind": one["kind"], "uid": one["metadata"]["uid"]} for one in of]
    return made


def grouped(*made: Raw) -> Mapping[str, Sequence[Raw]]:
    return {kind: [one for one in made if one["kind"] == kind] for kind in {one["kind"] for one in made}}


def found(*made: Raw) -> list[tuple[str, str, int]]:
    """Each owner, by what it is stopped, and how many pods it has."""
    seen = owners(grouped(*made), ("nvidia.com/gpu", "nvidia.com/mig-1g.5gb"), ("nvidia.com/gpu.shared",))
    return [(str(one.reference), str(one.target.reference) if one.target else "", len(one.pods)) for one in seen]


JOB = raw("Job", "train")
JOB_SET = raw("JobSet", "set")
DEPLOYMENT = raw("Deployment", "api", spec={"replicas": 2})
REPLICA_SET = raw("ReplicaSet", "api-1", by=DEPLOYMENT)
LWS = raw("LeaderWorkerSet", "llm", spec={"replicas": 1})
LEADERS = raw("StatefulSet", "llm", by=LWS, spec={"replicas": 1})
LEADER = pod("llm-0", by=LEADERS)
WORKERS = raw("StatefulSet", "llm-0", by=LEADER, spec={"replicas": 1})
CHILD_JOB = raw("Job", "set-workers-0", by=JOB_SET)
FOREIGN = raw("PyTorchJob", "torch")
GROUPED = pod("a", labels={"kueue.x-k8s.io/pod-group-name": "w"})
PREDICTOR = raw("Deployment", "llama", by=raw("InferenceService", "llama"))
SERVED = raw("ReplicaSet", "llama-1", by=PREDICTOR)
SERVICE = (PREDICTOR, SERVED, pod("llama-1-x", by=SERVED))
NOTEBOOK = raw("StatefulSet", "lab", by=raw("Notebook", "lab"))
NOTEBOOK_POD = pod("lab-0", by=NOTEBOOK, labels={"kueue.x-k8s.io/pod-group-name": "w"})


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        ([JOB, pod("a", by=JOB), pod("b", by=JOB)], [("Job vision/train", "Job vision/train", 2)]),
        (
            [JOB, pod("a", by=JOB), workload("job-train", JOB)],
            [("Job vision/train", "Workload vision/job-train", 1)],
        ),
        (
            [JOB_SET, CHILD_JOB, pod("a", by=CHILD_JOB), workload("w", JOB_SET)],
            [("JobSet vision/set", "Workload vision/w", 1)],
        ),
        (
            [DEPLOYMENT, REPLICA_SET, pod("a", by=REPLICA_SET), pod("b", by=REPLICA_SET)],
            [("Deployment vision/api", "Deployment vision/api", 2)],
        ),
        (
            [LWS, LEADERS, LEADER, WORKERS, pod("llm-0-1", by=WORKERS)],
            [("LeaderWorkerSet vision/llm", "LeaderWorkerSet vision/llm", 2)],
        ),
        ([pod("a", by=FOREIGN), workload("w", FOREIGN)], [("PyTorchJob vision/torch", "Workload vision/w", 1)]),
        ([pod("a", by=FOREIGN)], [("PyTorchJob vision/torch", "", 1)]),
        ([pod("a")], [("Pod vision/a", "", 1)]),
        ([(a := pod("a")), workload("w", a)], [("Pod vision/a", "", 1)]),
        (
            [(a := pod("a")), (b := pod("b")), workload("w", a, b, pods=2)],
            [("Pod vision/a", "Workload vision/w", 2)],
        ),
        (
            [
                GROUPED,
                pod("late", labels={"kueue.x-k8s.io/pod-group-name": "w"}),
                workload("w", GROUPED, pods=2),
            ],
            [("Pod vision/a", "Workload vision/w", 2)],
        ),
        ([*SERVICE, workload("w1", SERVICE[-1])], [("InferenceService vision/llama", "", 1)]),
        ([JOB, (one := pod("a", by=JOB)), workload("w1", one)], [("Job vision/train", "Job vision/train", 1)]),
        (
            [NOTEBOOK, NOTEBOOK_POD, workload("w", NOTEBOOK_POD)],
            [("Notebook vision/lab", "Workload vision/w", 1)],
        ),
        (
            [JOB, workload("job-train", JOB), pod("b", labels={"kueue.x-k8s.io/pod-group-name": "job-train"})],
            [("Pod vision/b", "", 1)],
        ),
        ([pod("a", cards=0)], []),
        ([{**pod("a"), "status": {"phase": "Succeeded"}}], []),
        ([JOB, pod("a", by=JOB), pod("launcher", by=JOB, cards=0)], [("Job vision/train", "Job vision/train", 2)]),
    ],
)
def test_pods_are_put_together_to_what_people_made(made: list[Raw], expected: list[tuple[str, str, int]]) -> None:
    assert found(*made) == expected


def test_a_deployment_under_kueue_is_scaled_since_each_of_its_pods_would_be_queued_anew() -> None:
    one, two = pod("a", by=REPLICA_SET), pod("b", by=REPLICA_SET)
    made = [DEPLOYMENT, REPLICA_SET, one, two, workload("w1", one), workload("w2", two)]
    assert found(*made) == [("Deployment vision/api", "Deployment vision/api", 2)]


def test_of_two_workloads_the_one_that_goes_on_counts() -> None:
    ended = workload("old", JOB)
    ended["status"] = {"conditions": [{"type": "Finished", "status": "True"}]}
    assert found(JOB, pod("a", by=JOB), workload("new", JOB), ended)[0][1] == "Workload vision/new"


def test_objects_that_own_each_other_end() -> None:
    one = raw("Job", "one")
    two = raw("JobSet", "two", by=one)
    one["metadata"]["ownerReferences"] = [
        {**two["metadata"]["ownerReferences"][0], "kind": "JobSet", "uid": "JobSet/two"}
    ]
    assert len(found(one, two, pod("a", by=one))) == 1


def test_queue_exemption_and_devices_are_read_where_people_write_them() -> None:
    job = raw("Job", "train", labels={"kueue.x-k8s.io/queue-name": "notebooks"})
    marked = pod("a", by=job, cards=2, labels={"gpuplan.dev/reclaim-exempt": "true"})
    marked["metadata"]["annotations"] = {"gpuplan.dev/reclaim-exempt-until": "2026-12-24"}
    (one,) = owners(grouped(job, marked), ("nvidia.com/gpu",), ())
    assert (one.queue, one.exempt, one.exempt_until, one.cards) == ("notebooks", True, "2026-12-24", 2)


@pytest.mark.parametrize(
    ("resource", "devices", "shared"),
    [("nvidia.com/gpu", 3, False), ("nvidia.com/mig-1g.5gb", 3, False), ("nvidia.com/gpu.shared", 0, True)],
)
def test_cards_instances_and_shares_are_told_apart(resource: str, devices: int, shared: bool) -> None:
    made = grouped(pod("a", cards=3, resource=resource))
    (one,) = owners(made, ("nvidia.com/gpu", "nvidia.com/mig-1g.5gb"), ("nvidia.com/gpu.shared",))
    assert (one.pods[0].devices, one.pods[0].shared) == (devices, shared)


def test_a_restarted_container_makes_its_pod_young() -> None:
    (one,) = owners(grouped(pod("a")), ("nvidia.com/gpu",), ())
    assert one.pods[0].started is not None
    assert one.pods[0].started.hour == 10


@pytest.mark.parametrize(
    "broken",
    [
        {"phase": "Pending"},
        {"phase": "Running", "containerStatuses": [{"state": {"waiting": {"reason": "CrashLoopBackOff"}}}]},
        {"phase": "Running"},
    ],
)
def test_a_pod_that_does_not_run_in_all_its_parts_does_not_run(broken: Raw) -> None:
    (one,) = owners(grouped({**pod("a"), "status": broken}), ("nvidia.com/gpu",), ())
    assert not one.pods[0].running


def test_what_was_suspended_is_found_again_with_whether_people_know() -> None:
    notes = {"gpuplan.dev/reclaimed-at": "2026-11-30T13:00:00Z", "gpuplan.dev/reclaim-untold": "no card above 2%"}
    taken = workload("job-train", JOB, annotations=notes)
    taken["metadata"]["ownerReferences"][0] |= {"controller": True, "apiVersion": "batch/v1", "name": "train"}
    (one,) = suspended(grouped(JOB, taken, workload("other", JOB_SET)))
    assert (str(one.owner), str(one.target.reference), one.untold) == (
        "Job vision/train",
        "Workload vision/job-train",
        True,
    )


EXEMPT, UNTIL = "gpuplan.dev/reclaim-exempt", "gpuplan.dev/reclaim-exempt-until"


@pytest.mark.parametrize(
    ("on_the_set", "on_a_job", "on_a_pod", "expected"),
    [
        ({}, {}, {}, (False, "")),
        ({}, {EXEMPT: "true"}, {}, (True, "")),
        ({EXEMPT: "true"}, {}, {EXEMPT: "true", UNTIL: "2020-01-01"}, (True, "")),
        ({EXEMPT: "true", UNTIL: "soon"}, {}, {EXEMPT: "true", UNTIL: "2020-01-01"}, (True, "soon")),
        ({EXEMPT: "true", UNTIL: "1 May"}, {EXEMPT: "true", UNTIL: "2020-01-01"}, {}, (True, "1 May")),
        ({EXEMPT: "true", UNTIL: "20270101"}, {EXEMPT: "true", UNTIL: "2026-12-24"}, {}, (True, "20270101")),
        ({EXEMPT: "false"}, {}, {UNTIL: "2027-01-01"}, (False, "")),
    ],
)
def test_of_several_exemptions_wherever_they_stand_the_one_that_spares_longest_counts(
    on_the_set: Raw, on_a_job: Raw, on_a_pod: Raw, expected: tuple[bool, str]
) -> None:
    top = raw("JobSet", "set", labels=on_the_set)
    jobs = [raw("Job", "set-a", by=top), raw("Job", "set-b", by=top, labels=on_a_job)]
    pods = [pod("a", by=jobs[0], labels=on_a_pod), pod("b", by=jobs[1])]
    (one,) = owners(grouped(top, *jobs, *pods), ("nvidia.com/gpu",), ())
    assert (one.exempt, one.exempt_until) == expected


@pytest.mark.parametrize(
    ("first", "cards"),
    [
        ({"restartPolicy": "Always"}, 2),
        ({}, 1),
    ],
)
def test_a_sidecar_holds_its_cards_beside_the_others_and_what_ran_before_them_does_not(first: Raw, cards: int) -> None:
    made = pod("a")
    made["spec"]["initContainers"] = [{**made["spec"]["containers"][0], "name": "first", **first}]
    (one,) = owners(grouped(made), ("nvidia.com/gpu",), ())
    assert one.cards == cards


def test_work_whose_parts_are_in_different_queues_is_in_none_of_them() -> None:
    """One of the two may be spared by its task pool."""
    pods = [pod(name, by=REPLICA_SET, labels={"kueue.x-k8s.io/queue-name": name}) for name in ("chat", "scratch")]
    (one,) = owners(grouped(DEPLOYMENT, REPLICA_SET, *pods), ("nvidia.com/gpu",), ())
    assert one.queue == "chat, scratch"
