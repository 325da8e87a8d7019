"""Numbers of alerts: `monitoring.thresholds`, as far as an alert names its number as it was said."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import NamedTuple

from gpuplan.importer.draft import Entry
from gpuplan.inventory.inventory import Inventory
from gpuplan.spec.monitoring import ThresholdsSpec


class Place(NamedTuple):
    """Where a number stands: the alert, a pattern with one group, the rule's key, and by what the number is multiplied."""

    alert: str
    pattern: str
    key: str = "expr"
    factor: Fraction = Fraction(1)


_MINUTES, _PERCENT = Fraction(1, 60), Fraction(100)
PLACES: Mapping[str, Place] = {
    "exporter_down_minutes": Place("GpuExporterDownOnGpuNode", r"^(\d+)m$", "for"),
    "card_missing_minutes": Place("GpuMissingFromNode", r"^(\d+)m$", "for"),
    "thermal_margin_celsius": Place("GpuThermalMarginLow", r"DCGM_FI_DEV_SLOWDOWN_TEMP > 0 < 150\) - (\d+)"),
    "throttled_percent": Place("GpuThrottled", r"> (\d+)$"),
    "pcie_replays_per_minute": Place("GpuPcieReplaysHigh", r"> (\d+) <"),
    "queue_wait_minutes": Place("GpuQueueWaitHigh", r":p95 > (\d+)", factor=_MINUTES),
    "start_minutes": Place("GpuStartSlow", r":p95 > (\d+)", factor=_MINUTES),
    "job_success_percent": Place("GpuJobSuccessLow", r"< ([\d.]+)\)", factor=_PERCENT),
    "idle_percent": Place("TeamGpuIdleHigh", r":share > ([\d.]+)", factor=_PERCENT),
    "idle_cards": Place("TeamGpuIdleHigh", r">= (\d+)$"),
    "starved_minutes": Place("TeamStarvedUnderQuota", r"^(\d+)m$", "for"),
    "throughput_drop_percent": Place("TrainingThroughputDrop", r"< -([\d.]+)", factor=_PERCENT),
}
"""The rest stands in sums of several numbers, and is not read back."""


def thresholds(inventories: Mapping[str, Inventory]) -> Iterator[Entry]:
    """Yield the numbers that differ from gpuplan's own."""
    usual = ThresholdsSpec().model_dump()
    alias = {name: field.alias or name for name, field in ThresholdsSpec.model_fields.items()}
    found = {name: number for name, number in _numbers(inventories) if number != usual[name]}
    if found:
        value = {alias[name]: found[name] for name in PLACES if name in found}
        yield Entry(section=("monitoring",), name="thresholds", value=value)


def _numbers(inventories: Mapping[str, Inventory]) -> Iterator[tuple[str, int]]:
    for inventory in inventories.values():
        for one in inventory.of("PrometheusRule"):
            for group in one.spec["groups"].items():
                for rule in group["rules"].items():
                    texts = {key: rule[key].text() for key in ("expr", "for")}
                    yield from _of_rule(rule["alert"].text(), texts)


def _of_rule(alert: str, texts: Mapping[str, str]) -> Iterator[tuple[str, int]]:
    for name, place in PLACES.items():
        match = re.search(place.pattern, texts[place.key]) if place.alert == alert else None
        number = Fraction(match[1]) * place.factor if match else Fraction(1, 2)
        if number.denominator == 1:
            yield name, int(number)
