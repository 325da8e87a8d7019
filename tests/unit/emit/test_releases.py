"""Releases: which controllers are scraped and where, and that nothing is rendered elsewhere. What is counted: tests/promtool."""

from __future__ import annotations

import re

import pytest

from gpuplan.catalog import load
from gpuplan.emit.monitoring import releases, scrapes
from tests.unit.emit.fleets import Place, one, place

POOLS = "a: {tier: big}"
BOTH = "monitoring: {releases: {argocd: [eu], rollouts: [eu]}}"


def rules(here: Place) -> str:
    return " ".join(
        text
        for group in releases.groups(here.fleet, here.cluster)
        for text in (*(rule["expr"] for rule in group.records), *(alert.expr for alert in group.alerts))
    )


@pytest.mark.parametrize(
    ("said", "argocd", "rollouts"),
    [
        ("", False, False),
        ("argocd: [eu]", True, False),
        ("rollouts: [eu]", False, True),
        ("argocd: [eu], rollouts: [eu]", True, True),
    ],
)
def test_a_controller_is_watched_where_the_spec_says_that_it_runs(said: str, argocd: bool, rollouts: bool) -> None:
    here = place(POOLS, more=f"monitoring: {{releases: {{{said}}}}}")
    names = {made["metadata"]["name"] for made in here.objects(scrapes.emit)}
    assert ("gpuplan-releases-argocd" in names, "gpuplan-releases-rollouts" in names) == (argocd, rollouts)
    assert ("argocd_app" in rules(here), "rollout_" in rules(here)) == (argocd, rollouts)


def test_argo_cd_is_looked_for_where_the_fleet_is_delivered_from() -> None:
    more = BOTH + "\ndelivery: {argocd: {repoURL: https://git.acme.io/f.git, namespace: gitops}}"
    spec = one(place(POOLS, more=more).objects(scrapes.emit), "ServiceMonitor", "gpuplan-releases-argocd")["spec"]
    assert spec["namespaceSelector"] == {"matchNames": ["gitops"]}
    assert spec["endpoints"][0]["targetPort"] == 8082


@pytest.mark.parametrize("name", ["argocd", "rollouts"])
def test_the_namespace_of_what_is_released_is_not_that_of_the_controller(name: str) -> None:
    spec = one(place(POOLS, more=BOTH).objects(scrapes.emit), "ServiceMonitor", f"gpuplan-releases-{name}")["spec"]
    (endpoint,) = spec["endpoints"]
    assert endpoint["honorLabels"] is True
    assert [step["action"] for step in endpoint["relabelings"]] == ["labeldrop"]
    assert re.fullmatch(endpoint["relabelings"][0]["regex"], "namespace")


def test_every_metric_that_is_read_is_known() -> None:
    known = load().serving.metrics
    read = set(re.findall(r"\b(?:argocd|rollout)_[a-z_]+\b(?=[{)\[])", rules(place(POOLS, more=BOTH))))
    assert read == {name for name, metric in known.items() if metric.of in ("argocd", "rollouts")}


def test_dry_runs_are_no_releases() -> None:
    counters = re.findall(r"argocd_app_sync_total\{([^}]*)\}", rules(place(POOLS, more=BOTH)))
    assert counters
    assert all('dry_run!="true"' in matchers for matchers in counters)


def test_the_spec_sets_how_many_failures_raise_the_alert() -> None:
    more = "monitoring: {releases: {argocd: [eu]}, thresholds: {releaseFailures: 4}}"
    assert "increase1d >= 4)" in rules(place(POOLS, more=more))
