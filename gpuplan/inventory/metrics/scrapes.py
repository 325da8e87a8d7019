"""How dcgm-exporter is scraped: monitors, and what charts are told to make of the kind."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from gpuplan.diagnostics import Span
from gpuplan.inventory.cards.operator import operators
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.items import Format, Object
from gpuplan.inventory.view import View

_ENDPOINTS = {"ServiceMonitor": "endpoints", "PodMonitor": "podMetricsEndpoints"}
_EXPORTER = "dcgm-exporter"
_PORTS = ("gpu-metrics", "9400")
POD_LABELS = ("namespace", "pod", "container")
"""Labels that the exporter gives to the series of a card that a pod holds, and that every target in a cluster has, too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scrape:
    """One way by which the exporter's series come in; `honors` tells whether its own labels win over the target's.

    `renames` tells whether relabelling touches the labels in question, so that nothing is sure of them.
    """

    view: View
    honors: bool
    renames: bool

    @property
    def at(self) -> Span:
        """Where it says whose labels win, or where it stands."""
        return self.view["honorLabels"].key_span


def scrapes(inventory: Inventory) -> Iterator[Scrape]:
    """Yield the scrapes of dcgm-exporter that an inventory tells of."""
    for monitor in inventory.of(*_ENDPOINTS):
        for endpoint in monitor.spec[_ENDPOINTS[monitor.kind]].items():
            if _is_exporter(monitor, endpoint):
                yield _scrape(endpoint)
    for one in operators(inventory):
        yield from _of_chart(one.root["dcgmExporter"]["serviceMonitor"])
    for config in inventory.configs_of(Format.EXPORTER_VALUES):
        yield from _of_chart(config.root["serviceMonitor"])


def _of_chart(view: View) -> Iterator[Scrape]:
    """Charts honour no labels unless they are told to; whether they make a monitor at all must be said."""
    told = view["honorLabels"].exists or view["enabled"].flag()
    if told and view["enabled"].flag(otherwise=True):
        yield _scrape(view)


def _scrape(view: View) -> Scrape:
    rewrites = [*view["relabelings"].items(), *view["metricRelabelings"].items()]
    return Scrape(view=view, honors=view["honorLabels"].flag(), renames=any(_touches(one) for one in rewrites))


def _touches(rewrite: View) -> bool:
    """Tell whether a step of relabelling may drop or set a label of pods."""
    if rewrite["action"].text().lower() in ("labeldrop", "labelkeep", "labelmap"):
        return True
    target = rewrite["targetLabel"].text()
    return target in POD_LABELS or any(target == f"exported_{name}" for name in POD_LABELS)


def _is_exporter(monitor: Object, endpoint: View) -> bool:
    chosen = monitor.spec["selector"]
    words = [value for _, view in chosen["matchLabels"].entries() for value in (view.scalar(),)]
    words += [value for one in chosen["matchExpressions"].items() for value in one["values"].strings()]
    port = endpoint["port"].scalar() or endpoint["targetPort"].scalar()
    return any(re.search(_EXPORTER, word) for word in words) or port in _PORTS or _EXPORTER in monitor.name
