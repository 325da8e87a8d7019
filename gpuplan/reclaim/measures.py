"""What Prometheus is asked about cards, and what its answers say of pods.

Utilisation is read from the recorded series, which have the same labels for every vendor's exporter, and values that no card
has are left out of them. Coverage is counted in minutes of which there is a sample, so that it depends neither on how often
Prometheus looks nor on what it remembers of itself.
"""

from __future__ import annotations

import datetime
import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from gpuplan.emit.monitoring import series
from gpuplan.reclaim.observed import CardUse, PodUse

MEMORY = "DCGM_FI_PROF_DRAM_ACTIVE"
"""Part of the time in which device memory moved data; exported where DCGM's profiling counters are collected."""
CLUSTER = "cluster"
"""External label that tells clusters apart where one store keeps several; absent in a cluster's own Prometheus."""
LABELS = (CLUSTER, "node", "pool", "gpu", "UUID", "GPU_I_ID", "namespace", "pod")
DEVICE = ("node", "gpu", "UUID", "GPU_I_ID")
MOST_STEPS = 720
"""Steps at which a window is asked for samples: minutes up to half a day, then longer ones, so that a week is no heavy query."""
HIGHEST = 1.01
"""Utilisation up to which a value is rounding, not nonsense."""

Labels = Mapping[str, str]
Row = tuple[Labels, Decimal]
"""A sample: its labels and its value."""
PodName = tuple[str, str]
"""(namespace, name)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """What was answered for one window. Each field is the answer to the query of its name."""

    newest: tuple[Row, ...] = ()
    peak: tuple[Row, ...] = ()
    minutes: tuple[Row, ...] = ()
    memory: tuple[Row, ...] = ()
    watts: tuple[Row, ...] = field(default=())


def queries(minutes: int, cluster: str) -> dict[str, str]:
    """Return the queries for a window of so many minutes, by the field of `Answers` that each fills.

    Namespaces, pods and nodes may have the same names in other clusters, whose series a store may hold too: those that say
    to be of another cluster are left out.
    """
    step = -(-minutes // MOST_STEPS)
    own = f'{CLUSTER}=~"{cluster}|"'  # a name is a DNS label, which a pattern takes as it stands
    held = f'{series.GPU_UTIL}{{pod!="", {own}}}'
    seen = f"present_over_time({held}[{step}m])[{minutes}m:{step}m]"
    by = f"max by ({', '.join(LABELS)})"
    return {
        "newest": f"{by} (timestamp({held}))",
        "peak": f"{by} (max_over_time({held}[{minutes}m]))",
        "minutes": f"{by} (count_over_time({seen})) * {step}",
        "memory": f'max by (namespace, pod) (max_over_time({MEMORY}{{pod!="", {own}}}[{minutes}m]))',
        "watts": f"max by (node, gpu, UUID) (avg_over_time({series.CARD_POWER}{{{own}}}[{minutes}m]))",
    }


def uses(answers: Answers, now: datetime.datetime) -> dict[PodName, PodUse]:
    """Return what the cards of every pod did. A pod's cards are those that it is seen to hold now."""
    newest = _by_card(answers.newest)
    holders = _holders(newest)
    peaks, minutes = _by_card(answers.peak), _by_card(answers.minutes)
    watts = {_card(labels): value for labels, value in answers.watts}
    cards: defaultdict[PodName, list[CardUse]] = defaultdict(list)
    for key, (labels, at) in newest.items():
        cards[_pod(labels)].append(
            CardUse(
                device=device(labels),
                node=labels.get("node", ""),
                peak=_plausible(peaks.get(key)),
                minutes=int(minutes[key][1]) if key in minutes else 0,
                age_seconds=now.timestamp() - float(at),
                holders=len(holders[_device(labels)]),
                watts=_watts(labels, watts.get(_card(labels))),
                pool=labels.get("pool", ""),
            )
        )
    memory = {_pod(labels): float(value) for labels, value in answers.memory if value.is_finite()}
    return {pod: PodUse(cards=tuple(cards[pod]), memory_peak=memory.get(pod)) for pod in {*cards, *memory}}


def device(labels: Labels) -> str:
    """Return how people name a card or instance: its node, its number or id, and the instance."""
    name = labels.get("gpu") or labels.get("UUID", "")
    instance = f" instance {labels['GPU_I_ID']}" if labels.get("GPU_I_ID") else ""
    return f"card {name}{instance} on {labels.get('node', '')}"


def _watts(labels: Labels, power: Decimal | None) -> float | None:
    """Return the draw of a card; that of an instance is not known apart from its neighbours'."""
    return None if power is None or not power.is_finite() or labels.get("GPU_I_ID") else float(power)


def _plausible(found: tuple[Labels, Decimal] | None) -> float | None:
    if found is None or not found[1].is_finite():
        return None
    value = float(found[1])
    return value if 0 <= value <= HIGHEST and not math.isnan(value) else None


def _by_card(rows: Iterable[Row]) -> dict[tuple[str, ...], Row]:
    return {tuple(labels.get(name, "") for name in LABELS): (labels, value) for labels, value in rows}


def _device(labels: Labels) -> tuple[str, ...]:
    return tuple(labels.get(name, "") for name in DEVICE)


def _card(labels: Labels) -> tuple[str, ...]:
    """Return what names a physical card; some vendors number cards, others give them ids."""
    return tuple(labels.get(name, "") for name in ("node", "gpu", "UUID"))


def _pod(labels: Labels) -> PodName:
    return labels.get("namespace", ""), labels.get("pod", "")


def _holders(newest: Mapping[tuple[str, ...], Row]) -> Mapping[tuple[str, ...], set[PodName]]:
    found: defaultdict[tuple[str, ...], set[PodName]] = defaultdict(set)
    for labels, _ in newest.values():
        found[_device(labels)].add(_pod(labels))
    return found
