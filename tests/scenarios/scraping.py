"""A real Prometheus scrapes synthetic exporters by the monitors that we render, and says how it stores each series.

The Prometheus operator turns a monitor into a scrape configuration: it sets the target's namespace, service, pod, container,
endpoint and job, and then applies the monitor's own steps. Here that is done for targets whose discovery labels are given.
"""

from __future__ import annotations

import contextlib
import http.server
import json
import re
import threading
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gpuplan.manifests.write import yaml_text
from tests.prometheus.bed import bed
from tests.scenarios.exposition import Shown, text

READY_SECONDS = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """One pod with metrics: the endpoint of a monitor by which it is scraped, what discovery knows of it, what it shows."""

    name: str
    endpoint: Mapping[str, Any]
    """An endpoint of a ServiceMonitor or PodMonitor."""
    discovered: Mapping[str, str]
    """Labels of discovery: those that the operator sets (namespace, pod, …) and `__meta_…`."""
    series: tuple[Shown, ...]


Stored = dict[tuple[str, int], dict[str, str]]
"""(target, number of a series) -> the labels under which Prometheus stores it, its name as `__name__`; none where dropped."""


def scrape_configs(targets: Sequence[Target], address: str) -> list[dict[str, Any]]:
    """Return Prometheus' scrape configuration; each target is a path of one server."""
    return [
        {
            "job_name": target.name,
            "scrape_interval": "1s",
            "honor_labels": target.endpoint.get("honorLabels", False),
            "metrics_path": f"/{target.name}",
            "static_configs": [{"targets": [address], "labels": dict(target.discovered)}],
            "relabel_configs": [_step(step) for step in target.endpoint.get("relabelings", ())],
            "metric_relabel_configs": [_step(step) for step in target.endpoint.get("metricRelabelings", ())],
        }
        for target in targets
    ]


def _step(step: Mapping[str, Any]) -> dict[str, Any]:
    """Return a relabelling step as Prometheus spells it."""
    return {re.sub(r"([A-Z])", lambda m: "_" + m.group(1).lower(), key): value for key, value in step.items()}


def stored(prometheus: Path, folder: Path, targets: Sequence[Target]) -> Stored:
    """Scrape every target once, each series with its own number as value, and read how Prometheus stores it."""
    pages = {
        f"/{target.name}": text((one.name, dict(one.labels), number) for number, one in enumerate(target.series))
        for target in targets
    }
    with (
        serving(pages) as address,
        running(prometheus, folder, {"scrape_configs": scrape_configs(targets, address)}) as url,
    ):
        deadline = time.monotonic() + READY_SECONDS
        while len(query(url, "up == 1")) < len(targets):
            if time.monotonic() > deadline:
                raise AssertionError(f"not all targets are up: {query(url, 'up')}")
            time.sleep(0.2)
        found = {target.name: query(url, f'{{job="{target.name}"}}') for target in targets}
    return {
        (name, int(value)): labels
        for name, samples in found.items()
        for labels, value in samples
        if labels["__name__"] != "up" and not labels["__name__"].startswith("scrape_")
    }


def query(url: str, expression: str) -> list[tuple[dict[str, str], float]]:
    """Return an instant vector as (labels, value)."""
    asked = urllib.parse.urlencode({"query": expression})
    with urllib.request.urlopen(f"{url}/api/v1/query?{asked}", timeout=10) as answer:
        result = json.load(answer)["data"]["result"]
    return [(sample["metric"], float(sample["value"][1])) for sample in result]


def get(url: str, path: str) -> Any:
    """Return the data of an API path."""
    with urllib.request.urlopen(f"{url}/api/v1/{path}", timeout=10) as answer:
        return json.load(answer)["data"]


@contextlib.contextmanager
def serving(pages: Mapping[str, str]) -> Iterator[str]:
    """Serve texts by their path; gives host and port."""

    class Page(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = pages[self.path].encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


@contextlib.contextmanager
def running(prometheus: Path, folder: Path, config: Mapping[str, Any], *flags: str) -> Iterator[str]:
    """Run a Prometheus on a free port over what the folder holds in `data`, if anything; gives its address."""
    with bed(folder) as servers:
        yield servers.prometheus(prometheus, folder / "data", name="prometheus", more=flags, config=yaml_text(config))
