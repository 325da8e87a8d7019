"""Guard rails: ValidatingAdmissionPolicies that keep work inside its queue, its band and its resources.

What they compare with is written into the CEL text: a policy with a parameter object does nothing while that object is
missing, and CEL cannot follow a LocalQueue to its tier. So a changed fleet changes the policies.

- priority band, always Deny: the service classes hold only if nobody may forge a priority (design §4).
- queue required, by `governance.guardRails.queueRequired`: no card without a queue.
- produced resources, by `governance.guardRails.producedResources`: no wait for a resource that no node will ever have.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.emit.base import GUARD_RAIL_BINDINGS, GUARD_RAILS, manifest
from gpuplan.emit.guardrails import policies
from gpuplan.emit.guardrails.policies import ACTIONS, Policy
from gpuplan.manifests.set import Manifest
from gpuplan.model.fleet import Cluster, Enforcement, Fleet


def emit(fleet: Fleet, cluster: Cluster) -> Iterator[Manifest]:
    """Yield the policies that are on, and their bindings; nothing where no team has a queue."""
    if not cluster.namespaces:
        return
    rails = fleet.governance.guard_rails
    paths = [cohort.task_pool.path for cohort in cluster.cohorts if cohort.queues]
    wanted: tuple[tuple[Enforcement, Policy], ...] = (
        (Enforcement.DENY, policies.priority_band(cluster)),
        (rails.queue_required, policies.queue_required(cluster, rails.exempt_users)),
        (rails.produced_resources, policies.produced_resources(cluster)),
    )
    for enforcement, policy in wanted:
        if enforcement in ACTIONS:
            made = policies.admission_policy(policy, cluster)
            yield manifest(fleet, cluster, GUARD_RAILS, made, fleet.governance.path, *paths)
            binding = policies.binding(policy, ACTIONS[enforcement])
            yield manifest(fleet, cluster, GUARD_RAIL_BINDINGS, binding, fleet.governance.path)
