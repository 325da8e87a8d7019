"""What a cluster has: panels that ask for anything else are left out, rather than staying empty for ever."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from gpuplan.emit import counters, reclaim
from gpuplan.emit.dashboards.panels import Panel
from gpuplan.emit.monitoring.alerts import Group
from gpuplan.model.fleet import Cluster, Fleet

_OURS = re.compile(r"\bgpuplan[_:][a-zA-Z0-9_:]+")
_FROM_RECLAIMER = re.compile(r"\bgpuplan_reclaim[a-z_]+")
_FROM_DCGM = re.compile(r"\bDCGM_[A-Z0-9_]+")
_FROM_KUEUE = re.compile(r"\bkueue_[a-z_]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Present:
    """The rule groups of a cluster, the series that they record, and the fields that its exporters collect."""

    groups: tuple[Group, ...]
    recorded: frozenset[str]
    fields: frozenset[str]
    queues: bool
    reclaimer: bool

    @classmethod
    def of(cls, fleet: Fleet, cluster: Cluster, groups: tuple[Group, ...]) -> Present:
        """Ask the rules and the emitters of a cluster."""
        return cls(
            groups=groups,
            recorded=frozenset(rule["record"] for group in groups for rule in group.records),
            fields=frozenset(counters.collected(fleet, cluster)),
            queues=bool(cluster.cohorts_with_queues),
            reclaimer=reclaim.watched(fleet, cluster),
        )

    def panels(self, panels: Iterable[Panel]) -> Iterator[Panel]:
        """Yield the panels with the queries that find something; a panel without any is left out."""
        for panel in panels:
            queries = tuple(query for query in panel.queries if self.has(query.expr))
            if any("{" in query.expr for query in queries):
                yield replace(panel, queries=queries)

    def has(self, expr: str) -> bool:
        """Tell whether everything that an expression reads is there; others' metrics are not ours to judge."""
        reclaimers = set(_FROM_RECLAIMER.findall(expr))
        return (
            self.recorded.issuperset(set(_OURS.findall(expr)) - reclaimers)
            and (self.reclaimer or not reclaimers)
            and self.fields.issuperset(_FROM_DCGM.findall(expr))
            and (self.queues or not _FROM_KUEUE.search(expr))
        )
