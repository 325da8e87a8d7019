"""Thanos over two replicas of a Prometheus: external labels are there, each sample counts once, and half an answer is told."""

from __future__ import annotations

import json
import shutil
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from gpuplan.cluster.prometheus import Access, Answer, Prometheus
from tests.cli.transcript import in_process
from tests.controlplane.waiting import wait_for
from tests.prometheus import spring
from tests.prometheus.bed import Bed


@dataclass(frozen=True, slots=True, kw_only=True)
class Thanos:
    """Thanos Query, and the replicas behind its sidecars."""

    url: str
    replicas: tuple[str, ...]


def start(servers: Bed, thanos: Path, binary: Path, data: Path, name: str) -> tuple[str, str]:
    """Start a replica with its sidecar; its address, and the sidecar's."""
    copy = servers.folder / f"thanos-{name}"
    shutil.copytree(data, copy)
    labels = f"global: {{external_labels: {{cluster: prod-eu, replica: {name}}}}}\n"
    url = servers.prometheus(binary, copy, name=f"thanos-{name}", config=labels, more=["--web.enable-lifecycle"])
    grpc, http = (f"127.0.0.1:{servers.port()}" for _ in range(2))
    flags = (f"--prometheus.url={url}", f"--grpc-address={grpc}", f"--http-address={http}", f"--tsdb.path={copy}")
    servers.start(thanos, "sidecar", *flags, ready=f"http://{http}/-/ready", name=f"sidecar-{name}")
    return url, grpc


@pytest.fixture(scope="module")
def query(servers: Bed, thanos: Path, prometheuses: tuple[Path, ...], spring_data: Path) -> Thanos:
    started = [
        start(servers, thanos, binary, spring_data, name)
        for binary, name in zip(prometheuses, ("one", "two"), strict=True)
    ]
    grpc, http = (f"127.0.0.1:{servers.port()}" for _ in range(2))
    endpoints = [f"--endpoint={sidecar}" for _, sidecar in started]
    flags = (f"--http-address={http}", f"--grpc-address={grpc}", *endpoints)
    servers.start(thanos, "query", *flags, ready=f"http://{http}/-/ready", name="query")

    def stores() -> bool:
        with urllib.request.urlopen(f"http://{http}/api/v1/stores") as response:
            return len(json.load(response)["data"].get("sidecar", [])) == len(started)

    wait_for(stores, 60, what="both sidecars are known")
    return Thanos(url=f"http://{http}", replicas=tuple(url for url, _ in started))


def bill(url: str, code: int) -> Any:
    made = in_process(["cost", "--prometheus", url, *spring.ARGUMENTS, "--output-format", "json"])
    assert made.exit_code == code, made.stderr
    return json.loads(made.stdout)


def test_thanos_gives_the_bill_of_its_replicas_and_says_when_one_is_away(query: Thanos) -> None:
    expected = bill(query.replicas[0], 0)
    found = bill(query.url, 0)
    assert found["bills"] == expected["bills"]
    assert [one["cluster"] for one in found["coverage"]] == ["prod-eu"]
    with urllib.request.urlopen(urllib.request.Request(f"{query.replicas[1]}/-/quit", method="POST")):
        pass
    with Prometheus(Access(url=query.url)) as server:
        answer = wait_for(lambda: partial(server), 30, what="Thanos notices")
    assert answer is not None
    assert answer.warnings
    half = bill(query.url, 1)
    assert half["bills"] == expected["bills"]
    assert "The bill may be too low" in half["cautions"][0]


def partial(server: Prometheus) -> Answer | None:
    """Return the answer to a query once something is missing from it."""
    found = server.instant("count(gpuplan:pool_gpus_billed:sum)")
    assert isinstance(found, Answer), found
    return found if found.partial else None
