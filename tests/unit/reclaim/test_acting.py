"""Steps taken against servers that answer, refuse or are away; the API server's own part is in tests/controlplane."""

from __future__ import annotations

import base64
import contextlib
import datetime
import http.server
import json
import socketserver
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from kubernetes import client

from gpuplan.cluster.access import Address, address
from gpuplan.cluster.alertmanager import TRIES, Alertmanager
from gpuplan.cluster.kube import Fault, Kube
from gpuplan.cluster.metrics import ReclaimMetrics
from gpuplan.reclaim.acting import Actor, event
from gpuplan.reclaim.decide import decide
from gpuplan.reclaim.observed import Observations, Owner
from gpuplan.reclaim.steps import CreateEvent, steps
from tests.unit.reclaim.scenery import NOW, owner, pod, policy, seen, told


class Server(http.server.ThreadingHTTPServer):
    """Remembers what it is sent, and answers each path's end with a status."""

    def __init__(self, **answers: int) -> None:
        super().__init__(("127.0.0.1", 0), Page)
        self.answers = answers
        self.got: list[tuple[str, str, Any]] = []
        self.basic: list[str] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class Page(http.server.BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        path = self.path.partition("?")[0]
        self.server.got.append((self.command, path, body))
        if "Authorization" in self.headers:
            self.server.basic.append(self.headers["Authorization"])
        status = next((code for end, code in self.server.answers.items() if f"/{end}" in path), 200)
        self.send_response(status)
        self.end_headers()
        self.wfile.write(json.dumps({"message": "no"} if status >= 300 else {}).encode())

    do_PATCH = do_POST  # noqa: N815 - http.server's name

    def log_message(self, *_: object) -> None:
        pass


@contextlib.contextmanager
def serving(**answers: int) -> Iterator[Server]:
    server = Server(**answers)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


def act(
    server: Server,
    observed: Observations,
    alertmanager: str = "",
    late: datetime.timedelta = datetime.timedelta(0),
    again: tuple[Owner, ...] | Fault | None = None,
) -> tuple[tuple[str, ...], Actor]:
    configuration = client.Configuration()
    configuration.host = server.url
    where = address(alertmanager or server.url)
    assert isinstance(where, Address)
    actor = Actor(
        policy=policy(),
        kube=Kube(configuration, "gpuplan-reclaim"),
        alertmanager=Alertmanager(where),
        metrics=ReclaimMetrics(),
        again=lambda _: observed.owners if again is None else again,
    )
    actor.begin()
    faults = actor.act(observed, decide(policy(), observed, NOW), NOW, lambda: NOW + late, lambda _: None)
    return faults, actor


def count(actor: Actor) -> float | None:
    labels = {"namespace": "vision", "owner_kind": "Job", "reason": "idle"}
    return actor.metrics.registry.get_sample_value("gpuplan_reclaimed_workloads_total", labels)


def test_a_suspension_is_counted_once_and_the_version_that_was_judged_is_asked_for() -> None:
    with serving() as server:
        faults, actor = act(server, seen(owner(notes=told(31))))
    assert faults == ()
    assert count(actor) == 1
    patches = [body for command, _, body in server.got if command == "PATCH"]
    assert [body["metadata"].get("resourceVersion") for body in patches] == ["7", None]


def test_what_was_judged_long_ago_is_not_suspended_and_people_are_told_all_the_same() -> None:
    with serving() as server:
        faults, actor = act(
            server, seen(owner("a", notes=told(31)), owner("b")), late=datetime.timedelta(minutes=5, seconds=1)
        )
    assert faults == ("Job vision/a: the look took too long to suspend by it; the next look judges it anew",)
    assert count(actor) == 0
    assert [path.rpartition("/")[2] for command, path, _ in server.got if command == "PATCH"] == ["job-b"]


@pytest.mark.parametrize(
    ("again", "why"),
    [
        ((owner(notes=told(31), exempt=True),), "has changed meanwhile"),
        ((owner(notes=told(31), pods=[pod("a-0", started=NOW)]),), "has changed meanwhile"),
        ((owner(notes=told(31), pods=[pod("a-0"), pod("a-1", running=False)]),), "has changed meanwhile"),
        ((), "has changed meanwhile"),
        (Fault(summary="the server is away"), "the server is away"),
    ],
)
def test_work_is_suspended_as_it_was_judged_or_not_at_all(again: tuple[Owner, ...] | Fault, why: str) -> None:
    with serving() as server:
        faults, actor = act(server, seen(owner(notes=told(31))), again=again)
    assert len(faults) == 1
    assert faults[0].startswith("Job vision/a")
    assert why in faults[0]
    assert (count(actor), server.got) == (0, [])


def test_where_the_object_has_changed_nothing_else_is_done() -> None:
    with serving(workloads=409) as server:
        faults, actor = act(server, seen(owner(notes=told(31))))
    assert len(faults) == 1
    assert "has changed meanwhile" in faults[0]
    assert count(actor) == 0
    assert [command for command, _, _ in server.got] == ["PATCH"]


def test_the_grace_does_not_begin_before_alertmanager_has_taken_the_notice() -> None:
    with serving(alerts=500) as server:
        faults, _ = act(server, seen(owner()))
    assert "refused an alert" in faults[0]
    assert [path for _, path, _ in server.got if "workloads" in path] == []


def test_an_alertmanager_that_is_away_is_named() -> None:
    with serving() as server:
        faults, _ = act(server, seen(owner()), "http://127.0.0.1:1")
    assert "Alertmanager at http://127.0.0.1:1 cannot be reached" in faults[0]


def test_an_alertmanager_that_is_away_is_waited_for_once_in_a_look() -> None:
    tries: list[int] = []

    class Closes(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            tries.append(1)

    with serving() as server, socketserver.ThreadingTCPServer(("127.0.0.1", 0), Closes) as broken:
        threading.Thread(target=broken.serve_forever, daemon=True).start()
        where = f"http://127.0.0.1:{broken.server_address[1]}"
        faults, _ = act(server, seen(*(owner(name, notes=told(10)) for name in "ab")), where)
        broken.shutdown()
    assert [where in fault for fault in faults] == [True, True]
    assert len(tries) == 1 + TRIES


@pytest.mark.parametrize("port", ["", ":1"])
def test_a_password_in_alertmanagers_address_is_given_to_it_and_shown_to_nobody(port: str) -> None:
    with serving(alerts=500) as server:
        whole = server.url if not port else "http://127.0.0.1:1"
        faults, _ = act(server, seen(owner()), whole.replace("//", "//robot:hush-hush@"))
    assert len(faults) == 1
    assert "hush" not in faults[0]
    assert server.basic == ([] if port else ["Basic " + base64.b64encode(b"robot:hush-hush").decode()])


def test_an_event_that_is_there_already_is_as_good_as_a_new_one() -> None:
    with serving(events=409) as server:
        faults, _ = act(server, seen(owner()))
    assert faults == ()
    assert [path for command, path, _ in server.got if command == "PATCH"] != []


def test_one_owner_that_fails_does_not_hold_up_the_others() -> None:
    with serving() as server:
        server.answers = {"workloads/job-a": 403}
        faults, actor = act(server, seen(owner("a", notes=told(40)), owner("b", notes=told(40))))
    assert len(faults) == 1
    assert count(actor) == 1


def test_what_was_suspended_and_deleted_within_the_hour_still_counts() -> None:
    with serving() as server:
        _, actor = act(server, seen(owner(notes=told(31))))
    remembered = actor.remembering(seen(owner("b")), NOW)
    assert len(remembered.suspended) == 1
    assert len(actor.remembering(seen(), NOW.replace(hour=16)).suspended) == 0


def test_verdicts_are_metrics_and_what_is_no_longer_idle_is_gone() -> None:
    with serving() as server:
        _, actor = act(server, seen())
    actor.report(decide(policy(), seen(owner()), NOW))
    idle = {"namespace": "vision", "owner_kind": "Job", "owner": "a", "task_pool": "notebooks"}
    value = actor.metrics.registry.get_sample_value
    assert value("gpuplan_reclaim_idle", idle) == 1
    assert value("gpuplan_reclaim_candidates", {"verdict": "notice"}) == 1
    actor.report(decide(policy(), seen(), NOW))
    assert value("gpuplan_reclaim_idle", idle) is None
    assert value("gpuplan_reclaim_candidates", {"verdict": "notice"}) == 0


def test_an_event_is_about_the_work_and_never_longer_than_the_server_takes() -> None:
    (found,) = decide(policy(), seen(owner()), NOW).reclamations
    first = steps(policy(), found, NOW)[0]
    assert isinstance(first, CreateEvent)
    made: Any = event(first)
    assert made["involvedObject"]["kind"] == "Job"
    assert made["metadata"]["namespace"] == made["involvedObject"]["namespace"] == "vision"
    assert len(made["message"]) <= 1024


@pytest.mark.parametrize(("status", "unreachable"), [(0, True), (429, True), (503, True), (403, False), (404, False)])
def test_a_server_that_asks_to_come_later_is_not_there(status: int, unreachable: bool) -> None:
    assert Fault(summary="", status=status).unreachable is unreachable
