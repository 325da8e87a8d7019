"""What the rules cost: compiling them for a thousand teams, and evaluating them over the cards of five hundred nodes.

The second part runs a real Prometheus, which scrapes synthetic exporters as it would the real ones: a page for each node with
every counter of the list that we render, one for kube-state-metrics and one for Kueue. Figures are Prometheus' own.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.report import Line
from gpuplan.emit.monitoring import publish
from gpuplan.manifests.write import object_text
from gpuplan.model.fleet import Fleet
from tests.build import fleet
from tests.controlplane.toolchain import tool_path
from tests.scenarios import exporters, world
from tests.scenarios.exposition import growing, text
from tests.scenarios.scraping import Target, get, query, running, scrape_configs, serving
from tests.scenarios.simulation import KUBE_STATE_METRICS, Site, discovered, write_rules
from tests.scenarios.world import Node, Pod, Queue, World

TEAMS = 1000
NODES = 500
CARDS = 8
SECONDS = 90
"""How long Prometheus runs: three scrapes and three evaluations."""

HEAD = """
apiVersion: gpuplan.dev/v1alpha1
metadata: {{name: acme}}
clusters: {{eu: {{kubernetes: "1.36"}}}}
cardTiers: {{train: {{cards: [h100-sxm-80gb], costPerCardHour: 2.40 USD}}}}
nodePools:
  whole:
    {{cluster: eu, tier: train, nodes: {nodes}, cardsPerNode: 8, selectedBy: {{nfd: {{}}}}, driver: {{branch: "580"}}}}
taskPools:
  pretrain: {{kind: training, service: guaranteed, tiers: [train]}}
  scratch: {{kind: experiment, service: reclaimable, tiers: [train]}}
teams:
"""


def a_fleet(teams: int) -> Fleet:
    """Resolve a fleet of one cluster with as many teams, each with two namespaces and two queues."""
    said = "".join(
        f"  team-{number:04}: {{namespaces: [team-{number:04}, team-{number:04}-batch], costCenter: cc-{number % 40}, "
        f"quotas: {{pretrain: {{train: {{guaranteed: 1}}}}, scratch: {{}}}}}}\n"
        for number in range(teams)
    )
    return fleet(HEAD.format(nodes=NODES) + said)


def lines() -> Iterator[Line]:
    """Yield the figures of both parts."""
    yield from _compiled()
    yield from _evaluated()


def _compiled() -> Iterator[Line]:
    """Yield what compiling costs: rules as objects with their text, and as plain files with their tests."""
    made = a_fleet(TEAMS)
    begun = time.process_time()
    groups = tuple(publish.groups(made, made.clusters[0]))
    manifests = list(publish.emit(made, made.clusters[0], groups))
    files = list(publish.texts(made, made.clusters[0], groups))
    sizes = [len(object_text(one.object)) for one in manifests]
    taken = time.process_time() - begun
    rules = sum(len(group.records) + len(group.alerts) for group in groups)
    yield Line(f"compile {rules} rules of {TEAMS} teams", f"{taken:.2f} s CPU", "under 2 s", taken < 2)
    yield Line(
        "their text, and the largest object",
        f"{sum(sizes) / 1e6:.1f} MB, {max(sizes) / 1e3:.0f} kB",
        "largest under 512 kB",
        max(sizes) < 512e3,
    )
    yield Line("plain files and tests beside them", f"{len(files)}")


def _evaluated() -> Iterator[Line]:
    """Yield what Prometheus says of its own work."""
    made = a_fleet(NODES // 5)
    site = Site.of(made)
    seen = _world(site)
    every = tuple(_targets(site, seen))
    pages = {
        f"/{target.name}": text(
            (one.name, dict(one.labels), value) for one in target.series if (value := one.values(0)) is not None
        )
        for target in every
    }
    with tempfile.TemporaryDirectory() as scratch, serving(pages) as address:
        folder = Path(scratch)
        config = {
            "global": {"evaluation_interval": "30s"},
            "rule_files": [str(folder / name) for name in write_rules(folder, site)],
            "scrape_configs": [{**one, "scrape_interval": "30s"} for one in scrape_configs(every, address)],
        }
        with running(tool_path("prometheus"), folder / "prometheus", config) as url:
            time.sleep(SECONDS)
            yield from _read(url)


def _read(url: str) -> Iterator[Line]:
    groups: list[dict[str, Any]] = get(url, "rules")["groups"]
    total = sum(group["evaluationTime"] for group in groups)
    series = sum(value for _, value in query(url, 'count({__name__=~".+"})'))
    ours = sum(value for _, value in query(url, 'count({__name__=~"gpuplan.+"})'))
    yield Line(f"series of {NODES} nodes with {CARDS} cards", f"{series:,.0f}, recorded by us {ours:,.0f}")
    yield Line("evaluate all rules once", f"{total:.2f} s", "a tenth of the interval", total < 3)
    for group in sorted(groups, key=lambda group: -group["evaluationTime"])[:4]:
        slowest = max(group["rules"], key=lambda rule: rule["evaluationTime"])
        yield Line(
            f"  {group['name']}, {len(group['rules'])} rules",
            f"{group['evaluationTime'] * 1000:.0f} ms",
            f"slowest {slowest['name']} {slowest['evaluationTime'] * 1000:.0f} ms",
        )
    # Groups of four minutes have not had their turn yet, and say "unknown".
    failing = sum(rule["health"] == "err" for group in groups for rule in group["rules"])
    yield Line("rules that fail", f"{failing}", "0", not failing)


def _world(site: Site) -> World:
    """Every card is held by a pod with two of them; every team has its share."""
    teams = site.cluster.teams
    nodes = {f"n{number}": Node(name=f"n{number}", pool="whole", model="H100", cards=CARDS) for number in range(NODES)}
    pods = {
        f"{node}-{pair}": Pod(
            namespace=teams[(index + pair) % len(teams)].namespaces[0],
            name=f"{node}-{pair}",
            node=node,
            resource="nvidia_com_gpu",
            units=2,
            cards=((2 * pair, -1), (2 * pair + 1, -1)),
        )
        for index, node in enumerate(nodes)
        for pair in range(CARDS // 2)
    }
    queues = {queue.name: Queue(admitted=growing(1)) for cohort in site.cluster.cohorts for queue in cohort.queues}
    return World(nodes=nodes, pods=pods, queues=queues)


def _targets(site: Site, seen: World) -> Iterator[Target]:
    held: dict[str, dict[str, Pod]] = {name: {} for name in seen.nodes}
    for name, pod in seen.pods.items():
        held[pod.node][name] = pod
    endpoint = site.endpoint("nvidia-dcgm-exporter")
    for node in seen.nodes.values():
        alone = World(nodes={node.name: node}, pods=held[node.name], queues={})
        known = discovered("gpu-system", f"exporter-{node.name}", node.name, pool="whole")
        series = tuple(world.cards(site.counters, alone, node))
        yield Target(name=f"dcgm-{node.name}", endpoint=endpoint, discovered=known, series=series)
    yield Target(
        name="kube-state-metrics",
        endpoint=KUBE_STATE_METRICS,
        discovered=discovered("monitoring", "kube-state-metrics-0", "n0"),
        series=tuple(exporters.kube_state_metrics(seen)),
    )
    yield Target(
        name="kueue",
        endpoint=site.endpoint("gpuplan-kueue-metrics"),
        discovered=discovered("kueue-system", "kueue-0", "n0"),
        series=tuple(exporters.kueue(site.cluster, seen, "leader")),
    )
