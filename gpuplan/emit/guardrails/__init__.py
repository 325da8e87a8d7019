"""Guard rails: ValidatingAdmissionPolicies that keep work inside its queue, its band and its resources.

What they compare with is written into the CEL text: a policy with a parameter object does nothing while that object is
missing, and CEL cannot follow a LocalQueue to its tier. So a changed fleet changes the policies.

- priority band, always Deny: the service classes hold only if nobody may forge a priority.
- topology, always Deny, where a task pool has a wish: Kueue reads the wish from the pods only.
- queue required, by `governance.guardRails.queueRequired`: no card without a queue.
- stateful serving, by `governance.guardRails.statefulServing`, where a task pool is stateful: its pods get the time that
  they need to hand over, and say when they serve.
- produced resources, by `governance.guardRails.producedResources`: no wait for a resource that no node will ever have.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.emit.base import GUARD_RAIL_BINDINGS, GUARD_RAILS, manifest
from gpuplan.emit.guardrails import objects, policies, stateful
from gpuplan.emit.guardrails.policies import Policy
from gpuplan.manifests.set import Manifest
from gpuplan.model.fleet import Cluster, Enforcement, Fleet


def emit(fleet: Fleet, cluster: Cluster) -> Iterator[Manifest]:
    """Yield the policies that are on, and their bindings; nothing where no team has a queue."""
    if not cluster.namespaces:
        return
    rails = fleet.governance.guard_rails
    paths = [cohort.task_pool.path for cohort in cluster.cohorts_with_queues]
    wanted: tuple[tuple[Enforcement, Policy | None], ...] = (
        (Enforcement.DENY, policies.priority_band(cluster)),
        (Enforcement.DENY, policies.topology(cluster)),
        (rails.queue_required, policies.queue_required(cluster, rails.exempt_users)),
        (rails.produced_resources, policies.produced_resources(cluster, fleet.catalog.hami)),
        (rails.stateful_serving, stateful.stateful_serving(cluster)),
    )
    for enforcement, policy in wanted:
        if policy and enforcement in objects.ACTIONS:
            made = objects.admission_policy(policy)
            yield manifest(fleet, cluster, GUARD_RAILS, made, fleet.governance.path, *paths)
            binding = objects.binding(policy, objects.ACTIONS[enforcement])
            yield manifest(fleet, cluster, GUARD_RAIL_BINDINGS, binding, fleet.governance.path)
