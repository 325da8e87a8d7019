"""What keeps services up while nodes are taken out: windows, budgets, and the taint of nodes that are not healthy."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from gpuplan import conventions
from gpuplan.emit import argocd, disruption, guardrails, node_health, tenancy
from gpuplan.emit.sync_windows import sync_windows
from gpuplan.manifests.set import ManifestSet
from gpuplan.model.fleet import Fleet
from gpuplan.model.pools import agent_tolerations
from gpuplan.validate.schemas import violations
from tests.build import fleet, resolved
from tests.unit.emit.fleets import assert_golden

ROOT = Path(__file__).parents[3]
SPEC = """
apiVersion: gpuplan.dev/v1alpha1
metadata: {name: acme}
clusters: {eu: {kubernetes: "1.36"}, us: {kubernetes: "1.36", kueue: {install: external}}}
cardTiers: {serve: {cards: [l40s]}, lab: {cards: [l4]}}
nodePools:
  l40s: {cluster: eu, tier: serve, nodes: 4, cardsPerNode: 4, selectedBy: {nfd: {}}}
  old: {cluster: eu, tier: serve, nodes: 2, cardsPerNode: 4, selectedBy: {labels: {pool: old}}, taints: [{key: old, effect: NoSchedule}]}
  l4: {cluster: us, tier: lab, nodes: 1, cardsPerNode: 4, selectedBy: {nfd: {}}}
taskPools:
  chat: {kind: onlineInference, service: guaranteed, tiers: [serve], stateful: {drainSeconds: 900}}
  demo: {kind: onlineInference, service: guaranteed, tiers: [serve]}
  desk: {kind: experiment, service: queued, tiers: [lab]}
teams:
  nlp: {namespaces: [nlp, nlp-dev], quotas: {chat: {serve: {guaranteed: 8}}, desk: {lab: {guaranteed: 4}}}}
  vision: {namespaces: [vision], quotas: {demo: {serve: {guaranteed: 8}}}}
governance: %s
"""
WINDOWS = """
  maintenance:
    windows:
      - {name: weekly, schedule: "0 2 * * 6", duration: 4h, timeZone: Europe/Berlin, manualSync: true, syncOverrun: true}
      - {schedule: "0 2 * * 0", duration: 1h30m, clusters: [us], kind: allow}
      - {name: fair, reason: The booth runs on eu, schedule: "0 0 1 3 *", duration: 240h, clusters: [eu], kind: deny}
  nodeHealth:
    controller: nodeReadiness
    conditions: [{type: GpuHealthy}, {type: example.com/GpuMissing, healthyWhen: false}]
    clusters: [eu]
"""
GOVERNED = SPEC % WINDOWS
PLAIN = SPEC % "{}"


def manifests(built: Fleet, *emitters: Any) -> ManifestSet:
    made = [one for cluster in built.clusters for emit in (tenancy.emit, *emitters) for one in emit(built, cluster)]
    return ManifestSet.of([*made, *argocd.emit(built, made)], [])


def objects(text: str) -> list[Any]:
    return [one.object for one in manifests(fleet(text), disruption.emit, node_health.emit)]


def windows(text: str, project: str) -> Any:
    """Return the sync windows of a project; None where it has none."""
    (spec,) = [
        one["spec"] for one in objects(text) if (one["kind"], one["metadata"]["name"]) == ("AppProject", project)
    ]
    return spec.get("syncWindows")


def test_windows_budgets_and_rules_read_like_this() -> None:
    built = fleet(GOVERNED)
    eu = built.clusters[0]
    made = [one.object for emit in (disruption.emit, node_health.emit) for one in emit(built, eu)]
    projects = [{"kind": name, "syncWindows": windows(GOVERNED, name)} for name in ("acme", "acme-kueue")]
    assert_golden("node-maintenance", [*projects, *made])


def test_all_of_it_is_as_the_schemas_want_it() -> None:
    assert list(violations(manifests(fleet(GOVERNED), disruption.emit, node_health.emit))) == []


def test_without_governance_changes_come_at_any_time_and_nobody_taints() -> None:
    assert windows(PLAIN, "acme") is None
    assert windows(PLAIN, "acme-kueue") is None
    assert not [one for one in objects(PLAIN) if one["kind"] == "NodeReadinessRule"]


def test_a_project_has_the_windows_of_its_own_applications_only() -> None:
    # Kueue of `us` is installed by others, so the window that names `us` alone would match nothing in its project.
    applications = [one["applications"] for one in windows(GOVERNED, "acme-kueue")]
    assert applications == [["kueue-eu"], ["kueue-eu"]]
    named = {one["metadata"]["name"] for one in objects(GOVERNED) if one["kind"] == "Application"}
    for project in ("acme", "acme-kueue"):
        for window in windows(GOVERNED, project):
            assert set(window["applications"]) <= named


def test_a_window_of_no_present_cluster_is_left_out() -> None:
    built = fleet(GOVERNED)
    assert [one["schedule"] for one in sync_windows(built, built.clusters[1:], str.upper)] == ["0 2 * * 6", "0 2 * * 0"]
    assert sync_windows(built, (), str.upper) == []


def test_an_unknown_cluster_is_reported_where_it_is_named() -> None:
    _, found = resolved(SPEC % WINDOWS.replace("clusters: [us]", "clusters: [uss]").replace("[eu]\n", "[ue]\n"))
    assert [(one.rule, one.summary) for one in found] == [
        ("ref/unknown-name", "`uss` is not defined in `clusters`"),
        ("ref/unknown-name", "`ue` is not defined in `clusters`"),
    ]


def test_a_readiness_controller_without_conditions_is_a_mistake() -> None:
    _, found = resolved(SPEC % "{nodeHealth: {controller: nodeReadiness}}")
    assert len(found) == 1
    assert "at least one of conditions" in f"{found[0].summary} {found[0].detail}"


@pytest.mark.parametrize(
    ("controller", "expected"), [("nodeReadiness, clusters: [us]", ["gpuplan-l4"]), ("none", []), ("nodeReadiness", 3)]
)
def test_rules_judge_the_pools_of_the_clusters_that_have_the_controller(
    controller: str, expected: Sequence[str] | int
) -> None:
    health = f"{{nodeHealth: {{controller: {controller}, conditions: [{{type: GpuHealthy}}], dryRun: true}}}}"
    made = [one for one in objects(SPEC % health) if one["kind"] == "NodeReadinessRule"]
    assert all(one["spec"]["dryRun"] is True for one in made)
    names = [one["metadata"]["name"] for one in made]
    assert (len(names) if isinstance(expected, int) else names) == expected


def test_agents_tolerate_the_taint_of_the_rules_and_flavors_do_not() -> None:
    built = fleet(GOVERNED)
    (taint,) = {
        (one["spec"]["taint"]["key"], one["spec"]["taint"]["effect"])
        for one in objects(GOVERNED)
        if one["kind"] == "NodeReadinessRule"
    }
    for cluster in built.clusters:
        assert taint in {(one.key, one.effect) for one in agent_tolerations(cluster.pools)}
        for flavor in cluster.flavors:
            assert taint not in {(one.key, one.effect) for one in flavor.tolerations}


def test_the_page_about_broken_nodes_shows_the_taint_and_a_spec_that_works() -> None:
    page = (ROOT / "docs/node-health.md").read_text(encoding="utf-8")
    assert f"\n{conventions.TAINT_UNHEALTHY}:{conventions.TAINT_UNHEALTHY_EFFECT}\n" in page
    (said,) = re.findall(r"```yaml\ngovernance:\n(.*?)```", page, flags=re.DOTALL)
    rules = [one for one in objects(SPEC % f"\n{said.replace('prod-eu', 'eu')}") if one["kind"] == "NodeReadinessRule"]
    assert len(rules) == 2


def test_only_stateful_queues_have_budgets_in_each_namespace_of_their_teams() -> None:
    budgets = [one for one in objects(PLAIN) if one["kind"] == "PodDisruptionBudget"]
    assert [(one["metadata"]["namespace"], one["metadata"]["name"]) for one in budgets] == [
        ("nlp", "gpuplan-chat"),
        ("nlp-dev", "gpuplan-chat"),
    ]
    assert {one["spec"]["selector"]["matchLabels"][conventions.LABEL_QUEUE_NAME] for one in budgets} == {"chat"}


@pytest.mark.parametrize(
    ("governance", "actions"),
    [
        ("{}", ["Warn", "Audit"]),
        ("{guardRails: {statefulServing: deny}}", ["Deny"]),
        ("{guardRails: {statefulServing: off}}", None),
    ],
)
def test_the_guard_rail_of_services_acts_as_the_spec_says(governance: str, actions: list[str] | None) -> None:
    made: list[Any] = [
        one.object for one in manifests(fleet(SPEC % governance), guardrails.emit) if one.cluster == "eu"
    ]
    bindings = {
        one["metadata"]["name"]: one["spec"]["validationActions"] for one in made if one["kind"].endswith("Binding")
    }
    assert bindings.get("gpuplan-stateful-serving") == actions


def test_a_cluster_without_stateful_task_pools_has_no_such_guard_rail() -> None:
    made = [one for one in manifests(fleet(PLAIN), guardrails.emit) if one.cluster == "us"]
    assert made
    assert "gpuplan-stateful-serving" not in {one.key.name for one in made}
