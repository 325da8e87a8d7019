"""A pool's way to another stack: every step is a fleet without errors, with one owner a card, and can be taken back."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from gpuplan import conventions
from gpuplan.catalog.cards import Vendor
from gpuplan.diagnostics import Severity
from gpuplan.manifests.set import ManifestSet
from gpuplan.model.labels import all_labels
from gpuplan.model.pools import Stack
from gpuplan.moving.stack import Road, arrived
from gpuplan.moving.stack_owners import OPERATOR, driver_owners, plugin_owners, selects
from tests.generated import fleets
from tests.unit.moving.ways import FILE, check, loaded, pool_of, rendered, way

FLEET = """
apiVersion: gpuplan.dev/v1alpha1
metadata: {name: acme}
clusters:
  main: {kubernetes: "1.36", stack: manual}
cardTiers:
  serve: {cards: [l40s]}
  lab: {cards: [a100-sxm-40gb]}
  desk: {cards: [t4], topology: off}
nodePools:
  l40s-a: {cluster: main, tier: serve, nodes: 2, cardsPerNode: 4, selectedBy: {nfd: {}}, driver: {preinstalled: true}}
  lab-a: {cluster: main, tier: lab, nodes: 2, cardsPerNode: 8, selectedBy: {nfd: {}}}
  desk-a: {cluster: main, tier: desk, nodes: 2, cardsPerNode: 8, selectedBy: {provisioner: kubelet}, sharing: {timeSlicing: {replicas: 4}}}
taskPools:
  chat: {kind: onlineInference, service: guaranteed, tiers: [serve], stateful: {drainSeconds: 900}}
  train: {kind: experiment, service: guaranteed, tiers: [lab]}
  books: {kind: experiment, service: guaranteed, tiers: [desk]}
teams:
  nlp:
    namespaces: [nlp]
    quotas: {chat: {serve: {guaranteed: 8}}, train: {lab: {guaranteed: 16}}, books: {desk: {guaranteed: 64}}}
"""
NEVER_CHANGE = {
    "ClusterQueue",
    "Cohort",
    "LocalQueue",
    "PriorityClass",
    "ResourceFlavor",
    "Topology",
    "WorkloadPriorityClass",
}


def found(text: str, pool: str, target: Stack = "operator") -> Road:
    made = way(text, pool, target)
    assert isinstance(made, Road), [one.summary for one in made]
    return made


def texts(road: Road) -> list[str]:
    return [one[FILE] for one in road.texts]


def titles(road: Road) -> list[str]:
    return [step.forth.commit.title for step in road.steps]


def objects(made: ManifestSet, kinds: set[str]) -> dict[Any, str]:
    return {(one.cluster, one.key): json.dumps(one.object, sort_keys=True) for one in made if one.key.kind in kinds}


def of_other_pools(made: ManifestSet, pool: str) -> dict[Any, str]:
    """The node agents of all pools but one."""
    return {
        key: text
        for key, text in objects(made, {"DaemonSet"}).items()
        if (name := json.loads(text)["metadata"]["labels"].get(conventions.LABEL_POOL)) and name != pool
    }


def assert_sound(road: Road) -> None:
    """Hold every step of a way against what all of them promise, with nothing of the way's own checks."""
    pool, cluster_name = road.move.pool, road.move.cluster
    for number, text in enumerate(texts(road)):
        looked = check({FILE: text})
        assert not [one.summary for one in looked.findings if one.severity is Severity.ERROR], number
    whole = [rendered(text) for text in texts(road)]
    assert len({json.dumps(sorted(map(repr, objects(one, NEVER_CHANGE).items()))) for one in whole}) == 1
    assert all(of_other_pools(one, pool) == of_other_pools(whole[0], pool) for one in whole)
    clusters = [next(c for c in loaded(text).clusters if c.name == cluster_name) for text in texts(road)]
    for number in range(len(whole) - 1):
        sides = whole[number : number + 2]
        for before, after in zip(clusters[number].pools, clusters[number + 1].pools, strict=True):
            for cluster, own in ((clusters[number], before), (clusters[number + 1], after)):
                labels = all_labels(cluster, own)
                if own.card.vendor is Vendor.NVIDIA:
                    assert len(plugin_owners(labels, cluster, *sides)) <= 1, (number, own.name)
                    assert len(driver_owners(labels, cluster, (before, after), *sides)) <= 1, (number, own.name)


@pytest.mark.parametrize("pool", ["l40s-a", "lab-a", "desk-a"])
def test_the_first_pool_goes_to_the_operator_when_that_is_there_and_kept_off_all_others(pool: str) -> None:
    road = found(FLEET, pool)
    assert [place.standby for place in road.move.places] == [
        "",
        "",
        "labels",
        "installed",
        "installed",
        "installed",
        "",
    ]
    assert [place.stack for place in road.move.places] == ["manual"] * 4 + ["external"] + ["operator"] * 2
    assert_sound(road)


def test_the_last_pool_leaves_the_operator_behind_which_then_goes_before_the_labels_do() -> None:
    there = texts(found(FLEET, "lab-a"))[-1]
    road = found(there, "lab-a", "manual")
    assert road.here == 0
    assert [(place.standby, place.stack) for place in road.move.places] == [
        ("", "operator"),
        ("installed", "operator"),
        ("installed", "external"),
        ("installed", "manual"),
        ("labels", "manual"),
        ("", "manual"),
    ]
    assert_sound(road)


def test_a_pool_beside_others_of_the_operator_needs_no_standby() -> None:
    there = texts(found(FLEET, "lab-a"))[-1]
    road = found(there, "desk-a")
    assert [place.stack for place in road.move.places] == ["manual", "manual", "external", "operator"]
    assert_sound(road)


@pytest.mark.parametrize("target", ["operator", "manual"])
def test_each_step_forth_and_back_is_the_same_text_and_the_place_is_known_from_the_text_alone(target: Stack) -> None:
    start = FLEET if target == "operator" else texts(found(FLEET, "desk-a"))[-1]
    road = found(start, "desk-a", target)
    for number, text in enumerate(texts(road)):
        again = found(text, "desk-a", target)
        assert again.here == number
        assert texts(again) == texts(road)
        assert [step.done for step in again.steps] == [step.number <= number for step in road.steps]


def test_the_nodes_are_emptied_with_the_grace_of_what_runs_there_before_their_agents_go() -> None:
    (step,) = [one for one in found(FLEET, "l40s-a").steps if "Take the agents off" in one.forth.commit.title]
    words = " ".join(one.why for one in step.forth.before)
    assert "900 s" in words
    commands = [command for one in step.forth.before for command in one.commands]
    assert any("kubectl cordon -l" in one for one in commands)
    assert any("kubectl drain NODE" in one and "--grace-period=-1" in one for one in commands)
    assert not any("stopPolicy" in one for one in commands)


def test_queues_are_held_only_where_kueue_cannot_see_that_nodes_are_closed() -> None:
    road = found(FLEET, "desk-a")
    held = [
        command for step in road.steps for one in step.forth.before for command in one.commands if "Hold" in command
    ]
    let_go = [
        command for step in road.steps for one in step.forth.after for command in one.commands if '"None"' in command
    ]
    assert len(held) == len(let_go) == 1
    assert "nlp-books" in held[0]


@pytest.mark.parametrize(
    ("pool", "hands"), [("l40s-a", []), ("lab-a", ["Take the driver off the nodes of pool `lab-a`"])]
)
def test_a_node_that_keeps_its_driver_needs_no_hand_and_one_that_gets_another_gives_its_own_up_first(
    pool: str, hands: list[str]
) -> None:
    road = found(FLEET, pool)
    (step,) = [one for one in road.steps if "to `stack: operator`" in one.forth.commit.title]
    assert [one.title for one in step.forth.before] == hands
    back = [one.title for one in road.steps[step.number - 2].back.before]
    assert [title.split(",")[0] for title in back] == [
        title.replace("Take", "Put").replace(" off the nodes of pool `lab-a`", "") for title in hands
    ]


def test_labels_that_nothing_else_sets_come_before_the_operator_and_go_when_it_may_serve() -> None:
    road = found(FLEET, "desk-a")
    before = {
        step.number: [c for one in step.forth.before for c in one.commands if "label nodes" in c] for step in road.steps
    }
    after = {
        step.number: [c for one in step.forth.after for c in one.commands if "label nodes" in c] for step in road.steps
    }
    assert [number for number, commands in before.items() if commands] == [2]
    assert before[2][0].endswith("--overwrite nvidia.com/gpu.deploy.operands=false")
    assert [number for number, commands in after.items() if commands] == [5]
    assert "nvidia.com/device-plugin.config=" in after[5][0]
    assert after[5][0].endswith("nvidia.com/gpu.deploy.operands-")


def test_a_pool_at_no_step_of_the_way_is_told_to_say_what_its_nodes_have() -> None:
    findings = way(FLEET.replace("driver: {preinstalled: true}", "stack: external"), "l40s-a", "operator")
    assert not isinstance(findings, Road)
    assert "at no step of the way" in findings[0].summary


def test_a_pool_that_is_there_has_all_steps_behind_it() -> None:
    text = FLEET.replace("stack: manual}", "stack: operator}")
    fleet = loaded(text)
    (finding,) = arrived(fleet, pool_of(fleet, "lab-a"), "operator", {FILE: text})
    assert finding.rule == "stack/already-there"
    assert not arrived(fleet, pool_of(fleet, "lab-a"), "manual", {FILE: text})


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ({}, {"nvidia-device-plugin-lab-a", OPERATOR}),
        ({conventions.LABEL_OPERANDS: "false"}, {"nvidia-device-plugin-lab-a"}),
    ],
)
def test_two_device_plugins_on_a_node_are_seen_where_nothing_keeps_the_operator_off(
    labels: dict[str, str], expected: set[str]
) -> None:
    manual, operator = FLEET, FLEET.replace("stack: manual}", "stack: operator}")
    cluster = loaded(manual).clusters[0]
    own = all_labels(cluster, pool_of(loaded(manual), "lab-a"))
    assert plugin_owners({**own, **labels}, cluster, rendered(manual), rendered(operator)) == expected


def test_two_drivers_on_a_node_are_seen() -> None:
    manual, operator = loaded(FLEET), loaded(FLEET.replace("stack: manual}", "stack: operator}"))
    pools = [pool_of(one, "lab-a") for one in (manual, operator)]
    labels = all_labels(operator.clusters[0], pools[1])
    assert (
        len(
            driver_owners(
                labels, operator.clusters[0], pools, rendered(FLEET.replace("stack: manual}", "stack: operator}"))
            )
        )
        == 2
    )


@pytest.mark.parametrize(
    ("operator", "values", "taken"),
    [
        ("In", ["a"], True),
        ("In", ["b"], False),
        ("NotIn", ["a"], False),
        ("Exists", [], True),
        ("DoesNotExist", [], False),
    ],
)
def test_a_node_is_taken_as_its_labels_meet_the_affinity(operator: str, values: list[str], *, taken: bool) -> None:
    terms = [{"matchExpressions": [{"key": "k", "operator": operator, "values": values}]}]
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}
    assert selects({"affinity": affinity}, {"k": "a"}) is taken
    assert not selects({"nodeSelector": {"k": "b"}}, {"k": "a"})


@given(fleets(), st.data())
@settings(max_examples=25, deadline=None)
def test_every_way_that_is_found_in_any_fleet_is_sound_and_leads_back(text: str, data: st.DataObject) -> None:
    fleet = loaded(text)
    movable = [
        pool
        for cluster in fleet.clusters
        for pool in cluster.pools
        if pool.card.vendor is Vendor.NVIDIA and pool.stack != "external"
    ]
    assume(movable)
    pool = data.draw(st.sampled_from(movable))
    made = way(text, pool.name, "manual" if pool.stack == "operator" else "operator")
    if not isinstance(made, Road):
        event(f"refused: {Counter(one.rule for one in made)}")
        assert all(one.rule.startswith("stack/") and one.fix for one in made)
        return
    event("a way")
    assert_sound(made)
    end = way(texts(made)[-1], pool.name, made.move.target)
    assert isinstance(end, Road)
    assert end.move.places == made.move.places
    assert texts(end)[made.here] == text  # a pool that named its stack is past the first place
