"""No change of an object on the node side goes without a word, unless it can harm nobody; every fact has its row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import pytest

from gpuplan.catalog import effects as catalogue
from gpuplan.emit.sync_options import CONFIRMED, FREELY_REMOVED
from gpuplan.plan.comparison import Comparison
from gpuplan.plan.effects import effects_of
from gpuplan.plan.parts import Effect, ObjectChange
from tests.unit.plan import test_effects_nodes, test_effects_nodes_agents, test_effects_nodes_delivery
from tests.unit.plan.node_fleet import AREAS, BASE
from tests.unit.plan.two import comparison, edited

HUB = frozenset({"AppProject", "Application", "ApplicationSet"})
EXPLAINED = frozenset(
    {
        "Application",
        "ApplicationSet",
        "ClusterPolicy",
        "DaemonSet",
        "DeviceClass",
        "DeviceConfig",
        "NVIDIADriver",
        "NodeFeatureRule",
        "NodeReadinessRule",
        "PodDisruptionBudget",
        "PodMonitor",
        "PrometheusRule",
        "ResourceClaimTemplate",
        "RuntimeClass",
        "ServiceMonitor",
    }
)
"""Kinds of the node side whose every change is told with its effect."""
HARMLESS: Mapping[str, str] = {
    "AppProject": "told where it permits less or has other windows",
    "ClusterRole": "goes with its agent",
    "ClusterRoleBinding": "goes with its agent",
    "ConfigMap": "goes with the agent that names it; dashboards and counters are told of",
    "Role": "goes with its agent",
    "RoleBinding": "goes with its agent",
    "Service": "Prometheus finds its targets again",
    "ServiceAccount": "goes with its agent",
}
"""Kinds whose changes may go without a word, and why."""
OF_QUEUES = frozenset(
    {
        "ClusterQueue",
        "Cohort",
        "Deployment",
        "LocalQueue",
        "Namespace",
        "PriorityClass",
        "ResourceFlavor",
        "ResourceQuota",
        "Topology",
        "ValidatingAdmissionPolicy",
        "ValidatingAdmissionPolicyBinding",
        "WorkloadPriorityClass",
    }
)
"""Kinds that the topics of queues and teams tell of."""

Edits = Sequence[tuple[str, str]]
CASES: list[tuple[str, Edits]] = [
    (name, edits)
    for cases in (
        test_effects_nodes.POOLS,
        test_effects_nodes.LABELS,
        test_effects_nodes_agents.ALL,
        test_effects_nodes_delivery.CASES,
    )
    for name, edits, _ in cases
]


def test_every_kind_that_a_cluster_gets_is_somebodys() -> None:
    assert {*CONFIRMED, *FREELY_REMOVED, *HUB} == {*EXPLAINED, *HARMLESS, *OF_QUEUES}


def unexplained(compared: Comparison, found: Sequence[Effect]) -> Iterator[ObjectChange]:
    """Yield the changes of the node side that no effect names."""
    named = {ref for effect in found for ref in effect.objects}
    return (one for one in compared.objects if one.ref.key.kind in EXPLAINED and one.ref not in named)


@pytest.mark.parametrize("edits", [case[1] for case in CASES], ids=[case[0] for case in CASES])
def test_every_change_of_an_object_is_told_of_there_and_back_and_every_fact_has_its_row(edits: Edits) -> None:
    sides = (BASE, edited(BASE, *edits))
    for old, new in (sides, reversed(sides)):
        compared = comparison(old, new)
        found = effects_of(compared)
        assert [str(one.ref.key) for one in unexplained(compared, found)] == []
        assert {one.fact for one in found if one.fact.partition("/")[0] in AREAS} <= catalogue.read().keys()
        assert not [one.summary for one in found if one.summary.endswith(".") or "\n" in one.summary]
