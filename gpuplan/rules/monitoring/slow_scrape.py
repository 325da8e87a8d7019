"""An exporter that is asked too seldom.

Prometheus takes a series for gone five minutes after its last sample, and the exporter counts XIDs over five minutes: asked
as seldom as that, cards seem to come and go, and errors fall between two looks. Rates over ten minutes need at least four
samples.

Source: Prometheus, staleness; NVIDIA dcgm-exporter, DCGM_EXP_XID_ERRORS_COUNT (window of 300 s).
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc

STALE_SECONDS = 300
"""After so long without a sample a series is gone; the window of the count of XIDs is as long."""
FOUR_IN_TEN_MINUTES = 150
"""The longest interval with four samples in the shortest window of our rates, in seconds."""

DOC = RuleDoc(
    id="monitoring/slow-scrape",
    severity=Severity.ERROR,
    summary="An exporter that is asked too seldom",
    why="Between two samples a card counts as gone, its XIDs are forgotten, and rates have too little to go by.",
    fix="Ask every 30 seconds, and never more seldom than every 150.",
    bad="monitoring: {exporter: {intervalSeconds: 600}}",
    good="monitoring: {exporter: {intervalSeconds: 30}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding where the interval breaks alerts, and a milder one where it leaves rates too few samples."""
    seconds = fleet.monitoring.interval_seconds
    if seconds <= FOUR_IN_TEN_MINUTES:
        return
    at = fleet.places.value((*fleet.monitoring.path, "exporter", "intervalSeconds"))
    if seconds >= STALE_SECONDS:
        yield DOC.found(f"Every {seconds} s is too seldom: cards seem to come and go", at=at)
    else:
        yield DOC.found(f"Every {seconds} s leaves rates too few samples", at=at, severity=Severity.WARNING)
