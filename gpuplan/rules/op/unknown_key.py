"""A field of a ClusterPolicy or NVIDIADriver that their definitions do not have.

The API server prunes such a field: the object that it stores lacks it, and a GitOps tool that sends it shows a difference for
ever. The chart's values and the resources are not the same: `gpuPodDeletion` of the values is `podDeletion` in the resource.

Source: NVIDIA/gpu-operator, config/crd/bases.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from gpuplan.catalog.keys import KeyList
from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.operands import advice, goes_without_saying, resources
from gpuplan.rules.strays import Stray, finding, is_empty, nearest_key, strays, version_of
from gpuplan.versions import Version

DOC = RuleDoc(
    id="op/unknown-key",
    severity=Severity.ERROR,
    summary="A field that the GPU Operator's custom resource does not have",
    why="The API server prunes the field, and the operator never sees it.",
    fix="Write a field that the resource has.",
    bad="apiVersion: nvidia.com/v1\nkind: ClusterPolicy\nmetadata: {name: cluster-policy}\n"
    "spec: {driver: {upgradePolicy: {gpuPodDeletion: {force: true}}}}",
    good="apiVersion: nvidia.com/v1\nkind: ClusterPolicy\nmetadata: {name: cluster-policy}\n"
    "spec: {driver: {upgradePolicy: {podDeletion: {force: true}}}}",
)


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each field that would be pruned."""
    for one, known in resources(inventory):
        version = version_of(inventory, known)
        for stray in strays(one.root, known, version):
            if not (is_empty(stray.view) or goes_without_saying(stray)):
                yield _found(stray, known, version)


def _found(stray: Stray, known: KeyList, version: Version | None) -> Diagnostic:
    """Return the finding; of a field that is like no other, where nobody says which release runs, as a note."""
    found = finding(DOC, stray, known, version, fix=advice(stray))
    unclear = version is None and not (advice(stray) or nearest_key(stray, known))
    return replace(found, severity=Severity.INFO) if unclear else found
