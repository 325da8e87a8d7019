"""A real Prometheus makes one target of each pod that serves, whatever ports its containers declare."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.controlplane.waiting import wait_for
from tests.scenarios.scraping import get, running
from tests.unit.emit.test_serving import monitor, serving, steps

OPERATORS = (
    {"sourceLabels": ["__meta_kubernetes_namespace"], "targetLabel": "namespace"},
    {"sourceLabels": ["__meta_kubernetes_pod_container_name"], "targetLabel": "container"},
    {"sourceLabels": ["__meta_kubernetes_pod_name"], "targetLabel": "pod"},
    {"targetLabel": "job", "replacement": "gpu-system/gpuplan-serving-chat"},
)
"""The steps that the Prometheus operator puts before those of a PodMonitor (v0.85)."""
WORKER = "__meta_kubernetes_pod_label_leaderworkerset_sigs_k8s_io_worker_index"


def discovered(address: str, ip: str, pod: str, container: str, **more: str) -> Mapping[str, Any]:
    """Return what discovery finds of one port of a container, or of a container without ports."""
    pod_of = {"__meta_kubernetes_namespace": "nlp", "__meta_kubernetes_pod_ip": ip, "__meta_kubernetes_pod_name": pod}
    return {"targets": [address], "labels": {**pod_of, "__meta_kubernetes_pod_container_name": container, **more}}


def step(one: Mapping[str, Any]) -> dict[str, Any]:
    """Return a step as Prometheus spells it."""
    return {re.sub(r"[A-Z]", lambda found: f"_{found[0].lower()}", key): value for key, value in one.items()}


def targets(url: str) -> list[dict[str, str]]:
    """Wait for discovery, which takes Prometheus some seconds, and return the labels and address of each target."""
    found = wait_for(lambda: get(url, "targets?state=active")["activeTargets"], 30, what="targets")
    return sorted(({**one["labels"], "url": one["scrapeUrl"]} for one in found), key=lambda one: one["pod"])


@pytest.fixture(params=[0, 1], ids=["newest", "2.42"])
def prometheus(prometheuses: tuple[Path, Path], request: pytest.FixtureRequest) -> Path:
    return prometheuses[request.param]


def test_ports_and_containers_of_a_pod_are_one_target_and_workers_none(prometheus: Path, tmp_path: Path) -> None:
    pods = [
        discovered("127.0.0.1:8080", "127.0.0.1", "chat-0", "server"),
        discovered("127.0.0.1:9090", "127.0.0.1", "chat-0", "server"),
        discovered("127.0.0.1", "127.0.0.1", "chat-0", "sidecar"),
        discovered("[::1]:8080", "::1", "chat-1", "server"),
        discovered("127.0.0.2:8080", "127.0.0.2", "chat-2", "leader", **{WORKER: "0"}),
        discovered("127.0.0.3:8080", "127.0.0.3", "chat-2-1", "worker", **{WORKER: "1"}),
    ]
    made = [*OPERATORS, *steps(monitor(serving("engine: vllm", keys="frameworks: [leaderworkerset], ")))]
    scraped = {"job_name": "chat", "static_configs": pods, "relabel_configs": [step(one) for one in made]}
    with running(prometheus, tmp_path, {"scrape_configs": [scraped]}) as url:
        assert targets(url) == [
            {
                "instance": address,
                "job": "gpu-system/gpuplan-serving-chat",
                "namespace": "nlp",
                "pod": pod,
                "task_pool": "chat",
                "url": f"http://{address}/metrics",
            }
            for pod, address in (("chat-0", "127.0.0.1:8000"), ("chat-1", "[::1]:8000"), ("chat-2", "127.0.0.2:8000"))
        ]
