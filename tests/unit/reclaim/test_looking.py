"""A look at servers that answer: what they are asked, and whose clock counts."""

from __future__ import annotations

import contextlib
import datetime
import http.server
import json
import threading
from collections.abc import Iterator
from typing import Any, cast
from urllib.parse import parse_qs, urlsplit

import pytest
from kubernetes import client

from gpuplan.cluster.kube import Kube
from gpuplan.cluster.prometheus import Access, Prometheus
from gpuplan.reclaim.decide import Decision, decide
from gpuplan.reclaim.looking import Sight, look
from gpuplan.reclaim.verdicts import Verdict
from tests.unit.reclaim.scenery import NOW, policy
from tests.unit.reclaim.test_owners import pod

HOUR = datetime.timedelta(hours=1)
QUEUE = {"kueue.x-k8s.io/queue-name": "notebooks"}
CARD = {"node": "n", "pool": "h100", "gpu": "0", "UUID": "GPU-0", "namespace": "vision", "pod": "a"}


class Page(http.server.BaseHTTPRequestHandler):
    """A cluster with one idle pod in namespace `vision`, and a Prometheus whose own clock says `NOW`."""

    asked: list[dict[str, list[str]]]

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        query = parse_qs(parts.query)
        if parts.path == "/api/v1/query":
            self.asked.append(query)
            at = float(query["time"][0]) if "time" in query else NOW.timestamp()
            value = at - 20 if "timestamp(" in query["query"][0] else 60 if "count_over" in query["query"][0] else 0
            data = {"resultType": "vector", "result": [{"metric": CARD, "value": [at, str(value)]}]}
            said: Any = {"status": "success", "data": data}
        else:
            there = parts.path == "/api/v1/namespaces/vision/pods"
            said = {"items": [pod("a", labels=QUEUE)] if there else []}
        body = json.dumps(said).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@contextlib.contextmanager
def serving() -> Iterator[tuple[str, list[dict[str, list[str]]]]]:
    page = cast("type[Page]", type("Asked", (Page,), {"asked": []}))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), page)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", page.asked
    finally:
        server.shutdown()
        server.server_close()


def looked(url: str, clock: datetime.datetime, at: datetime.datetime | None = None) -> Decision:
    """Return what is said of the pod by a reclaimer whose clock says so."""
    configuration = client.Configuration()
    configuration.host = url
    held = policy(teams={"batch": "vision", "vision": "vision"})
    with Prometheus(Access(url=url)) as prometheus:
        sight = look(held, Kube(configuration, "gpuplan-reclaim"), prometheus, lambda: clock, at)
    assert isinstance(sight, Sight)
    assert sight.faults == ()
    return decide(held, sight.observations, clock)


@pytest.mark.parametrize(
    ("wrong", "verdict", "blind"),
    [(0 * HOUR, Verdict.NOTICE_ONLY, False), (-HOUR, Verdict.STALE, True), (HOUR, Verdict.STALE, True)],
)
def test_a_clock_that_goes_wrong_takes_nothing_by_what_was_long_ago(
    wrong: datetime.timedelta, verdict: Verdict, *, blind: bool
) -> None:
    with serving() as (url, asked):
        found = looked(url, NOW + wrong)
    assert ([one.verdict for one in found.reclamations], found.blind) == ([verdict], blind)
    assert all("time" not in query for query in asked)
    assert all('cluster=~"eu|"' in query["query"][0] for query in asked)


def test_a_time_that_is_asked_for_is_the_time_of_every_query() -> None:
    with serving() as (url, asked):
        found = looked(url, NOW + HOUR, NOW + HOUR)
    assert [one.verdict for one in found.reclamations] == [Verdict.NOTICE_ONLY]
    assert {query["time"][0] for query in asked} == {f"{(NOW + HOUR).timestamp():.3f}"}
