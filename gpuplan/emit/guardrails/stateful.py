"""The guard rail of stateful serving: a pod that takes time to hand over must get it, and must say when it serves.

A drain of a node, a reclaimed floor and a rollout all end a pod within its own `terminationGracePeriodSeconds`, whatever
the task pool's `drainSeconds` say. And a disruption budget counts pods that are ready: without a readiness probe a pod is so
as soon as it runs, and the next one goes before this one has loaded its model.

Any container's probe will do, a proxy's beside the server too: a pod is ready when all its containers are. Pods without
cards, such as routers, serve from no state and are let pass.
"""

from __future__ import annotations

from gpuplan import conventions
from gpuplan.emit.base import in_namespaces
from gpuplan.emit.guardrails import cel
from gpuplan.emit.guardrails.policies import CONTROLLERS, Policy, card_prefixes
from gpuplan.manifests.kinds.admission import Validation
from gpuplan.model.claims import claimable
from gpuplan.model.fleet import Cluster

GRACE = "template.?spec.?terminationGracePeriodSeconds.orValue(30)"
"""Kubernetes' default of 30 seconds stands in built-in kinds before a policy sees them, but not in those of operators."""


_READY: Validation = {
    "expression": "variables.blind.size() == 0",
    "messageExpression": cel.message(
        "pods with cards in stateful queue '{queue}' need a readinessProbe: "
        "without one, a drain takes the next pod before this one serves",
        queue="string(variables.blind[0])",
    ),
}
_PATIENT: Validation = {
    "expression": "variables.hasty.size() == 0",
    "messageExpression": cel.message(
        "pods with cards in stateful queue '{queue}' need terminationGracePeriodSeconds of {seconds} or more, not {given}: "
        "they take that long to hand over their state",
        queue="string(variables.hasty[0])",
        seconds="string(variables.drains[variables.hasty[0]])",
        given=f"""\
string(variables.serving.map(template, {GRACE}).filter(grace,
  grace < variables.drains[variables.hasty[0]]
)[0])""",
    ),
}


def stateful_serving(cluster: Cluster) -> Policy | None:
    """Refuse work in a stateful queue without readiness probe, or with less grace than the queue's drain takes."""
    drains = {
        cohort.local_queue: cohort.task_pool.drain_seconds
        for cohort in cluster.cohorts_with_queues
        if cohort.task_pool.stateful
    }
    if not drains:
        return None
    return Policy(
        name=conventions.POLICY_STATEFUL_SERVING,
        namespaces=in_namespaces(cluster.namespaces),
        exempt=CONTROLLERS,
        variables={
            "drains": cel.numbers(drains),
            "templates": cel.TEMPLATES,
            "labelled": cel.LABELLED,
            "queues": cel.QUEUES,
            "stateful": "variables.drains.filter(queue, queue in variables.queues)",
            "serving": cel.templates_with_cards(card_prefixes(cluster), claims=bool(claimable(cluster))),
            "blind": f"""\
variables.stateful.filter(queue,
  variables.serving.exists(template, !{cel.CONTAINERS}.exists(container, has(container.readinessProbe)))
)""",
            "hasty": f"""\
variables.stateful.filter(queue,
  variables.serving.exists(template, {GRACE} < variables.drains[queue])
)""",
        },
        validations=(_READY, _PATIENT),
    )
