"""Bases and the patches of their overlays: what a patch may put right is nobody's fault yet."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuplan.inventory.assumed import Assumed
from gpuplan.lint import lint

BASE = """\
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: team}
spec:
  namespaceSelector: {}
  resourceGroups:
  - coveredResources: [cpu, memory, nvidia.com/gpu]
    flavors:
    - name: card
      resources:
      - {name: cpu, nominalQuota: 64}
      - {name: memory, nominalQuota: 512Gi}
      - {name: nvidia.com/gpu, nominalQuota: 8, borrowingLimit: 4}
"""
RULE = "kueue/limit-without-cohort"
HEAD = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [../base]\n"
OF_QUEUE = "apiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: team}\nspec:\n"
LIMITS = "  resourceGroups: []\n"
ELSEWHERE = "  stopPolicy: Hold\n"


def found(folder: Path, kustomization: str, patch: str = "") -> set[str]:
    """Lint a base and an overlay."""
    for name, text in (
        ("base/queue.yaml", BASE),
        ("prod/kustomization.yaml", HEAD + kustomization),
        ("prod/p.yaml", patch),
    ):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return {one.rule for one in lint([folder], Assumed()).findings}


def test_a_base_that_nobody_patches_is_judged(tmp_path: Path) -> None:
    assert RULE in found(tmp_path, "")


@pytest.mark.parametrize(
    ("kustomization", "patch"),
    [
        ("patches: [{path: p.yaml}]\n", OF_QUEUE + LIMITS),
        ("patchesStrategicMerge: [p.yaml]\n", OF_QUEUE + LIMITS),
        ("patches: [{path: p.yaml}]\n", OF_QUEUE + "  cohortName: all\n"),
        (
            "patches: [{path: p.yaml, target: {kind: ClusterQueue}}]\n",
            "- {op: add, path: /spec/cohortName, value: all}\n",
        ),
        ("patches: [{path: p.yaml, target: {name: te.*}}]\n", "- {op: add, path: /spec/cohortName, value: all}\n"),
        (f"patchesStrategicMerge:\n- |\n  {(OF_QUEUE + LIMITS).replace(chr(10), chr(10) + '  ')}\n", ""),
    ],
)
def test_what_a_patch_writes_is_not_judged_in_the_base(tmp_path: Path, kustomization: str, patch: str) -> None:
    assert RULE not in found(tmp_path, kustomization, patch)


@pytest.mark.parametrize(
    ("kustomization", "patch"),
    [
        ("patches: [{path: p.yaml}]\n", OF_QUEUE + ELSEWHERE),
        ("patches: [{path: p.yaml}]\n", OF_QUEUE.replace("team", "other") + LIMITS),
        ("patches: [{path: p.yaml, target: {kind: LocalQueue}}]\n", "- {op: remove, path: /spec}\n"),
    ],
)
def test_what_a_patch_leaves_as_it_is_is_judged(tmp_path: Path, kustomization: str, patch: str) -> None:
    assert RULE in found(tmp_path, kustomization, patch)
