"""What counts as a difference between a manifest and the object that the server stored."""

from __future__ import annotations

from typing import Any

import pytest

from gpuplan.conventions import ServerAddition
from tests.controlplane.acceptance import difference
from tests.controlplane.client import Object


def queue(**spec: object) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ClusterQueue", "metadata": {"name": "q"}, "spec": spec}


CHANGES: list[tuple[str, Object, Object, list[str]]] = [
    ("equal objects have none", queue(a=1, b=["x"]), queue(a=1, b=["x"]), []),
    ("the order of keys is none", queue(a=1, b=2), queue(b=2, a=1), []),
    ("a changed value", queue(a="1"), queue(a="1k"), ['spec.a: "1" != "1k"']),
    ("another type of the same number", queue(a=1), queue(a="1"), ['spec.a: 1 != "1"']),
    ("a boolean is no number", queue(a=1), queue(a=True), ["spec.a: 1 != true"]),
    ("a field that the server dropped", queue(a=1, b=2), queue(a=1), ["spec.b: 2 != absent"]),
    ("a default that the server added", queue(a=1), queue(a=1, b="x"), ['spec.b: absent != "x"']),
    ("an empty map that was dropped", queue(a={}), queue(), ["spec.a: {} != absent"]),
    ("an empty map that was added", queue(), queue(a={}), ["spec.a: absent != {}"]),
    (
        "each leaf of a map that was added",
        queue(),
        queue(a={"b": 1, "c": 2}),
        ["spec.a.b: absent != 1", "spec.a.c: absent != 2"],
    ),
    ("a longer list", queue(a=["x"]), queue(a=["x", "y"]), ['spec.a[1]: absent != "y"']),
    ("a shorter list", queue(a=["x", "y"]), queue(a=["x"]), ['spec.a[1]: "y" != absent']),
    (
        "another order of a list",
        queue(a=["x", "y"]),
        queue(a=["y", "x"]),
        ['spec.a[0]: "x" != "y"', 'spec.a[1]: "y" != "x"'],
    ),
    ("a field deep in a list", queue(a=[{"b": 1}]), queue(a=[{"b": 1, "c": 2}]), ["spec.a[0].c: absent != 2"]),
    ("null is not absent", queue(a=None), queue(), ["spec.a: null != absent"]),
    ("a stop policy that nobody wrote", queue(), queue(stopPolicy="Hold"), ['spec.stopPolicy: absent != "Hold"']),
    ("the stop policy's default is allowed", queue(), queue(stopPolicy="None"), []),
    ("a status is allowed", queue(), {**queue(), "status": {"a": 1}}, []),
]


@pytest.mark.parametrize(
    ("written", "stored", "expected"), [row[1:] for row in CHANGES], ids=[row[0] for row in CHANGES]
)
def test_a_difference_is(written: Object, stored: Object, expected: list[str]) -> None:
    assert difference(written, stored) == expected


def test_metadata_that_only_the_server_knows_is_allowed() -> None:
    metadata = {"name": "q", "uid": "1", "resourceVersion": "2", "generation": 3, "creationTimestamp": "now"}
    keeps = {"finalizers": ["kueue.x-k8s.io/resource-in-use"], "managedFields": []}

    assert difference(queue(), {**queue(), "metadata": {**metadata, **keeps}}) == []
    assert difference(
        queue(), {**queue(), "metadata": {**metadata, "finalizers": ["mine"], "labels": {"a.b/c": "d"}}}
    ) == [
        'metadata.finalizers: absent != ["mine"]',
        'metadata.labels["a.b/c"]: absent != "d"',
    ]


def test_an_addition_counts_for_its_kind_and_value_only() -> None:
    allowed = [ServerAddition("LocalQueue", ("spec", "a"), 1)]
    local = {**queue(), "kind": "LocalQueue"}

    assert difference(local, {**local, "spec": {"a": 1}}, allowed) == []
    assert difference(local, {**local, "spec": {"a": 2}}, allowed) == ["spec.a: absent != 2"]
    assert difference(queue(), queue(a=1), allowed) == ["spec.a: absent != 1"]
    assert difference({**local, "spec": {"a": 3}}, {**local, "spec": {"a": 1}}, allowed) == ["spec.a: 3 != 1"]
