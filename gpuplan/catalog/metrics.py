"""The metrics that we export, record or alert on, with what makes each of them right or wrong (data/metrics.yaml)."""

from __future__ import annotations

import datetime as dt
import enum
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from gpuplan.catalog._load import Row, Table
from gpuplan.versions import Version

PROFILING_PREFIX = "DCGM_FI_PROF_"
"""How the fields begin that DCGM's profiling module serves, for which it needs SYS_ADMIN."""


class Exporter(enum.Enum):
    """Who serves the metric."""

    DCGM = "dcgm-exporter"
    KUEUE = "kueue"
    KUBE_STATE_METRICS = "kube-state-metrics"
    PROMETHEUS = "prometheus"
    """Prometheus itself, of each target."""
    RECLAIMER = "gpuplan-reclaim"


_SECTIONS = {
    "dcgm": Exporter.DCGM,
    "kueue": Exporter.KUEUE,
    "kubeStateMetrics": Exporter.KUBE_STATE_METRICS,
    "prometheus": Exporter.PROMETHEUS,
    "reclaimer": Exporter.RECLAIMER,
}
"""Sections of the data file, each with the metrics of one exporter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """One metric, by the name under which Prometheus sees it.

    `unit` is a Prometheus-style unit word (`celsius`, `watts`, `mebibytes`, `percent`, `ratio`, `bytes_per_second`,
    …), empty where there is none. `help` is one line without a comma, since the exporter's CSV breaks on one.
    `field_id` is DCGM's number. `in_default` tells whether the exporter's own counter list has it; `profiling`
    whether it needs the profiling module (SYS_ADMIN); `on_mig` whether it is served per MIG instance; `renamed_to` is
    its name since DCGM 4.6; `from_architecture` the first architecture that has it. `since` is the first version of its
    exporter that has it (DCGM's for its fields), None where every version in the release sets does; `needs` is the setting
    without which it is not there. `labels` are all that a series of it may have, those that the scrape adds among them.
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
    since: Version | None
    up_to: int | None
    """The largest bound of a histogram's buckets in its unit, beyond which no quantile goes; None where we need none."""
    unchecked: frozenset[str]
    source: str
    checked: dt.date

    def may_exist_on(self, architecture: str) -> bool:
        """Tell whether a card of this architecture can have it; one that we do not know may."""
        return architecture not in _BEFORE.get(self.from_architecture or "", ())


_BEFORE: Mapping[str, tuple[str, ...]] = {"ampere": ("maxwell", "pascal", "volta", "turing")}
"""NVIDIA's architectures that are older than one."""


def read() -> Mapping[str, Metric]:
    """Read every known metric, by name."""
    table = Table("metrics.yaml")
    common = {row.key: row.texts("labels") for row in table.rows("exporters")}
    return MappingProxyType(
        {
            row.key: _metric(row, exporter, common[section])
            for section, exporter in _SECTIONS.items()
            for row in table.rows(section)
        }
    )


def _metric(row: Row, exporter: Exporter, common: tuple[str, ...]) -> Metric:
    provenance = row.provenance
    return Metric(
        name=row.key,
        exporter=exporter,
        type=row.text("type"),
        unit=row.text("unit", ""),
        help=row.text("help"),
        labels=tuple(sorted({*row.texts("labels"), *common})),
        field_id=row.optional_whole("id"),
        in_default=row.flag("default"),
        profiling=row.flag("profiling"),
        on_mig=row.flag("onMig", default=True),
        renamed_to=row.optional("renamedTo"),
        from_architecture=row.optional("from"),
        needs=row.optional("needs"),
        since=row.optional_version("since"),
        up_to=row.optional_whole("upTo"),
        unchecked=row.unchecked,
        source=provenance.source,
        checked=provenance.checked,
    )
