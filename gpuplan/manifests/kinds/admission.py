"""admissionregistration.k8s.io/v1: ValidatingAdmissionPolicy and its binding."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from gpuplan.manifests.kinds.meta import LabelSelector, ObjectMeta

Operation = Literal["CREATE", "UPDATE", "DELETE", "CONNECT", "*"]


class NamedRuleWithOperations(TypedDict):
    """Requests that a policy looks at. `resources` are plural names (`jobs`); `scope` is `*` by default."""

    apiGroups: list[str]
    apiVersions: list[str]
    operations: list[Operation]
    resources: list[str]
    resourceNames: NotRequired[list[str]]
    scope: Literal["*", "Cluster", "Namespaced"]


class MatchResources(TypedDict):
    """Which requests match. The server fills in empty selectors, so they are written; `{}` matches all."""

    excludeResourceRules: NotRequired[list[NamedRuleWithOperations]]
    matchPolicy: Literal["Equivalent", "Exact"]
    namespaceSelector: LabelSelector
    objectSelector: LabelSelector
    resourceRules: NotRequired[list[NamedRuleWithOperations]]


class MatchCondition(TypedDict):
    """A CEL filter; the policy runs only when all are true."""

    name: str
    expression: str


class Variable(TypedDict):
    """A named CEL expression, used as `variables.<name>`."""

    name: str
    expression: str


class Validation(TypedDict):
    """A CEL expression that must be true, and what a user reads when it is not."""

    expression: str
    message: NotRequired[str]
    messageExpression: NotRequired[str]
    reason: NotRequired[Literal["Unauthorized", "Forbidden", "Invalid", "RequestEntityTooLarge"]]


class ValidatingAdmissionPolicySpec(TypedDict):
    """A policy. Constants are compiled into the CEL text: a binding whose parameter is missing does nothing."""

    failurePolicy: Literal["Fail", "Ignore"]
    matchConditions: NotRequired[list[MatchCondition]]
    matchConstraints: MatchResources
    validations: list[Validation]
    variables: NotRequired[list[Variable]]


class ValidatingAdmissionPolicy(TypedDict):
    """admissionregistration.k8s.io/v1 ValidatingAdmissionPolicy."""

    apiVersion: Literal["admissionregistration.k8s.io/v1"]
    kind: Literal["ValidatingAdmissionPolicy"]
    metadata: ObjectMeta
    spec: ValidatingAdmissionPolicySpec


class ValidatingAdmissionPolicyBindingSpec(TypedDict):
    """Where a policy holds, and what a violation does."""

    matchResources: NotRequired[MatchResources]
    policyName: str
    validationActions: list[Literal["Deny", "Warn", "Audit"]]


class ValidatingAdmissionPolicyBinding(TypedDict):
    """admissionregistration.k8s.io/v1 ValidatingAdmissionPolicyBinding."""

    apiVersion: Literal["admissionregistration.k8s.io/v1"]
    kind: Literal["ValidatingAdmissionPolicyBinding"]
    metadata: ObjectMeta
    spec: ValidatingAdmissionPolicyBindingSpec
