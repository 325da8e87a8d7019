"""Lint never refuses what a real server takes, of Kubernetes' own kinds and of other projects'.

The other way round it cannot be whole: a server checks hundreds of things of a pod in code, of which the rules know those that
people get wrong. That they find most of what is refused is checked, too.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any, cast

import pytest

from gpuplan import catalog
from gpuplan.diagnostics import Diagnostic, Severity, Span
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.items import Object
from gpuplan.inventory.places import OnePlace
from gpuplan.rules import manifests
from tests.controlplane import oracle
from tests.controlplane.controlplane import ControlPlane
from tests.controlplane.lint_objects import Tried
from tests.controlplane.lint_workloads import SOUND, tried_workloads

OBJECTS = 1200
FOUND_AT_LEAST = 0.8
"""Part of the objects that the server refuses of which lint says something."""
CATALOG = catalog.load()
PLACE = OnePlace(Span("object.yaml", 1, 1, 1, 1))
RULES = tuple(module for module in manifests.MODULES if cast("Any", module).DOC.id.startswith("manifest/"))
LATER = "JobSet"
"""The kind whose pods are judged as pods are: the server takes it, and then no pod can be made."""
OF_PODS = frozenset(f"manifest/{name}" for name in ("device-request", "pod-names", "resource-name", "toleration"))

Judged = list[tuple[Tried, oracle.Verdict, list[Diagnostic]]]


def findings(obj: dict[str, Any]) -> list[Diagnostic]:
    """Return what the rules about manifests of any kind say."""
    inventory = Inventory(objects=(Object(obj, PLACE),), catalog=CATALOG)
    judges = [cast("Callable[[Inventory], Iterator[Diagnostic]]", cast("Any", module).judge) for module in RULES]
    return [found for judge in judges for found in judge(inventory)]


@pytest.fixture(scope="module")
def judged(control_plane: ControlPlane) -> Judged:
    """Every object with what the server and what lint say to it."""
    control_plane.reset()
    objects = tried_workloads(OBJECTS)
    said = oracle.verdicts(control_plane.client, [one.obj for one in objects])
    return [(one, verdict, findings(one.obj)) for one, verdict in zip(objects, said, strict=True)]


def test_what_the_server_takes_is_no_error(judged: Judged) -> None:
    wrong = [
        f"{one.how}: {[found.summary for found in said]}"
        for one, verdict, said in judged
        if not verdict.create and any(found.severity is Severity.ERROR for found in said)
        if not (one.obj["kind"] == LATER and all(_is_of_pods(found) for found in said))
    ]
    assert wrong == []


def test_most_of_what_the_server_refuses_is_found(judged: Judged) -> None:
    refused = [said for _, verdict, said in judged if verdict.create]
    found = [said for said in refused if said]
    sys.stdout.write(f"{len(judged)} objects, {len(refused)} refused, {len(found)} of these found\n")
    assert len(found) >= FOUND_AT_LEAST * len(refused)


@pytest.mark.parametrize("name", SOUND)
def test_a_sound_object_has_no_finding(judged: Judged, name: str) -> None:
    (verdict,) = [verdict for one, verdict, _ in judged if one.how == name]
    assert verdict.refused == ""
    assert findings(SOUND[name]) == []


def _is_of_pods(found: Diagnostic) -> bool:
    return found.rule in OF_PODS or "is no choice" in found.summary
