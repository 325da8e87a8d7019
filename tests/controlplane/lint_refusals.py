"""One object for each rule of validity, as a person would write it, and what the server says to it in its own words."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tests.controlplane.lint_sound import SOUND

MISSING = object()
GROUPS = ("spec", "resourceGroups")
FIRST = (*GROUPS, 0, "flavors", 0)


@dataclass(frozen=True, slots=True)
class Refusal:
    """Which sound object, at which place, with which value (`MISSING` takes it away), and what the server says."""

    sound: str
    path: tuple[str | int, ...]
    value: Any
    says: str

    def object(self) -> dict[str, Any]:
        """Return the object with the mistake."""
        made = copy.deepcopy(SOUND[self.sound])
        inside: Any = made
        for key in self.path[:-1]:
            inside = inside[key]
        if self.value is MISSING:
            del inside[self.path[-1]]
        else:
            inside[self.path[-1]] = self.value
        return made


def groups(count: int) -> list[Any]:
    """Return resource groups, each with a flavor and a name of its own."""
    return [
        {"coveredResources": [f"r{number}"], "flavors": [{"name": f"f{number}", "resources": [amount(f"r{number}")]}]}
        for number in range(count)
    ]


def amount(name: str) -> dict[str, Any]:
    """Return a quota of one."""
    return {"name": name, "nominalQuota": 1}


def broad(groups: int, flavors: int, names: int) -> list[Any]:
    """Return resource groups of so many flavors and resource names each."""
    return [
        {
            "coveredResources": [f"r{group}-{name}" for name in range(names)],
            "flavors": [
                {"name": f"f{group}-{flavor}", "resources": [amount(f"r{group}-{name}") for name in range(names)]}
                for flavor in range(flavors)
            ],
        }
        for group in range(groups)
    ]


LEVEL = [{"nodeLabel": "kubernetes.io/hostname"}, {"nodeLabel": "acme.io/rack"}]
REFUSALS: Mapping[str, tuple[Refusal, ...]] = {
    "kueue/check-on-unknown-flavor": (
        Refusal(
            "whole queue",
            ("spec", "admissionChecksStrategy", "admissionChecks", 0, "onFlavors", 0),
            "spot",
            'Unsupported value: "spot"',
        ),
    ),
    "kueue/cluster-source": (Refusal("cluster", ("spec", "clusterSource"), {}, "exactly one"),),
    "kueue/flavor-in-two-groups": (
        Refusal("whole queue", (*GROUPS, 1, "flavors", 0, "name"), "h100", 'flavors[0].name: Duplicate value: "h100"'),
        Refusal("whole cohort", (*GROUPS, 0, "flavors", 1, "name"), "h100", "Duplicate value"),
    ),
    "kueue/flavor-labels-invalid": (
        Refusal("whole flavor", ("spec", "nodeLabels"), {"a b": "x"}, "spec.nodeLabels: Invalid value"),
        Refusal("whole flavor", ("spec", "nodeLabels", "pool"), "a/b", "a valid label must be"),
    ),
    "kueue/flavor-taint-invalid": (
        Refusal("whole flavor", ("spec", "nodeTaints", 0, "effect"), "Never", "supported taint effect values"),
        Refusal(
            "whole flavor",
            ("spec", "nodeTaints", 1),
            {"key": "nvidia.com/gpu", "effect": "NoSchedule"},
            "unique by key",
        ),
        Refusal("whole flavor", ("spec", "nodeTaints", 0, "key"), "a b", "spec.nodeTaints[0].key: Invalid value"),
    ),
    "kueue/flavor-toleration-invalid": (
        Refusal(
            "whole flavor",
            ("spec", "tolerations", 0, "value"),
            "x",
            "a value must be empty when 'operator' is 'Exists'",
        ),
        Refusal(
            "whole flavor", ("spec", "tolerations", 1, "key"), MISSING, "operator must be Exists when 'key' is empty"
        ),
        Refusal("whole flavor", ("spec", "tolerations", 1, "tolerationSeconds"), 5, "effect must be 'NoExecute'"),
        Refusal("whole flavor", ("spec", "tolerations", 1, "operator"), "Equals", "supported toleration values"),
        Refusal("whole flavor", ("spec", "tolerations", 1, "effect"), "Never", "supported taint effect values"),
        Refusal("whole flavor", ("spec", "tolerations", 0, "key"), "a b", "spec.tolerations[0].key: Invalid value"),
    ),
    "kueue/lending-above-quota": (
        Refusal(
            "whole queue", (*FIRST, "resources", 1, "lendingLimit"), 9, "must be less than or equal to the nominalQuota"
        ),
    ),
    "kueue/limit-without-cohort": (
        Refusal("whole queue", ("spec", "cohortName"), MISSING, "must be nil when cohort is empty"),
        Refusal("whole old queue", ("spec", "cohort"), MISSING, "must be nil when cohort is empty"),
        Refusal("whole cohort", ("spec", "parentName"), MISSING, "must be nil when parent is empty"),
    ),
    "kueue/listed-twice": (
        Refusal("clusters", ("spec", "clusters"), ["east", "east"], "must be unique"),
        Refusal("old clusters", ("spec", "clusters"), ["east", "east"], "Duplicate value"),
        Refusal("provisioning", ("spec", "managedResources"), ["a", "a"], "Duplicate value"),
    ),
    "kueue/negative-quota": (
        Refusal("whole queue", (*FIRST, "resources", 0, "borrowingLimit"), -1, "must be greater than or equal to 0"),
        Refusal("whole old cohort", ("spec", "fairSharing", "weight"), "-1", "must be greater than or equal to 0"),
    ),
    "kueue/preemption-contradiction": (
        Refusal(
            "whole old queue",
            ("spec", "preemption", "reclaimWithinCohort"),
            "Never",
            "reclaimWithinCohort=Never and borrowWithinCohort.Policy!=Never",
        ),
    ),
    "kueue/preference-without-effect": (
        Refusal("whole queue", ("spec", "flavorFungibility", "whenCanBorrow"), MISSING, "TryNextFlavor"),
    ),
    "kueue/queue-too-large": (
        Refusal("whole queue", GROUPS, groups(17), "must have at most 16 items"),
        Refusal("whole old queue", GROUPS, broad(1, 65, 1), "must have at most 64 items"),
        Refusal("whole queue", GROUPS, broad(1, 1, 65), "must have at most 64 items"),
        Refusal("whole queue", GROUPS, broad(1, 52, 10), "must be ≤ 512, got 520"),
        Refusal("whole queue", GROUPS, broad(5, 52, 1), "number of flavors across all resourceGroups must be ≤ 256"),
        Refusal(
            "whole queue",
            GROUPS,
            broad(5, 1, 52),
            "number of covered resources across all resourceGroups must be ≤ 256",
        ),
        Refusal("whole cohort", GROUPS, groups(17), "must have at most 16 items"),
    ),
    "kueue/resource-in-two-groups": (
        Refusal("whole queue", (*GROUPS, 1, "coveredResources"), ["cpu"], 'Duplicate value: "cpu"'),
    ),
    "kueue/resource-name-invalid": (
        Refusal("whole queue", (*GROUPS, 1, "coveredResources", 0), "nvidia.com/mig-1g.10gb+me", "Invalid value"),
    ),
    "kueue/resources-differ": (
        Refusal(
            "whole queue",
            (*GROUPS, 0, "coveredResources"),
            ["nvidia.com/gpu", "cpu"],
            "must match the name in coveredResources",
        ),
        Refusal("whole old cohort", (*FIRST, "resources", 1), MISSING, "must have the same number of resources"),
    ),
    "kueue/selector-invalid": (
        Refusal(
            "whole queue",
            ("spec", "namespaceSelector", "matchExpressions", 0, "values"),
            MISSING,
            "must be specified when",
        ),
        Refusal(
            "whole queue",
            ("spec", "namespaceSelector", "matchExpressions", 1, "values"),
            ["a"],
            "may not be specified when",
        ),
        Refusal(
            "whole queue",
            ("spec", "namespaceSelector", "matchExpressions", 1, "operator"),
            "Is",
            "not a valid selector operator",
        ),
        Refusal("whole queue", ("spec", "namespaceSelector", "matchLabels", "team"), "a b", "Invalid value"),
    ),
    "kueue/topology-levels": (
        Refusal("topology", ("spec", "levels"), LEVEL, "can only be used at the lowest level of topology"),
        Refusal("topology", ("spec", "levels"), LEVEL[1:] * 2, "must be unique"),
    ),
    "kueue/topology-without-labels": (
        Refusal(
            "whole flavor", ("spec", "nodeLabels"), MISSING, "at least one nodeLabel is required when topology is set"
        ),
    ),
    "kueue/value-removed-in-version": (
        Refusal("lonely queue", ("spec", "flavorFungibility"), {"whenCanBorrow": "Borrow"}, "Unsupported value"),
    ),
    "kueue/weight-too-small": (
        Refusal("whole queue", ("spec", "fairSharing", "weight"), "1n", "When not 0, weight must be"),
    ),
    "manifest/metadata": (
        Refusal("whole queue", ("metadata", "name"), "Vision_Queue", "a lowercase RFC 1123 subdomain"),
        Refusal("whole queue", ("metadata", "labels", "team"), "computer vision", "a valid label must be"),
        Refusal("whole queue", ("metadata", "annotations"), {"a/b/c": "x"}, "metadata.annotations: Invalid value"),
        Refusal("whole queue", ("metadata", "name"), MISSING, "name or generateName is required"),
    ),
    "manifest/schema": (
        Refusal("whole queue", ("spec", "cohort"), "org", 'unknown field "spec.cohort"'),
        Refusal("whole old queue", ("spec", "cohortName"), "org", 'unknown field "spec.cohortName"'),
        Refusal("whole cohort", (*FIRST, "resources", 0, "nominalQuota"), MISSING, "Required value"),
        Refusal("topology", ("spec", "levels"), [], "should have at least 1 items"),
        Refusal("priority", ("value",), 2**31, "format int32"),
    ),
}
"""By rule, what it refuses."""
