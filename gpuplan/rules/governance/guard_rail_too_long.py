"""More names in a guard rail than the API server reads.

The users that `exemptUsers` lists, the namespaces of the teams, and the queues of a cluster with their priority
classes, resources and topology levels stand in the text of its admission policies, since a policy cannot look them up.
The API server takes 100,000 characters in one expression.

Source: tried on Kubernetes 1.36; the limit is that of its CEL compiler.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from gpuplan.conventions import topology_annotation
from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.claims import claim_templates
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="governance/guard-rail-too-long",
    severity=Severity.ERROR,
    summary="An admission policy that becomes too long",
    why="The API server refuses an expression of more than 100,000 characters, and without its policies no guard rail holds.",
    fix="Exempt fewer users (a group of pods needs one service account), or spread the task pools over clusters.",
    bad="governance: {guardRails: {exemptUsers: [robot-00001, robot-00002]}}   # and thousands more",
    good="governance: {guardRails: {exemptUsers: [robot]}}",
)

MOST = 98_000
"""Characters that names may take up; the rest is for the expression around them."""
AROUND = 6
"""Quotes, comma and space, or a line of its own, around each name."""


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for too many exempt users, and for each cluster with too many names in its queues and namespaces."""
    rails = fleet.governance.guard_rails
    exempt = _length(rails.exempt_users)
    if exempt > MOST:
        at = fleet.places.value((*fleet.governance.path, "guardRails", "exemptUsers"))
        yield DOC.found(
            f"The {len(rails.exempt_users)} exempt users are {exempt} characters of policy; {MOST} fit", at=at
        )
    for cluster in fleet.clusters:
        queues = max(_bands(cluster), _resources(cluster), _ways(cluster), _wishes(cluster))
        for what, length in (("queues", queues), ("namespaces with queues", _length(cluster.queue_namespaces))):
            if length > MOST:
                summary = f"The {what} of cluster `{cluster.name}` are {length} characters of policy; {MOST} fit"
                yield DOC.found(summary, at=fleet.places.key(cluster.path))


def _bands(cluster: Cluster) -> int:
    """Return the length of the map from queues to priority classes."""
    return sum(
        _length((cohort.local_queue, *cohort.task_pool.priority_classes)) for cohort in cluster.cohorts_with_queues
    )


def _resources(cluster: Cluster) -> int:
    """Return the length of the map from queues to card resources."""
    return sum(
        _length((pool.local_queue, *{name for _, name in pool.flavor_resources}))
        for pool in cluster.cohorts_with_queues
    )


def _ways(cluster: Cluster) -> int:
    """Return the length of the map from queues to what messages tell their pods to ask for: claim templates by name."""
    templates = ((pool.local_queue, claim_templates(pool)) for pool in cluster.cohorts_with_queues)
    return sum(_length((name, *(f"resourceClaimTemplateName {one.name}" for one in made))) for name, made in templates)


def _wishes(cluster: Cluster) -> int:
    """Return the length of the map from queues to the topology levels that their pods must ask for."""
    wishes = ((cohort.local_queue, cohort.task_pool.topology) for cohort in cluster.cohorts_with_queues)
    return sum(_length((name, topology_annotation(wish.mode), wish.level)) for name, wish in wishes if wish.level)


def _length(names: Iterable[str]) -> int:
    return sum(len(json.dumps(name, ensure_ascii=False)) + AROUND for name in names)
