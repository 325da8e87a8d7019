"""Companions (cpu, memory, rdma/ib …) follow the cards: same parts, exact totals, canonical quantities."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplan.emit.emitters import emit
from gpuplan.emit.kueue.configuration import manager_configuration
from gpuplan.quantity import Quantity
from tests.build import fleet, resolved

SPEC = """\
apiVersion: gpuplan.dev/v1alpha1
metadata: {{name: acme}}
clusters: {{eu: {{kubernetes: "1.36"}}}}
cardTiers: {{serve: {{cards: [l40s]}}}}
nodePools:
  a: {{cluster: eu, tier: serve, nodes: {nodes}, cardsPerNode: {cards}, selectedBy: {{labels: {{pool: a}}}}, companions: {companions}}}
taskPools:
  chat: {{kind: onlineInference, service: guaranteed, tiers: [serve]}}
  notebooks: {{kind: experiment, service: shared, tiers: [serve], pool: {{serve: {pool}}}}}
  scratch: {{kind: experiment, service: reclaimable, tiers: [serve]}}
teams:
  nlp: {{namespaces: [nlp], quotas: {{chat: {{serve: {{guaranteed: {guaranteed}, borrow: 1}}}}, notebooks: {{}}, scratch: {{}}}}}}
"""


def quotas(
    companions: str, *, nodes: int = 1, cards: int = 4, guaranteed: int = 4, pool: int = 0
) -> dict[str, dict[str, Any]]:
    """Return what each Cohort and ClusterQueue says of each resource."""
    text = SPEC.format(companions=companions, nodes=nodes, cards=cards, guaranteed=guaranteed, pool=pool)
    found: dict[str, dict[str, Any]] = {}
    for made in emit(fleet(text), lambda *_: None):
        if made.key.kind in ("Cohort", "ClusterQueue"):
            spec: Any = made.object["spec"]
            for group in spec.get("resourceGroups", ()):
                for flavor in group["flavors"]:
                    found[made.key.name] = {quota["name"]: quota for quota in flavor["resources"]}
    return found


def test_quantities_come_out_as_the_server_prints_them() -> None:
    chat = quotas("{cpu: 12000m, memory: 98304Mi}")["nlp-chat"]
    assert {name: quota["nominalQuota"] for name, quota in chat.items()} == {
        "cpu": "12",
        "memory": "96Gi",
        "nvidia.com/gpu": "4",
    }


@pytest.mark.parametrize(
    ("companions", "totals"),
    [
        ('{rdma/ib: 8, cpu: "90", memory: 1.5Ti}', {"rdma/ib": "16", "cpu": "180", "memory": "3Ti"}),
        ("{memory: 1800Gi}", {"memory": "3600Gi"}),
        ("{cpu: 0.5}", {"cpu": "1"}),
    ],
)
def test_all_nodes_count(companions: str, totals: dict[str, str]) -> None:
    chat = quotas(companions, nodes=2, cards=8, guaranteed=16)["nlp-chat"]
    assert {name: quota["nominalQuota"] for name, quota in chat.items() if name != "nvidia.com/gpu"} == totals


def test_a_queue_gets_the_part_of_a_companion_that_it_has_of_the_cards() -> None:
    made = quotas("{cpu: 64}", nodes=2, cards=8, guaranteed=4, pool=8)
    assert {name: quota["cpu"] for name, quota in made.items()} == {
        "acme": {"name": "cpu", "nominalQuota": "32"},
        "nlp-chat": {"name": "cpu", "nominalQuota": "32", "borrowingLimit": "8", "lendingLimit": "32"},
        "notebooks": {"name": "cpu", "nominalQuota": "64", "borrowingLimit": "0"},
        "nlp-notebooks": {"name": "cpu", "nominalQuota": "0", "borrowingLimit": "64", "lendingLimit": "0"},
        "nlp-scratch": {"name": "cpu", "nominalQuota": "0", "borrowingLimit": "128", "lendingLimit": "0"},
    }


@given(
    nodes=st.integers(1, 7),
    cards=st.integers(1, 9),
    split=st.tuples(st.integers(0, 63), st.integers(0, 63)),
    cpu=st.integers(1, 200_000),
    memory=st.integers(1, 10**13),
)
def test_the_companions_of_the_whole_tree_add_up_to_the_hardware(
    nodes: int, cards: int, split: tuple[int, int], cpu: int, memory: int
) -> None:
    total = nodes * cards
    guaranteed = split[0] % (total + 1)
    pool = split[1] % (total - guaranteed + 1)
    made = quotas(f"{{cpu: {cpu}m, memory: {memory}}}", nodes=nodes, cards=cards, guaranteed=guaranteed, pool=pool)
    for name, per_node in (("cpu", Fraction(cpu, 1000)), ("memory", Fraction(memory))):
        amounts = [Quantity.parse(quota[name]["nominalQuota"]) for quota in made.values()]
        assert sum(amount.nanos for amount in amounts if amount) == per_node * nodes * 10**9


@pytest.mark.parametrize("text", ["lots", "-1", "[]", "1 Gi"])
def test_what_is_no_quantity_is_said_at_its_place(text: str) -> None:
    _, findings = resolved(SPEC.format(companions=f"{{cpu: {text}}}", nodes=1, cards=4, guaranteed=1, pool=0))
    assert {finding.at.line for finding in findings} == {6}
    assert {finding.rule for finding in findings} <= {"spec/invalid-value", "spec/wrong-type"}


def test_a_shared_pool_borrows_nothing_where_it_owns_nothing() -> None:
    made = quotas("{}", pool=0, guaranteed=1)
    assert made["notebooks"] == {
        "nvidia.com/gpu": {"name": "nvidia.com/gpu", "nominalQuota": "0", "borrowingLimit": "0"}
    }


@pytest.mark.parametrize(
    ("kueue", "left_out"),
    [
        ("0.19.2", ["ephemeral-storage", "hugepages-1Gi", "hugepages-2Mi"]),
        ("0.17.1", ["ephemeral-storage", "hugepages-"]),
    ],
)
def test_kueue_does_not_take_a_companion_out_of_requests(kueue: str, left_out: list[str]) -> None:
    text = SPEC.format(companions="{cpu: 64, memory: 1Ti}", nodes=1, cards=4, guaranteed=1, pool=0)
    text = text.replace('kubernetes: "1.36"', f'kubernetes: "1.36", components: {{kueue: {{version: {kueue}}}}}')
    resources = manager_configuration(fleet(text).clusters[0])["resources"]
    assert isinstance(resources, dict)
    transformed = [rule["input"] for rule in resources.get("transformations", ())]
    assert (transformed or resources["excludeResourcePrefixes"]) == left_out
