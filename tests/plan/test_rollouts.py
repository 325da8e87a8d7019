"""The steps of ordered rollouts are commits that work: each is a spec that `check` accepts, and the last one makes the new spec."""

from __future__ import annotations

import copy
import functools
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gpuplan import rules
from gpuplan.compare import ABSENT
from gpuplan.diagnostics import Severity
from gpuplan.manifests.set import ManifestSet
from gpuplan.manifests.write import yaml_text
from gpuplan.moving.stack_owners import twice_owned
from gpuplan.plan import Plan, Rollout, compare_states, plan
from gpuplan.plan.parts import Edit, Risk
from gpuplan.source.yamltext import parse_text
from tests.build import resolved
from tests.plan.kinds import BASE, CASES, read, state
from tests.unit.plan.two import edited


def plain(text: str) -> dict[str, Any]:
    """The spec as it is written, with `defaults:` apart."""
    data = parse_text("fleet.yaml", text).documents[0].plain()
    assert isinstance(data, dict)
    return data


def with_edits(spec: dict[str, Any], edits: tuple[Edit, ...]) -> dict[str, Any]:
    made = copy.deepcopy(spec)
    for edit in edits:
        here: Any = made
        for key in edit.path[:-1]:
            here = here.setdefault(key, {}) if isinstance(here, dict) else here[key]
        if edit.value is ABSENT:
            del here[edit.path[-1]]
        else:
            here[edit.path[-1]] = edit.value
    return made


@functools.cache
def planned(path: Path) -> Plan:
    return plan(compare_states(state(BASE, "base"), state(read(path).new, "change")))


WITH_ROLLOUTS = [path for path in CASES if "\nrollout " in path.read_text(encoding="utf-8")]
each = pytest.mark.parametrize("path", WITH_ROLLOUTS, ids=lambda path: path.stem)


@each
def test_each_commit_of_a_rollout_is_a_spec_that_check_accepts(path: Path) -> None:
    for rollout in planned(path).rollouts:
        spec = plain(BASE)
        for step in rollout.steps:
            spec = with_edits(plain(read(path).new) if step.merges else spec, step.edits)
            fleet, found = resolved(yaml_text(spec))
            assert fleet is not None, (rollout.kind, step.title, [one.summary for one in found])
            errors = [one.summary for one in rules.check(fleet) if one.severity is Severity.ERROR]
            assert not errors, (rollout.kind, step.title)


@each
def test_a_rollout_merges_the_change_once_and_says_what_to_wait_for(path: Path) -> None:
    for rollout in planned(path).rollouts:
        assert [step.merges for step in rollout.steps].count(True) == 1
        assert all(step.until for step in rollout.steps if step.edits or step.merges)
        assert all(step.edits or step.commands or step.merges or step.until for step in rollout.steps)


@each
def test_no_commit_before_the_last_is_worse_than_the_change_as_a_whole(path: Path) -> None:
    for rollout in planned(path).rollouts:
        spec = plain(BASE)
        for step in early_commits(rollout):
            before, spec = spec, with_edits(spec, step)
            small = plan(compare_states(state(yaml_text(before)), state(yaml_text(spec))))
            # A team that is called otherwise ends before it begins anew, and so do its queues.
            ends = any(edit.value is ABSENT and edit.path[:1] == ("teams",) and len(edit.path) == 2 for edit in step)
            allowed = Risk.DESTRUCTIVE if ends else planned(path).risk
            assert small.risk.rank <= allowed.rank, [effect.summary for effect in small.effects]


@each
def test_no_command_deletes_what_others_made(path: Path) -> None:
    commands = [command for rollout in planned(path).rollouts for step in rollout.steps for command in step.commands]
    for command in (command for command in commands if " delete " in command):
        assert "--all" not in command
        assert "managed-by=gpuplan" in command or "delete priorityclass gpuplan-" in command, command


def early_commits(rollout: Rollout) -> Iterator[tuple[Edit, ...]]:
    return (step.edits for step in rollout.steps if step.edits and not step.merges)


def test_the_kinds_of_rollouts_that_the_plan_promises_are_all_among_the_cases() -> None:
    found = {rollout.kind for path in CASES for rollout in planned(path).rollouts}
    assert found >= {"shrink", "handover", "recut", "flavor", "stack", "requeue"}


def test_nodes_that_leave_a_flavor_which_others_keep_are_emptied_before() -> None:
    two = edited(
        BASE,
        (
            "  l4-desk:\n",
            "  l4-new: {cluster: us, tier: desk, nodes: 2, cardsPerNode: 8, selectedBy: {nfd: {}}, sharing: {timeSlicing: {replicas: 4}}}\n  l4-desk:\n",
        ),
        ("  desk: {cards: [l4]", "  bench: {cards: [l4], suits: [experiment]}\n  desk: {cards: [l4]"),
    )
    moved = edited(two, ("l4-new: {cluster: us, tier: desk", "l4-new: {cluster: us, tier: bench"))
    (rollout,) = plan(compare_states(state(two), state(moved))).rollouts
    assert (rollout.kind, rollout.subject) == ("tier", "pool l4-new")
    assert [step.title.split(" ")[0] for step in rollout.steps] == ["Cordon", "Merge", "Open"]


def test_a_person_deletes_the_local_queues_that_argo_cd_leaves_in_a_namespace_it_may_no_longer_see() -> None:
    path = next(path for path in CASES if path.stem == "namespace-moved")
    first = planned(path).rollouts[0].steps[0]
    assert any("delete localqueues" in command for command in first.commands)
    old, new = state(BASE), state(yaml_text(with_edits(plain(BASE), first.edits)))
    assert {effect.fact for effect in plan(compare_states(old, new)).effects} & {"namespace/let-go"}


@pytest.mark.parametrize(("provisioner", "word"), [("kubelet", "Label"), ("karpenter", "Bring")])
def test_labels_that_only_new_nodes_get_are_brought_before_the_change_is_merged(provisioner: str, word: str) -> None:
    old = edited(BASE, ("{provisioner: karpenter}", f"{{provisioner: {provisioner}}}"))
    shared = f"{{provisioner: {provisioner}}}\n    sharing: {{timeSlicing: {{replicas: 2}}}}"
    new = edited(old, (f"{{provisioner: {provisioner}}}", shared))
    (rollout,) = plan(compare_states(state(old), state(new))).rollouts
    words = [step.title.partition(" ")[0] for step in rollout.steps]
    assert words == ["Hold", "Let", "Cordon", word, "Merge", "Open", "Let"]


def test_pools_that_nothing_keeps_an_operator_off_move_together_first_to_it_and_last_from_it() -> None:
    second = (
        "  h100-b: {cluster: eu, tier: train, nodes: 2, cardsPerNode: 8, topologyLabels: provided, "
        "selectedBy: {labels: {pool: h100, row: b}}}\n"
    )
    rows = ("selectedBy: {labels: {pool: h100}}", "selectedBy: {labels: {pool: h100, row: a}}")
    manual = edited(BASE, rows, ("  l40s-a:\n", f"{second}  l40s-a:\n"))
    operator = edited(manual, ('    owners: ["@acme/eu"]\n', '    owners: ["@acme/eu"]\n    stack: operator\n'))
    moves = []
    for old, new in ((manual, operator), (operator, manual)):
        (rollout,) = plan(compare_states(state(old), state(new))).rollouts
        spec = plain(old)
        for step in rollout.steps:
            spec = with_edits(plain(new) if step.merges else spec, step.edits)
            fleet, _ = resolved(yaml_text(spec))
            assert fleet is not None
            assert not [one.summary for one in rules.check(fleet) if one.severity is Severity.ERROR], step.title
        moves.append([len(step.edits) for step in rollout.steps if step.title.startswith("Give")])
    assert moves == [[2], [1]]


@each
def test_no_node_has_two_device_plugins_or_two_drivers_between_two_commits_of_a_stack_rollout(path: Path) -> None:
    for rollout in (one for one in planned(path).rollouts if one.kind == "stack"):
        spec, before = plain(BASE), state(BASE)
        for step in rollout.steps:
            spec = with_edits(plain(read(path).new) if step.merges else spec, step.edits)
            after = state(yaml_text(spec))
            old, new = (side.cluster(rollout.cluster or "") for side in (before, after))
            assert old is not None
            assert new is not None
            assert list(twice_owned(old, new, before.manifests, after.manifests)) == [], step.title
            before = after


def test_a_change_of_what_never_changes_in_several_clusters_is_merged_once_with_all_revisions() -> None:
    new = edited(
        BASE,
        ("taints: [{key: nvidia.com/gpu, effect: NoSchedule}]", "taints: [{key: a.example/x, effect: NoSchedule}]"),
    )
    edits = [
        step.edits
        for rollout in plan(compare_states(state(BASE), state(new))).rollouts
        for step in rollout.steps
        if step.merges
    ]
    assert len(edits) == 2
    assert len(set(edits)) == 1
    assert {edit.path[1] for edit in edits[0]} == {"train", "serve", "lab", "desk"}


def test_a_priority_class_whose_value_changes_is_deleted_by_a_person_once_the_change_is_merged() -> None:
    old = state(BASE)
    edited = ManifestSet.of(
        replace(made, object={**made.object, "value": 17}) if made.key.name == "gpuplan-guaranteed" else made
        for made in old.manifests
    )
    made = plan(compare_states(old, replace(old, manifests=edited))).rollouts
    assert [(one.kind, one.cluster, [step.merges for step in one.steps]) for one in made] == [
        ("priority", "eu", [True, False])
    ]
    assert made[0].steps[1].commands == ("kubectl delete priorityclass gpuplan-guaranteed",)
