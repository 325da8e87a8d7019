"""Which node belongs to which pool, and how the whole is counted."""

from __future__ import annotations

from typing import Any

import pytest

from gpuplan.conventions import ANNOTATION_NODE_NOTE, NODE_LABELLER
from gpuplan.labelling import note
from gpuplan.labelling.membership import Asked, place_of, unmatched
from gpuplan.labelling.note import Note
from gpuplan.labelling.plan import label_plan
from tests import build

Node = dict[str, Any]
(CLUSTER,) = build.fleet(
    """
apiVersion: gpuplan.dev/v1alpha1
metadata: {name: acme}
clusters: {main: {kubernetes: "1.36", stack: manual}}
cardTiers: {serve: {cards: [l40s]}, lab: {cards: [t4]}, train: {cards: [h100-sxm-80gb]}, probe: {cards: [l4]}}
nodePools:
  named: {cluster: main, tier: serve, nodes: 2, cardsPerNode: 4, selectedBy: {nfd: {nodeNames: ["gpu-[0-9]+", "both"]}}}
  labelled: {cluster: main, tier: lab, nodes: 2, cardsPerNode: 4, selectedBy: {labels: {pool: lab}}}
  found: {cluster: main, tier: probe, nodes: 2, cardsPerNode: 4, selectedBy: {nfd: {}}}
  made: {cluster: main, tier: train, nodes: 2, cardsPerNode: 8, topologyLabels: provided, selectedBy: {provisioner: karpenter}}
"""
).clusters
LAB = {"pool": "lab"}


def node(name: str, labels: dict[str, str] | None = None, noted: Note | None = None, *, ours: bool = False) -> Node:
    owned: Node = {"f:metadata": {"f:labels": {f"f:{key}": {} for key in labels or {}}}}
    entries = [{"manager": NODE_LABELLER, "operation": "Apply", "fieldsV1": owned}] if ours else []
    notes = {ANNOTATION_NODE_NOTE: note.written(noted)} if noted else {}
    metadata = {"name": name, "labels": labels or {}, "annotations": notes, "managedFields": entries}
    return {"metadata": {**metadata, "uid": "u", "resourceVersion": "1"}, "spec": {}}


def held(pool: str, *, given: bool, cluster: str = "main") -> Note:
    return Note(cluster=cluster, pool=pool, given=given, taints=())


NOTHING = Asked()


@pytest.mark.parametrize(
    ("one", "asked", "pool"),
    [
        (node("gpu-7"), NOTHING, "named"),
        (node("gpu-7a"), NOTHING, ""),
        (node("my-gpu-7"), NOTHING, ""),
        (node("x", LAB), NOTHING, "labelled"),
        (node("x", LAB, ours=True), NOTHING, ""),
        (node("x", noted=held("made", given=True)), NOTHING, "made"),
        (node("x", noted=held("made", given=False)), NOTHING, ""),
        (node("x", noted=held("gone", given=True)), NOTHING, ""),
        (node("gpu-7", noted=held("made", given=True)), NOTHING, "made"),
        (node("gpu-7"), Asked(nodes=frozenset({"gpu-7"}), pool="found"), "found"),
        (node("gpu-8"), Asked(nodes=frozenset({"gpu-7"}), pool="found"), "named"),
        (node("x", noted=held("made", given=True)), Asked(nodes=frozenset({"x"})), ""),
    ],
)
def test_a_person_goes_before_the_note_and_the_note_before_the_spec(one: Node, asked: Asked, pool: str) -> None:
    place = place_of(one, CLUSTER, asked)

    assert (place.pool.name if place.pool else "", place.problem) == (pool, "")


def test_a_node_of_two_pools_and_one_that_would_come_back_are_problems() -> None:
    assert "puts it into named and labelled" in place_of(node("both", LAB), CLUSTER, NOTHING).problem
    leaving = place_of(node("gpu-7"), CLUSTER, Asked(nodes=frozenset({"gpu-7"})))
    assert "the next run would bring it back" in leaving.problem


def test_a_node_of_another_cluster_is_left_alone_whatever_is_asked() -> None:
    theirs = node("gpu-7", noted=held("named", given=False, cluster="other"))
    for asked in (NOTHING, Asked(nodes=frozenset({"gpu-7"})), Asked(nodes=frozenset({"gpu-7"}), pool="named")):
        assert "a node of cluster other" in place_of(theirs, CLUSTER, asked).problem


def test_pools_whose_nodes_the_spec_does_not_name_say_why() -> None:
    reasons = {pool.name: why for pool, why in unmatched(CLUSTER)}

    assert reasons.keys() == {"found", "made"}
    assert "by their cards" in reasons["found"]
    assert reasons["made"].startswith("karpenter labels its nodes")


def test_a_plan_counts_pools_and_leaves_nodes_of_none_alone() -> None:
    nodes = [node("gpu-2"), node("gpu-1"), node("both", LAB), node("cpu"), node("x", LAB)]

    whole = label_plan(nodes, CLUSTER, NOTHING)
    part = label_plan(nodes, CLUSTER, NOTHING, ["labelled"])

    assert [one.node for one in whole.changes] == ["gpu-1", "gpu-2"]
    assert [one.node for one in whole.problems] == ["both"]
    assert {one.pool.name: one.nodes for one in whole.pools} == {"found": 0, "labelled": 1, "made": 0, "named": 2}
    assert whole.outside == 1
    assert part.changes == ()
    assert [one.pool.name for one in part.pools] == ["labelled"]
