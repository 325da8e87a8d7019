"""Drills on the real API server, with Kueue, kwok and Prometheus: they run to the end, and leave nothing behind when killed.

One fleet is played for all tests. Drills run as programs of their own, and are killed through a door that sees each request.
"""

from __future__ import annotations

import datetime
import signal
import subprocess
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from gpuplan import conventions
from gpuplan.drill import marks, rights
from tests.controlplane.client import Object, reference
from tests.controlplane.controlplane import ControlPlane
from tests.controlplane.drill_killing import Killer, kill_at, kill_guardian, step_of
from tests.controlplane.drilled import CONDITION, Play, ended, monitoring, plain, play, readiness_controller
from tests.controlplane.fixtures import tool_or_skip
from tests.controlplane.reclaiming import Door
from tests.controlplane.rights import account, used
from tests.scenarios.scraping import query

STEPS = {"maintenance": ("mark", "cordon", "evict", "open"), "fault": ("mark", "break", "evict", "mend", "unmark")}
KILLED = -signal.SIGKILL


@pytest.fixture(scope="module")
def played(_shared_busy_control_plane: ControlPlane, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Play]:
    plane = _shared_busy_control_plane
    plane.reset()
    folder = tmp_path_factory.mktemp("drills")
    made = play(plane, folder)
    with readiness_controller(plane.client):
        yield made
    plane.start_kueue()  # with the configuration that other tests expect


def job(played: Play) -> Object:
    """Run a job of one card beside the service, and return it."""
    made = played.scene.submit("vision", "nightly")
    played.scene.runs(made)
    return made.made


def test_a_drill_without_yes_says_what_it_would_do_and_changes_nothing(played: Play) -> None:
    before = played.nodes()
    kubeconfig = account(played.plane, "planner", rights.PLANNING)

    found = played.drill("maintenance", kubeconfig=kubeconfig)

    assert found.code == 0, found.err
    assert {one["outcome"] for one in found.data["checks"]} == {"met"}
    assert played.nodes() == before
    assert used(played.plane, "planner") == {right.grant for right in rights.PLANNING}


def test_a_maintenance_drill_drains_each_node_when_the_service_is_ready_again(played: Play) -> None:
    before = played.nodes()
    kubeconfig = account(played.plane, "maintainer", rights.MAINTENANCE)

    found = played.drill("maintenance", "--yes", "--nodes", "2", kubeconfig=kubeconfig)

    assert found.code == 0, found.err
    assert found.data["nodes"] == sorted({one["from"] for one in found.data["moves"]}, key=found.data["nodes"].index)
    outcomes = [(one["name"], one["outcome"]) for one in found.data["expectations"] if one["outcome"] != "met"]
    assert outcomes == [("no session lost", "unknown")] * 2  # nobody was named who could know
    for one in found.data["moves"]:
        assert one["to"] not in ("", one["from"])
        assert one["secondsWithoutReady"] >= 0
    assert played.nodes() == before
    assert used(played.plane, "maintainer") == {right.grant for right in rights.MAINTENANCE}
    played.rest()


def test_a_fault_drill_sees_the_node_isolated_the_alert_fired_and_the_work_moved(played: Play) -> None:
    computing = job(played)
    before = played.nodes()
    kubeconfig = account(played.plane, "breaker", rights.FAULT)

    with monitoring(tool_or_skip("prometheus"), tool_or_skip("alertmanager"), played) as (url, receiver):
        played.scene.until(lambda: len(query(url, "vllm:num_requests_running")) == 2, "the first scrapes")
        found = played.drill("fault", "--yes", "--prometheus", url, "--alertmanager", receiver, kubeconfig=kubeconfig)
    played.client.delete(computing)

    assert found.code == 0, found.err
    assert found.outcomes() == {
        "isolated before any restart": "met",
        "alert fired": "met",
        "alert reached Alertmanager": "met",
        "drained within its budgets": "met",
        "work rescheduled": "met",
        "no session lost": "met",
        "node returned": "met",
    }, found
    assert played.nodes() == before
    assert used(played.plane, "breaker") == {right.grant for right in rights.FAULT}
    played.rest()


@pytest.mark.parametrize(("kind", "step"), [(kind, step) for kind, steps in STEPS.items() for step in steps])
def test_whenever_a_drill_is_killed_its_guardian_takes_everything_back(played: Play, kind: str, step: str) -> None:
    before = played.nodes()
    killer = Killer(step, "drop-after")

    assert kill_at(played, kind, killer) == KILLED
    assert killer.killed == [step]
    played.scene.until(lambda: played.nodes() == before, "the nodes to be as before")
    played.rest()


@pytest.mark.parametrize(
    ("kind", "step", "how"),
    [
        ("maintenance", "mark", "drop-after"),
        ("maintenance", "cordon", "drop-before"),
        ("maintenance", "cordon", "drop-after"),
        ("fault", "break", "drop-after"),
        ("fault", "unmark", "drop-before"),
    ],
)
def test_where_the_guardian_is_killed_too_clean_up_takes_everything_back(
    played: Play, kind: str, step: str, how: str
) -> None:
    before = played.nodes()
    killer = Killer(step, how, guardian=True)

    assert kill_at(played, kind, killer, "--hold-seconds", "2") == KILLED
    assert played.nodes() != before
    kubeconfig = account(played.plane, name := f"cleaner-{kind}-{step}-{how}", rights.CLEAN_UP)
    assert len(played.drill("clean-up", kubeconfig=kubeconfig).data["marks"]) == 1
    found = played.drill("clean-up", "--yes", kubeconfig=kubeconfig)

    assert found.code == 0, found.err
    needed = {right.grant for right in rights.CLEAN_UP if step == "break" or right.resource != "nodes/status"}
    assert used(played.plane, name) == needed
    played.scene.until(lambda: played.nodes() == before, "the nodes to be as before")
    played.rest()


def notes(played: Play) -> list[marks.Mark]:
    """Return the notes that are on nodes."""
    texts = (node["annotations"].get(conventions.ANNOTATION_DRILL) for node in played.nodes().values())
    return [mark for mark in (marks.read(text) for text in texts if text) if mark]


def now() -> datetime.datetime:
    return datetime.datetime.now(tz=datetime.UTC)


def test_the_next_drill_takes_back_what_a_dead_one_has_left(played: Play) -> None:
    before = played.nodes()
    kill_at(played, "maintenance", Killer("cordon", "drop-after", guardian=True), "--hold-seconds", "2")
    assert played.nodes() != before
    played.scene.until(lambda: not any(mark.seems_alive(now()) for mark in notes(played)), "its time to be up")

    found = played.drill("maintenance", "--yes")

    assert found.code == 0, found.err
    assert "an earlier drill was killed" in found.err
    assert played.nodes() == before
    played.rest()


def test_a_budget_that_forbids_ends_the_drill_with_everything_put_back_and_no_second_drill_begins(played: Play) -> None:
    """Of four pods that are asked for quota admits three, and the one that is held back counts as unavailable."""
    before = played.nodes()
    service = reference("apps/v1", "Deployment", "deployment", "vision")
    played.client.patch(service, {"spec": {"replicas": 4}})
    played.scene.until(lambda: len(played.serving()) == 3 and not allowed(played), "the budget to allow nothing")

    first = played.start("maintenance", "--yes", "--budget-seconds", "8")
    played.scene.until(lambda: any(node["annotations"] for node in played.nodes().values()), "the first drill to begin")
    second = played.drill("maintenance", "--yes")
    found = ended(first)

    assert (second.code, second.data["refused"]) == (1, True)
    assert "no other drill is on the pool" in [
        one["name"] for one in second.data["checks"] if one["outcome"] == "not met"
    ]
    assert found.code == 1
    assert "disruption budget" in found.data["brokenOff"]
    assert found.outcomes()["drained within its budgets"] == "not met"
    assert played.nodes() == before
    played.client.patch(service, {"spec": {"replicas": 2}})
    played.rest()


def allowed(played: Play) -> int:
    """Return how many pods the budget lets go."""
    name = conventions.disruption_budget_name("chat")
    found = played.client.get(reference("policy/v1", "PodDisruptionBudget", name, "vision"))
    return int(found["status"]["disruptionsAllowed"])


def test_a_cordon_that_a_person_has_set_meanwhile_stays(played: Play) -> None:
    closed: list[str] = []

    def person(method: str, path: str, body: Any) -> str:
        if step_of(method, path, body) == "evict" and not closed:
            node = next(name for name, one in played.nodes().items() if one["spec"].get("unschedulable"))
            closed.append(node)
            for said in (False, True):  # as `kubectl uncordon` and `kubectl cordon`
                played.client.patch(reference("v1", "Node", node), {"spec": {"unschedulable": said}})
        return ""

    with played.door(fault=person).open() as server:
        found = played.drill("maintenance", "--yes", "--back-seconds", "1", kubeconfig=played.behind(server))

    (node,) = closed
    assert found.code == 1
    assert found.outcomes()["node returned"] == "not met"
    assert [line.split(":")[0] for line in found.data["notTakenBack"]] == [f"{node} stays cordoned"]
    assert played.nodes()[node]["spec"]["unschedulable"] is True
    assert played.nodes()[node]["annotations"] == {}
    played.client.patch(reference("v1", "Node", node), {"spec": {"unschedulable": None}})
    played.rest()


def test_a_server_that_stays_away_ends_the_drill_and_its_guardian_goes_on_until_it_is_back(played: Play) -> None:
    before = played.nodes()
    away: list[bool] = []

    def refuse(method: str, path: str, body: Any) -> str:
        if step_of(method, path, body) == "evict":
            away.append(True)
        return "refuse" if len(away) == 1 else ""

    door = played.door(fault=refuse)
    with door.open() as server:
        program = played.start("maintenance", "--yes", "--unreachable-seconds", "1", kubeconfig=played.behind(server))
        code = program.wait(60)
        assert played.nodes() != before
        away.append(True)
        found = ended(program)

    assert code == 3
    assert found.data["notTakenBack"] == found.data["nodes"]
    assert played.nodes() == before


@pytest.mark.parametrize(
    ("disturb", "code", "why"),
    [
        (lambda drill: drill.send_signal(signal.SIGINT), 128 + signal.SIGINT, "stopped by Ctrl-C"),
        (kill_guardian, 1, "its guardian has died"),
    ],
    ids=["ctrl-c", "guardian"],
)
def test_a_drill_that_is_stopped_or_has_lost_its_guardian_takes_everything_back(
    played: Play, disturb: Callable[[subprocess.Popen[str]], object], code: int, why: str
) -> None:
    before = played.nodes()
    programs: list[subprocess.Popen[str]] = []

    def at_the_cordon(method: str, path: str, body: Any) -> str:
        if step_of(method, path, body) == "cordon":
            disturb(programs[0])
        return ""

    door: Door = played.door(fault=at_the_cordon)
    with door.open() as server:
        programs.append(played.start("maintenance", "--yes", kubeconfig=played.behind(server)))
        found = ended(programs[0])

    assert found.code == code
    assert found.data["brokenOff"] == why
    assert played.nodes() == before
    played.rest()


def test_a_node_that_nothing_isolates_is_said_to_be_open(played: Play) -> None:
    """Without its rule the controller leaves the node alone, as where it does not run."""
    before = played.nodes()
    rule = reference(
        "readiness.node.x-k8s.io/v1alpha1", "NodeReadinessRule", conventions.node_readiness_rule_name("h200")
    )
    kept = played.client.get(rule)
    played.client.delete(rule)

    found = played.drill("fault", "--yes", "--isolate-seconds", "1")

    assert found.code == 1
    assert found.outcomes()["isolated before any restart"] == "not met"
    assert found.data["moves"] == []
    assert played.nodes() == before
    played.client.create({**kept, "metadata": {"name": kept["metadata"]["name"], "labels": kept["metadata"]["labels"]}})


def test_the_condition_of_the_drill_is_the_one_that_rendered_rules_judge_by(played: Play) -> None:
    rules = [plain(one.object) for one in played.scene.manifests if one.object["kind"] == "NodeReadinessRule"]
    assert [one["type"] for rule in rules for one in rule["spec"]["conditions"]] == [CONDITION]
