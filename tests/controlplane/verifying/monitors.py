"""A real Prometheus and a real Alertmanager for `gpuplan verify`, loaded with what is rendered, over exporters of paper.

One job for each kind of exporter, as in a cluster. The faults of monitoring are planted here (`faults_monitoring.py` and
`tests/prometheus/test_verify_monitoring.py` use them), in words that wait until both servers show them.
"""

from __future__ import annotations

import contextlib
import copy
import json
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from gpuplan.emit import agents, base, counters
from gpuplan.emit.monitoring import alertmanager
from gpuplan.manifests.set import Manifest
from gpuplan.manifests.write import yaml_text
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.pools import NodePool, produced_resources
from gpuplan.model.sharing import SharingMode
from tests.controlplane.toolchain import tool_path
from tests.controlplane.waiting import wait_for
from tests.prometheus.bed import bed as servers_in
from tests.scenarios import exporters, world
from tests.scenarios.exposition import Shown, shown, text
from tests.scenarios.scraping import get, query, serving

Undo = Callable[[], None]
Object = dict[str, Any]
NOON = 62
"""The minute of `tests/scenarios` that the exporters show for ever."""
PATIENCE = 120.0
SCRAPES = "3s"
"""On a busy machine a page takes a second; one that is missed makes its series go."""
EXPORTERS, NODES, QUEUES = "nvidia-dcgm-exporter", "kube-state-metrics", "kueue"
"""Names of the jobs."""


class Monitors:
    """Both servers, what they are loaded with, and the pages of the exporters; `prometheus` and `alertmanager` are addresses."""

    def __init__(
        self, fleet: Fleet, cluster: Cluster, manifests: tuple[Manifest, ...], nodes: Mapping[str, str]
    ) -> None:
        self.fleet, self.cluster = fleet, cluster
        self.pools = {name: next(pool for pool in cluster.pools if pool.name == its) for name, its in nodes.items()}
        self.pages = {f"/{name}": page(cards(fleet, cluster, name, pool)) for name, pool in self.pools.items()}
        self.pages[f"/{NODES}"] = page(one for name, pool in self.pools.items() for one in node(name, pool))
        self.pages[f"/{QUEUES}"] = page(queues(cluster))
        self.groups = {group["name"]: _without_interval(group) for group in _groups(manifests)}
        self.routing: Object = json.loads(json.dumps(alertmanager.configuration(fleet)))
        self.intervals = {EXPORTERS: SCRAPES, NODES: SCRAPES, QUEUES: SCRAPES}
        self.sends = True
        self.prometheus = self.alertmanager = ""
        self._folder = Path()
        self._exporters = ""

    @contextlib.contextmanager
    def running(self, folder: Path) -> Iterator[Monitors]:
        """Run both servers; at first they show that all is well."""
        self._folder = folder
        with serving(self.pages) as self._exporters, servers_in(folder) as servers:
            port = servers.port()
            self.alertmanager = f"http://127.0.0.1:{port}"
            self._write()
            servers.start(
                tool_path("alertmanager"),
                f"--config.file={folder / 'alertmanager.yaml'}",
                f"--storage.path={folder / 'alertmanager'}",
                f"--web.listen-address=127.0.0.1:{port}",
                "--cluster.listen-address=",
                ready=f"{self.alertmanager}/-/ready",
                name="alertmanager",
            )
            self.prometheus = servers.prometheus(
                tool_path("prometheus"),
                folder / "data",
                name="prometheus",
                more=["--web.enable-lifecycle"],
                config=self._config(),
            )
            self.until(self.is_well, "everything to be scraped and every rule to be evaluated")
            yield self

    def is_well(self) -> bool:
        """Whether every target is up, every rule has been evaluated, and every node is known with its cards."""
        nodes = len(self.pools)
        up = all(one["health"] == "up" for one in get(self.prometheus, "targets")["activeTargets"])
        health = [rule["health"] for group in get(self.prometheus, "rules")["groups"] for rule in group["rules"]]
        known = self.value("count(gpuplan:node_pool:info)") == self.value("count(gpuplan:node_cards:count)") == nodes
        capacity = self.value("count(gpuplan:pool_gpus_capacity:sum)") == len(
            {pool.name for pool in self.pools.values()}
        )
        return up and known and capacity and set(health) == {"ok"}

    def until(self, seen: Callable[[], object], what: str) -> None:
        """Wait until something is seen."""
        wait_for(seen, PATIENCE, what=what)

    def value(self, expression: str) -> float:
        """Return the value of a query that gives one; 0 where it gives none."""
        found = query(self.prometheus, expression)
        return found[0][1] if found else 0.0

    # The words of faults.

    def paged(self, path: str, change: Callable[[str], str | None], gone: str) -> Undo:
        """Change a page of an exporter, None for no answer, and wait until a selector finds nothing; undone, it does again."""
        before = self.pages[path]
        after = change(before)
        if after is None:
            del self.pages[path]
        else:
            self.pages[path] = after

        def undo() -> None:
            self.pages[path] = before
            self.until(lambda: query(self.prometheus, gone), f"{gone} to come back")

        with _taken_back(undo):
            self.until(lambda: not query(self.prometheus, gone), f"{gone} to go")
        return undo

    def set_up(self, change: Callable[[Monitors], object], seen: Callable[[], object], what: str) -> Undo:
        """Change what the servers are loaded with, load it, and wait until it shows."""
        before = copy.deepcopy((self.groups, self.routing, self.intervals, self.sends))

        def undo() -> None:
            self.groups, self.routing, self.intervals, self.sends = before
            self._load()
            self.until(lambda: not seen(), f"the end of: {what}")

        with _taken_back(undo):
            change(self)
            self._load()
            self.until(seen, what)
        return undo

    def silenced(self, silence: Object) -> Undo:
        """Silence alerts; undone, the silence is over."""
        made = _asked(f"{self.alertmanager}/api/v2/silences", silence)["silenceID"]

        def undo() -> None:
            _asked(f"{self.alertmanager}/api/v2/silence/{made}", method="DELETE")

        return undo

    def rules(self) -> list[Object]:
        """Return the groups that Prometheus has loaded."""
        found: list[Object] = get(self.prometheus, "rules")["groups"]
        return found

    def rule(self, name: str) -> Object:
        """Return a rule that Prometheus has loaded; empty where it has none of that name."""
        return next((rule for group in self.rules() for rule in group["rules"] if rule["name"] == name), {})

    def config(self) -> str:
        """Return the configuration that Alertmanager has loaded."""
        with urllib.request.urlopen(f"{self.alertmanager}/api/v2/status", timeout=10) as answer:
            return str(json.load(answer)["config"]["original"])

    def _write(self) -> None:
        for old in self._folder.glob("*.rules.yaml"):
            old.unlink()
        for name, group in self.groups.items():
            (self._folder / f"{name}.rules.yaml").write_text(yaml_text({"groups": [group]}), encoding="utf-8")
        (self._folder / "alertmanager.yaml").write_text(yaml_text(self.routing), encoding="utf-8")

    def _load(self) -> None:
        self._write()
        (self._folder / "prometheus.yml").write_text(self._config(), encoding="utf-8")
        for server in (self.prometheus, self.alertmanager):
            with urllib.request.urlopen(f"{server}/-/reload", data=b"", timeout=30):
                pass

    def _config(self) -> str:
        jobs: dict[str, dict[str, dict[str, str]]] = {
            EXPORTERS: {f"/{name}": {"node": name, "pool": pool.name} for name, pool in self.pools.items()},
            NODES: {f"/{NODES}": {}},
            QUEUES: {f"/{QUEUES}": {}},
        }
        server = self.alertmanager.removeprefix("http://")
        made: Object = {
            "global": {"evaluation_interval": "1s"},
            "rule_files": [str(self._folder / "*.rules.yaml")],
            "scrape_configs": [self._job(name, targets) for name, targets in jobs.items()],
        }
        if self.sends:
            made["alerting"] = {"alertmanagers": [{"static_configs": [{"targets": [server]}]}]}
        return yaml_text(made)

    def _job(self, name: str, targets: Mapping[str, Mapping[str, str]]) -> Object:
        """A page of the one server is a target; `instance` tells them apart, as addresses would."""
        return {
            "job_name": name,
            "scrape_interval": self.intervals[name],
            "scrape_timeout": SCRAPES,
            "honor_labels": True,
            "static_configs": [
                {"targets": [self._exporters], "labels": {"__metrics_path__": path, "instance": path[1:], **labels}}
                for path, labels in targets.items()
            ],
        }


@contextlib.contextmanager
def _taken_back(undo: Undo) -> Iterator[None]:
    """Undo what was planted if it does not show: the next test is not to meet it."""
    try:
        yield
    except BaseException:
        undo()
        raise


def page(series: Iterator[Shown]) -> str:
    """Return what an exporter shows."""
    return text((one.name, dict(one.labels), value) for one in series if (value := one.values(NOON)) is not None)


def cards(fleet: Fleet, cluster: Cluster, name: str, pool: NodePool) -> Iterator[Shown]:
    """Yield what dcgm-exporter shows of a node's cards: the counters of the rendered list."""
    cut = pool.sharing.mode is SharingMode.MIG
    seen = world.Node(
        name=name,
        pool=pool.name,
        model=pool.card.product_name,
        cards=pool.cards_per_node,
        profile="1g.5gb" if cut else "",
        instances=2 if cut else 0,
    )
    return world.cards(sorted(counters.collected(fleet, cluster)), world.World(nodes={}, pods={}, queues={}), seen)


def node(name: str, pool: NodePool) -> Iterator[Shown]:
    """Yield what kube-state-metrics shows of a node and of the agents on it."""
    yield shown("kube_node_info", 1, node=name)
    yield shown("kube_node_created", world.YESTERDAY, node=name)
    yield shown("kube_node_spec_unschedulable", 0, node=name)
    yield shown("kube_node_labels", 1, node=name)
    yield shown("kube_node_status_condition", 1, node=name, condition="Ready", status="true")
    for made in produced_resources(pool):
        resource = base.prometheus_label(made.resource)
        for metric in ("kube_node_status_capacity", "kube_node_status_allocatable"):
            yield shown(metric, made.per_node, node=name, resource=resource, unit="integer")
    for agent in (agents.DEVICE_PLUGIN, agents.DCGM_EXPORTER):
        pod, owner = f"{agent.name}-{pool.name}-{name}", f"{agent.name}-{pool.name}"
        key = {"namespace": "gpu-system", "pod": pod, "uid": pod}
        yield shown("kube_pod_info", 1, **key, node=name, created_by_kind="DaemonSet", created_by_name=owner)
        yield shown("kube_pod_status_phase", 1, **key, phase="Running")


def queues(cluster: Cluster) -> Iterator[Shown]:
    """Yield what Kueue shows of queues without work."""
    every = {queue.name: world.Queue() for cohort in cluster.cohorts_with_queues for queue in cohort.queues}
    return exporters.kueue(cluster, world.World(nodes={}, pods={}, queues=every), "standalone")


def _groups(manifests: tuple[Manifest, ...]) -> Iterator[Object]:
    for one in manifests:
        if one.key.kind == "PrometheusRule":
            yield from json.loads(json.dumps(one.object["spec"]))["groups"]


def _without_interval(group: Object) -> Object:
    """Return a group that is evaluated as often as the server pleases: some are evaluated every few minutes."""
    return {key: value for key, value in group.items() if key != "interval"}


def _asked(url: str, body: Object | None = None, method: str = "POST") -> Object:
    data = json.dumps(body).encode() if body else None
    request = urllib.request.Request(url, data=data, method=method, headers={"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=10) as answer:
        found: Object = json.loads(answer.read() or b"{}")
    return found
