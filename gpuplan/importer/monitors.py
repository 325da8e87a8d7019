"""Labels by which a Prometheus that is there finds monitors and rules -> `monitoring.selectorLabels`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gpuplan.importer.draft import Entry
from gpuplan.inventory.inventory import Inventory

FOUND = ("ServiceMonitor", "PodMonitor", "PrometheusRule")
SELECTORS = ("serviceMonitorSelector", "podMonitorSelector", "ruleSelector")
TOOLS = (
    "app.kubernetes.io/",
    "argocd.argoproj.io/",
    "helm.sh/",
    "kustomize.toolkit.fluxcd.io/",
    "app",
    "chart",
    "heritage",
)
"""How keys of labels begin that tools put on whatever they install."""
TAKEN = "All monitors and rules that are there bear these labels, so that a Prometheus may look for them."


def selector_labels(inventories: Iterable[Inventory]) -> Iterator[Entry]:
    """Yield the labels that a Prometheus asks for, else those that all monitors and rules bear."""
    every = tuple(inventories)
    asked = [labels for inventory in every for labels in _asked(inventory)]
    if asked:
        together = {key: value for labels in asked for key, value in labels.items()}
        yield Entry(section=("monitoring",), name="selectorLabels", value=dict(sorted(together.items())))
        return
    borne = [set(one.labels.items()) for inventory in every for one in inventory.of(*FOUND)]
    common = set.intersection(*borne) if borne else set()
    kept = {key: value for key, value in sorted(common) if not key.startswith(TOOLS)}
    if kept:
        yield Entry(section=("monitoring",), name="selectorLabels", value=kept, notes=(TAKEN,))


def _asked(inventory: Inventory) -> Iterator[dict[str, str]]:
    for one in inventory.of("Prometheus"):
        for key in SELECTORS:
            labels = one.spec[key]["matchLabels"].texts()
            if labels:
                yield labels
