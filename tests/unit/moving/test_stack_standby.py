"""`operatorStandby`: nodes that the GPU Operator is kept off before it comes, and an operator that is there without a pool."""

from __future__ import annotations

from typing import Any

import pytest

from gpuplan import conventions
from gpuplan.moving.stack import Road
from tests.unit.moving.test_stack import FLEET, assert_sound, found, texts
from tests.unit.moving.ways import FILE, check, loaded, rendered

BY_LABELS = FLEET.replace(
    "cardsPerNode: 8, selectedBy: {nfd: {}}}", "cardsPerNode: 8, selectedBy: {labels: {pool: lab}}}"
)
"""Others label the nodes of `lab-a`."""


def standing_by(standby: str, text: str = FLEET) -> str:
    return text.replace("stack: manual}", f"stack: manual, operatorStandby: {standby}}}")


def node_labels(text: str) -> list[str | None]:
    rules: list[Any] = [made.object for made in rendered(text) if made.key.kind == "NodeFeatureRule"]
    return [one["spec"]["rules"][0]["labels"].get(conventions.LABEL_OPERANDS) for one in rules]


def installation(text: str) -> list[Any]:
    name = conventions.gpu_operator_application_name("main")
    return [made.object for made in rendered(text) if (made.key.kind, made.key.name) == ("Application", name)]


@pytest.mark.parametrize(
    ("text", "label", "installed"),
    [(FLEET, None, False), (standing_by("labels"), "false", False), (standing_by("installed"), "false", True)],
)
def test_nodes_are_labelled_from_the_first_word_on_and_the_operator_comes_with_the_second(
    text: str, label: str | None, *, installed: bool
) -> None:
    assert set(node_labels(text)) == {label}
    assert bool(installation(text)) is installed


def test_an_operator_without_a_pool_runs_no_device_plugin_and_no_driver() -> None:
    (made,) = installation(standing_by("installed"))
    values = made["spec"]["source"]["helm"]["valuesObject"]
    assert not values["devicePlugin"]["enabled"]
    assert not values["driver"]["enabled"]
    assert not values["migManager"]["enabled"]


@pytest.mark.parametrize("standby", ["labels", "installed"])
def test_a_pool_that_others_label_is_told_what_its_nodes_need_with_the_word_that_says_so(standby: str) -> None:
    text = standing_by(standby, BY_LABELS)
    told = [one for one in check({FILE: text}).findings if one.rule.startswith("operator/")]
    assert [one.rule for one in told] == ["operator/labelled-by-others"]
    assert told[0].also[0].at == loaded(text).places.key(("clusters", "main", "operatorStandby"))


def test_the_standby_stays_beside_nodes_that_others_label_and_ends_once_the_operator_is_gone() -> None:
    forth = found(BY_LABELS, "l40s-a")
    assert [(place.standby, place.stack) for place in forth.move.places] == [
        ("", "manual"),
        ("", "manual"),
        ("labels", "manual"),
        ("installed", "manual"),
        ("installed", "external"),
        ("installed", "operator"),
    ]
    back = found(texts(forth)[-1], "l40s-a", "manual")
    assert [(place.standby, place.stack) for place in back.move.places] == [
        ("labels", "operator"),
        ("installed", "operator"),
        ("installed", "external"),
        ("installed", "manual"),
        ("labels", "manual"),
        ("", "manual"),
    ]
    for road in (forth, back):
        assert_sound(road)
        for number, text in enumerate(texts(road)):
            again = found(text, "l40s-a", road.move.target)
            assert (again.here, texts(again)) == (number, texts(road))


def test_who_labels_the_nodes_of_other_pools_is_told_so_before_the_operator_comes_and_after_it_has_gone() -> None:
    forth = found(BY_LABELS, "l40s-a")
    back = found(texts(forth)[-1], "l40s-a", "manual")
    assert labelling(forth) == {2: ["kubectl label nodes -l pool=lab --overwrite nvidia.com/gpu.deploy.operands=false"]}
    assert labelling(back) == {5: ["kubectl label nodes -l pool=lab --overwrite nvidia.com/gpu.deploy.operands-"]}
    (step,) = [one for one in forth.steps[1].forth.before if one.title.startswith("Label")]
    assert "whoever makes those of pool `lab-a` sets `nvidia.com/gpu.deploy.operands=false`" in step.until
    (step,) = [one for one in back.steps[4].forth.after if one.title.startswith("Label")]
    assert "whoever makes those of pool `lab-a` no longer sets `nvidia.com/gpu.deploy.operands`" in step.until


def test_a_pool_that_others_label_moves_itself_first_or_beside_pools_of_the_operator() -> None:
    first = found(BY_LABELS, "lab-a")
    assert [place.standby for place in first.move.places] == ["", "", "labels", *["installed"] * 3, ""]
    assert labelling(first)[5] == ["kubectl label nodes -l pool=lab --overwrite nvidia.com/gpu.deploy.operands-"]
    assert_sound(first)
    second = found(texts(found(BY_LABELS, "l40s-a"))[-1], "lab-a")
    assert [(place.standby, place.stack) for place in second.move.places[1:]] == [
        ("installed", "manual"),
        ("installed", "external"),
        ("installed", "operator"),
    ]
    assert_sound(second)
    again = found(texts(second)[-1], "lab-a", "manual")
    assert labelling(again)[again.here + 1] == [
        "kubectl label nodes -l pool=lab --overwrite nvidia.com/gpu.deploy.operands=false"
    ]
    assert_sound(again)


def test_only_the_nodes_of_a_pool_are_labelled_where_a_cut_tells_it_from_another() -> None:
    """Both pools have the same machines: a selector without the cut would free nodes that are not empty."""
    machine = "{labels: {machine: dgx, nvidia.com/mig.config: %s}}"
    lab = "  lab-a: {cluster: main, tier: lab, nodes: 2, cardsPerNode: 8, selectedBy: {nfd: {}}}"
    cut, whole = (lab.replace("{nfd: {}}", machine % name) for name in ("7x1g.5gb", "all-disabled"))
    text = FLEET.replace(
        lab,
        cut.replace("}}}", "}}, sharing: {mig: {profiles: {1g.5gb: 7}}}}") + "\n" + whole.replace("lab-a", "lab-b"),
    )
    quotas = "train: {lab/exclusive: {guaranteed: 16}, lab/1g.5gb: {guaranteed: 112}}"
    road = found(text.replace("train: {lab: {guaranteed: 16}}", quotas), "lab-a")
    commands = [
        command
        for step in road.steps
        for side in (step.forth, step.back)
        for one in (*side.before, *side.after)
        for command in one.commands
        if "label nodes" in command and "machine=dgx" in command
    ]
    assert commands
    assert all("machine=dgx,nvidia.com/mig.config=" in command for command in commands)


def labelling(road: Road) -> dict[int, list[str]]:
    """Commands for nodes of the pool that others label, by the number of the step."""
    made = {
        step.number: [
            command
            for one in (*step.forth.before, *step.forth.after)
            for command in one.commands
            if command.startswith("kubectl label nodes -l pool=lab")
        ]
        for step in road.steps
    }
    return {number: commands for number, commands in made.items() if commands}
