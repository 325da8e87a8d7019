"""Lint and a real server agree on thousands of Kueue objects: what one refuses, the other does.

Judged is whether an object is taken at all. That it then does nothing, since a flavor is not there, is another matter: those
rules are left out.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import ModuleType
from typing import Any, cast

import pytest

from gpuplan import catalog
from gpuplan.diagnostics import Diagnostic, Severity, Span
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.items import Object
from gpuplan.inventory.places import OnePlace
from gpuplan.rules import manifests
from tests.controlplane import conversion, oracle
from tests.controlplane.client import Client
from tests.controlplane.controlplane import ControlPlane
from tests.controlplane.lint_objects import Tried, paths, tried
from tests.controlplane.lint_refusals import REFUSALS, Refusal
from tests.controlplane.lint_sound import SOUND

OBJECTS = 3000
FEWEST_OF_EACH = 500
"""Objects that the server must take, and refuse, for the comparison to say anything."""
CATALOG = catalog.load()
PLACE = OnePlace(Span("object.yaml", 1, 1, 1, 1))
RULES = tuple(module for module in manifests.MODULES if module.DOC.id in REFUSALS)


def errors(obj: dict[str, Any]) -> list[Diagnostic]:
    """Return what the rules of validity call an error."""
    inventory = Inventory(objects=(Object(obj, PLACE),), catalog=CATALOG)
    found: list[Diagnostic] = []
    for module in RULES:
        found += cast("Callable[[Inventory], Iterator[Diagnostic]]", cast("Any", module).judge)(inventory)
    return [one for one in found if one.severity is Severity.ERROR]


def _null_in_texts(obj: dict[str, Any], found: Sequence[Diagnostic]) -> bool:
    return obj["kind"] == "ClusterQueue" and all("is null, not a text" in one.summary for one in found)


STRICTER: Mapping[str, Callable[[dict[str, Any], Sequence[Diagnostic]], bool]] = {
    "null in a list of texts: Kueue's webhook writes it anew as an empty text, and a client that is strict refuses it": _null_in_texts,
}
"""What lint refuses and this server takes, with the reason."""


@pytest.fixture(scope="module")
def client(control_plane: ControlPlane) -> Iterator[Client]:
    """An empty server that converts between the versions of Kueue's API."""
    control_plane.reset()
    conversion.serve(control_plane)
    yield control_plane.client
    conversion.stop(control_plane)
    control_plane.reset()


@pytest.fixture(scope="module")
def judged(client: Client) -> list[tuple[Tried, oracle.Verdict, list[Diagnostic]]]:
    """Every object with what the server and what lint say to it."""
    objects = tried(OBJECTS)
    said = oracle.verdicts(client, [one.obj for one in objects])
    return [(one, verdict, errors(one.obj)) for one, verdict in zip(objects, said, strict=True)]


def test_nothing_that_lint_accepts_is_refused(judged: Sequence[tuple[Tried, oracle.Verdict, list[Diagnostic]]]) -> None:
    missed = [f"{one.how}: {verdict.create}" for one, verdict, found in judged if verdict.create and not found]
    assert missed == []


def test_what_only_lint_refuses_is_of_a_listed_kind(
    judged: Sequence[tuple[Tried, oracle.Verdict, list[Diagnostic]]],
) -> None:
    classes: Counter[str] = Counter()
    unlisted = []
    for one, verdict, found in judged:
        if found and not verdict.create:
            reasons = [reason for reason, fits in STRICTER.items() if fits(one.obj, found)]
            classes.update(reasons[:1])
            unlisted += [] if reasons else [f"{one.how}: {[finding.summary for finding in found]}"]
    sys.stdout.write(f"{len(judged)} objects; stricter than the server: {json.dumps(classes, indent=1)}\n")
    assert unlisted == []


def test_server_side_apply_alone_refuses_nothing_but_null(
    judged: Sequence[tuple[Tried, oracle.Verdict, list[Diagnostic]]],
) -> None:
    refused = [one for one, verdict, found in judged if verdict.apply and not found]
    assert [one.how for one in refused if not _holds_null(one.obj)] == []


def test_the_objects_are_of_both_sorts_and_of_every_kind_and_version(
    judged: Sequence[tuple[Tried, oracle.Verdict, list[Diagnostic]]],
) -> None:
    taken = Counter(bool(verdict.create) for _, verdict, _ in judged)
    assert min(taken[True], taken[False]) >= FEWEST_OF_EACH
    kinds = {(obj["apiVersion"], obj["kind"]) for obj in SOUND.values()}
    for refused in (True, False):
        assert {
            (one.obj["apiVersion"], one.obj["kind"]) for one, said, _ in judged if bool(said.create) == refused
        } == kinds


def test_a_null_among_texts_is_refused_by_lint_alone(client: Client) -> None:
    obj = Refusal("whole queue", ("spec", "namespaceSelector", "matchExpressions", 0, "values", 0), None, "").object()
    found = errors(obj)
    assert found
    assert _null_in_texts(obj, found)
    assert oracle.verdict(client, obj).create == ""


def test_of_two_fields_of_checks_the_server_keeps_the_list(client: Client) -> None:
    strategy = {"admissionChecks": [{"name": "other", "onFlavors": ["h100"]}]}
    obj = Refusal("whole old queue", ("spec", "admissionChecksStrategy"), strategy, "").object()
    assert client.apply(obj, dry_run=True)["spec"]["admissionChecksStrategy"] == {
        "admissionChecks": [{"name": "check"}]
    }


@pytest.mark.parametrize("name", SOUND)
def test_a_sound_object_is_refused_by_neither(client: Client, name: str) -> None:
    assert oracle.verdict(client, SOUND[name]).refused == ""
    assert errors(SOUND[name]) == []


@pytest.mark.parametrize(
    ("rule", "refusal"),
    [(rule, one) for rule, listed in REFUSALS.items() for one in listed],
    ids=lambda one: str(one)[:60],
)
def test_each_rule_refuses_what_the_server_refuses_in_these_words(client: Client, rule: str, refusal: Refusal) -> None:
    obj = refusal.object()
    assert refusal.says in oracle.verdict(client, obj).create
    assert rule in {one.rule for one in errors(obj)}


def test_every_rule_of_validity_is_registered() -> None:
    assert {cast("Any", module).DOC.id for module in RULES} == REFUSALS.keys()
    assert all(isinstance(module, ModuleType) for module in RULES)


def _holds_null(obj: dict[str, Any]) -> bool:
    for path in paths(obj):
        value: Any = obj
        for segment in path:
            value = value[segment]
        if value is None:
            return True
    return False
