"""Trials of the guard rails: work that must be refused, warned of or taken, which the server is asked about and never keeps.

Whether a policy stands in the cluster says little: another's webhook, an exempt user or a narrowed binding may keep it from
acting. So each rail is broken in one way for each task pool, and good work of each kind is tried, too.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from gpuplan import conventions
from gpuplan.cluster.rights import Right, rights
from gpuplan.diagnostics import KeyPath
from gpuplan.emit.guardrails import offers, policies
from gpuplan.emit.workloads import Workload
from gpuplan.model.fleet import Cluster, Enforcement, Fleet
from gpuplan.model.queues import Cohort
from gpuplan.verify.observed import Object
from gpuplan.verify.probe_work import Work, card_of, good, kind_of, kinds_of

OUTSIDE = "default"
"""A namespace that every cluster has; cards are out of reach there unless it is a team's."""
NOBODYS = "gpuplan-verify-nobodys"
CRITICAL = "system-node-critical"
"""A PriorityClass that every cluster has, and no work of teams may name."""


class Expected(enum.Enum):
    """What the server must say to a trial."""

    TAKEN = "taken"
    REFUSED = "refused"
    WARNED = "taken with a warning"
    SILENT = "taken without a warning"


ANSWERS: Mapping[Enforcement, Expected] = {
    Enforcement.DENY: Expected.REFUSED,
    Enforcement.WARN: Expected.WARNED,
    Enforcement.OFF: Expected.SILENT,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """One trial. `rail` is the policy that it breaks; empty for good work."""

    name: str
    rail: str
    what: str
    """The work in words, such as `a Job in queue chat without a priority class`."""
    work: Work
    expected: Expected
    at: KeyPath
    """The part of the spec that asks for it."""


def probes(fleet: Fleet, cluster: Cluster) -> Mapping[str, Object]:
    """Return the objects to be created as dry runs, each by the name of its probe; none where no team has a queue."""
    return {one.name: one.work.object for one in planned(fleet, cluster)}


def probe_rights(fleet: Fleet, cluster: Cluster) -> tuple[Right, ...]:
    """Return the rights that the trials need: to create each kind of work, for a trial, and to ask who one is.

    A cluster-wide grant is more than is needed: they ask in the namespaces of teams, and in `OUTSIDE`.
    """
    kinds = {(one.work.kind.group, one.work.kind.resource) for one in planned(fleet, cluster)}
    why = "ask whether a guard rail refuses it; nothing is kept"
    made = (rights("create", group, resource, why, dry_run=True) for group, resource in sorted(kinds))
    who = rights("create", "authentication.k8s.io", "selfsubjectreviews", "see whether a guard rail exempts who asks")
    return (*who, *(right for some in made for right in some))


def exempt_users(fleet: Fleet, cluster: Cluster, rail: str) -> tuple[str, ...]:
    """Return the users whom a guard rail lets pass: they cannot see whether it works."""
    if rail == conventions.POLICY_QUEUE_REQUIRED:
        return policies.queue_required(cluster, fleet.governance.guard_rails.exempt_users).exempt
    return policies.CONTROLLERS


def planned(fleet: Fleet, cluster: Cluster) -> tuple[Probe, ...]:
    """Return all trials of a cluster."""
    if not cluster.namespaces:
        return ()
    found = [*_good(fleet, cluster), *_queue_required(fleet, cluster), *_nobodys(fleet, cluster)]
    for cohort in cluster.cohorts_with_queues:
        found += [*_bands(fleet, cluster, cohort), *_topology(fleet, cohort), *_resources(fleet, cluster, cohort)]
        found += _stateful(fleet, cohort)
    return tuple(found)


def _queue_required(fleet: Fleet, cluster: Cluster) -> Iterator[Probe]:
    """Yield a pod with a card and no queue, in each namespace of a team and in one of nobody."""
    hami = fleet.catalog.hami
    card = next((name for one in cluster.cohorts_with_queues if (name := card_of(one, hami))), conventions.RESOURCE_GPU)
    expected = ANSWERS[fleet.governance.guard_rails.queue_required]
    namespaces = cluster.queue_namespaces
    outside = () if OUTSIDE in namespaces else (OUTSIDE,)
    for namespace in (*namespaces, *outside):
        work = Work(kind=kind_of("pod"), namespace=namespace, labels={}, card=card, annotations={})
        yield Probe(
            name=f"{conventions.POLICY_QUEUE_REQUIRED}/{namespace}",
            rail=conventions.POLICY_QUEUE_REQUIRED,
            what=f"a Pod in namespace {namespace} that asks for {card} outside every queue",
            work=work,
            expected=expected,
            at=(*fleet.governance.path, "guardRails", "queueRequired"),
        )


def _good(fleet: Fleet, cluster: Cluster) -> Iterator[Probe]:
    """Yield good work: of each task pool, and of each kind that any of them runs."""
    wanted: dict[tuple[str, str], tuple[Cohort, Workload]] = {}
    met: set[str] = set()
    for cohort in cluster.cohorts_with_queues:
        for number, kind in enumerate(kinds_of(cohort)):
            if number == 0 or kind.kind not in met:
                wanted[cohort.name, kind.kind] = (cohort, kind)
            met.add(kind.kind)
    for cohort, kind in wanted.values():
        yield Probe(
            name=f"good/{cohort.task_pool.name}/{kind.kind}",
            rail="",
            what=f"a {kind.kind} in queue {cohort.local_queue}, as a team should write it",
            work=good(cohort, kind, _namespace(cohort), fleet.catalog.hami),
            expected=Expected.TAKEN,
            at=cohort.task_pool.path,
        )


def _nobodys(fleet: Fleet, cluster: Cluster) -> Iterator[Probe]:
    """Yield work that names a queue which nobody has."""
    for cohort in cluster.cohorts_with_queues[:1]:
        work = _right(fleet, cohort).labelled(conventions.LABEL_QUEUE_NAME, NOBODYS)
        yield Probe(
            name=f"{conventions.POLICY_PRIORITY_BAND}/unknown",
            rail=conventions.POLICY_PRIORITY_BAND,
            what=f"a {work.kind.kind} in namespace {work.namespace} in queue {NOBODYS}, which nobody has",
            work=work,
            expected=Expected.REFUSED,
            at=cohort.task_pool.path,
        )


def _bands(fleet: Fleet, cluster: Cluster, cohort: Cohort) -> Iterator[Probe]:
    """Yield work without a priority, with one of another band, and with a pod class above its band."""
    right = _right(fleet, cohort)
    own = cohort.task_pool.priority_classes
    values = {
        name: value for one in cluster.cohorts_with_queues for name, value in one.task_pool.priority_classes.items()
    }
    forged = max(values.keys() - own.keys(), key=values.__getitem__, default=NOBODYS)
    broken = {
        "without a priority class": right.without(conventions.LABEL_PRIORITY_CLASS),
        f"with priority class {forged} of another band": right.labelled(conventions.LABEL_PRIORITY_CLASS, forged),
        f"whose pods name priorityClassName {CRITICAL}": replace(right, pod_class=CRITICAL),
    }
    names = ("unlabelled", "forged", "raised")
    for name, (how, work) in zip(names, broken.items(), strict=True):
        yield _broken(conventions.POLICY_PRIORITY_BAND, name, cohort, how, work, Expected.REFUSED)


def _topology(fleet: Fleet, cohort: Cohort) -> Iterator[Probe]:
    if cohort.task_pool.topology.level:
        work = replace(_right(fleet, cohort), annotations={})
        how = "that does not ask for its topology level"
        yield _broken(conventions.POLICY_TOPOLOGY, "unasked", cohort, how, work, Expected.REFUSED)


def _resources(fleet: Fleet, cluster: Cluster, cohort: Cohort) -> Iterator[Probe]:
    """Yield work that asks for a card which its queue does not have."""
    offered = offers.offered(cohort, fleet.catalog.hami)
    known = sorted({name for flavor in cluster.flavors for name in flavor.capacity})
    counted = [name for name in known if not name.startswith(conventions.DRA_RESOURCES)]
    candidates = (*counted, conventions.RESOURCE_GPU, f"{conventions.RESOURCE_GPU}.nobodys")
    foreign = next(name for name in candidates if name not in offered)
    work = replace(_right(fleet, cohort), card=foreign, claim="", scheduler="")
    expected = ANSWERS[fleet.governance.guard_rails.produced_resources]
    how = f"that asks for {foreign}, which the queue does not have"
    yield _broken(conventions.POLICY_PRODUCED_RESOURCES, "foreign", cohort, how, work, expected)


def _stateful(fleet: Fleet, cohort: Cohort) -> Iterator[Probe]:
    """Yield serving pods that do not say when they serve, and ones without the time to hand over."""
    if not cohort.task_pool.stateful:
        return
    right, rail = _right(fleet, cohort), conventions.POLICY_STATEFUL_SERVING
    expected = ANSWERS[fleet.governance.guard_rails.stateful_serving]
    yield _broken(rail, "blind", cohort, "without a readiness probe", replace(right, ready=False), expected)
    if cohort.task_pool.drain_seconds > 1:
        yield _broken(rail, "hasty", cohort, "with a second of grace", replace(right, grace_seconds=1), expected)


def _right(fleet: Fleet, cohort: Cohort) -> Work:
    """Return good work of a task pool, of a kind that every cluster serves where it runs one."""
    return good(cohort, kinds_of(cohort)[0], _namespace(cohort), fleet.catalog.hami)


def _namespace(cohort: Cohort) -> str:
    return cohort.queues[0].team.namespaces[0]


def _broken(rail: str, name: str, cohort: Cohort, how: str, work: Work, expected: Expected) -> Probe:
    return Probe(
        name=f"{rail}/{cohort.task_pool.name}/{name}",
        rail=rail,
        what=f"a {work.kind.kind} in queue {cohort.local_queue} {how}",
        work=work,
        expected=expected,
        at=cohort.task_pool.path,
    )
