"""policy/v1: PodDisruptionBudget."""

from __future__ import annotations

from typing import Literal, TypedDict

from gpuplan.manifests.kinds.meta import LabelSelector, NamespacedMeta


class PodDisruptionBudgetSpec(TypedDict):
    """How many of the selected pods an eviction may take at once; an empty selector selects the whole namespace."""

    maxUnavailable: int
    selector: LabelSelector
    unhealthyPodEvictionPolicy: Literal["IfHealthyBudget", "AlwaysAllow"]


class PodDisruptionBudget(TypedDict):
    """policy/v1 PodDisruptionBudget."""

    apiVersion: Literal["policy/v1"]
    kind: Literal["PodDisruptionBudget"]
    metadata: NamespacedMeta
    spec: PodDisruptionBudgetSpec
