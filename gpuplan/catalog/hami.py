"""HAMi's resource names, scheduler and ports (data/hami.yaml)."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from gpuplan.catalog._load import Row, Table
from gpuplan.versions import Version, required


@dataclass(frozen=True, slots=True, kw_only=True)
class Hami:
    """One version of HAMi, as its chart sets it up.

    `parts` (memory in MiB or per cent, cores in per cent) are counted by HAMi's scheduler alone.
    """

    version: Version
    card: str
    parts: tuple[str, ...]
    scheduler: str
    monitor_ports: tuple[int, ...]
    source: str
    checked: dt.date


def read() -> Hami:
    """Read the version that gpuplan writes values for."""
    (row,) = Table("hami.yaml").rows("hami")
    return _hami(row)


def _hami(row: Row) -> Hami:
    provenance = row.provenance
    return Hami(
        version=required(row.key),
        card=row.text("card"),
        parts=row.texts("parts"),
        scheduler=row.text("scheduler"),
        monitor_ports=row.wholes("monitorPorts"),
        source=provenance.source,
        checked=provenance.checked,
    )
