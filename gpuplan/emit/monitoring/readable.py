"""Rules that can read what they name, where the spec says exactly which DCGM fields are collected.

A rule on a field that nobody collects never fires, and a record of it never comes; so neither is rendered, nor what reads such
a record.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from gpuplan.emit import counters
from gpuplan.emit.monitoring.alerts import Group
from gpuplan.model.fleet import Cluster, Fleet

_FIELD = re.compile(r"\bDCGM_(?:FI|EXP)_[A-Z0-9_]+")
_RECORDED = re.compile(r"\bgpuplan[:_][a-zA-Z0-9_:]+")


def readable(made: Iterable[Group], fleet: Fleet, cluster: Cluster) -> Iterator[Group]:
    """Yield the groups of a cluster without the rules that nothing feeds; groups that are left without any are left out."""
    collected = frozenset(counters.collected(fleet, cluster))
    groups = tuple(made)
    recorded, gone = _records(groups), frozenset[str]()
    while True:
        fed = tuple(_fed(group, collected, gone) for group in groups)
        if fed == groups:
            break
        groups, gone = fed, recorded - _records(fed)
    yield from (group for group in groups if group.records or group.alerts)


def _records(groups: Iterable[Group]) -> frozenset[str]:
    return frozenset(rule["record"] for group in groups for rule in group.records)


def _fed(group: Group, collected: frozenset[str], gone: frozenset[str]) -> Group:
    """Return a group without the rules that read a field which is not collected, or a series that no rule records any more."""

    def reads(expression: str) -> bool:
        fields = all(name in collected for name in _FIELD.findall(expression))
        return fields and gone.isdisjoint(_RECORDED.findall(expression))

    return replace(
        group,
        records=tuple(one for one in group.records if reads(one["expr"])),
        alerts=tuple(one for one in group.alerts if reads(one.expr)),
    )
