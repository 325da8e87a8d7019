"""Changes that no spec makes, but that rendered trees of people or of other versions hold."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from gpuplan.manifests.set import Manifest, ManifestSet
from gpuplan.plan import State, compare_states
from gpuplan.plan.effects import effects_of
from tests.unit.plan.queue_fleet import BASE, told
from tests.unit.plan.two import state

Edit = Callable[[dict[str, Any]], None]


def tree(kind: str, name: str, edit: Edit) -> State:
    """Return the base as a rendered tree without its spec, one object of which is edited."""
    made = [
        _edited(one, edit) if (one.key.kind, one.key.name) == (kind, name) else one for one in state(BASE).manifests
    ]
    return State(name="tree", manifests=ManifestSet.of(made), fleet=None)


def _edited(one: Manifest, edit: Edit) -> Manifest:
    made: dict[str, Any] = copy.deepcopy(dict(one.object))
    edit(made)
    return replace(one, object=made)


def _as_it_is(_made: dict[str, Any]) -> None:
    """Change nothing."""


def _set(*path: str, value: object) -> Edit:
    def edit(made: dict[str, Any]) -> None:
        for key in path[:-1]:
            made = made[key]
        made[path[-1]] = value

    edit.__name__ = f"{'.'.join(path)} {value}"
    return edit


CASES: tuple[tuple[str, str, Edit, list[str]], ...] = (
    (
        "PriorityClass",
        "gpuplan-queued",
        _set("value", value=3500),
        ["disruptive priority/immutable of PriorityClass gpuplan-queued"],
    ),
    (
        "WorkloadPriorityClass",
        "queued",
        _set("value", value=3500),
        ["low priority/value-changed of WorkloadPriorityClass queued"],
    ),
    ("WorkloadPriorityClass", "queued", _set("description", value="Ordinary work."), []),
    ("Cohort", "tune", _set("spec", "parentName", value="other"), ["low task-pool/moved of task pool tune"]),
    (
        "ClusterQueue",
        "vision-tune",
        _set("spec", "preemption", "withinClusterQueue", value="Never"),
        ["disruptive task-pool/preemption-changed of task pool tune"],
    ),
    (
        "ClusterQueue",
        "vision-tune",
        _set("spec", "stopPolicy", value="HoldAndDrain"),
        ["disruptive task-pool/stopped of task pool tune (vision)"],
    ),
    (
        "ClusterQueue",
        "vision-tune",
        _set("spec", "stopPolicy", value="Hold"),
        ["low task-pool/stopped of task pool tune (vision)"],
    ),
    ("ClusterQueue", "vision-tune", _set("spec", "stopPolicy", value="None"), []),
)


@pytest.mark.parametrize(
    ("kind", "name", "edit", "expected"), CASES, ids=lambda value: str(getattr(value, "__name__", value))[:40]
)
def test_an_object_that_somebody_edited_is_judged_without_a_spec(
    kind: str, name: str, edit: Edit, expected: list[str]
) -> None:
    old, new = tree(kind, name, _as_it_is), tree(kind, name, edit)
    assert told(effects_of(compare_states(old, new))) == expected


def test_a_quota_is_judged_without_a_spec() -> None:
    def cut(made: dict[str, Any]) -> None:
        made["spec"]["resourceGroups"][0]["flavors"][0]["resources"][0] |= {"nominalQuota": "8", "lendingLimit": "8"}

    old, new = (tree("ClusterQueue", "nlp-pretrain", edit) for edit in (_as_it_is, cut))
    some = effects_of(compare_states(old, new))
    assert "guaranteed 64 → 8 of train-h100-sxm-80gb (-56 pieces)" in some[0].summary
    assert some[0].teams == ("nlp",)
