"""The reclaimer's own metrics, by name and labels: it writes them (`cluster`), rules and dashboards read them (`emit`)."""

from __future__ import annotations

RECLAIMED_TOTAL = "gpuplan_reclaimed_workloads_total"
RECLAIMED_LABELS = ("namespace", "owner_kind", "reason")
CANDIDATES = "gpuplan_reclaim_candidates"
CANDIDATES_LABELS = ("verdict",)
IDLE = "gpuplan_reclaim_idle"
IDLE_LABELS = ("namespace", "owner_kind", "owner", "task_pool")
LAST_SUCCESS = "gpuplan_reclaim_last_success_timestamp_seconds"
CIRCUIT_OPEN = "gpuplan_reclaim_circuit_open"
DRY_RUN = "gpuplan_reclaim_dry_run"
