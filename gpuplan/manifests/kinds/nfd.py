"""nfd.k8s-sigs.io/v1alpha1: NodeFeatureRule of Node Feature Discovery."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from gpuplan.manifests.kinds.meta import ObjectMeta, StringMap
from gpuplan.manifests.kinds.pod import TaintEffect


class MatchExpression(TypedDict):
    """A test of one feature value; `value` is left out for the operators that take none."""

    op: Literal["In", "NotIn", "InRegexp", "Exists", "DoesNotExist", "Gt", "Lt", "GtLt", "IsTrue", "IsFalse"]
    value: NotRequired[list[str]]


class FeatureMatcherTerm(TypedDict):
    """A feature (`pci.device`, `system.name`) and what must hold of its elements."""

    feature: str
    matchExpressions: NotRequired[dict[str, MatchExpression]]
    matchName: NotRequired[MatchExpression]


class MatchAnyElem(TypedDict):
    """One alternative: all its terms must match."""

    matchFeatures: list[FeatureMatcherTerm]


class NodeTaint(TypedDict):
    """A taint that the rule sets; works only where NFD runs with taints enabled."""

    key: str
    value: NotRequired[str]
    effect: TaintEffect


class FeatureRule(TypedDict):
    """Labels for the nodes that match."""

    name: str
    labels: NotRequired[StringMap]
    taints: NotRequired[list[NodeTaint]]
    matchFeatures: NotRequired[list[FeatureMatcherTerm]]
    matchAny: NotRequired[list[MatchAnyElem]]


class NodeFeatureRuleSpec(TypedDict):
    """Rules, in order."""

    rules: list[FeatureRule]


class NodeFeatureRule(TypedDict):
    """nfd.k8s-sigs.io/v1alpha1 NodeFeatureRule, cluster-scoped."""

    apiVersion: Literal["nfd.k8s-sigs.io/v1alpha1"]
    kind: Literal["NodeFeatureRule"]
    metadata: ObjectMeta
    spec: NodeFeatureRuleSpec
