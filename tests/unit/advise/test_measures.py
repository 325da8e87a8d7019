"""The pilot's measures are PromQL that Prometheus takes, over series that are really there."""

from __future__ import annotations

import pytest

from gpuplan import catalog
from gpuplan.advise.measures import ABOUT_NODES, measures
from gpuplan.advise.settings import settings
from gpuplan.emit.monitoring import publish
from gpuplan.inventory.metrics import promql
from gpuplan.model.answers import NO_ANSWERS
from tests.unit.advise.reading import TEAMS, fleet_of

OF_PROMETHEUS = {"ALERTS"}
CLAIMED = """
apiVersion: gpuplan.dev/v1alpha1
metadata: {name: tiny}
clusters: {eu: {kubernetes: "1.36"}}
cardTiers: {research: {cards: [h100-sxm-80gb], topology: off}}
nodePools:
  dra: {cluster: eu, tier: research, nodes: 2, cardsPerNode: 8, selectedBy: {nfd: {}}, exposure: dra}
delivery: {argocd: {repoURL: "https://git.acme.example/fleet.git"}}
"""
TEXTS = {
    path.name: (path / "fleet.yaml").read_text(encoding="utf-8") for path in sorted(TEAMS.iterdir()) if path.is_dir()
}
TEXTS.pop("__pycache__", None)


@pytest.mark.parametrize("text", [*TEXTS.values(), CLAIMED], ids=[*TEXTS, "claimed"])
def test_each_query_parses_and_reads_only_series_that_are_recorded_or_exported(text: str) -> None:
    fleet = fleet_of(text)
    for cluster in fleet.clusters:
        groups = tuple(publish.groups(fleet, cluster))
        recorded = {rule["record"] for group in groups for rule in group.records}
        known = recorded | set(catalog.load().metrics) | OF_PROMETHEUS
        alerts = {alert.name for group in groups for alert in group.alerts}
        for pool in cluster.pools:
            made = measures(fleet, cluster, pool, settings(NO_ANSWERS), 28)
            assert [one.name for one in made] == ["allocation", "recovery", "overhead", "alerts"]
            for query in (query for measure in made for query in measure.queries):
                read = promql.read(query.expr)
                assert not read.problem, (query.expr, read.problem)
                assert read.tree is not None
                assert {one.name for one in read.selectors} <= known, query.expr
                named = {
                    one.value for selector in read.selectors for one in selector.matchers if one.label == "alertname"
                }
                assert {name for value in named for name in value.split("|")} <= alerts


def test_each_alert_about_nodes_is_rendered_for_some_fleet() -> None:
    fleet = fleet_of(TEXTS["ten-nodes-two-experts"])
    there = {alert.name for group in publish.groups(fleet, fleet.clusters[0]) for alert in group.alerts}
    assert set(ABOUT_NODES) <= there
