"""Digests: the same in every process, and another one for whatever could make another file."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from gpuplan import versions
from gpuplan.model.digest import Digester
from gpuplan.model.quota_tree import quota_tree
from gpuplan.model.scope import only
from gpuplan.quantity import Quantity
from tests.build import fleet
from tests.unit.pipeline.test_shards import SPEC

ROOT = Path(__file__).parents[3]


@dataclass(frozen=True)
class Thing:
    name: str
    hidden: object = field(default=None, repr=False, compare=False)


def digest(value: object) -> str:
    return Digester().digest(value)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, True),
        (1, "1"),
        (1, 1.0),
        ("", None),
        (("a", "b"), ("a, b",)),
        (("a",), ["a"]),
        ((), ((),)),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        (Fraction(1, 2), 0.5),
        (versions.required("1.36"), versions.required("1.36.0")),
        (Quantity(1024, binary=True), Quantity(1024)),
        (Thing("a", hidden=1), Thing("a", hidden=2)),
        ("x" * 200, "x" * 201),
    ],
)
def test_what_could_be_written_otherwise_has_another_digest(one: object, other: object) -> None:
    assert digest(one) != digest(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (frozenset(("b", "a")), frozenset(("a", "b"))),
        ({"a": 1}, MappingProxyType({"a": 1})),
        (Thing("a", hidden=("b",)), Thing("a", hidden=("b",))),
    ],
)
def test_equal_data_has_one_digest(one: object, other: object) -> None:
    assert digest(one) == digest(other)


def test_an_unknown_type_is_a_fault_of_ours() -> None:
    class Strange:
        pass

    with pytest.raises(TypeError, match="Strange"):
        digest((Strange(),))


SAY = """
from gpuplan.model.digest import Digester
from tests.build import fleet
from tests.unit.pipeline.test_shards import SPEC
made = fleet(SPEC)
print(Digester(frozenset(("catalog", "places"))).digest(made))
"""


def test_a_fleet_has_the_same_digest_in_every_process() -> None:
    said = [
        subprocess.run(
            [sys.executable, "-c", SAY],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "4711")
    ]
    assert said[0] == said[1] != ""


def test_a_quota_tree_needs_no_digest_of_its_own() -> None:
    made: Any = fleet(SPEC)
    for cluster in made.clusters:
        assert cluster.quota == quota_tree(made.name, cluster.flavors, cluster.cohorts)


def test_a_narrowed_fleet_knows_nothing_of_other_clusters() -> None:
    made = fleet(SPEC)
    for cluster in made.clusters:
        others = {one.name for one in made.clusters} - {cluster.name}
        assert not any(f"'{name}'" in repr(only(made, cluster)) for name in others)
