"""A small fleet as its exporters see it, on a day on which nothing goes wrong; each scenario changes what goes wrong in it.

Eight cards of four kinds on five nodes; each is held by a busy pod. Times are minutes from the beginning of the scenario, which
is a Thursday, 00:00 UTC: promtool's clock begins there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from gpuplan import conventions
from gpuplan.model.fleet import Cluster, Fleet
from tests.build import fleet
from tests.scenarios.exposition import Shown, Values, always, growing, shown

SPEC = """
apiVersion: gpuplan.dev/v1alpha1
metadata: {name: acme}
clusters:
  eu: {kubernetes: "1.36", destination: {server: "https://eu.acme.io:6443"}}
delivery: {argocd: {repoURL: "https://git.acme.io/gpu/fleet.git", targetRevision: main}}
cardTiers:
  train: {cards: [h100-sxm-80gb], suits: [training], costPerCardHour: 2.40 USD}
  slices: {cards: [a100-sxm-40gb], suits: [experiment], costPerCardHour: 1.10 USD}
  desk: {cards: [t4], suits: [experiment], costPerCardHour: 0.25 USD}
  serve: {cards: [l40s], suits: [onlineInference], costPerCardHour: 0.95 USD}
defaults:
  nodePool: {cluster: eu, nodes: 1, cardsPerNode: 2, selectedBy: {nfd: {}}, driver: {branch: "580"}}
nodePools:
  whole: {tier: train, nodes: 2}
  cut: {tier: slices, sharing: {mig: {profiles: {1g.5gb: 7}, strategy: mixed}}}
  sliced: {tier: desk, sharing: {timeSlicing: {replicas: 4}}}
  serving: {tier: serve}
taskPools:
  pretrain: {kind: training, service: guaranteed, tiers: [train], largestJob: {pods: 1, cardsPerPod: 2}}
  explore: {kind: experiment, service: shared, tiers: [slices], pool: {slices: 14}}
  notebooks: {kind: experiment, service: shared, tiers: [desk], pool: {desk: 8}}
  chat:
    kind: onlineInference
    service: guaranteed
    tiers: [serve]
    stateful: {drainSeconds: 300}
    serving: {engine: vllm, slo: {latencyMilliseconds: 2500, objectivePercent: 99}}
teams:
  nlp:
    namespaces: [nlp]
    alerts: {receiver: nlp-oncall}
    quotas: {pretrain: {train: {guaranteed: 2}}, explore: {}, chat: {serve: {guaranteed: 2}}}
  vision:
    namespaces: [vision]
    alerts: {receiver: vision-oncall}
    quotas: {pretrain: {train: {guaranteed: 2}}, explore: {}, notebooks: {}}
monitoring:
  thresholds: {idleCards: 2}
  peakHours: {timeZone: UTC, days: [mon, tue, wed, thu, fri, sat, sun], from: "00:30", to: "23:30"}
  releases: {argocd: [eu]}
  alertmanager:
    platform: platform-oncall
    receivers:
      platform-oncall: {pagerduty: {secret: pagerduty}}
      nlp-oncall: {slack: {secret: slack, channel: "#nlp"}}
      vision-oncall: {slack: {secret: slack, channel: "#vision"}}
"""

YESTERDAY = -86400.0
"""When everything that runs at the beginning was started, in seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pod:
    """A pod with cards. `cards` are (number of a card, number of its instance or -1); values are by minute."""

    namespace: str
    name: str
    node: str
    resource: str
    units: int
    cards: tuple[tuple[int, int], ...]
    owner: tuple[str, str] = ("Job", "work")
    busy: Values = field(default=always(0.8))
    """What each of its cards reports as use, 0 to 1; None for nothing."""
    present: Values = field(default=always(1))
    """Whether the pod exists."""
    phase: str = "Running"
    started: float = YESTERDAY


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A node with cards. `dead` cards report nothing from a minute on."""

    name: str
    pool: str
    model: str
    profile: str = ""
    """MIG profile of its instances, as the exporter spells it; empty where cards are whole."""
    instances: int = 0
    cards: int = 2
    shares: int = 1
    """Pods that one card is shared by."""
    reports: Values = field(default=always(1))
    """Whether its exporter answers."""
    present: Values = field(default=always(1))
    cordoned: Values = field(default=always(0))
    cards_present: dict[int, Values] = field(default_factory=dict)
    """Cards that do not always report, by number."""
    said: dict[tuple[int, str], Values] = field(default_factory=dict)
    """What cards report otherwise than usual: (number of the card, metric) -> values."""
    xids: tuple[tuple[int, int, int, int], ...] = ()
    """Errors: (number of the card, code, first minute, minute after the last)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """What Kueue says of a queue beyond its quota."""

    pending: Values = field(default=always(0))
    usage: Values = field(default=always(0))
    """Units of its first resource in use."""
    pending_units: Values = field(default=always(0))
    admitted: Values = field(default=growing(0.2, start=100))
    wait_seconds: float = 4
    """How long each admitted workload waited."""
    start_seconds: float = 30
    evicted: dict[tuple[str, str], Values] = field(default_factory=dict)
    """(reason, underlying cause) -> count."""


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """Everything that is scraped."""

    nodes: dict[str, Node]
    pods: dict[str, Pod]
    queues: dict[str, Queue]
    kueue_roles: tuple[str, ...] = ("standalone",)
    slow_requests: Values = field(default=growing(0, start=10))
    """Count of requests beyond 2.5 seconds."""
    requests: Values = field(default=growing(60, start=5000))
    syncs: dict[str, Values] = field(
        default_factory=lambda: {"Succeeded": growing(0.05, start=10), "Failed": always(3)}
    )
    jobs: dict[str, tuple[str, float, float]] = field(default_factory=dict)
    """Finished jobs: name -> (namespace, second of its start, second of its end; below 0 minutes it had ended before)."""

    def with_node(self, name: str, **changes: object) -> World:
        """Return the world with another node."""
        return replace(self, nodes={**self.nodes, name: replace(self.nodes[name], **changes)})  # type: ignore[arg-type]  # by name

    def with_pod(self, name: str, **changes: object) -> World:
        """Return the world with another pod."""
        return replace(self, pods={**self.pods, name: replace(self.pods[name], **changes)})  # type: ignore[arg-type]  # by name

    def with_queue(self, name: str, **changes: object) -> World:
        """Return the world with another queue."""
        return replace(self, queues={**self.queues, name: replace(self.queues[name], **changes)})  # type: ignore[arg-type]  # by name


def the_fleet() -> tuple[Fleet, Cluster]:
    """Return the fleet and its cluster."""
    made = fleet(SPEC)
    return made, made.clusters[0]


def healthy() -> World:
    """Return the world on a day on which nothing goes wrong."""
    nodes = {
        "h1": Node(name="h1", pool="whole", model="NVIDIA H100 80GB HBM3"),
        "h2": Node(name="h2", pool="whole", model="NVIDIA H100 80GB HBM3"),
        "a1": Node(name="a1", pool="cut", model="NVIDIA A100-SXM4-40GB", profile="1g.5gb", instances=7),
        "t1": Node(name="t1", pool="sliced", model="Tesla T4", shares=4),
        "l1": Node(name="l1", pool="serving", model="NVIDIA L40S"),
    }
    whole = ((0, -1), (1, -1))
    pods = {
        "train-nlp": Pod(namespace="nlp", name="train-nlp", node="h1", resource="nvidia_com_gpu", units=2, cards=whole),
        "train-vision": Pod(
            namespace="vision", name="train-vision", node="h2", resource="nvidia_com_gpu", units=2, cards=whole
        ),
        "explore-nlp": Pod(
            namespace="nlp",
            name="explore-nlp",
            node="a1",
            resource="nvidia_com_mig_1g_5gb",
            units=2,
            cards=((0, 0), (0, 1)),
        ),
        "desk-vision": Pod(
            namespace="vision",
            name="desk-vision",
            node="t1",
            resource="nvidia_com_gpu_shared",
            units=1,
            cards=((0, -1),),
        ),
        "chat-nlp": Pod(
            namespace="nlp",
            name="chat-nlp",
            node="l1",
            resource="nvidia_com_gpu",
            units=2,
            cards=whole,
            owner=("StatefulSet", "chat"),
        ),
    }
    used = {
        "nlp-pretrain": 2,
        "vision-pretrain": 2,
        "nlp-explore": 2,
        "vision-explore": 0,
        "vision-notebooks": 1,
        "nlp-chat": 2,
    }
    return World(nodes=nodes, pods=pods, queues={name: Queue(usage=always(units)) for name, units in used.items()})


# What the exporter of cards says.


def cards(counters: Iterable[str], world: World, node: Node) -> Iterator[Shown]:
    """Yield all that dcgm-exporter shows on a node: the counters of the list that we render, no others."""
    for metric in counters:
        for number in range(node.cards):
            yield from _card(world, node, number, metric)


def _card(world: World, node: Node, number: int, metric: str) -> Iterator[Shown]:
    seen = node.cards_present.get(number, always(1))
    usual = node.said.get((number, metric)) or _usual(metric)
    if metric == "DCGM_EXP_XID_ERRORS_COUNT":
        yield from _xids(world, node, number)
        return
    if node.instances and metric in (
        "DCGM_FI_DEV_GPU_UTIL",
        "DCGM_FI_DEV_MEM_COPY_UTIL",
        "DCGM_FI_DEV_ROW_REMAP_FAILURE",
    ):
        return
    for instance in range(node.instances) if node.instances else (-1,):
        holders = [pod for pod in world.pods.values() if pod.node == node.name and (number, instance) in pod.cards]
        held_by: list[Pod | None] = [*holders] or [None]
        for pod in held_by:
            values = _use(pod, metric, usual)
            gone = pod.present if pod and node.shares > 1 else always(1)
            yield Shown(metric, _labels(node, number, instance, pod), _all(values, seen, gone))


def _use(pod: Pod | None, metric: str, usual: Values) -> Values:
    """Utilisation follows the pod that holds the card."""
    scale = {"DCGM_FI_PROF_GR_ENGINE_ACTIVE": 1, "DCGM_FI_DEV_GPU_UTIL": 100, "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE": 0.5}
    if metric not in scale:
        return usual
    factor = scale[metric]
    busy = pod.busy if pod else always(0)

    def used(minute: int) -> float | None:
        value = busy(minute)
        return None if value is None else value * factor

    return used


def _xids(world: World, node: Node, number: int) -> Iterator[Shown]:
    """One row without a code while there is no error, a row for each code while there are some; the window is five minutes."""
    own = [(code, first, end) for card, code, first, end in node.xids if card == number]
    labels = dict(_labels(node, number, -1, _holder(world, node, number)))
    seen = node.cards_present.get(number, always(1))

    def quiet(minute: int) -> float | None:
        return None if any(first <= minute < end for _, first, end in own) or seen(minute) is None else 0

    yield shown("DCGM_EXP_XID_ERRORS_COUNT", quiet, **labels, window_size_in_ms="300000")
    for code, first, end in own:

        def counted(minute: int, first: int = first, end: int = end) -> float | None:
            return 1 if first <= minute < end and seen(minute) is not None else None

        yield shown("DCGM_EXP_XID_ERRORS_COUNT", counted, **labels, window_size_in_ms="300000", xid=str(code))


def _holder(world: World, node: Node, number: int) -> Pod | None:
    held = [pod for pod in world.pods.values() if pod.node == node.name and number in {card for card, _ in pod.cards}]
    return held[0] if held and not node.instances else None


def _labels(node: Node, number: int, instance: int, pod: Pod | None) -> tuple[tuple[str, str], ...]:
    labels = {
        "gpu": str(number),
        "UUID": f"GPU-{node.name}-{number}",
        "pci_bus_id": f"00000000:{number:02d}:00.0",
        "device": f"nvidia{number}",
        "modelName": node.model,
        "Hostname": f"exporter-{node.name}",
        "DCGM_FI_DRIVER_VERSION": "580.95.05",
    }
    if instance >= 0:
        labels |= {"GPU_I_PROFILE": node.profile, "GPU_I_ID": str(instance + 7)}
    if pod:
        labels |= {"pod": pod.name, "namespace": pod.namespace, "container": "main"}
        if node.shares > 1:
            labels |= {"vgpu": "0"}
    return tuple(sorted(labels.items()))


_USUAL = {
    "DCGM_FI_DEV_FB_FREE": 30000.0,
    "DCGM_FI_DEV_FB_USED": 50000.0,
    "DCGM_FI_DEV_GPU_TEMP": 61.0,
    "DCGM_FI_DEV_GPU_TEMP_LIMIT": 26.0,
    "DCGM_FI_DEV_MEMORY_TEMP": 70.0,
    "DCGM_FI_DEV_POWER_USAGE": 420.0,
    "DCGM_FI_DEV_SLOWDOWN_TEMP": 87.0,
    # Idle and power cap: both normal, and the reason why a mask is no alert.
    "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS": 5.0,
    # A latch of an error of last week, and an absurd value: both shipped by real exporters.
    "DCGM_FI_DEV_XID_ERRORS": 79.0,
    "DCGM_FI_DEV_MEM_COPY_UTIL": 4294967295.0,
}


def _usual(metric: str) -> Values:
    return always(_USUAL.get(metric, 0.0))


def _all(values: Values, *conditions: Values) -> Values:
    def seen(minute: int) -> float | None:
        return values(minute) if all(condition(minute) for condition in conditions) else None

    return seen


AGENTS = (conventions.DCGM_EXPORTER, conventions.DEVICE_PLUGIN)
"""DaemonSets whose pods tell the pool of a node."""
