"""readiness.node.x-k8s.io/v1alpha1: NodeReadinessRule of the node readiness controller."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from gpuplan.manifests.kinds.meta import LabelSelector, ObjectMeta
from gpuplan.manifests.kinds.pod import TaintEffect


class ConditionRequirement(TypedDict):
    """A condition of a node, and the status that it has on a healthy one."""

    type: str
    requiredStatus: Literal["True", "False", "Unknown"]


class ReadinessTaint(TypedDict):
    """The taint of nodes that are not as required. The controller takes keys in `readiness.k8s.io/` only."""

    key: str
    value: NotRequired[str]
    effect: TaintEffect


class NodeReadinessRuleSpec(TypedDict):
    """Which nodes are judged, by what, and how they are tainted. All but `dryRun` is immutable in newer versions."""

    conditions: list[ConditionRequirement]
    dryRun: NotRequired[Literal[True]]
    enforcementMode: Literal["bootstrap-only", "continuous"]
    nodeSelector: LabelSelector
    taint: ReadinessTaint


class NodeReadinessRule(TypedDict):
    """readiness.node.x-k8s.io/v1alpha1 NodeReadinessRule, cluster-scoped."""

    apiVersion: Literal["readiness.node.x-k8s.io/v1alpha1"]
    kind: Literal["NodeReadinessRule"]
    metadata: ObjectMeta
    spec: NodeReadinessRuleSpec
