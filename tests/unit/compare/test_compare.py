"""What differs between two objects, and what is only written differently."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from gpuplan.compare import ABSENT, Change, ChangeKind, Item, apply, compare, path_text

KINDS = {
    "ClusterQueue": "kueue.x-k8s.io/v1beta2",
    "ResourceFlavor": "kueue.x-k8s.io/v1beta2",
    "Cohort": "kueue.x-k8s.io/v1beta2",
    "DaemonSet": "apps/v1",
    "Deployment": "apps/v1",
    "ClusterRole": "rbac.authorization.k8s.io/v1",
    "RoleBinding": "rbac.authorization.k8s.io/v1",
    "PrometheusRule": "monitoring.coreos.com/v1",
    "ClusterPolicy": "nvidia.com/v1",
    "Application": "argoproj.io/v1alpha1",
    "Thing": "example.com/v1",
    "ValidatingAdmissionPolicy": "admissionregistration.k8s.io/v1",
}


def obj(kind: str, fields: str) -> dict[str, Any]:
    """Return an object with fields as YAML."""
    return {"apiVersion": KINDS.get(kind, "v1"), "kind": kind, **yaml.safe_load(fields)}


def said(changes: tuple[Change, ...]) -> list[str]:
    """Return changes as short lines."""
    return [f"{change.kind.value} {path_text(change.path)}" for change in changes]


QUOTA = "spec: {{resourceGroups: [{{coveredResources: [cpu], flavors: [{{name: a, resources: [{{name: cpu, nominalQuota: {}}}]}}]}}]}}"
POD = "spec: {{template: {{spec: {{containers: [{{name: a, {}}}]}}}}}}"

SAME = {
    "a quota in thousandths": ("ClusterQueue", QUOTA.format("12000m"), QUOTA.format('"12"')),
    "a quota as a number": ("ClusterQueue", QUOTA.format("12"), QUOTA.format('"12"')),
    "memory with another suffix": ("ClusterQueue", QUOTA.format("98304Mi"), QUOTA.format("96Gi")),
    "memory per node times nodes": ("ClusterQueue", QUOTA.format("3072Gi"), QUOTA.format("3Ti")),
    "half a core twice": ("ClusterQueue", QUOTA.format("1000m"), QUOTA.format('"1"')),
    "a fair-sharing weight": ("Cohort", "spec: {fairSharing: {weight: 500m}}", "spec: {fairSharing: {weight: '0.5'}}"),
    "limits of a container": (
        "DaemonSet",
        POD.format("resources: {limits: {cpu: 1000m, memory: 1Gi}}"),
        POD.format('resources: {limits: {memory: 1024Mi, cpu: "1"}}'),
    ),
    "a hard limit of a ResourceQuota": ("ResourceQuota", "spec: {hard: {pods: 1k}}", "spec: {hard: {pods: 1000}}"),
    "null and absent": ("ClusterQueue", "spec: {stopPolicy: null, a: null}", "spec: {}"),
    "empty labels": ("Namespace", "metadata: {name: a, labels: {}}", "metadata: {name: a}"),
    "a default of a CRD": ("ClusterQueue", "spec: {stopPolicy: None, queueingStrategy: BestEffortFIFO}", "spec: {}"),
    "a default that the server fills in": (
        "DaemonSet",
        POD.format("terminationMessagePolicy: File, ports: [{containerPort: 1, protocol: TCP}]"),
        POD.format("ports: [{containerPort: 1}]"),
    ),
    "the whole default of a map": (
        "DaemonSet",
        "spec: {updateStrategy: {type: RollingUpdate, rollingUpdate: {maxUnavailable: 1}}}",
        "spec: {}",
    ),
    "a number that may be a text": (
        "DaemonSet",
        'spec: {updateStrategy: {rollingUpdate: {maxUnavailable: "3"}}}',
        "spec: {updateStrategy: {rollingUpdate: {maxUnavailable: 3}}}",
    ),
    "tolerations in another order": (
        "ResourceFlavor",
        "spec: {tolerations: [{key: a, operator: Exists}, {key: b, value: x}]}",
        "spec: {tolerations: [{key: b, value: x, operator: Equal}, {key: a, operator: Exists}]}",
    ),
    "rules of RBAC in another order": (
        "ClusterRole",
        'rules: [{apiGroups: [""], resources: [a, b], verbs: [get, list]}, {apiGroups: [x], resources: [c], verbs: [get]}]',
        'rules: [{apiGroups: [x], resources: [c], verbs: [get]}, {apiGroups: [""], resources: [b, a], verbs: [list, get]}]',
    ),
    "finalizers in another order": (
        "ConfigMap",
        "metadata: {finalizers: [a, b]}",
        "metadata: {finalizers: [b, a]}",
    ),
    "variables in another order that name none before": (
        "DaemonSet",
        POD.format("env: [{name: A, value: '1'}, {name: B, value: '2'}]"),
        POD.format("env: [{name: B, value: '2'}, {name: A, value: '1'}]"),
    ),
    "volumes in another order": (
        "DaemonSet",
        "spec: {template: {spec: {volumes: [{name: a}, {name: b}]}}}",
        "spec: {template: {spec: {volumes: [{name: b}, {name: a}]}}}",
    ),
}

DIFFERENT = {
    "a quantity by its amount, where the field is one": (
        "ClusterQueue",
        QUOTA.format("12"),
        QUOTA.format("13"),
        ["changed spec.resourceGroups[0].flavors[a].resources[cpu].nominalQuota"],
    ),
    "a text that only looks like a quantity": (
        "ConfigMap",
        "data: {limit: 1000m}",
        "data: {limit: '1'}",
        ["changed data.limit"],
    ),
    "an annotation that only looks like a number": (
        "ConfigMap",
        "metadata: {annotations: {a.b/c: '1'}}",
        "metadata: {annotations: {a.b/c: '01'}}",
        ['changed metadata.annotations["a.b/c"]'],
    ),
    "true is not 1": ("Thing", "a: true", "a: 1", ["changed a"]),
    "a number is not its text": ("Thing", "a: 1", "a: '1'", ["changed a"]),
    "the absence of a selector is not an empty one": (
        "ClusterQueue",
        "spec: {}",
        "spec: {namespaceSelector: {}}",
        ["added spec.namespaceSelector"],
    ),
    "flavors in another order are another preference": (
        "ClusterQueue",
        "spec: {resourceGroups: [{flavors: [{name: a}, {name: b}, {name: c}]}]}",
        "spec: {resourceGroups: [{flavors: [{name: b}, {name: a}, {name: c}]}]}",
        ["reordered spec.resourceGroups[0].flavors"],
    ),
    "a flavor that goes leaves the order as it was": (
        "ClusterQueue",
        "spec: {resourceGroups: [{flavors: [{name: a}, {name: b}, {name: c}]}]}",
        "spec: {resourceGroups: [{flavors: [{name: a}, {name: c}]}]}",
        ["removed spec.resourceGroups[0].flavors[b]"],
    ),
    "covered resources are those of the flavors in order": (
        "ClusterQueue",
        "spec: {resourceGroups: [{coveredResources: [a, b]}]}",
        "spec: {resourceGroups: [{coveredResources: [b, a]}]}",
        ["reordered spec.resourceGroups[0].coveredResources"],
    ),
    "arguments have an order": (
        "DaemonSet",
        POD.format("args: [a, b]"),
        POD.format("args: [b, a]"),
        ["reordered spec.template.spec.containers[a].args"],
    ),
    "an argument that comes in between": (
        "DaemonSet",
        POD.format("args: [a, b, c, d]"),
        POD.format("args: [a, x, b, c, e]"),
        [
            "added spec.template.spec.containers[a].args[1]",
            "changed spec.template.spec.containers[a].args[3→4]",
        ],
    ),
    "of two ways that are equally long both directions take one": (
        "DaemonSet",
        POD.format("args: [a, b, x]"),
        POD.format("args: [b, a]"),
        [
            "removed spec.template.spec.containers[a].args[0]",
            "changed spec.template.spec.containers[a].args[2→1]",
        ],
    ),
    "variables have an order where one names another": (
        "DaemonSet",
        POD.format("env: [{name: A, value: '1'}, {name: B, value: $(A)}]"),
        POD.format("env: [{name: B, value: $(A)}, {name: A, value: '1'}]"),
        ["reordered spec.template.spec.containers[a].env"],
    ),
    "containers start in order": (
        "DaemonSet",
        "spec: {template: {spec: {initContainers: [{name: a}, {name: b}]}}}",
        "spec: {template: {spec: {initContainers: [{name: b}, {name: a}]}}}",
        ["reordered spec.template.spec.initContainers"],
    ),
    "ports are known by number and protocol": (
        "DaemonSet",
        POD.format("ports: [{containerPort: 1}, {containerPort: 1, protocol: UDP}]"),
        POD.format("ports: [{containerPort: 1, name: x}, {containerPort: 1, protocol: UDP}]"),
        ["added spec.template.spec.containers[a].ports[containerPort=1,protocol=TCP].name"],
    ),
    "a verb more": (
        "ClusterRole",
        'rules: [{apiGroups: [""], resources: [pods], verbs: [get]}]',
        'rules: [{apiGroups: [""], resources: [pods], verbs: [get, list]}]',
        ['added rules[apiGroups="",resources=pods].verbs[list]'],
    ),
    "an alert is known by its name, a rule that records by its series": (
        "PrometheusRule",
        "spec: {groups: [{name: g, rules: [{alert: A, expr: a}, {record: r, expr: b}]}]}",
        "spec: {groups: [{name: g, rules: [{record: r, expr: c}, {alert: A, expr: a, for: 5m}]}]}",
        [
            "added spec.groups[g].rules[alert=A].for",
            "changed spec.groups[g].rules[record=r].expr",
            "reordered spec.groups[g].rules",
        ],
    ),
    "a default that is written otherwise": (
        "ClusterQueue",
        "spec: {}",
        "spec: {stopPolicy: Hold}",
        ["added spec.stopPolicy"],
    ),
    "one toleration of several": (
        "ResourceFlavor",
        "spec: {tolerations: [{key: a, effect: NoSchedule}, {key: b}]}",
        "spec: {tolerations: [{key: b}, {key: a, effect: NoExecute}]}",
        ["changed spec.tolerations[key=a].effect"],
    ),
    "the one of several without keys that is not on both sides was changed": (
        "ValidatingAdmissionPolicy",
        "spec: {matchConstraints: {resourceRules: [{resources: [a]}, {resources: [b], operations: [CREATE]}]}}",
        "spec: {matchConstraints: {resourceRules: [{resources: [b], operations: [CREATE, UPDATE]}, {resources: [a]}]}}",
        ["added spec.matchConstraints.resourceRules[1→0].operations[UPDATE]"],
    ),
    "another kind is compared field by field": (
        "Thing",
        "list: [{name: a, v: 1}, {name: b}]",
        "list: [{name: b}, {name: a, v: 2}]",
        ["changed list[a].v", "reordered list"],
    ),
}


@pytest.mark.parametrize(("kind", "old", "new"), SAME.values(), ids=SAME.keys())
def test_two_ways_of_writing_one_thing_are_no_difference(kind: str, old: str, new: str) -> None:
    assert said(compare(obj(kind, old), obj(kind, new))) == []
    assert said(compare(obj(kind, new), obj(kind, old))) == []


@pytest.mark.parametrize(("kind", "old", "new", "expected"), DIFFERENT.values(), ids=DIFFERENT.keys())
def test_what_means_another_thing_is_a_difference(kind: str, old: str, new: str, expected: list[str]) -> None:
    before, after = obj(kind, old), obj(kind, new)
    found = compare(before, after)
    assert said(found) == expected
    assert tuple(change.mirrored for change in found) == compare(after, before)
    assert compare(apply(before, found), after) == ()


def test_a_change_holds_both_values_as_they_are_written_and_the_default() -> None:
    (change,) = compare(obj("ClusterQueue", "spec: {}"), obj("ClusterQueue", "spec: {stopPolicy: Hold}"))
    assert (change.old, change.new, change.default) == (ABSENT, "Hold", "None")
    (change,) = compare(obj("ClusterQueue", QUOTA.format("12000m")), obj("ClusterQueue", QUOTA.format("8")))
    assert (change.old, change.new, change.kind) == ("12000m", 8, ChangeKind.CHANGED)


def test_an_item_that_comes_is_put_in_its_place() -> None:
    old, new = (
        obj("ClusterQueue", f"spec: {{resourceGroups: [{{flavors: [{flavors}]}}]}}")
        for flavors in ("{name: a}, {name: c}", "{name: a}, {name: b}, {name: c}, {name: d}")
    )
    found = compare(old, new)
    assert [(change.path[-1], change.at) for change in found] == [
        (Item((("name", "b"),)), 1),
        (Item((("name", "d"),)), 3),
    ]
    assert apply(old, found) == new


CONFIG = "version: v1\nsharing:\n  timeSlicing:\n    resources: [{name: nvidia.com/gpu, replicas: %s}]\n"


def config(text: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "data": {"config.yaml": text}}


def test_a_document_in_a_config_map_is_compared_inside() -> None:
    (change,) = compare(config(CONFIG % 4), config(CONFIG % 8))
    assert path_text(change.path) == 'data["config.yaml"]'
    assert said(change.within) == ["changed sharing.timeSlicing.resources[nvidia.com/gpu].replicas"]
    assert apply(config(CONFIG % 4), [change]) == config(CONFIG % 8)


@pytest.mark.parametrize(
    ("old", "new"), [('{"a": [1, {"b": 2}]}', '{"a":[1,{"b":3}]}'), ("[1, {b: 2}]", "[1, {b: 3}]")]
)
def test_json_is_compared_inside_and_what_is_no_document_is_a_text(old: str, new: str) -> None:
    (change,) = compare(config(old), config(new))
    assert said(change.within) == (["changed a[1].b"] if '"' in old else [])
    assert not change.only_form


def test_json_that_is_too_deep_for_anybody_is_a_text() -> None:
    deep, deeper = ("[" * depth + "]" * depth for depth in (400, 401))
    (change,) = compare(config(deep), config(deeper))
    assert (change.within, change.only_form) == ((), False)


def test_what_is_no_number_is_the_same_as_itself() -> None:
    assert compare({"a": float("nan")}, {"a": float("nan")}) == ()


def test_a_text_that_says_the_same_in_another_form_is_said_to_be_that() -> None:
    (change,) = compare(config("a: 1\nb: 2\n"), config("{b: 2, a: 1} # c\n"))
    assert (change.within, change.only_form) == ((), True)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ((), ""),
        (("a.b", "c"), '["a.b"].c'),
        (("a", Item((("name", "1"),))), 'a[name="1"]'),
        (("a", 1), "a[1]"),
        (("a", "1"), 'a["1"]'),
        (("a", Item((("", "x"),))), "a[x]"),
        (("a", Item((("", 7),))), "a[value=7]"),
        (("a", Item((("name", "x y]"),))), 'a[name="x y]"]'),
        (("a", Item((("key", "x"), ("effect", "y")))), "a[key=x,effect=y]"),
    ],
)
def test_a_path_reads_in_one_way_only(path: tuple[Any, ...], text: str) -> None:
    assert path_text(path) == text
