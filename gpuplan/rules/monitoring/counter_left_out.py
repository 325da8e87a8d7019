"""Fields that gpuplan's rules read and that an exact list of counters leaves out.

`monitoring.exporter.counters` is collected as it stands. A rule on a field that nobody collects would never fire, and look
like good news; so it is not rendered, and the dashboards show less. That may well be what a fleet wants, and should be known.

Source: NVIDIA/dcgm-exporter, the list of counters takes the place of the exporter's own.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.catalog.cards import Vendor
from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.model.monitoring import PROFILED, REQUIRED
from gpuplan.rulebook import RuleDoc
from gpuplan.words import in_a_row

DOC = RuleDoc(
    id="monitoring/counter-left-out",
    severity=Severity.INFO,
    summary="Fields that alerts read are not collected",
    why="The list in `counters` is collected as it stands. What reads a field that is not in it, alert or panel, is not "
    "rendered.",
    fix="Add the fields whose alerts you want, or leave `counters` out and use `extraCounters`.",
    bad="monitoring: {exporter: {counters: [DCGM_FI_DEV_GPU_UTIL]}}",
    good="monitoring: {exporter: {extraCounters: [DCGM_FI_DEV_FAN_SPEED]}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding where a fleet with NVIDIA cards names its counters and leaves out some that rules read."""
    said = fleet.monitoring
    if not said.counters or not any(pool.card.vendor is Vendor.NVIDIA for one in fleet.clusters for pool in one.pools):
        return
    lacking = sorted({*REQUIRED, *PROFILED} - {*said.counters, *said.extra_counters})
    if lacking:
        yield DOC.found(
            f"Alerts and panels that read {in_a_row([f'`{name}`' for name in lacking])} are not rendered",
            at=fleet.places.key((*said.path, "exporter", "counters")),
        )
