"""Sound Kueue objects of both versions: whole ones with every field, and random ones."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import yaml

Json: TypeAlias = Any
OLD, NEW = "kueue.x-k8s.io/v1beta1", "kueue.x-k8s.io/v1beta2"
SELECTOR = "{matchLabels: {team: a}, matchExpressions: [{key: zone, operator: In, values: [a, b]}, {key: gpu, operator: Exists}]}"
GROUPS = """
  - coveredResources: [cpu, nvidia.com/gpu]
    flavors:
    - name: h100
      resources:
      - {name: cpu, nominalQuota: 40, borrowingLimit: 1500m, lendingLimit: "10"}
      - {name: nvidia.com/gpu, nominalQuota: 8, borrowingLimit: 4, lendingLimit: 8}
    - name: a100.me
      resources: [{name: cpu, nominalQuota: 0}, {name: nvidia.com/gpu, nominalQuota: "16"}]
  - coveredResources: [memory]
    flavors: [{name: any, resources: [{name: memory, nominalQuota: 1Ti, lendingLimit: 512Gi}]}]
"""
PREEMPTION = """
  preemption:
    reclaimWithinCohort: Any
    withinClusterQueue: LowerOrNewerEqualPriority
    borrowWithinCohort: {policy: LowerPriority, maxPriorityThreshold: 100}
"""
REST = f"""
  queueingStrategy: StrictFIFO
  stopPolicy: Hold
  fairSharing: {{weight: "1.5"}}
  admissionScope: {{admissionMode: UsageBasedAdmissionFairSharing}}
  namespaceSelector: {SELECTOR}
"""
TOLERATIONS = "[{key: nvidia.com/gpu, operator: Exists, effect: NoSchedule}, {key: a, value: b}, {operator: Exists}]"
FLAVOR = f"""
spec:
  nodeLabels: {{pool: h100, acme.io/zone: a}}
  nodeTaints: [{{key: nvidia.com/gpu, effect: NoSchedule}}, {{key: spot, value: "true", effect: NoExecute}}]
  tolerations: {TOLERATIONS}
  topologyName: racks
"""
TEXTS: Mapping[str, str] = {
    "whole queue": f"""
kind: ClusterQueue
apiVersion: {NEW}
metadata: {{name: vision, labels: {{team: a}}, annotations: {{acme.io/note: b}}}}
spec:
  cohortName: org
  flavorFungibility: {{whenCanBorrow: TryNextFlavor, whenCanPreempt: TryNextFlavor, preference: PreemptionOverBorrowing}}
  admissionChecksStrategy: {{admissionChecks: [{{name: check, onFlavors: [h100]}}, {{name: other}}]}}
  resourceGroups: {GROUPS}{PREEMPTION}{REST}""",
    "whole old queue": f"""
kind: ClusterQueue
apiVersion: {OLD}
metadata: {{name: vision}}
spec:
  cohort: org
  flavorFungibility: {{whenCanBorrow: Borrow, whenCanPreempt: Preempt}}
  admissionChecks: [check]
  resourceGroups: {GROUPS}{PREEMPTION}{REST}""",
    "old queue with a strategy": f"""
kind: ClusterQueue
apiVersion: {OLD}
metadata: {{name: vision}}
spec:
  flavorFungibility: {{whenCanBorrow: TryNextFlavor, whenCanPreempt: TryNextFlavor}}
  admissionChecksStrategy: {{admissionChecks: [{{name: check, onFlavors: [any]}}]}}
  resourceGroups: [{{coveredResources: [memory], flavors: [{{name: any, resources: [{{name: memory, nominalQuota: 1}}]}}]}}]
""",
    "lonely queue": f"""
kind: ClusterQueue
apiVersion: {NEW}
metadata: {{name: lonely}}
spec:
  namespaceSelector: {{}}
  preemption: {{withinClusterQueue: LowerPriority}}
  resourceGroups: [{{coveredResources: [memory], flavors: [{{name: any, resources: [{{name: memory, nominalQuota: 1}}]}}]}}]
""",
    "whole cohort": f"""
kind: Cohort
apiVersion: {NEW}
metadata: {{name: org}}
spec:
  parentName: root
  fairSharing: {{weight: 2}}
  resourceGroups: {GROUPS}""",
    "whole old cohort": f"""
kind: Cohort
apiVersion: {OLD}
metadata: {{name: org}}
spec:
  parentName: root
  fairSharing: {{weight: 500m}}
  resourceGroups: {GROUPS}""",
    "whole flavor": f"""
kind: ResourceFlavor
apiVersion: {NEW}
metadata: {{name: h100}}{FLAVOR}""",
    "whole old flavor": f"""
kind: ResourceFlavor
apiVersion: {OLD}
metadata: {{name: h100}}{FLAVOR}""",
    "local queue": f"""
kind: LocalQueue
apiVersion: {NEW}
metadata: {{name: train, namespace: default}}
spec: {{clusterQueue: vision, stopPolicy: HoldAndDrain, fairSharing: {{weight: 2}}}}""",
    "old local queue": f"""
kind: LocalQueue
apiVersion: {OLD}
metadata: {{name: train, namespace: default}}
spec: {{clusterQueue: vision, stopPolicy: None, fairSharing: {{weight: "0"}}}}""",
    "topology": f"""
kind: Topology
apiVersion: {NEW}
metadata: {{name: racks}}
spec: {{levels: [{{nodeLabel: acme.io/block}}, {{nodeLabel: acme.io/rack}}, {{nodeLabel: kubernetes.io/hostname}}]}}""",
    "old topology": f"""
kind: Topology
apiVersion: {OLD}
metadata: {{name: racks}}
spec: {{levels: [{{nodeLabel: acme.io/block}}, {{nodeLabel: kubernetes.io/hostname}}]}}""",
    "priority": f"""
kind: WorkloadPriorityClass
apiVersion: {NEW}
metadata: {{name: high}}
value: 1000
description: first""",
    "old priority": f"""
kind: WorkloadPriorityClass
apiVersion: {OLD}
metadata: {{name: high}}
value: -5""",
    "check": f"""
kind: AdmissionCheck
apiVersion: {NEW}
metadata: {{name: check}}
spec: {{controllerName: kueue.x-k8s.io/multikueue, parameters: {{apiGroup: kueue.x-k8s.io, kind: MultiKueueConfig, name: m}}}}""",
    "old check": f"""
kind: AdmissionCheck
apiVersion: {OLD}
metadata: {{name: check}}
spec: {{controllerName: acme.io/x, retryDelayMinutes: 15}}""",
    "clusters": f"""
kind: MultiKueueConfig
apiVersion: {NEW}
metadata: {{name: m}}
spec: {{clusters: [east, west]}}""",
    "old clusters": f"""
kind: MultiKueueConfig
apiVersion: {OLD}
metadata: {{name: m}}
spec: {{clusters: [east, west]}}""",
    "cluster": f"""
kind: MultiKueueCluster
apiVersion: {NEW}
metadata: {{name: east}}
spec: {{clusterSource: {{kubeConfig: {{location: east, locationType: Secret}}}}}}""",
    "old cluster": f"""
kind: MultiKueueCluster
apiVersion: {OLD}
metadata: {{name: east}}
spec: {{kubeConfig: {{location: east, locationType: Path}}}}""",
    "provisioning": f"""
kind: ProvisioningRequestConfig
apiVersion: {NEW}
metadata: {{name: p}}
spec:
  provisioningClassName: queued-provisioning.gke.io
  parameters: {{maxRunDurationSeconds: "60"}}
  managedResources: [nvidia.com/gpu]
  retryStrategy: {{backoffLimitCount: 2, backoffBaseSeconds: 60, backoffMaxSeconds: 1800}}
  podSetUpdates: {{nodeSelector: [{{key: a, valueFromProvisioningClassDetail: b}}]}}
  podSetMergePolicy: IdenticalPodTemplates""",
    "old provisioning": f"""
kind: ProvisioningRequestConfig
apiVersion: {OLD}
metadata: {{name: p}}
spec: {{provisioningClassName: check-capacity.autoscaling.x-k8s.io, managedResources: [a, b]}}""",
}
SOUND: Mapping[str, dict[str, Any]] = {name: yaml.safe_load(text) for name, text in TEXTS.items()}
"""Whole objects by what they are."""


def sound(chance: random.Random) -> dict[str, Any]:
    """Return a random sound object of a kind that people write often."""
    make = chance.choice((_queue, _queue, _queue, _cohort, _flavor, _other))
    return make(chance, chance.choice((OLD, NEW)))


def _maybe(chance: random.Random, **fields: Callable[[], Json]) -> dict[str, Any]:
    return {key: make() for key, make in fields.items() if chance.random() < 0.5}


def _groups(chance: random.Random, *, limits: bool, lend_more: bool) -> list[Json]:
    names = chance.sample(["cpu", "memory", "nvidia.com/gpu", "amd.com/gpu", "pods", "ephemeral-storage", "rdma/ib"], 6)
    flavors = iter(chance.sample([f"flavor-{number}" for number in range(12)], 12))
    made = []
    for _ in range(chance.randint(0, 3)):
        covered = [names.pop() for _ in range(chance.randint(1, 2))]
        listed = [
            {
                "name": next(flavors),
                "resources": [_resource(chance, name, limits=limits, lend_more=lend_more) for name in covered],
            }
            for _ in range(chance.randint(1, 3))
        ]
        made.append({"coveredResources": covered, "flavors": listed})
    return made


def _resource(chance: random.Random, name: str, *, limits: bool, lend_more: bool) -> Json:
    nominal = chance.choice([0, 4, 8, "16", "2Gi", "1500m"])
    made: dict[str, Json] = {"name": name, "nominalQuota": nominal}
    if limits:
        made |= _maybe(
            chance,
            borrowingLimit=lambda: chance.choice([0, 1, "4Gi"]),
            lendingLimit=lambda: chance.choice([9, "3Gi"]) if lend_more else chance.choice([0, nominal]),
        )
    return made


def _queue(chance: random.Random, version: str) -> dict[str, Any]:
    cohort = chance.choice(["", "org", "org.eu"])
    spec: dict[str, Json] = {"resourceGroups": _groups(chance, limits=bool(cohort), lend_more=False)}
    if cohort:
        spec["cohortName" if version == NEW else "cohort"] = cohort
    borrow = ["TryNextFlavor", "MayStopSearch", *(["Borrow"] if version == OLD else [])]
    preempt = ["TryNextFlavor", "MayStopSearch", *(["Preempt"] if version == OLD else [])]
    policies = ["Never", "LowerPriority", "Any"]
    spec |= _maybe(
        chance,
        namespaceSelector=lambda: chance.choice([{}, None, yaml.safe_load(SELECTOR)]),
        queueingStrategy=lambda: chance.choice(["StrictFIFO", "BestEffortFIFO"]),
        stopPolicy=lambda: chance.choice(["None", "Hold", "HoldAndDrain"]),
        fairSharing=lambda: {"weight": chance.choice([0, 1, "1.5", "500m", "2n"])},
        flavorFungibility=lambda: _maybe(
            chance, whenCanBorrow=lambda: chance.choice(borrow), whenCanPreempt=lambda: chance.choice(preempt)
        ),
        preemption=lambda: {"reclaimWithinCohort": chance.choice(policies), "withinClusterQueue": "LowerPriority"},
    )
    return {"apiVersion": version, "kind": "ClusterQueue", "metadata": {"name": "q"}, "spec": spec}


def _cohort(chance: random.Random, version: str) -> dict[str, Any]:
    parent = chance.choice(["", "root"])
    spec: dict[str, Json] = _maybe(
        chance,
        resourceGroups=lambda: _groups(chance, limits=bool(parent), lend_more=True),
        fairSharing=lambda: {"weight": chance.choice([0, 1, "1.5"])},
    )
    if parent:
        spec["parentName"] = parent
    return {"apiVersion": version, "kind": "Cohort", "metadata": {"name": "c"}, "spec": spec}


def _flavor(chance: random.Random, version: str) -> dict[str, Any]:
    taints = [
        {"key": key, "effect": effect, **_maybe(chance, value=lambda: "true")}
        for key in ("nvidia.com/gpu", "spot")
        for effect in chance.sample(["NoSchedule", "NoExecute", "PreferNoSchedule"], 1)
    ]
    spec = _maybe(
        chance,
        nodeLabels=lambda: {"pool": chance.choice(["a", "", "A_1.x"])},
        nodeTaints=lambda: taints,
        tolerations=lambda: yaml.safe_load(TOLERATIONS)[: chance.randint(0, 3)],
    )
    if spec.get("nodeLabels") and chance.random() < 0.5:
        spec["topologyName"] = "racks"
    return {"apiVersion": version, "kind": "ResourceFlavor", "metadata": {"name": "f"}, "spec": spec}


def _other(chance: random.Random, version: str) -> dict[str, Any]:
    known = [
        obj for obj in SOUND.values() if obj["apiVersion"] == version and obj["kind"] not in ("ClusterQueue", "Cohort")
    ]
    chosen: dict[str, Any] = yaml.safe_load(yaml.safe_dump(chance.choice(known)))
    return chosen
