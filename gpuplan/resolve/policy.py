"""Fleet-wide policy: governance, delivery and suppressions. Only the clusters that it names can be unknown."""

from __future__ import annotations

import datetime
from collections.abc import Mapping

from gpuplan.model.fleet import (
    Approvals,
    Delivery,
    Enforcement,
    Governance,
    GuardRails,
    Move,
    NodeHealth,
    Suppression,
    Window,
)
from gpuplan.resolve import watching
from gpuplan.resolve.scope import Scope
from gpuplan.rulebook import FORMER_IDS
from gpuplan.spec.fleet import FleetSpec


def governance(scope: Scope, known: Mapping[str, object]) -> Governance:
    """Return how strictly the clusters enforce the spec, and when changes reach them. `known` holds the clusters by name."""
    said = scope.spec.governance
    rails = said.guard_rails
    return Governance(
        approvals=Approvals(owners=tuple(dict.fromkeys(said.approvals.owners)), since=said.approvals.since),
        guard_rails=GuardRails(
            queue_required=Enforcement(rails.queue_required),
            produced_resources=Enforcement(rails.produced_resources),
            stateful_serving=Enforcement(rails.stateful_serving),
            exempt_users=tuple(sorted(set(rails.exempt_users))),
        ),
        windows=_windows(scope, known),
        node_health=_node_health(scope, known),
        reclaim=watching.reclaim(said.reclaim),
        pod_security=said.pod_security,
        path=("governance",),
    )


def _windows(scope: Scope, known: Mapping[str, object]) -> tuple[Window, ...]:
    path = ("governance", "maintenance", "windows")
    return tuple(
        Window(
            name=said.name or "",
            allows=said.kind == "allow",
            schedule=said.schedule,
            duration=said.duration,
            time_zone=said.time_zone,
            clusters=scope.clusters(known, said.clusters, (*path, index, "clusters")),
            named=tuple(said.clusters or ()),
            manual_sync=said.manual_sync,
            sync_overrun=said.sync_overrun,
            reason=said.reason or "",
            path=(*path, index),
        )
        for index, said in enumerate(scope.spec.governance.maintenance.windows)
    )


def _node_health(scope: Scope, known: Mapping[str, object]) -> NodeHealth:
    said, path = scope.spec.governance.node_health, ("governance", "nodeHealth")
    clusters = scope.clusters(known, said.clusters, (*path, "clusters"))
    return NodeHealth(
        clusters=clusters if said.controller == "nodeReadiness" else (),
        conditions=tuple((one.type, one.healthy_when) for one in said.conditions),
        dry_run=said.dry_run,
        path=path,
    )


def delivery(scope: Scope, known: Mapping[str, object]) -> Delivery:
    """Return where Argo CD finds the output, and how it brings it to the clusters."""
    said = scope.spec.delivery.argocd
    for number, step in enumerate(said.rollout):
        for index, name in enumerate(step):
            scope.look_up("clusters", known, name, ("delivery", "argocd", "rollout", number, index))
    return Delivery(
        repo_url=said.repo_url,
        target_revision=said.target_revision,
        path=said.path,
        namespace=said.namespace,
        project=said.project or scope.spec.metadata.name,
        as_set=said.mode == "applicationSet",
        rollout=tuple(tuple(step) for step in said.rollout),
        replace_priority_classes=said.replace_priority_classes,
    )


def moved(spec: FleetSpec) -> tuple[Move, ...]:
    """Return the entries that have a new name."""
    pairs = ((said.old.partition("."), said.new.partition(".")) for said in spec.moved)
    return tuple(
        Move(section=old[0], old=old[2], new=new[2], path=("moved", index)) for index, (old, new) in enumerate(pairs)
    )


def suppressions(spec: FleetSpec) -> tuple[Suppression, ...]:
    """Return the findings that the owner accepts."""
    return tuple(
        Suppression(
            rule=FORMER_IDS.get(said.rule, said.rule),
            at=said.at or "",
            reason=said.reason,
            until=datetime.date.fromisoformat(said.until) if said.until else datetime.date.max,
            path=("suppress", index),
        )
        for index, said in enumerate(spec.suppress)
    )
