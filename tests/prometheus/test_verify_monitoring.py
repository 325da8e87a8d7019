"""The checklist's part on monitoring, by a real Prometheus and a real Alertmanager: silent where all is well, and right otherwise."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace

import pytest

from gpuplan.cluster.access import Access
from gpuplan.cluster.alertmanager import AlertmanagerStatus
from gpuplan.cluster.prometheus import Prometheus
from gpuplan.emit.emitters import emit
from gpuplan.manifests.set import Manifest
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.labels import lasting_labels
from gpuplan.pipeline import silent
from gpuplan.verify.checks import CHECKS
from gpuplan.verify.judge import judge
from gpuplan.verify.monitoring import ask_alertmanager, ask_prometheus, queries
from gpuplan.verify.observed import Asked, Observed
from gpuplan.verify.scene import Scene
from gpuplan.verify.verdicts import Outcome, Verdict
from tests.controlplane.verifying.monitors import Monitors
from tests.prometheus.planted_monitoring import PLANTED, Planted
from tests.scenarios.world import healthy, the_fleet

NODES = {node.name: node.pool for node in healthy().nodes.values()}
BY_ID = {doc.id: check for doc, check in CHECKS if doc.id.startswith("monitoring/")}


@pytest.fixture(scope="module")
def monitors(
    alertmanager_program: object, prometheuses: object, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Monitors]:
    """Both servers, in which all is well; a test leaves them so."""
    fleet, cluster = the_fleet()
    made = Monitors(fleet, cluster, rendered(fleet, cluster), NODES)
    with made.running(tmp_path_factory.mktemp("monitors")):
        yield made


def rendered(fleet: Fleet, cluster: Cluster) -> tuple[Manifest, ...]:
    return tuple(one for one in emit(fleet, silent) if one.cluster in {None, cluster.name})


def scene(monitors: Monitors, prometheus: str = "", alertmanager: str = "") -> Scene:
    """Return what a check is given, of what both servers say now; by way of JSON, as from a file."""
    fleet, cluster = monitors.fleet, monitors.cluster
    manifests = rendered(fleet, cluster)
    with Prometheus(Access(url=prometheus or monitors.prometheus, tries=1)) as server:
        metrics = ask_prometheus(server, queries(fleet, cluster, manifests))
    with AlertmanagerStatus(Access(url=alertmanager or monitors.alertmanager, tries=1)) as told:
        routes = ask_alertmanager(told)
    nodes = tuple(
        {"kind": "Node", "metadata": {"name": name, "labels": dict(lasting_labels(cluster, pool))}}
        for name, pool in monitors.pools.items()
    )
    observed = Observed(
        kubernetes="v1.36.3",
        objects={"Node": nodes},
        refused={},
        tried={},
        prometheus=kept(metrics),
        alertmanager=kept(routes),
    )
    return Scene(fleet=fleet, cluster=cluster, manifests=manifests, observed=observed)


def kept(asked: Asked) -> Asked:
    return Asked(answers=json.loads(json.dumps(asked.answers)), problem=asked.problem)


def verdicts(seen: Scene) -> list[Verdict]:
    """Return the verdicts on monitoring."""
    report = judge(seen)
    return [one for one in report.verdicts if one.check.startswith("monitoring/")]


def failed(seen: Scene) -> list[Verdict]:
    return [one for one in verdicts(seen) if one.outcome is Outcome.FAIL]


def found(every: list[Verdict], fault: Planted) -> bool:
    return any(
        one.check == fault.check and any(re.search(fault.evidence, line) for line in one.evidence) for one in every
    )


def test_where_all_is_well_every_check_passes_and_says_by_what(monitors: Monitors) -> None:
    said = verdicts(scene(monitors))
    assert [(one.check, one.subject, one.evidence) for one in said if one.outcome is not Outcome.PASS] == []
    assert {one.check for one in said} == set(BY_ID)


@pytest.mark.parametrize("fault", PLANTED, ids=lambda fault: fault.name)
def test_a_fault_is_found_by_its_check_and_by_no_other(monitors: Monitors, fault: Planted) -> None:
    with ExitStack() as undone:
        undone.callback(fault.plant(monitors))
        every = failed(scene(monitors))
    assert found(every, fault), every
    assert {one.check for one in every} == {fault.check, *fault.also}, every
    assert all(one.fix and one.at for one in every)


def test_all_faults_together_are_all_found(monitors: Monitors) -> None:
    with ExitStack() as undone:
        for fault in PLANTED:
            undone.callback(fault.plant(monitors))
        every = failed(scene(monitors))
    assert [fault.name for fault in PLANTED if not found(every, fault)] == []


def test_a_server_that_is_away_or_another_is_unknown_in_its_own_words(monitors: Monitors) -> None:
    swapped = verdicts(scene(monitors, monitors.alertmanager, monitors.prometheus))
    away = verdicts(scene(monitors, "http://127.0.0.1:9", "http://127.0.0.1:9"))
    assert {one.outcome for one in (*swapped, *away)} == {Outcome.UNKNOWN}
    assert all("nobody listens there" in one.evidence[0] for one in away)
    assert any("Look for the prefix before /api/v2" in line for one in swapped for line in one.evidence)


def test_a_store_without_targets_leaves_only_what_reads_them_unknown(monitors: Monitors) -> None:
    seen = scene(monitors)
    whole = seen.observed.prometheus
    assert whole is not None
    answers = {**whole.answers, "targets": {"problem": "it answered with HTTP 404"}}
    observed = replace(seen.observed, prometheus=Asked(answers=answers))
    said = verdicts(replace(seen, observed=observed))
    unknown = [one for one in said if one.outcome is not Outcome.PASS]
    assert [(one.check, one.outcome) for one in unknown] == [("monitoring/targets", Outcome.UNKNOWN)]
    assert "Name the Prometheus that scrapes" in unknown[0].fix


def test_what_is_kept_of_alertmanager_holds_no_address(monitors: Monitors) -> None:
    seen = scene(monitors).observed.alertmanager
    assert seen is not None
    assert "/etc/alertmanager" not in json.dumps(seen.answers)
    assert {"name": "nlp-oncall", "slack_configs": [{}]} in seen.answers["config"]["receivers"]
