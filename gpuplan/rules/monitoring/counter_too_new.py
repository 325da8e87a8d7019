"""A DCGM field that the exporter of a cluster's release does not know yet.

The exporter does not start when its list names a field that its DCGM does not have, and the whole cluster is unobserved.
The names that came with DCGM 4.6 are such fields, too: every version knows the old ones.

Source: NVIDIA dcgm-exporter ("could not find DCGM field"); go-dcgm 1.4601, const_fields.go.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gpuplan.catalog import Metric, Vendor
from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.versions import Version, required

RENAMED = required("4.6.0")
"""Since when DCGM has the new names."""

DOC = RuleDoc(
    id="monitoring/counter-too-new",
    severity=Severity.ERROR,
    summary="A DCGM field that the release's exporter does not know",
    why="The exporter stops at its start, and no card of the cluster is watched.",
    fix="Take a release whose exporter has the field, or the field's older name.",
    bad='monitoring: {exporter: {extraCounters: [DCGM_FI_DEV_GPU_TEMP_CELSIUS]}}   # and release: "2026.05"',
    good="monitoring: {exporter: {extraCounters: [DCGM_FI_DEV_GPU_TEMP]}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each added field and each cluster whose exporter we run and which is too old for it."""
    renamed = {metric.renamed_to: metric for metric in fleet.catalog.metrics.values() if metric.renamed_to}
    for place, counter in fleet.monitoring.named_counters:
        since = _since(counter, fleet.catalog.metrics, renamed)
        older = renamed[counter].name if counter in renamed else ""
        for cluster in fleet.clusters if since else ():
            exporter = cluster.components["dcgmExporter"].version
            ours = cluster.pools_on("manual", Vendor.NVIDIA) or cluster.operator_pools
            if ours and since and exporter < since:
                yield DOC.found(
                    f"`{counter}` needs DCGM {since}, and cluster `{cluster.name}` runs DCGM exporter {exporter}",
                    at=fleet.places.value((*fleet.monitoring.path, *place)),
                    fix=f"Write `{older}`, which every version knows." if older else None,
                )


def _since(counter: str, known: Mapping[str, Metric], renamed: Mapping[str, Metric]) -> Version | None:
    if counter in renamed:
        return RENAMED
    return known[counter].since if counter in known else None
