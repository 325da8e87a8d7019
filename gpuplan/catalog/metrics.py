"""The metrics that we export, record or alert on, with what makes each of them right or wrong (data/metrics.yaml)."""

from __future__ import annotations

import datetime as dt
import enum
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from gpuplan.catalog._load import Row, Table

PROFILING_PREFIX = "DCGM_FI_PROF_"
"""How the fields begin that DCGM's profiling module serves, for which it needs SYS_ADMIN."""


class Exporter(enum.Enum):
    """Who serves the metric."""

    DCGM = "dcgm-exporter"
    KUEUE = "kueue"
    KUBE_STATE_METRICS = "kube-state-metrics"


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """One metric, by the name under which Prometheus sees it.

    `unit` is a Prometheus-style unit word (`celsius`, `watts`, `mebibytes`, `percent`, `ratio`, `bytes_per_second`,
    …), empty where there is none. `help` is one line without a comma, since the exporter's CSV breaks on one.
    `field_id` is DCGM's number. `in_default` tells whether the exporter's own counter list has it; `profiling`
    whether it needs the profiling module (SYS_ADMIN); `on_mig` whether it is served per MIG instance; `renamed_to` is
    its name since DCGM 4.6; `from_architecture` the first architecture that has it.
    """

    name: str
    exporter: Exporter
    type: str
    unit: str
    help: str
    labels: tuple[str, ...]
    field_id: int | None
    in_default: bool
    profiling: bool
    on_mig: bool
    renamed_to: str | None
    from_architecture: str | None
    needs: str | None
    unchecked: frozenset[str]
    source: str
    checked: dt.date


def read() -> Mapping[str, Metric]:
    """Read every known metric, by name."""
    table = Table("metrics.yaml")
    return MappingProxyType(
        {
            row.key: _metric(row, exporter)
            for section, exporter in (
                ("dcgm", Exporter.DCGM),
                ("kueue", Exporter.KUEUE),
                ("kubeStateMetrics", Exporter.KUBE_STATE_METRICS),
            )
            for row in table.rows(section)
        }
    )


def _metric(row: Row, exporter: Exporter) -> Metric:
    provenance = row.provenance
    return Metric(
        name=row.key,
        exporter=exporter,
        type=row.text("type"),
        unit=row.text("unit", ""),
        help=row.text("help"),
        labels=row.texts("labels"),
        field_id=row.optional_whole("id"),
        in_default=row.flag("default"),
        profiling=row.flag("profiling"),
        on_mig=row.flag("onMig", default=True),
        renamed_to=row.optional("renamedTo"),
        from_architecture=row.optional("from"),
        needs=row.optional("needs"),
        unchecked=row.unchecked,
        source=provenance.source,
        checked=provenance.checked,
    )
