"""What the tests of the reclaimer play with: a door to the API server that records and breaks, and a past for each card.

Time is not waited for: the reclaimer is told what time it is, and Prometheus is given samples of hours to come.
"""

from __future__ import annotations

import contextlib
import datetime
import http.server
import json
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import urllib3

from gpuplan.emit.monitoring import series
from tests.controlplane.client import Client, Object
from tests.prometheus.bed import write_blocks

WRITES = ("PATCH", "POST")
LIMIT_SECONDS = 60
Fault = Callable[[str, str, Any], str]
"""(method, path, body) -> what goes wrong with a request: nothing (``), or one of `Door.FAULTS`."""


def _fine(_method: str, _path: str, _body: object) -> str:
    return ""


def step(method: str, path: str, body: Mapping[str, Any]) -> str:
    """Name a write by what it does, the same whenever it is tried: the Event that it makes, or the notes that it changes."""
    metadata = body["metadata"]
    return f"{method} {path} {metadata.get('name') or sorted(metadata['annotations'])}"


@dataclass(slots=True, kw_only=True)
class Door:
    """A server in front of a server: it hands requests on, remembers them, and breaks those that it is told to break.

    `refuse` answers 503 and hands nothing on; `drop-before` closes the connection instead of answering, and hands nothing on;
    `drop-after` hands on, and closes the connection instead of answering.
    """

    FAULTS: ClassVar = ("refuse", "drop-before", "drop-after")
    target: str
    authority: Path | None = None
    fault: Fault = _fine
    change: Callable[[bytes], bytes] = bytes
    """What becomes of each answer's body."""
    seen: list[tuple[str, str, int]] = field(default_factory=list)
    """(method, path without query, status of the server's answer) of each request that was handed on."""
    pool: urllib3.PoolManager = field(init=False)

    def __post_init__(self) -> None:
        self.pool = urllib3.PoolManager(
            ca_certs=str(self.authority) if self.authority else None, retries=False, maxsize=4, block=False
        )

    @contextlib.contextmanager
    def open(self) -> Iterator[str]:
        """Open it; gives the address."""
        door = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                door.serve(self)

            def do_POST(self) -> None:
                door.serve(self)

            def do_PATCH(self) -> None:
                door.serve(self)

            def log_message(self, *_: object) -> None:
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            server.server_close()

    def serve(self, handler: http.server.BaseHTTPRequestHandler) -> None:
        """Handle one request."""
        body = handler.rfile.read(int(handler.headers.get("Content-Length") or 0))
        path = handler.path.partition("?")[0]
        sent = json.loads(body) if body[:1] == b"{" else None
        fault = self.fault(handler.command, path, sent)
        if fault == "drop-before":
            handler.close_connection = True
            return
        status, answer = (503, b"{}") if fault == "refuse" else self._hand_on(handler, path, body)
        if fault == "drop-after":
            handler.close_connection = True
            return
        with contextlib.suppress(OSError):  # whoever asked may be dead by now
            handler.send_response(status)
            handler.send_header("Content-Type", "application/json")
            handler.send_header("Content-Length", str(len(answer)))
            handler.end_headers()
            handler.wfile.write(answer)

    def _hand_on(self, handler: http.server.BaseHTTPRequestHandler, path: str, body: bytes) -> tuple[int, bytes]:
        kept = ("Authorization", "Content-Type", "Accept")
        headers = {name: handler.headers[name] for name in kept if handler.headers[name]}
        answer = self.pool.request(
            handler.command, f"{self.target}{handler.path}", body=body or None, headers=headers, timeout=30
        )
        self.seen.append((handler.command, path, answer.status))
        return answer.status, self.change(answer.data)

    @property
    def written(self) -> list[str]:
        """The path of each write that the server took."""
        return [path for method, path, status in self.seen if method in WRITES and status < 300]

    def asked(self) -> set[tuple[str, str, str]]:
        """Return (verb, API group, resource) of each request, as Kubernetes' RBAC counts them."""
        verbs = {"GET": "list", "PATCH": "patch", "POST": "create"}
        found = set()
        for method, path, _ in self.seen:
            head, _, tail = path.partition("/namespaces/")
            group = head.split("/")[2] if head.startswith("/apis/") else ""
            found.add((verbs[method], group, tail.split("/")[1]))
        return found


def granted(role: Object) -> set[tuple[str, str, str]]:
    """Return (verb, API group, resource) of all that a role grants."""
    return {
        (verb, group, resource)
        for rule in role["rules"]
        for verb in rule["verbs"]
        for group in rule["apiGroups"]
        for resource in rule["resources"]
    }


def token_of(client: Client, namespace: str, account: str) -> str:
    """Return a token of a service account, as its pods would get it."""
    request = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {"expirationSeconds": 3600}}
    path = f"/api/v1/namespaces/{namespace}/serviceaccounts/{account}/token"
    made = client.request("POST", path, request)
    return str(made["status"]["token"])


def kubeconfig(folder: Path, server: str, token: str) -> Path:
    """Write a kubeconfig for a server and a token."""
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "test", "cluster": {"server": server}}],
        "users": [{"name": "test", "user": {"token": token}}],
        "contexts": [{"name": "test", "context": {"cluster": "test", "user": "test"}}],
        "current-context": "test",
    }
    path = folder / f"{server.rpartition(':')[2]}.kubeconfig"
    path.write_text(json.dumps(config), encoding="utf-8")
    return path


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """A card that a pod holds, and how busy it is in every minute."""

    pod: Object
    busy: float
    number: int = 0

    def labels(self) -> dict[str, str]:
        """Return the labels of its utilisation as our rules record it."""
        node = self.pod["spec"]["nodeName"]
        return {
            "node": node,
            "pool": node.rpartition("-")[0],
            "gpu": str(self.number),
            "UUID": f"GPU-{self.pod['metadata']['uid']}-{self.number}",
            "namespace": self.pod["metadata"]["namespace"],
            "pod": self.pod["metadata"]["name"],
            "container": "main",
        }


def remember(
    promtool: Path, folder: Path, cards: Iterable[Card], start: datetime.datetime, end: datetime.datetime
) -> None:
    """Give a Prometheus whose folder this is samples of the cards, one a minute."""
    minutes = range(int(start.timestamp()), int(end.timestamp()) + 1, 60)
    lines = [f"# TYPE {series.GPU_UTIL} gauge"]
    for card in cards:
        inside = ",".join(f'{name}="{value}"' for name, value in card.labels().items())
        lines += [f"{series.GPU_UTIL}{{{inside}}} {card.busy} {at}" for at in minutes]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "samples.txt").write_text("\n".join([*lines, "# EOF", ""]), encoding="utf-8")
    write_blocks(promtool, folder / "samples.txt", folder / "data")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reclaimer:
    """The command as a program of its own."""

    policy: Path
    kubeconfig: Path
    prometheus: str

    def command(self, now: datetime.datetime, *options: str) -> list[str]:
        """Return the command line of one look."""
        where = ["--policy", str(self.policy), "--kubeconfig", str(self.kubeconfig), "--prometheus", self.prometheus]
        program = [sys.executable, "-m", "gpuplan", "reclaim", *where]
        return [*program, "--explain", "--output-format", "json", "--now", now.isoformat(), *options]

    def start(self, now: datetime.datetime, *options: str) -> subprocess.Popen[str]:
        """Start one look."""
        return subprocess.Popen(
            self.command(now, *options),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            stdin=subprocess.DEVNULL,
        )

    def look(self, now: datetime.datetime, *options: str, code: int = 0) -> Verdicts:
        """Look once, to its end."""
        with self.start(now, *options) as program:
            out, err = program.communicate(timeout=LIMIT_SECONDS)
        assert program.returncode == code, f"{program.returncode}\n{out}\n{err}"
        return Verdicts(json.loads(out))

    def try_to_look(self, now: datetime.datetime, *options: str) -> int:
        """Look once, whatever comes of it; return the exit code."""
        with self.start(now, *options) as program:
            program.communicate(timeout=LIMIT_SECONDS)
        return program.returncode


class Verdicts:
    """What one look said."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.data = data

    def of(self, *names: str) -> list[str]:
        """Return the verdicts on work of these names."""
        by_name = {one["name"]: one["verdict"] for one in self.data["work"]}
        return [by_name[name] for name in names]

    def counts(self) -> Counter[str]:
        """Return how often each verdict was given."""
        return Counter(one["verdict"] for one in self.data["work"])


def events(client: Client, namespace: str, about: str = "") -> list[tuple[str, str]]:
    """Return (name of the work, reason) of each Event that the reclaimer has made, sorted."""
    found: Sequence[Object] = client.list("v1", "Event", namespace=namespace)
    return sorted(
        (one["involvedObject"]["name"], one["reason"])
        for one in found
        if one.get("reportingComponent") == "gpuplan-reclaim" and about in one["involvedObject"]["name"]
    )
