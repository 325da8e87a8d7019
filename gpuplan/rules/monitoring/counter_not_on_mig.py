"""A field that DCGM does not serve for MIG instances, in a fleet that has some.

`DCGM_FI_DEV_GPU_UTIL` and a few others are absent on cut cards. A dashboard or alert on them shows MIG pools as idle,
or not at all; `DCGM_FI_PROF_GR_ENGINE_ACTIVE` and `DCGM_FI_PROF_DRAM_ACTIVE` work for both.

Source: NVIDIA dcgm-exporter #430, #50, #216; NVIDIA/DCGM #80.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.model.sharing import SharingMode
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import listed, pools

DOC = RuleDoc(
    id="monitoring/counter-not-on-mig",
    severity=Severity.INFO,
    summary="A field that MIG instances do not have",
    why="The series does not exist for cut cards, so that panels and alerts on it miss the fleet's MIG pools.",
    fix="Use `DCGM_FI_PROF_GR_ENGINE_ACTIVE` or `DCGM_FI_PROF_DRAM_ACTIVE` where MIG pools matter.",
    bad="monitoring: {exporter: {extraCounters: [DCGM_FI_DEV_ROW_REMAP_PENDING]}}   # and a pool with MIG",
    good="monitoring: {exporter: {extraCounters: [DCGM_FI_DEV_FB_TOTAL]}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each added field that the fleet's MIG pools do not serve."""
    cut = [pool.name for _, pool in pools(fleet) if pool.sharing.mode is SharingMode.MIG]
    for index, counter in enumerate(fleet.monitoring.extra_counters if cut else ()):
        metric = fleet.catalog.metrics.get(counter)
        if metric is not None and not metric.on_mig:
            yield DOC.found(
                f"`{counter}` does not exist for the MIG instances of {listed(cut)}",
                at=fleet.places.value((*fleet.monitoring.path, "exporter", "extraCounters", index)),
            )
