"""What changes on a node, and that nothing of others ever does."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from gpuplan.conventions import ANNOTATION_NODE_NOTE, NODE_LABELLER
from gpuplan.labelling import note
from gpuplan.labelling.change import Change, change_of, taint_text
from gpuplan.labelling.membership import Place
from gpuplan.labelling.note import Note
from gpuplan.model.pools import Taint
from tests import build

Node = dict[str, Any]
FLEET = build.fleet(
    """
apiVersion: gpuplan.dev/v1alpha1
metadata: {name: acme}
clusters: {main: {kubernetes: "1.36", stack: manual}}
cardTiers: {serve: {cards: [l40s]}, lab: {cards: [t4]}}
nodePools:
  named:
    {cluster: main, tier: serve, nodes: 2, cardsPerNode: 4, selectedBy: {nfd: {nodeNames: ["serve-.*"]}},
     taints: [{key: a, value: "1", effect: NoSchedule}, {key: b, effect: NoExecute}]}
  labelled:
    {cluster: main, tier: lab, nodes: 2, cardsPerNode: 4, selectedBy: {labels: {pool: lab, kubernetes.io/arch: amd64}},
     taints: [{key: a, value: "2", effect: NoSchedule}]}
"""
)
(CLUSTER,) = FLEET.clusters
POOLS = {pool.name: pool for pool in CLUSTER.pools}
NOWHERE = Place()
NAMED = Place(pool=POOLS["named"])


def node(**more: Any) -> Node:
    metadata = {"name": "n", "uid": "u", "resourceVersion": "1", "labels": more.pop("labels", {})}
    return {"metadata": metadata, "spec": {"taints": more.pop("taints", [])}}


def after(before: Node, change: Change) -> Node:
    """Return the node as the server has it after a change, with the memory of whose the labels are."""
    kept = {key: value for key, value in before["metadata"]["labels"].items() if key not in change.dropped_labels}
    owned: Node = {"f:metadata": {"f:labels": {f"f:{key}": {} for key in change.labels}}}
    entry = {"manager": NODE_LABELLER, "operation": "Apply", "fieldsV1": owned}
    metadata = {
        **before["metadata"],
        "labels": {**kept, **change.labels},
        "managedFields": [entry],
        "annotations": {ANNOTATION_NODE_NOTE: note.written(change.note)} if change.note else {},
    }
    return {"metadata": metadata, "spec": {"taints": change.taints_after}}


KEYS = st.sampled_from(["a", "b", "c"])
EFFECTS = st.sampled_from(["NoSchedule", "PreferNoSchedule", "NoExecute"])
FOREIGN = st.dictionaries(st.tuples(KEYS, EFFECTS), st.sampled_from(["", "1", "2"])).map(
    lambda found: [note.as_object(Taint(key=k, value=v, effect=e)) for (k, e), v in found.items()]  # type: ignore[arg-type]  # sampled
)
LABELS = st.dictionaries(st.sampled_from(["gpuplan.dev/pool", "pool", "x"]), st.sampled_from(["lab", "named", "y"]))
PLACES = st.sampled_from([NAMED, NOWHERE, Place(pool=POOLS["labelled"])])


@given(taints=FOREIGN, labels=LABELS, places=st.lists(PLACES, max_size=4))
def test_whatever_comes_between_a_node_that_leaves_is_as_it_was_but_for_labels_it_lost_to_us(
    taints: list[Node], labels: dict[str, str], places: list[Place]
) -> None:
    before = now = node(taints=taints, labels=labels)
    for place in (*places, NOWHERE):
        change = change_of(now, CLUSTER, place)
        if not change.problem:
            now = after(now, change)
            again = change_of(now, CLUSTER, place)
            assert again.empty
            assert not again.problem
        assert [one for one in now["spec"]["taints"] if one in taints] == taints

    assert now["spec"]["taints"] == taints
    assert now["metadata"]["annotations"] == {}
    # An apply without force does not get this far where a label of others has another value.
    ours = {key for place in places if place.pool for key in change_of(before, CLUSTER, place).labels}
    assert {k: v for k, v in now["metadata"]["labels"].items() if k not in ours} == {
        k: v for k, v in labels.items() if k not in ours
    }


def test_a_taint_that_others_have_put_there_already_is_not_ours() -> None:
    change = change_of(node(taints=[{"key": "b", "effect": "NoExecute"}]), CLUSTER, NAMED)

    assert list(map(taint_text, change.added_taints)) == ["a=1:NoSchedule"]
    assert change.note == Note(cluster="main", pool="named", given=False, taints=change.added_taints)


def test_a_value_of_ours_is_replaced_and_one_of_others_stops_everything() -> None:
    ours = after(node(), change_of(node(), CLUSTER, NAMED))
    moved = change_of(ours, CLUSTER, Place(pool=POOLS["labelled"]))
    theirs = change_of(node(taints=[{"key": "a", "value": "9", "effect": "NoSchedule"}]), CLUSTER, NAMED)

    assert list(map(taint_text, moved.removed_taints)) == ["a=1:NoSchedule", "b:NoExecute"]
    assert list(map(taint_text, moved.added_taints)) == ["a=2:NoSchedule"]
    assert not moved.problem
    assert theirs.problem == "others have put taint a=9:NoSchedule on it, with another value"


def test_labels_by_which_a_pool_is_found_are_set_only_on_nodes_that_a_person_names() -> None:
    named = Place(pool=POOLS["labelled"], given=True)

    assert change_of(node(), CLUSTER, Place(pool=POOLS["labelled"])).set_labels == {}
    assert change_of(node(labels={"kubernetes.io/arch": "amd64"}), CLUSTER, named).set_labels == {"pool": ("", "lab")}
    assert "kubernetes.io/arch=amd64 of pool labelled is the kubelet's" in change_of(node(), CLUSTER, named).problem


def test_labels_that_are_right_already_are_left_to_whoever_set_them() -> None:
    right = {"gpuplan.dev/pool": "named", "gpuplan.dev/tier": "serve"}
    change = change_of(node(labels=right), CLUSTER, NAMED)

    assert set(change.labels) == {"gpuplan.dev/card", "gpuplan.dev/sharing"}
    assert (
        after(node(labels=right), change_of(after(node(labels=right), change), CLUSTER, NOWHERE))["metadata"]["labels"]
        == right
    )


def test_a_note_that_is_none_of_ours_is_no_note() -> None:
    for text in (
        "",
        "x",
        "[]",
        "1",
        "{}",
        '{"cluster": "main", "pool": "named", "given": true, "taints": [{"key": "a"}]}',
    ):
        held = {**node(), "metadata": {**node()["metadata"], "annotations": {ANNOTATION_NODE_NOTE: text}}}
        assert note.read(held) is None
