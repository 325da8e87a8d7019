"""Fleet-wide policy: monitoring, governance, delivery and suppressions. Nothing here can fail."""

from __future__ import annotations

import datetime

from gpuplan.model.fleet import Delivery, Enforcement, Governance, GuardRails, Monitoring, Suppression, Thresholds
from gpuplan.spec.fleet import FleetSpec


def monitoring(spec: FleetSpec) -> Monitoring:
    """Return what is scraped and alerted on."""
    said = spec.monitoring
    return Monitoring(
        selector_labels=dict(sorted(said.selector_labels.items())),
        interval_seconds=said.exporter.interval_seconds,
        extra_counters=tuple(said.exporter.extra_counters),
        profiling=said.exporter.profiling,
        thresholds=Thresholds(
            exporter_down_minutes=said.thresholds.exporter_down_minutes,
            card_missing_minutes=said.thresholds.card_missing_minutes,
            thermal_margin_celsius=said.thresholds.thermal_margin_celsius,
        ),
        runbook_base=said.runbook_base or "",
        path=("monitoring",),
    )


def governance(spec: FleetSpec) -> Governance:
    """Return how strictly the cluster enforces the spec."""
    rails = spec.governance.guard_rails
    return Governance(
        guard_rails=GuardRails(
            queue_required=Enforcement(rails.queue_required),
            produced_resources=Enforcement(rails.produced_resources),
            exempt_users=tuple(sorted(set(rails.exempt_users))),
        ),
        pod_security=spec.governance.pod_security,
        path=("governance",),
    )


def delivery(spec: FleetSpec) -> Delivery:
    """Return where Argo CD finds the output."""
    said = spec.delivery.argocd
    return Delivery(
        repo_url=said.repo_url,
        target_revision=said.target_revision,
        path=said.path,
        namespace=said.namespace,
        project=said.project or spec.metadata.name,
    )


def suppressions(spec: FleetSpec) -> tuple[Suppression, ...]:
    """Return the findings that the owner accepts."""
    return tuple(
        Suppression(
            rule=said.rule,
            at=said.at or "",
            reason=said.reason,
            until=datetime.date.fromisoformat(said.until) if said.until else datetime.date.max,
            path=("suppress", index),
        )
        for index, said in enumerate(spec.suppress)
    )
