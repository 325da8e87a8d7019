"""Sound objects of Kubernetes' own kinds and of other projects', which are spoilt like Kueue's."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import yaml

from tests.controlplane.lint_objects import Tried, slips, spoilable

POD = """
metadata: {labels: {app: a, acme.io/size: "8"}, annotations: {acme.io/note: x}}
spec:
  priorityClassName: system-node-critical
  nodeSelector: {pool: h100}
  tolerations:
  - {key: nvidia.com/gpu, operator: Exists, effect: NoSchedule}
  - {operator: Exists, tolerationSeconds: 5, effect: NoExecute}
  affinity:
    podAntiAffinity:
      requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: zone, labelSelector: {matchLabels: {a: b}}}]
  initContainers: [{name: first, image: busybox, command: [sh, -c, "true"]}]
  containers:
  - name: main
    image: acme/train:1
    imagePullPolicy: IfNotPresent
    args: [--epochs, "3"]
    env: [{name: A, value: b}, {name: NODE, valueFrom: {fieldRef: {fieldPath: spec.nodeName}}}]
    ports: [{name: http, containerPort: 8080, protocol: TCP}]
    resources: {limits: {nvidia.com/gpu: 2, memory: 64Gi}, requests: {cpu: 1500m, memory: 64Gi, nvidia.com/gpu: 2}}
    volumeMounts: [{name: shm, mountPath: /dev/shm, readOnly: false}]
    livenessProbe: {httpGet: {path: /, port: http}, periodSeconds: 5}
    securityContext: {runAsUser: 1000, capabilities: {drop: [ALL]}}
  volumes:
  - {name: shm, emptyDir: {medium: Memory, sizeLimit: 1Gi}}
  - {name: config, configMap: {name: c, defaultMode: 420}}
  terminationGracePeriodSeconds: 30
"""
TEMPLATES = {"job": "Never", "deployment": "Always", "stateful set": "Always"}
"""Those of the objects that make such pods, and the restart policy of these."""
TEXTS: Mapping[str, str] = {
    "pod": "{apiVersion: v1, kind: Pod}",
    "job": """
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: default, labels: {kueue.x-k8s.io/queue-name: q}}
spec:
  parallelism: 2
  completions: 2
  completionMode: Indexed
  backoffLimit: 0
  ttlSecondsAfterFinished: 60
  suspend: true""",
    "cron job": """
apiVersion: batch/v1
kind: CronJob
metadata: {name: nightly, namespace: default}
spec:
  schedule: "0 3 * * *"
  timeZone: Europe/Berlin
  concurrencyPolicy: Forbid
  jobTemplate: {spec: {template: {spec: {restartPolicy: OnFailure, containers: [{name: a, image: b}]}}}}""",
    "deployment": """
apiVersion: apps/v1
kind: Deployment
metadata: {name: chat, namespace: default}
spec:
  replicas: 2
  selector: {matchLabels: {app: a}}
  strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 0, maxUnavailable: 25%}}""",
    "stateful set": """
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: chat, namespace: default}
spec: {replicas: 1, serviceName: chat, selector: {matchLabels: {app: a}}}""",
    "autoscaler": """
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: chat, namespace: default}
spec:
  minReplicas: 1
  maxReplicas: 4
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: chat}
  metrics: [{type: Pods, pods: {metric: {name: queue}, target: {type: AverageValue, averageValue: 500m}}}]
  behavior: {scaleDown: {stabilizationWindowSeconds: 60, policies: [{type: Pods, value: 1, periodSeconds: 60}]}}""",
    "config map": "{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: default}, data: {a: b, c.yaml: 'd: e'}}",
    "node": """
apiVersion: v1
kind: Node
metadata: {name: n1, labels: {nvidia.com/gpu.product: NVIDIA-H100-80GB-HBM3}}
spec:
  taints: [{key: nvidia.com/gpu, effect: NoSchedule}, {key: spot, value: "true", effect: NoExecute}]
  unschedulable: true""",
    "claim": """
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data, namespace: default}
spec: {accessModes: [ReadWriteOnce], storageClassName: fast, resources: {requests: {storage: 10Gi}}}""",
    "priority class": """
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: high}
value: 100
globalDefault: false
preemptionPolicy: Never""",
    "quota": """
apiVersion: v1
kind: ResourceQuota
metadata: {name: q, namespace: default}
spec: {hard: {requests.nvidia.com/gpu: 8}}""",
    "rule": """
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata: {name: gpu, namespace: default}
spec:
  groups:
  - name: gpu
    interval: 30s
    rules:
    - {alert: Hot, expr: DCGM_FI_DEV_GPU_TEMP > 85, for: 5m, labels: {severity: warning}, annotations: {summary: hot}}""",
    "monitor": """
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata: {name: dcgm, namespace: default}
spec:
  selector: {matchLabels: {app: dcgm}}
  endpoints:
  - {port: metrics, interval: 15s, honorLabels: false, relabelings: [{sourceLabels: [a], targetLabel: b, action: replace}]}""",
    "job set": """
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: gang, namespace: default}
spec:
  replicatedJobs:
  - name: workers
    replicas: 2
    template:
      spec:
        parallelism: 2
        template:
          spec: {restartPolicy: Never, containers: [{name: a, image: b, resources: {limits: {nvidia.com/gpu: 8}}}]}""",
}


def _sound(name: str, text: str) -> dict[str, Any]:
    made: dict[str, Any] = yaml.safe_load(text)
    pod = yaml.safe_load(POD)
    if name in TEMPLATES:
        made["spec"]["template"] = {**pod, "spec": {"restartPolicy": TEMPLATES[name], **pod["spec"]}}
    elif made["kind"] == "Pod":
        made |= {"metadata": {"name": "p", "namespace": "default"}, "spec": pod["spec"]}
    return made


SOUND: Mapping[str, dict[str, Any]] = {name: _sound(name, text) for name, text in TEXTS.items()}
"""By what they are."""


def tried_workloads(count: int, seed: int = 5) -> Sequence[Tried]:
    """Return so many objects without repeats, sound and spoilt."""
    chance = random.Random(seed)
    made = {repr(obj): Tried(obj, name) for name, obj in SOUND.items()}
    for one in _spoilt(chance):
        made.setdefault(repr(one.obj), one)
        if len(made) >= count:
            break
    return list(made.values())


def _spoilt(chance: random.Random) -> Iterator[Tried]:
    while True:
        for name, obj in SOUND.items():
            yield from slips(chance, name, obj, chance.choice(spoilable(obj)), 1)
