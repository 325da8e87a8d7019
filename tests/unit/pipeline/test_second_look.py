"""The rules of manifests say nothing of our own output, and see what is wrong in it where something is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings

from gpuplan import pipeline
from gpuplan.manifests.set import Manifest
from gpuplan.pipeline.clusters import compiled
from gpuplan.pipeline.second_look import second_look
from tests.build import TODAY, resolved
from tests.generated import fleets


def test_the_rules_find_nothing_in_the_output_of_the_example() -> None:
    checked = pipeline.check(Path("fleet"), TODAY)
    assert checked.fleet is not None
    for cluster in checked.fleet.clusters:
        made = compiled(checked.fleet, cluster, pipeline.NO_TEXTS)
        assert [f"{one.rule}: {one.summary}" for one in second_look(cluster, made.manifests)] == []


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(fleets())
def test_the_rules_find_nothing_in_the_output_of_generated_fleets(text: str) -> None:
    fleet, _ = resolved(text)
    assert fleet is not None
    for cluster in fleet.clusters:
        made = compiled(fleet, cluster, pipeline.NO_TEXTS)
        assert [f"{one.rule}: {one.summary}" for one in second_look(cluster, made.manifests)] == []


def test_a_fault_in_the_output_is_seen() -> None:
    checked = pipeline.check(Path("fleet"), TODAY)
    assert checked.fleet is not None
    cluster = checked.fleet.clusters[0]
    made = [_with_unknown_flavor(one) for one in compiled(checked.fleet, cluster, pipeline.NO_TEXTS).manifests]
    assert "kueue/unknown-flavor" in {one.rule for one in second_look(cluster, made)}


def _with_unknown_flavor(one: Manifest) -> Manifest:
    if one.key.kind != "ClusterQueue":
        return one
    spec: Any = one.object["spec"]
    body: dict[str, Any] = {**one.object, "spec": {**spec}}
    groups = body["spec"]["resourceGroups"]
    body["spec"]["resourceGroups"] = [
        {**group, "flavors": [{**flavor, "name": "no-such"} for flavor in group["flavors"]]} for group in groups
    ]
    return replace(one, object=body)
