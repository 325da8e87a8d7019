"""Adopted objects and names in use, on a real API server with a real Kueue: taken, kept as written, and every queue active."""

from __future__ import annotations

import pytest

from tests.controlplane.controlplane import ControlPlane
from tests.controlplane.trial import accepted, compiled, trial

HARDWARE = """
apiVersion: gpuplan.dev/v1alpha1
metadata: {name: acme}
delivery: {argocd: {repoURL: https://git.acme.io/platform/fleet.git}}
clusters: {eu: {kubernetes: "1.36"}}
cardTiers: {train: {cards: [h100-sxm-80gb]}}
nodePools:
  a: {cluster: eu, tier: train, NODES, selectedBy: {labels: {zone: eu-1a}}, driver: {branch: "580"}}
"""
COUNTED = HARDWARE.replace("NODES", "nodes: 2, cardsPerNode: 8")
UNCOUNTED = HARDWARE.replace("NODES, ", "")
POOLS = """
taskPools:
  pretrain: {kind: training, service: guaranteed, tiers: [train], topology: {required: kubernetes.io/hostname}}
  desk: {kind: experiment, service: shared, tiers: [train], pool: {train: 4}}
teams:
  nlp: {namespaces: [nlp], quotas: {pretrain: {train: {guaranteed: 4}}, desk: {weight: 2}}}
"""
NAMES = """
names:
  clusterQueues: {nlp-pretrain: nlp}
  cohorts: {pretrain: org.training, desk: desks}
  rootCohort: everyone
  flavors: {train-h100-sxm-80gb: h100.main}
  topologies: {train: racks.main}
  localQueues: {pretrain: default-queue}
  workloadPriorityClasses: {guaranteed: normal, guaranteed-high: high}
  priorityClasses: {gpuplan-guaranteed: pods.normal}
"""
ADOPTED = """
adopted:
  eu:
    topologies: {racks: {levels: [{nodeLabel: example.com/Rack_1}, {nodeLabel: kubernetes.io/hostname}]}}
    resourceFlavors:
      any: {}
      vm: {nodeLabels: {kubevirt.io/schedulable: "true"}}
      h100:
        nodeLabels: {zone: eu-1a}
        nodeTaints: [{key: nvidia.com/gpu, effect: NoSchedule}, {key: b, value: c, effect: NoExecute}]
        tolerations:
        - {operator: Exists, effect: NoSchedule}
        - {key: b, value: c, effect: NoExecute, tolerationSeconds: 60}
        - {key: d, operator: Equal, value: e}
        topologyName: racks
    cohorts:
      org: {parentName: nowhere, fairSharing: {weight: 500m}}
      lenders:
        resourceGroups:
        - coveredResources: [cpu]
          flavors: [{name: any, resources: [{name: cpu, nominalQuota: 12000m}]}]
    clusterQueues:
      many:
        cohortName: org
        namespaceSelector: {}
        queueingStrategy: StrictFIFO
        resourceGroups:
        - coveredResources: [cpu, memory, devices.kubevirt.io/kvm]
          flavors:
          - name: any
            resources:
            - {name: cpu, nominalQuota: 0.5, borrowingLimit: 0, lendingLimit: 250m}
            - {name: memory, nominalQuota: 98304Mi, borrowingLimit: 1.8Ti}
            - {name: devices.kubevirt.io/kvm, nominalQuota: 1k}
          - name: vm
            resources:
            - {name: cpu, nominalQuota: 0}
            - {name: memory, nominalQuota: "0"}
            - {name: devices.kubevirt.io/kvm, nominalQuota: 0}
        - coveredResources: [nvidia.com/gpu]
          flavors: [{name: h100, resources: [{name: nvidia.com/gpu, nominalQuota: 4, lendingLimit: 0}]}]
        preemption:
          reclaimWithinCohort: LowerPriority
          withinClusterQueue: LowerOrNewerEqualPriority
          borrowWithinCohort: {policy: LowerPriority, maxPriorityThreshold: 10000}
        flavorFungibility: {whenCanBorrow: TryNextFlavor, preference: PreemptionOverBorrowing}
        fairSharing: {weight: 2}
      nobody: {fairSharing: {}}
      some:
        cohortName: implicit
        namespaceSelector:
          matchLabels: {a: b}
          matchExpressions:
          - {key: kubernetes.io/metadata.name, operator: In, values: [old, older]}
          - {key: closed, operator: DoesNotExist}
        admissionScope: {admissionMode: NoAdmissionFairSharing}
    localQueues:
      gpu-system/default: {clusterQueue: many}
      gpu-system/weighted: {clusterQueue: some, fairSharing: {weight: 1500m}}
    workloadPriorityClasses: {low: {value: -5, description: Low.}, zero: {value: 0}}
    priorityClasses:
      usual: {value: 5, globalDefault: true, preemptionPolicy: Never, description: Usual.}
      none: {value: 0, globalDefault: false}
"""
FLEETS = {
    "adopted queues alone": COUNTED + ADOPTED,
    "on nodes that nobody counted": UNCOUNTED + ADOPTED,
    "beside task pools": COUNTED + POOLS + ADOPTED,
    "beside task pools under names in use": COUNTED + POOLS + NAMES + ADOPTED,
    "names in use": COUNTED + POOLS + NAMES,
}


@pytest.mark.parametrize("name", FLEETS)
def test_the_server_takes_every_object_unchanged_and_kueue_calls_every_queue_active(
    control_plane: ControlPlane, name: str
) -> None:
    made = accepted(FLEETS[name])
    assert made is not None, "the fleet is fine"
    assert trial(control_plane, compiled(made)) == []
    control_plane.reset()
