"""What the exporters of cards say during the day, once for each pod that holds a card, as they do."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from gpuplan.catalog import Family
from gpuplan.catalog.cards import Vendor
from gpuplan.emit import counters
from gpuplan.model.fleet import Fleet
from gpuplan.model.pools import NodePool
from gpuplan.model.queues import TaskKind
from tests.pictures.day import Day, Job, Pod, Slot, node_names, slots
from tests.pictures.samples import MINUTES, NOW, Samples, Values, between, counter, during

GONE = (13 * 60 + 20, 15 * 60)
"""When the card that falls off the bus is gone: the exporter is silent about it."""
HOT = (15 * 60, 16 * 60 + 30)
WORN = (2 * 60, 7 * 60)
"""When a fan fails, and when a riser makes trouble."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Holder:
    """Who holds a slot, when, and how busy it keeps it."""

    job: Job
    pod: Pod
    busy: Values


UNLUCKY_CARD = 3


def unlucky_node(day: Day) -> str:
    """Return the node whose card makes trouble: the second of the first pool."""
    return node_names(day.cluster.pools[0])[1]


def noise(seed: str, width: float) -> Values:
    """Return a smooth wander around 0, the same for the same seed."""
    raw = np.random.default_rng(zlib.crc32(seed.encode())).normal(0, width, MINUTES + 8)
    return np.convolve(raw, np.full(9, 1 / 9), "valid") * 2


def busy(job: Job, pod: str) -> Values:
    """Return how busy a job keeps each of a pod's slots, 0 to 1, where it runs."""
    wander = noise(pod, 0.05)
    running = NOW - job.ready
    match job.cohort.task_pool.kind:
        case TaskKind.TRAINING:
            made = np.where(running % 60 < 3, 0.15, 0.93) + wander  # a checkpoint each hour
        case TaskKind.ONLINE_INFERENCE:
            made = 0.42 + 0.33 * np.sin((NOW / 60 - 8) / 24 * 2 * np.pi) + 2 * wander
        case TaskKind.BATCH_INFERENCE:
            made = 0.8 + wander
        case TaskKind.EXPERIMENT:
            bursts = np.sin(NOW / 7 + zlib.crc32(pod.encode()) % 100) > 0.2
            made = np.where(bursts, 0.45 + 2 * wander, 0.02)
    resting = (running < 0) | (job.lazy & (running > 20))
    return between(job.admitted, job.ended, np.where(resting, 0.0, np.clip(made, 0, 1)))


def holders(day: Day) -> dict[Slot, list[Holder]]:
    """Return who holds each slot in the course of the day; shares of one card are one slot."""
    found: dict[Slot, list[Holder]] = {}
    for pool in day.cluster.pools:
        for _, slot in slots(pool):
            found.setdefault(slot, [])
    for job in day.jobs:
        for pod in job.pods:
            made = Holder(job=job, pod=pod, busy=busy(job, pod.name))
            for slot in pod.slots:
                found[slot].append(made)
    return found


def add(samples: Samples, fleet: Fleet, day: Day) -> None:
    """Add what the exporters of all pools say."""
    held = holders(day)
    for pool in day.cluster.pools:
        family = fleet.catalog.vendors.of(pool.card)
        by_card: dict[tuple[str, int], list[Slot]] = {}
        for _, slot in dict.fromkeys(slots(pool)):
            by_card.setdefault((slot.node, slot.card), []).append(slot)
        for (node, number), members in by_card.items():
            parts = {slot: held[slot] for slot in members}
            first = (node, number) == (unlucky_node(day), UNLUCKY_CARD)
            card = _Card(pool=pool, node=node, number=number, first=first, parts=parts)
            if pool.card.vendor is Vendor.NVIDIA:
                _nvidia(samples, card, set(counters.collected(fleet, day.cluster)))
            else:
                _other(samples, card, family)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Card:
    pool: NodePool
    node: str
    number: int
    first: bool
    """Whether it is the one to which everything happens: it falls off the bus, loses data, and gets too hot."""
    parts: dict[Slot, list[Holder]]

    @property
    def uuid(self) -> str:
        return f"GPU-{zlib.crc32(f'{self.node}/{self.number}'.encode()):08x}"

    @property
    def there(self) -> Values:
        """1 where the exporter speaks of the card."""
        return np.where(self.first & during(*GONE), np.nan, 1.0)

    def part(self, slot: Slot) -> Values:
        """Return how busy a part is."""
        total = np.zeros(MINUTES)
        for one in self.parts[slot]:
            total = total + np.nan_to_num(one.busy)
        return np.clip(total, 0, 1) * self.there

    @property
    def whole(self) -> Values:
        """Return how busy the card is, its parts by their size."""
        total = np.zeros(MINUTES)
        for slot in self.parts:
            total = total + self.part(slot) * (int(slot.profile[0]) / 7 if slot.profile else 1)
        return np.clip(total, 0, 1)

    def fullness(self, slot: Slot) -> Values:
        """Return the used part of the memory."""
        held = np.zeros(MINUTES)
        for one in self.parts[slot]:
            held = held + np.where(np.isnan(one.busy), 0, 0.2 + 0.5 * one.busy)
        return np.clip(0.02 + held * (0.3 if self.pool.sharing.shared else 0.95), 0, 0.97) * self.there

    @property
    def celsius(self) -> Values:
        warm = np.convolve(np.nan_to_num(self.whole), np.full(15, 1 / 15), "same")
        fan = np.where(self.first & during(*HOT), 22, 0)
        limit = SLOWDOWN if self.pool.card.vendor is Vendor.NVIDIA else 100
        made = 33 + zlib.crc32(self.uuid.encode()) % 6 + 34 * warm + fan + noise(self.uuid, 0.5)
        return np.minimum(np.round(made), limit - 1) * self.there


SLOWDOWN = 90


def _nvidia(samples: Samples, card: _Card, fields: set[str]) -> None:
    memory = float(card.pool.card.memory_mib or card.pool.card.memory_gib * 1024)
    power = card.pool.card.tdp_watts or 300
    for slot in card.parts:
        part, full = card.part(slot), card.fullness(slot)
        size = memory * (int(slot.profile[0]) / 8 if slot.profile else 1)
        values = {
            "DCGM_FI_PROF_GR_ENGINE_ACTIVE": part,
            "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE": part * 0.55,
            "DCGM_FI_PROF_DRAM_ACTIVE": part * 0.4,
            "DCGM_FI_DEV_FB_USED": np.round(size * full),
            "DCGM_FI_DEV_FB_FREE": np.round(size * (card.there - full)),
        }
        if not slot.profile:
            values["DCGM_FI_DEV_GPU_UTIL"] = np.round(part * 100)
        for name in sorted(fields.intersection(values)):
            _by_holder(samples, card, slot, name, values[name])
    whole = {
        "DCGM_FI_DEV_GPU_TEMP": card.celsius,
        "DCGM_FI_DEV_SLOWDOWN_TEMP": SLOWDOWN * card.there,
        "DCGM_FI_DEV_POWER_USAGE": (0.12 * power + 0.8 * power * card.whole),
        **dict(_troubles(card)),
    }
    for name in sorted(fields.intersection(whole)):
        samples.add(name, _labels(card), whole[name])
    _xids(samples, card)


def _troubles(card: _Card) -> Iterator[tuple[str, Values]]:
    """Yield the fields that say what is wrong, most of them 0 all day."""
    quiet = card.there * 0.0
    zeros = ("ROW_REMAP_FAILURE", "ROW_REMAP_PENDING", "GPU_RECOVERY_ACTION", "NVLINK_RECOVERY_ERROR_COUNT_TOTAL")
    yield from ((f"DCGM_FI_DEV_{name}", quiet) for name in zeros)
    hot = card.first & during(*HOT)
    yield "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS", np.where(hot, 64.0, np.where(card.whole < 0.05, 1.0, 0.0)) * card.there
    worn = (card.node.endswith("-02") and card.number == 1) & during(*WORN)
    yield "DCGM_FI_DEV_PCIE_REPLAY_COUNTER", counter(np.where(worn, 22 + 9 * noise(card.node, 0.6), 0.0)) * card.there
    lost = np.where(card.first & during(GONE[1] + 4, GONE[1] + 5), 1.0, 0.0)
    yield "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", counter(lost) * card.there
    crc = np.abs(noise(card.uuid, 3)) * (card.whole > 0.5)
    yield "DCGM_FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL", counter(crc * 60) * card.there


def _xids(samples: Samples, card: _Card) -> None:
    """Say how many errors the last five minutes had, by code; a card without any says 0 and no code."""
    name, labels = "DCGM_EXP_XID_ERRORS_COUNT", {**_labels(card), "window_size_in_ms": "300000"}
    found = {"79": (GONE[0] - 5, 1)} if card.first else {}
    if card.number == 0 and card.node.endswith(("-01", "-03")):
        found = {"31": (9 * 60 + 40, 2), "13": (17 * 60 + 5, 1)}
    for code, (minute, count) in found.items():
        samples.add(name, {**labels, "xid": code}, between(minute, minute + 5, float(count)))
    if not found:
        samples.add(name, labels, card.there * 0.0)


def _labels(card: _Card) -> dict[str, str]:
    return {"node": card.node, "pool": card.pool.name, "gpu": str(card.number), "UUID": card.uuid}


def _by_holder(samples: Samples, card: _Card, slot: Slot, name: str, values: Values) -> None:
    """Add a row for each pod that holds the part, and one without a pod where nobody does."""
    labels = {**_labels(card), "GPU_I_ID": slot.instance, "GPU_I_PROFILE": slot.profile}
    taken = np.zeros(MINUTES, dtype=bool)
    for one in card.parts[slot]:
        here = ~np.isnan(one.busy)
        taken |= here
        who = {"namespace": one.job.namespace, "pod": one.pod.name, "container": "main"}
        samples.add(name, {**labels, **who}, np.where(here, values, np.nan))
    samples.add(name, labels, np.where(taken, np.nan, values))


def _other(samples: Samples, card: _Card, family: Family) -> None:
    """Say of another vendor's card what its exporter tells, under its names."""
    exporter = family.exporter
    slot = next(iter(card.parts))
    labels = {theirs: card.uuid if ours == "UUID" else str(card.number) for ours, theirs in exporter.card.items()}
    size = float(card.pool.card.memory_gib * 1024)
    said = {
        exporter.metrics.presence: card.there,
        exporter.metrics.temperature: card.celsius,
        exporter.metrics.power: (60 + 300 * card.whole) * exporter.metrics.power_per_watt,
        exporter.metrics.utilisation: card.whole * exporter.metrics.utilisation_full,
        exporter.metrics.memory_used: np.round(size * card.fullness(slot)),
        exporter.metrics.memory_total: size * card.there,
        exporter.metrics.uncorrectable: card.there * 0.0,
    }
    for name, values in said.items():
        if name and "{" not in name:
            samples.add(name, {**labels, "node": card.node}, values)
