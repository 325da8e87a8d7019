"""What nodes offer to a flavor, from whatever says it, and what slack takes up while cards are out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplan.inventory.assumed import Assumed
from gpuplan.inventory.scheduling.capacity import balances, offer, slack_lending, unbacked
from gpuplan.inventory.scheduling.queues import flavors
from tests.unit.inventory.held import held, queue

GPU = "nvidia.com/gpu"
FLAVOR = "---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata: {{name: f{}}}\nspec: {{nodeLabels: {{pool: p}}}}\n"
PLAIN = FLAVOR.format("")


def node(name: str, cards: int, rest: str = "", labels: str = "pool: p") -> str:
    """Return a Node with cards."""
    metadata = f"{{name: {name}, labels: {{{labels}}}}}"
    return f"---\napiVersion: v1\nkind: Node\nmetadata: {metadata}\nspec: {{{rest}}}\nstatus: {{allocatable: {{{GPU}: {cards}}}}}\n"


def annotated(text: str) -> str:
    """Return the flavor with annotations."""
    return FLAVOR.format(f", annotations: {{{text}}}")


MACHINES = (
    "---\napiVersion: machine.openshift.io/v1beta1\nkind: MachineSet\n"
    "metadata: {name: m, annotations: {machine.openshift.io/GPU: '4', machine.openshift.io/memoryMb: '1024'}}\n"
    "spec: {replicas: 3, template: {spec: {metadata: {labels: {pool: p}}}}}\n"
)
SCALER = (
    "---\nkind: MachineAutoscaler\napiVersion: autoscaling.openshift.io/v1beta1\nspec: {scaleTargetRef: {name: m}}\n"
)
KARPENTER = "---\nkind: NodePool\napiVersion: karpenter.sh/v1\nmetadata: {name: k}\nspec: {template: {metadata: {labels: {pool: p}}}}\n"
OFFERS = {
    "listed nodes add up": (PLAIN + node("a", 8) + node("b", 4), Assumed(), 12),
    "others' nodes do not": (PLAIN + node("a", 8) + node("b", 4, labels="pool: q"), Assumed(), 8),
    "cordoned nodes come back": (PLAIN + node("a", 8) + node("b", 8, "unschedulable: true"), Assumed(), 16),
    "annotations of the flavor": (annotated("nodes: '3', nvidia.com/gpu-per-node: '8'"), Assumed(), 24),
    "cards in short": (annotated("nodes: '3', gpu-per-node: '8'"), Assumed(), 24),
    "assumed nodes with assumed cards": (PLAIN, Assumed(nodes=3, cards_per_node=8), 24),
    "assumed nodes of the flavor, one of which is listed": (PLAIN + node("a", 8), Assumed(nodes_of={"f": 5}), 40),
    "nothing from assumed nodes alone": (PLAIN, Assumed(nodes=3), None),
    "nothing where listed nodes differ": (PLAIN + node("a", 8) + node("b", 4), Assumed(nodes=5), None),
    "machines of a set": (PLAIN + MACHINES, Assumed(), 12),
    "nothing of a set that is scaled": (PLAIN + MACHINES + SCALER, Assumed(), None),
    "nothing where nodes come and go": (PLAIN + KARPENTER + node("a", 8), Assumed(), None),
    "nothing without nodes": (PLAIN, Assumed(), None),
}


@pytest.mark.parametrize(("text", "facts", "cards"), OFFERS.values(), ids=OFFERS)
def test_a_flavor_is_offered(text: str, facts: Assumed, cards: int | None) -> None:
    inventory = held(text + queue("q", "1"), facts)
    found = offer(inventory, flavors(inventory)["f"])
    assert (found.total[GPU].whole if found else None) == cards


def test_memory_of_a_machine_set_is_in_mebibytes() -> None:
    inventory = held(PLAIN + MACHINES)
    found = offer(inventory, flavors(inventory)["f"])
    assert found is not None
    assert str(found.total["memory"]) == "3Gi"


def test_a_misspelt_flavor_counts_for_the_one_that_is_meant() -> None:
    (balance,) = balances(
        held(PLAIN.replace("name: f", "name: h100") + node("a", 8) + queue("q", "8").replace("name: f", "name: h10O"))
    )
    assert (balance.given.flavor.name, balance.given.total.whole, balance.there.whole) == ("h100", 8, 8)


def test_a_flavor_that_is_used_was_not_meant_by_another_name() -> None:
    text = PLAIN.replace("name: f", "name: a10") + node("a", 8)
    queues = queue("q", "8").replace("name: f", "name: a10") + queue("r", "8").replace("name: f", "name: a100")
    (balance,) = balances(held(text + queues))
    assert balance.given.total.whole == 8


CASE = [(24, 8, 0), (20, 4, 0), (16, 0, 0), (12, 0, 4)]
"""Working cards of 24 with a slack queue of 8 -> what it may lend, and what the others have beyond what works."""


@pytest.mark.parametrize(("working", "lending", "over"), CASE)
def test_slack_lends_less_by_the_cards_that_are_out(working: int, lending: int, over: int) -> None:
    assert slack_lending(8, 24, working) == lending
    assert unbacked(24, 8, 24, working) == over


@given(slack=st.integers(0, 64), teams=st.integers(0, 64), out=st.integers(0, 128))
def test_what_slack_may_lend_never_exceeds_what_works_beside_the_teams(slack: int, teams: int, out: int) -> None:
    installed = slack + teams
    working = max(0, installed - out)
    over = unbacked(installed, slack, installed, working)
    assert 0 <= slack_lending(slack, installed, working) <= slack
    assert teams + slack_lending(slack, installed, working) - over <= working
