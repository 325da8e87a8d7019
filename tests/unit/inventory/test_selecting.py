"""Selectors and tolerations decide as Kubernetes does, and say nothing where labels that are not known decide."""

from __future__ import annotations

import pytest

from gpuplan.inventory.cards.tolerating import Taint, repelling, untolerated
from gpuplan.inventory.items import Item
from gpuplan.inventory.scheduling.selecting import Labels

LABELS = {"team": "vision", "tier": "a"}
SELECTORS = {
    "none selects nothing": (None, False, False),
    "an empty one selects everything": ({}, True, True),
    "a label as it is": ({"matchLabels": {"team": "vision"}}, True, True),
    "a label with another value": ({"matchLabels": {"team": "nlp"}}, False, False),
    "a label that is not known": ({"matchLabels": {"zone": "eu"}}, False, None),
    "one that is wrong, whatever the other": ({"matchLabels": {"zone": "eu", "team": "nlp"}}, False, False),
    "one of several values": (
        {"matchExpressions": [{"key": "team", "operator": "In", "values": ["vision", "nlp"]}]},
        True,
        True,
    ),
    "none of several values": (
        {"matchExpressions": [{"key": "team", "operator": "NotIn", "values": ["vision"]}]},
        False,
        False,
    ),
    "no value of a label that is not there": (
        {"matchExpressions": [{"key": "zone", "operator": "NotIn", "values": ["eu"]}]},
        True,
        None,
    ),
    "a label at all": ({"matchExpressions": [{"key": "team", "operator": "Exists"}]}, True, True),
    "no such label": ({"matchExpressions": [{"key": "zone", "operator": "DoesNotExist"}]}, True, None),
    "an operator that is none": ({"matchExpressions": [{"key": "team", "operator": "Maybe"}]}, None, None),
}
"""Selector -> the answer if these are all labels, and if there may be more."""


@pytest.mark.parametrize(("selector", "of_all", "of_some"), SELECTORS.values(), ids=SELECTORS)
def test_a_selector_of(selector: object, of_all: bool | None, of_some: bool | None) -> None:
    view = Item.plain({"selector": selector}).root["selector"]
    assert Labels(known=LABELS, complete=True).match(view) is of_all
    assert Labels(known=LABELS, complete=False).match(view) is of_some


TAINT = Taint("nvidia.com/gpu", "present", "NoSchedule")
TOLERATIONS = {
    "its key, value and effect": ({"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}, True),
    "its key and value": ({"key": "nvidia.com/gpu", "value": "present"}, True),
    "its key alone": ({"key": "nvidia.com/gpu", "operator": "Exists"}, True),
    "everything": ({"operator": "Exists"}, True),
    "another value": ({"key": "nvidia.com/gpu", "value": "absent"}, False),
    "no value": ({"key": "nvidia.com/gpu"}, False),
    "another effect": ({"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoExecute"}, False),
    "another key": ({"key": "amd.com/gpu", "operator": "Exists"}, False),
    "nothing": ({}, False),
    "what is no toleration": ("Exists", False),
}


@pytest.mark.parametrize(("toleration", "lets_in"), TOLERATIONS.values(), ids=TOLERATIONS)
def test_a_toleration_of(toleration: object, lets_in: bool) -> None:
    view = Item.plain({"tolerations": [toleration]}).root["tolerations"]
    assert (untolerated([TAINT], view) == []) is lets_in


def test_tolerations_of_a_flavor_and_of_pods_count_together() -> None:
    root = Item.plain(
        {"flavor": [{"key": "a", "operator": "Exists"}], "pods": [{"key": "b", "operator": "Exists"}]}
    ).root
    taints = [Taint(key, "", "NoSchedule") for key in "abc"]
    assert [one.key for one in untolerated(taints, root["flavor"], root["pods"])] == ["c"]


def test_wishes_and_states_of_a_node_keep_no_pod_off_for_good() -> None:
    taints = [
        {"key": "soft", "effect": "PreferNoSchedule"},
        {"key": "node.kubernetes.io/not-ready", "effect": "NoExecute"},
        {"key": "card", "value": True, "effect": "NoExecute"},
    ]
    assert [*map(str, repelling(Item.plain({"taints": taints}).root["taints"]))] == ["card=true:NoExecute"]
