"""Alerts on the state of nodes and cards.

Facts: NVIDIA/dcgm-exporter 4.8, kube-state-metrics 2.20, other vendors' exporters by the catalogue. Labels are ours by
the scrape contract (`emit/scraping`). What every vendor's exporter can tell is one alert for all of them, by each one's own
metrics (`card_series`); what can never be told in a cluster has no rule there, rather than one that never fires.

A planned drain pages nobody: alerts on what a drain causes by itself leave out nodes that were cordoned within a day. What a
card says of itself is told whatever the node's state, since no drain breaks a card.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.emit.monitoring.alerts import Group
from gpuplan.emit.monitoring.state import counters, heat, links, memory, presence, verdicts, xids
from gpuplan.model.fleet import Cluster, Fleet


def groups(fleet: Fleet, cluster: Cluster) -> Iterator[Group]:
    """Yield the alerts on the state of a cluster's nodes and cards."""
    parts = (presence, counters, xids, verdicts, heat, memory, links)
    yield Group(
        name="gpuplan-gpu-state",
        records=tuple(heat.records(cluster)),
        alerts=tuple(alert for part in parts for alert in part.alerts(fleet, cluster)),
    )
