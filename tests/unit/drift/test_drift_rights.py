"""The rights that drift asks for."""

from __future__ import annotations

from typing import get_args

from gpuplan.drift.rights import COMPARED, KINDS, RIGHTS, needed
from gpuplan.manifests.kinds import KubeObject


def test_every_kind_that_is_rendered_has_its_rights() -> None:
    assert KINDS.keys() == {kind.__name__ for kind in get_args(KubeObject)}


def test_nothing_but_reading_is_asked_for_that_is_no_dry_run() -> None:
    assert {(right.verb, right.dry_run) for right in RIGHTS} == {("list", False), ("patch", True)}
    patched = {right.resource for right in RIGHTS if right.verb == "patch"}
    assert patched.isdisjoint({KINDS[kind][1] for kind in COMPARED})


def test_only_rendered_kinds_and_those_of_quotas_are_asked_for() -> None:
    asked = {right.resource for right in needed({"ConfigMap"})}

    assert asked == {"configmaps", "clusterqueues", "cohorts", "localqueues", "resourcequotas"}
    assert [right.resource for right in needed({"ConfigMap"}) if right.verb == "patch"] == ["configmaps"]
