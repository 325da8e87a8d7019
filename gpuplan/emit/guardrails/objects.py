"""How a guard rail becomes objects of the admission API: what it looks at, when, and what a violation does."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Literal

from gpuplan.emit.base import GUARD_RAIL_BINDINGS, GUARD_RAILS, metadata
from gpuplan.emit.guardrails import cel
from gpuplan.emit.guardrails.policies import Policy
from gpuplan.emit.workloads import WORKLOADS
from gpuplan.manifests.kinds import ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding
from gpuplan.manifests.kinds.admission import MatchCondition, NamedRuleWithOperations
from gpuplan.model.fleet import Enforcement

Action = Literal["Deny", "Warn", "Audit"]

ACTIONS: Mapping[Enforcement, list[Action]] = {Enforcement.WARN: ["Warn", "Audit"], Enforcement.DENY: ["Deny"]}
"""What a violation does; a guard rail that is off is not here."""

CHANGED = (
    'request.operation == "CREATE" || dyn(object).spec != dyn(oldObject).spec ||\n'
    "dyn(object).metadata.?labels != dyn(oldObject).metadata.?labels"
)
"""An UPDATE that changes nothing a policy looks at must not fail, or no controller could finish old objects."""


def admission_policy(policy: Policy) -> ValidatingAdmissionPolicy:
    """Return the policy as an object."""
    conditions: list[MatchCondition] = [
        {"name": "made-by-people", "expression": f"!(request.userInfo.username in {cel.column(policy.exempt)})"},
        {"name": "stays", "expression": "!has(object.metadata.deletionTimestamp)"},
        {"name": "changed", "expression": CHANGED},
    ]
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingAdmissionPolicy",
        "metadata": metadata(policy.name, GUARD_RAILS),
        "spec": {
            "failurePolicy": "Fail",
            "matchConstraints": {
                "matchPolicy": "Equivalent",
                "namespaceSelector": policy.namespaces,
                "objectSelector": {},
                "resourceRules": _resource_rules(),
            },
            "matchConditions": conditions,
            "variables": [{"name": name, "expression": text} for name, text in policy.variables.items()],
            "validations": list(policy.validations),
        },
    }


def _resource_rules() -> list[NamedRuleWithOperations]:
    """Match every kind that makes pods, a rule for each group and version."""
    grouped = itertools.groupby(
        sorted(WORKLOADS, key=lambda kind: (kind.group, kind.version)), lambda kind: (kind.group, kind.version)
    )
    return [
        {
            "apiGroups": [group],
            "apiVersions": [version],
            "operations": ["CREATE", "UPDATE"],
            "resources": [kind.resource for kind in members],
            "scope": "Namespaced",
        }
        for (group, version), members in grouped
    ]


def binding(policy: Policy, actions: list[Action]) -> ValidatingAdmissionPolicyBinding:
    """Return what puts the policy into force."""
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingAdmissionPolicyBinding",
        "metadata": metadata(policy.name, GUARD_RAIL_BINDINGS),
        "spec": {"policyName": policy.name, "validationActions": actions},
    }
