"""A card that is shared by another vendor's means is told of its own."""

from __future__ import annotations

import pytest

from gpuplan.diagnostics import Severity
from tests.rules.cases import judged

FLEET = """
apiVersion: gpuplan.dev/v1alpha1
metadata: {{name: acme}}
clusters: {{eu: {{kubernetes: "1.36", stack: external}}}}
cardTiers: {{lab: {{cards: [{card}]}}}}
nodePools:
  a: {{cluster: eu, tier: lab, nodes: 2, cardsPerNode: 8, selectedBy: {{labels: {{pool: a}}}}, sharing: {{{sharing}}}}}
"""
SHARINGS = {
    "timeSlicing: {replicas: 4}": "share/time-slicing-on-unsupported-card",
    "mps: {replicas: 4}": "share/mps-on-unsupported-card",
    "mig: {profiles: {1g.5gb: 7}}": "mig/card-without-mig",
}
OWN_WAYS = {
    "mi300x": "or cut the card by `partition`.",
    "ascend-310p3": "or cut the card by `vnpu`.",
    "mi210": "",
    "gaudi3": "",
}


@pytest.mark.parametrize("sharing", SHARINGS)
@pytest.mark.parametrize("card", OWN_WAYS)
def test_nvidias_ways_on_a_card_lead_to_its_own(card: str, sharing: str) -> None:
    (found,) = [each for each in judged(FLEET.format(card=card, sharing=sharing)) if each.rule == SHARINGS[sharing]]
    own = OWN_WAYS[card]
    assert found.fix == (f"Write `sharing: exclusive`, {own}" if own else "Write `sharing: exclusive`.")


@pytest.mark.parametrize(("card", "way"), [("l4", "mig"), ("mi210", "Cards with partitions are `mi300x`")])
def test_partitions_on_another_card_lead_to_what_can_be_cut(card: str, way: str) -> None:
    found = judged(FLEET.format(card=card, sharing="partition: {compute: CPX}"))
    (finding,) = [each for each in found if each.rule == "partition/card-without-partitions"]
    assert way in finding.fix


def test_an_unknown_template_leads_to_the_nearest_and_to_all() -> None:
    found = judged(FLEET.format(card="ascend-910b3", sharing="vnpu: {templates: {vir05_1c_8g: 2}}"))
    (finding,) = [each for each in found if each.rule == "vnpu/unknown-template"]
    assert finding.fix == "Write `vir05_1c_16g`. `ascend-910b3` has `vir05_1c_16g` and `vir10_3c_32g`."


def test_what_is_expected_of_others_is_named_with_what_is_not_confirmed() -> None:
    text = (
        FLEET.replace("external", "manual")
        .format(card="gaudi3", sharing="")
        .replace("sharing: {}", "sharing: exclusive")
    )
    (finding,) = [each for each in judged(text) if each.rule == "card/vendor-agents-expected"]
    for word in ("habana-ai-operator", "habana.ai/gaudi"):
        assert word in finding.summary
    for word in ("habana-metric-exporter", "41611", "unconfirmed"):
        assert word in finding.detail


def test_labels_that_nothing_of_ours_can_set_are_asked_for() -> None:
    text = FLEET.replace("external", "manual").replace("labels: {{pool: a}}", "nfd: {{}}")
    found = judged(text.format(card="ascend-310p3", sharing="vnpu: {templates: {vir02: 4}}"))
    (finding,) = [each for each in found if each.rule == "card/vendor-agents-expected"]
    assert "`accelerator=huawei-Ascend310P` and `workerselector=dls-worker-node`" in finding.detail


def test_whoever_cuts_cards_into_virtual_npus_is_told_to() -> None:
    text = FLEET.replace("external", "manual")
    for sharing, told in (("vnpu: {templates: {vir02: 4}}", True), ("", False)):
        spec = text.format(card="ascend-310p3", sharing=sharing).replace("sharing: {}", "sharing: exclusive")
        (finding,) = [each for each in judged(spec) if each.rule == "card/vendor-agents-expected"]
        assert ("create-vnpu" in finding.detail) is told


def test_amds_chart_is_to_leave_our_nodes_alone() -> None:
    text = (
        FLEET.replace("external", "operator")
        .format(card="mi300x", sharing="")
        .replace("sharing: {}", "sharing: exclusive")
    )
    (finding,) = [each for each in judged(text) if each.rule == "card/vendor-agents-expected"]
    assert "`crds.defaultCR.install=false`" in finding.detail


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        (
            "{accelerator: ascend, pool: a}",
            "So it cannot be selected by `accelerator: ascend`: no node has both values.",
        ),
        ("{accelerator: huawei-Ascend310P, pool: a}", ""),
        ("{pool: a}", ""),
    ],
)
def test_a_label_that_the_agents_want_otherwise_is_named(labels: str, said: str) -> None:
    text = FLEET.format(card="ascend-310p3", sharing="vnpu: {templates: {vir02: 4}}")
    text = text.replace("stack: external", "stack: manual").replace("{pool: a}", labels)
    (finding,) = [each for each in judged(text) if each.rule == "card/vendor-agents-expected"]
    assert ("cannot be selected" in finding.detail) == bool(said)
    assert said in finding.detail


@pytest.mark.parametrize("sharing", [*SHARINGS, "hami: {split: 4}"])
def test_nobody_is_told_to_install_what_would_never_offer_the_resource(sharing: str) -> None:
    text = FLEET.format(card="mi300x", sharing=sharing).replace("stack: external", "stack: operator")
    found = judged(text)
    assert any(each.severity is Severity.ERROR for each in found)
    assert "card/vendor-agents-expected" not in [each.rule for each in found]
