"""Whatever the API server or Kueue's webhooks would refuse, `check` has refused first: both sides of each of their rules."""

from __future__ import annotations

import copy
import functools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest

from gpuplan import rules
from gpuplan.diagnostics import Severity
from gpuplan.emit import emitters
from gpuplan.emit.emitters import emit
from gpuplan.emit.monitoring import publish
from gpuplan.model.fleet import Fleet
from gpuplan.pipeline import silent, transitions
from tests.build import fleet, resolved
from tests.controlplane.acceptance import rejection
from tests.controlplane.client import Client, reference
from tests.controlplane.controlplane import ControlPlane
from tests.controlplane.refusals import CASES, SOUND, ByHand, Case, change


def emitted(fleet: Fleet) -> list[dict[str, Any]]:
    """Return what would be rendered, whatever the rules say."""
    groups = publish.of_fleet(fleet)
    return [
        {**made.object}
        for cluster in fleet.clusters
        for made in emitters.manifests(fleet, cluster, groups[cluster.name])
    ]


def errors(text: str) -> tuple[Fleet | None, set[str]]:
    """Return the resolved fleet, if there is one, and the ids of the errors that `check` finds."""
    fleet, found = resolved(text)
    judged = (*found, *(rules.check(fleet) if fleet else ()))
    return fleet, {finding.rule for finding in judged if finding.severity is Severity.ERROR}


def with_mistake(obj: Mapping[str, Any], by_hand: ByHand) -> dict[str, Any]:
    """Return the object with one value put in."""
    made = copy.deepcopy(dict(obj))
    *way, last = by_hand[0]
    inside: Any = made
    for key in way:
        inside = inside[key]
    inside[last] = by_hand[1]
    return made


def objects_of(case: Case) -> list[dict[str, Any]]:
    """Return the objects that the spec would have made, of the case's kind; by hand: the first where the path leads."""
    fleet, _ = resolved(SOUND if case.by_hand else case.spec)
    assert fleet is not None
    made = [obj for obj in emitted(fleet) if obj["kind"] == case.kind]
    if not case.by_hand:
        return made
    for obj in made:
        try:
            return [with_mistake(obj, case.by_hand)]
        except (KeyError, IndexError):
            continue
    raise AssertionError(f"no {case.kind} has {case.by_hand[0]}")


@pytest.fixture(scope="module")
def client(control_plane: ControlPlane) -> Iterator[Client]:
    """A server with the namespaces of the sound spec and nothing else: all else is tried on dry runs."""
    control_plane.reset()
    for name in ("gpu-system", "vision", "nlp"):
        control_plane.client.apply(reference("v1", "Namespace", name))
    yield control_plane.client
    control_plane.reset()


def test_the_sound_spec_is_refused_by_nobody(client: Client) -> None:
    fleet, found = errors(SOUND)
    assert found == set()
    assert fleet is not None
    assert [str(refused) for obj in emitted(fleet) if (refused := rejection(client, obj, dry_run=True))] == []


@pytest.mark.parametrize("name", CASES)
def test_check_refuses_what_the_server_would(client: Client, name: str) -> None:
    case = CASES[name]
    _, found = errors(case.spec)
    assert case.rule in found
    said = [refused.message for obj in objects_of(case) if (refused := rejection(client, obj, dry_run=True))]
    assert any(case.says in words for words in said), said


# The node's half of a rule that Kueue's webhook has for flavors: we write no `nodeTaints`, people set them on nodes.


def test_check_refuses_two_taints_of_one_key_and_effect_and_so_does_the_server_on_a_node(client: Client) -> None:
    pair = [{"key": "nvidia.com/gpu", "value": value, "effect": "NoSchedule"} for value in ("a", "b")]
    _, found = errors(
        change("NoSchedule}]", "NoSchedule, value: a}, {key: nvidia.com/gpu, effect: NoSchedule, value: b}]")
    )
    refused = rejection(client, {**reference("v1", "Node", "n1"), "spec": {"taints": pair}}, dry_run=True)
    assert "taint/duplicate" in found
    assert refused is not None
    assert "taints must be unique by key and effect pair" in refused.message


# Changes that a server refuses.

Change = tuple[str, str]
TRANSITIONS: dict[str, tuple[str, Sequence[Change]]] = {
    "other labels on a flavor with a topology": (
        "ResourceFlavor",
        [("labels: {pool: h100}", "labels: {pool: hopper}")],
    ),
    "other tolerations on a flavor with a topology": ("ResourceFlavor", [("key: nvidia.com/gpu", "key: acme.io/gpu")]),
    "other levels": ("Topology", [("topology.gpuplan.dev/rack", "topology.gpuplan.dev/block")]),
    "a namespace that goes to another team": (
        "LocalQueue",
        [("namespaces: [vision]", "namespaces: [vision-two]"), ("namespaces: [nlp]", "namespaces: [nlp, vision]")],
    ),
}


@pytest.mark.parametrize("name", TRANSITIONS)
def test_a_change_that_the_server_refuses_is_refused_against_the_committed_output(client: Client, name: str) -> None:
    kind, changes = TRANSITIONS[name]
    before = emit(fleet(SOUND), silent)
    changed = fleet(functools.reduce(lambda text, one: change(one[0], one[1], text), changes, SOUND))
    after = emit(changed, silent)
    found = transitions(changed, after, lambda path: made.object if (made := before.placed.get(path)) else None)
    assert any(finding.rule == "render/immutable-field" and f"{kind} `" in finding.summary for finding in found)
    assert [rejection(client, made.object) for made in before.of_kind(kind)] == [None] * len(before.of_kind(kind))
    said = [
        refused.message for made in after.of_kind(kind) if (refused := rejection(client, made.object, dry_run=True))
    ]
    assert any("immutable" in words for words in said), said
