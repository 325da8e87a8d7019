"""The steps of a MIG change: what comes before what, for whom, and with which numbers."""

from __future__ import annotations

from typing import TypeVar

import pytest

from gpuplan.model import steps
from gpuplan.model.lifecycle import MigChange, mig_changes, stable_labels
from gpuplan.model.pools import produced_resources
from tests.unit.emit.fleets import place

MIG = "sharing: {mig: {profiles: {1g.5gb: 2, 2g.10gb: 1, 3g.20gb: 1}}}"
LABELLED = (
    "selectedBy: {labels: {pool: lab, nvidia.com/mig.config: 2x1g.5gb-1x2g.10gb-1x3g.20gb}}, sharing: {mig: {profiles: "
    "{1g.5gb: 2, 2g.10gb: 1, 3g.20gb: 1}}}"
)
TASKS = """
taskPools:
  chat: {kind: onlineInference, service: guaranteed, tiers: [lab], stateful: {drainSeconds: 900}}
  embed: {kind: onlineInference, service: guaranteed, tiers: [lab], stateful: {drainSeconds: 60}}
  far: {kind: onlineInference, service: guaranteed, tiers: [big], stateful: {drainSeconds: 5000}}
teams:
  a: {namespaces: [a-two, a-one], quotas: {chat: {lab/1g.5gb: {guaranteed: 1}}, far: {big: {guaranteed: 1}}}}
"""


Kind = TypeVar("Kind")


def change(pool: str, cluster: str = "", more: str = "") -> MigChange:
    """Return the change of pool `a`."""
    return {
        made.name: found
        for made, found in mig_changes(place(f"a: {{{pool}}}, b: {{tier: big}}", cluster, more).cluster)
    }["a"]


def names(found: tuple[steps.Step, ...]) -> list[str]:
    return [type(step).__name__ for step in found]


def one(found: tuple[steps.Step, ...], kind: type[Kind]) -> Kind:
    (step,) = (step for step in found if isinstance(step, kind))
    return step


@pytest.mark.parametrize(
    ("pool", "cluster", "once", "each"),
    [
        pytest.param(
            MIG,
            "",
            "Find Hold Publish",
            "Cordon Drain PrepareReset Release AwaitCut AwaitAgents Verify Uncordon",
            id="NFD labels the nodes at once, so they are held before",
        ),
        pytest.param(
            LABELLED,
            "stack: operator",
            "Find Hold Publish",
            "Cordon Drain PrepareReset Relabel Release AwaitCut AwaitAgents Verify Uncordon",
            id="a person labels one node after another",
        ),
        pytest.param(
            f"{MIG}, selectedBy: {{provisioner: kubelet}}",
            "",
            "Find Hold Publish",
            "Cordon Drain PrepareReset Relabel Release AwaitCut AwaitAgents Verify Uncordon",
            id="the kubelet's labels are for new nodes",
        ),
        pytest.param(
            f"{MIG}, selectedBy: {{provisioner: karpenter}}",
            "",
            "Find Publish",
            "Cordon Drain Replace AwaitCut AwaitAgents Verify Uncordon",
            id="Karpenter makes new nodes",
        ),
        pytest.param(
            MIG,
            "stack: external",
            "Find Publish",
            "Cordon Drain HandOver Verify Uncordon",
            id="others cut the cards",
        ),
        pytest.param(
            "tier: big, sharing: {mig: {profiles: {1g.10gb: 7}}}",
            "",
            "Find Hold Publish",
            "Cordon Drain Release AwaitCut AwaitAgents Verify Uncordon",
            id="H100 needs no reset",
        ),
    ],
)
def test_the_order_depends_on_who_labels_who_cuts_and_the_card(pool: str, cluster: str, once: str, each: str) -> None:
    found = change(pool, cluster)
    assert names(found.once) == once.split()
    assert names(found.each) == each.split()


def test_a_drain_waits_for_the_longest_grace_of_those_who_may_run_there() -> None:
    drain = one(change(MIG, more=TASKS).each, steps.Drain)
    assert drain.grace_seconds == 900
    assert drain.timeout_seconds == 900 + 300


def test_serving_is_ready_again_before_the_next_node() -> None:
    found = change(MIG, more=TASKS)
    assert names(found.each)[-2:] == ["Uncordon", "AwaitWork"]
    assert one(found.each, steps.AwaitWork).serving == (("a-one", "chat"), ("a-two", "chat"))


def test_a_node_is_checked_against_what_the_pool_produces() -> None:
    here = place(f"a: {{{MIG}}}")
    assert one(change(MIG).each, steps.Verify).offers == produced_resources(here.pool)


def test_nodes_are_found_by_labels_that_the_layout_does_not_change() -> None:
    assert stable_labels(place(f"a: {{{MIG}}}").pool) == (("gpuplan.dev/pool", "a"),)
    assert stable_labels(place(f"a: {{{LABELLED}}}").pool) == (("pool", "lab"),)
    assert one(change(LABELLED).each, steps.Relabel).labels == (
        ("nvidia.com/mig.config", "2x1g.5gb-1x2g.10gb-1x3g.20gb"),
    )


def test_by_hand_four_slices_come_before_three() -> None:
    (cut,) = change("sharing: {mig: {profiles: {3g.20gb: 1, 4g.20gb: 1}}}").cuts
    assert cut.instances == (("4g.20gb", 0), ("3g.20gb", 4))


def test_only_mig_pools_have_a_layout_to_change() -> None:
    assert list(mig_changes(place("a: {}, b: {tier: desk, sharing: {mps: {replicas: 2}}}").cluster)) == []
