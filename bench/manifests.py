"""Many manifests as a platform's repository holds them, the same text every time: queues of teams, their jobs and services.

Each team has a namespace, a queue in a common cohort, and a hundred objects in all, in the style that people write. The set is
sound, so that what is measured is reading and judging and not the printing of findings.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

TEAMS = 500
JOBS, CONFIG_MAPS, SERVICES = 60, 20, 17
"""Of each team, beside its namespace, ClusterQueue and LocalQueue."""

COMMON = (
    """\
    apiVersion: kueue.x-k8s.io/v1beta2
    kind: ResourceFlavor
    metadata:
      name: train-h100
    spec:
      nodeLabels:
        nvidia.com/gpu.product: NVIDIA-H100-80GB-HBM3
      tolerations:
        - key: nvidia.com/gpu
          operator: Exists
          effect: NoSchedule
    """,
    """\
    apiVersion: kueue.x-k8s.io/v1beta2
    kind: Cohort
    metadata:
      name: pretrain
    """,
    """\
    apiVersion: kueue.x-k8s.io/v1beta2
    kind: WorkloadPriorityClass
    metadata:
      name: guaranteed
    value: 1000
    description: work that has its floor at any moment
    """,
)
NAMESPACE = """\
apiVersion: v1
kind: Namespace
metadata:
  name: {team}
  labels:
    cost-center: cc-{number}
"""
CLUSTER_QUEUE = """\
# Floor of {team}, agreed with finance.
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata:
  name: {team}-pretrain
spec:
  cohortName: pretrain
  namespaceSelector:
    matchLabels:
      kubernetes.io/metadata.name: {team}
  preemption:
    reclaimWithinCohort: Any
    withinClusterQueue: LowerPriority
  resourceGroups:
    - coveredResources: ["cpu", "memory", "nvidia.com/gpu"]
      flavors:
        - name: train-h100
          resources:
            - name: cpu
              nominalQuota: "512"
            - name: memory
              nominalQuota: 4Ti
            - name: nvidia.com/gpu
              nominalQuota: "64"
              borrowingLimit: "32"
"""
LOCAL_QUEUE = """\
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata:
  name: pretrain
  namespace: {team}
spec:
  clusterQueue: {team}-pretrain
"""
JOB = """\
apiVersion: batch/v1
kind: Job
metadata:
  name: train-{number}
  namespace: {team}
  labels:
    app.kubernetes.io/name: train
    kueue.x-k8s.io/queue-name: pretrain
    kueue.x-k8s.io/priority-class: guaranteed
spec:
  parallelism: {pods}
  completions: {pods}
  suspend: true
  backoffLimit: 0
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: main
          image: registry.example.com/{team}/train:1.{number}
          command: ["python", "-m", "train", "--config=/etc/train/{number}.yaml"]
          env:
            - name: NCCL_DEBUG
              value: "INFO"
            - name: RUN
              value: '{team}-{number}'
          resources:
            requests:
              cpu: "16"
              memory: 128Gi
            limits:
              nvidia.com/gpu: {pods}
              memory: 128Gi
"""
CONFIG_MAP = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: settings-{number}
  namespace: {team}
data:
  LOG_LEVEL: info
  train.yaml: |
    learning_rate: 0.00{number}
    batch: 32
    layers:
      - 128
      - 64
"""
SERVICE = """\
apiVersion: v1
kind: Service
metadata:
  name: board-{number}
  namespace: {team}
spec:
  selector: {{app: board, run: "{number}"}}
  ports:
    - name: http
      port: 80
      targetPort: 6006
"""


def objects() -> Iterator[tuple[str, str]]:
    """Yield (path without ending, text) of each object."""
    for number, text in enumerate(COMMON):
        yield f"common/{number}", dedent(text)
    for number in range(TEAMS):
        team = f"team-{number:03}"
        for name, text in (("namespace", NAMESPACE), ("cluster-queue", CLUSTER_QUEUE), ("local-queue", LOCAL_QUEUE)):
            yield f"{team}/{name}", text.format(team=team, number=number)
        for name, text, count in (
            ("job", JOB, JOBS),
            ("settings", CONFIG_MAP, CONFIG_MAPS),
            ("board", SERVICE, SERVICES),
        ):
            for each in range(count):
                yield f"{team}/{name}-{each}", text.format(team=team, number=each, pods=1 + each % 8)


def write(folder: Path, objects_a_file: int) -> int:
    """Write the set into a folder, so many objects a file; return how many objects there are."""
    waiting: list[str] = []
    count = 0
    for path, text in objects():
        waiting.append(text)
        count += 1
        if len(waiting) == objects_a_file:
            _write(folder / f"{path}.yaml", waiting)
            waiting = []
    if waiting:
        _write(folder / "rest.yaml", waiting)
    return count


def _write(file: Path, texts: list[str]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("---\n".join(texts), encoding="utf-8")
