"""kubectl's lists, read into counts."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplan.model.fleet import Cluster
from gpuplan.plan.live import LiveCluster, LiveNodes, LiveQueue
from gpuplan.plan.live_reading import live_cluster
from tests.build import fleet
from tests.unit.plan.queue_fleet import BASE

GPU = "nvidia.com/gpu"
FLAVOR = "train-h100-sxm-80gb"
EU: Cluster = fleet(BASE).clusters[0]


def node(
    name: str, pool: str = "h100", *, ready: bool = True, cordoned: bool = False, cards: str = "8"
) -> dict[str, Any]:
    return {
        "kind": "Node",
        "metadata": {"name": name, "labels": {"pool": pool, "kubernetes.io/hostname": name}},
        "spec": {"unschedulable": True} if cordoned else {},
        "status": {
            "allocatable": {GPU: cards, "memory": "1Ti"},
            "conditions": [{"type": "Ready", "status": "True" if ready else "Unknown"}],
        },
    }


def queue(name: str, used: str) -> dict[str, Any]:
    flavors = [{"name": FLAVOR, "resources": [{"name": GPU, "total": used, "borrowed": "0"}]}]
    status = {"pendingWorkloads": 2, "reservingWorkloads": 3, "admittedWorkloads": 1, "flavorsReservation": flavors}
    return {"kind": "ClusterQueue", "metadata": {"name": name}, "status": status}


def workload(namespace: str, local_queue: str, used: str = "", *, finished: bool = False) -> dict[str, Any]:
    sets = [{"name": "main", "flavors": {GPU: FLAVOR}, "resourceUsage": {GPU: used}, "count": 1}]
    admission = {"admission": {"clusterQueue": f"{namespace}-{local_queue}", "podSetAssignments": sets}} if used else {}
    conditions = [{"type": "Finished", "status": "True"}] if finished else []
    return {
        "kind": "Workload",
        "metadata": {"name": "w", "namespace": namespace},
        "spec": {"queueName": local_queue},
        "status": {**admission, "conditions": conditions},
    }


def read(*items: dict[str, Any]) -> LiveCluster:
    found, findings = live_cluster({"kind": "List", "apiVersion": "v1", "items": list(items)}, EU, "live.json")
    assert not findings
    assert found is not None
    return found


def test_nodes_count_for_the_pool_whose_labels_they_have() -> None:
    pools = read(
        node("a"), node("b", cordoned=True), node("c", ready=False), node("d", cards="7"), node("e", "other")
    ).pools
    assert pools is not None
    assert pools["h100"].present == 4
    assert pools["h100"].schedulable == 2
    assert pools["h100"].allocatable[GPU] == 15
    assert pools["a100"] == LiveNodes(present=0, schedulable=0)


def test_queues_say_what_is_reserved_in_them() -> None:
    assert read(queue("nlp-pretrain", "24")).queues == {
        "nlp-pretrain": LiveQueue(admitted=3, pending=2, usage={(FLAVOR, GPU): 24})
    }


def test_workloads_are_added_up_where_no_queue_is_listed() -> None:
    queues = read(
        workload("nlp", "pretrain", "16"),
        workload("nlp", "pretrain", "8"),
        workload("nlp", "pretrain", "8", finished=True),
        workload("vision", "tune"),
        workload("strangers", "tune"),
    ).queues
    assert queues is not None
    assert queues["nlp-pretrain"] == LiveQueue(admitted=2, usage={(FLAVOR, GPU): 24})
    assert queues["vision-tune"] == LiveQueue(pending=1)
    assert queues["vision-scratch"] == LiveQueue()


def test_what_a_snapshot_does_not_list_is_unknown() -> None:
    assert read(queue("nlp-pretrain", "24")).pools is None
    assert read(node("a")).queues is None


def test_several_lists_are_read_as_one() -> None:
    lists = [{"kind": "NodeList", "items": [node("a")]}, {"kind": "List", "items": [queue("nlp-pretrain", "8")]}]
    found, findings = live_cluster(lists, EU, "live.json")
    assert not findings
    assert found is not None
    assert found.pools is not None
    assert found.queues is not None


@pytest.mark.parametrize(
    ("parsed", "words"),
    [
        (None, "live.json holds no Node, ClusterQueue or Workload"),
        ([], "live.json holds no Node"),
        ({"kind": "List", "items": []}, "live.json holds no Node"),
        ({"kind": "List", "items": [{"kind": "Pod", "metadata": {"name": "p"}}]}, "live.json holds no Node"),
        ({"kind": "Node", "metadata": {}}, "a Node has no name"),
        (
            {"kind": "List", "items": [node("a"), {"kind": "Workload", "metadata": {"name": "w"}, "status": []}]},
            "a Workload",
        ),
    ],
)
def test_what_kubectl_does_not_print_is_a_finding_at_the_file(parsed: object, words: str) -> None:
    found, findings = live_cluster(parsed, EU, "live.json")
    assert found is None
    assert [finding.rule for finding in findings] == ["plan/live-snapshot"]
    assert words in findings[0].summary
    assert findings[0].at.file == "live.json"


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["name", "total", GPU]), inner, max_size=3)
    ),
    max_leaves=6,
)
WHOLE = (node("a"), queue("nlp-pretrain", "8"), workload("nlp", "pretrain", "8"))


def places(made: object, *path: str | int) -> Iterator[tuple[str | int, ...]]:
    """Yield the path of every value in an object."""
    yield path
    if isinstance(made, dict | list):
        for key, value in made.items() if isinstance(made, dict) else enumerate(made):
            yield from places(value, *path, key)


@given(st.sampled_from([(one, path) for one in WHOLE for path in places(one) if path]), PLAIN)
def test_no_value_in_a_file_makes_reading_fail(
    place: tuple[dict[str, Any], tuple[str | int, ...]], value: object
) -> None:
    whole, path = place
    made: Any = copy.deepcopy(whole)
    inner = made
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    found, findings = live_cluster([made], EU, "live.json")
    assert (found is None) == bool(findings)
