"""From a fleet and answers to the case of each pool, with the place of every fact."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final, cast

from gpuplan.advise.case import Case, Fact, Privilege, Way
from gpuplan.catalog import Vendor, advice
from gpuplan.conventions import LABEL_OPERANDS
from gpuplan.diagnostics import KeyPath, Span
from gpuplan.model.answers import Answers
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.pools import Exposure, NodePool, SelectedBy
from gpuplan.rules import judge_cluster, judge_driver
from gpuplan.rules.judgement import Judgement, Verdict, by_fact
from gpuplan.rules.walk import point
from gpuplan.words import counted, in_a_row

CLOUDS: Final[Mapping[str, str]] = {"aks": "azure", "eks": "aws", "gke": "google"}
"""Distributions that belong to one cloud."""
KEPT_OFF: Final = (LABEL_OPERANDS, "false")
"""The label, with its value, by which the GPU Operator leaves a node alone."""
ENOUGH: Final = "not said; taken to be enough"


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One pool that may choose, its case, and its facts by name."""

    cluster: Cluster
    pool: NodePool
    case: Case
    facts: Mapping[str, Fact]


def chooses(pool: NodePool) -> bool:
    """Tell whether a pool may choose: NVIDIA's cards, with agents that no third party runs."""
    return pool.card.vendor is Vendor.NVIDIA and pool.stack != "external"


def members(fleet: Fleet, answers: Answers) -> tuple[Member, ...]:
    """Return every pool that may choose, in the order of the fleet."""
    return tuple(
        _member(_Around(fleet=fleet, answers=answers, cluster=cluster), pool)
        for cluster in fleet.clusters
        for pool in cluster.pools
        if chooses(pool)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Around:
    """What is around a pool."""

    fleet: Fleet
    answers: Answers
    cluster: Cluster

    @property
    def all_pools(self) -> tuple[NodePool, ...]:
        """The pools of the fleet that may choose."""
        return tuple(pool for cluster in self.fleet.clusters for pool in cluster.pools if chooses(pool))

    def number(self, key: str) -> int:
        """Return the whole part of a number of the answers, 0 where the team does not say."""
        return int(self.answers.number(key) or 0)

    def said(self, key: str) -> str:
        """Return a number of the answers as a person would write it."""
        return f"{self.answers.number(key) or 0:g}"

    def span(self, *path: KeyPath) -> tuple[Span, ...]:
        """Return places in the fleet."""
        return tuple(dict.fromkeys(point(self.fleet, one) for one in path))

    def answered(self, name: str, key: str, says: str, assumed: str) -> Fact:
        """Return a fact that the answers hold, or what stands in for it."""
        at = self.answers.places.get(key)
        if at is None:
            return Fact(name=name, says=assumed, assumed=True)
        return Fact(name=name, says=says, at=(at,))


def _member(around: _Around, pool: NodePool) -> Member:
    case = _case(around, pool)
    facts = (*_fleet_facts(around, pool, case), *_answered_facts(around, case))
    return Member(cluster=around.cluster, pool=pool, case=case, facts={fact.name: fact for fact in facts})


def _case(around: _Around, pool: NodePool) -> Case:
    cluster, answers = around.cluster, around.answers
    every = around.all_pools
    people, able = answers.number("people.platform"), answers.number("people.controllers")
    provided = around.fleet.catalog.provided.get(cluster.distribution)
    served, tried = _as_if_served(cluster, pool)
    service = answers.flag("inService")
    return Case(
        nodes=sum(one.nodes for one in every),
        driver_nodes=sum(one.nodes for one in every if not one.driver.preinstalled),
        growth=around.number("growthPercentPerYear"),
        releases=around.number("modelReleasesPerDay"),
        people=None if people is None else float(people),
        controllers=None if able is None else int(able),
        privileged=cast("Privilege", answers.word("security.privilegedPods") or "allowed"),
        air_gapped=bool(answers.flag("security.airGapped")),
        clouds=len(clouds(around.fleet, answers)),
        kinds=len(_kinds(cluster)),
        teams=len(cluster.teams),
        drain_seconds=cluster.longest_drain_seconds((pool,)),
        driver="nodes" if pool.driver.preinstalled else "operator",
        in_service=service is None or service,
        now=cast("Way", pool.stack),
        beside_operator=pool.stack == "manual" and cluster.has_operator,
        kept_off=_kept_off(cluster, pool),
        claims=pool.exposure is Exposure.DRA,
        manual_trouble=provided.manual_trouble if provided else "",
        judged=tuple(_judged(around.fleet, served)),
        image=judge_driver.driver_image(around.fleet, served, tried),
    )


def _kept_off(cluster: Cluster, pool: NodePool) -> bool:
    """Tell whether the operator is, or could be, kept off a pool's nodes as the spec stands."""
    by_labels = pool.selection.by is SelectedBy.LABELS
    return not by_labels or KEPT_OFF in pool.selection.labels or cluster.gpu_operator.kept_off


def clouds(fleet: Fleet, answers: Answers) -> tuple[str, ...]:
    """Return where the nodes run: as the team says, and by the distributions of clusters with pools."""
    said = answers.words("clouds") or ()
    known = (
        CLOUDS[cluster.distribution] for cluster in fleet.clusters if cluster.pools and cluster.distribution in CLOUDS
    )
    return tuple(sorted({*said, *known}))


def _kinds(cluster: Cluster) -> set[tuple[str, str]]:
    return {(pool.card.architecture, pool.driver.branch) for pool in cluster.pools if chooses(pool)}


def _as_if_served(cluster: Cluster, pool: NodePool) -> tuple[Cluster, NodePool]:
    """Return the cluster and the pool as they would be on the operator, which may install the driver."""
    tried = replace(pool, stack="operator", driver=replace(pool.driver, preinstalled=False))
    return replace(cluster, pools=(tried,)), tried


def _judged(fleet: Fleet, served: Cluster) -> Iterator[Judgement]:
    """Yield what is known of the operator on a cluster."""
    yield judge_cluster.distribution(fleet, served)
    yield judge_cluster.system(fleet, served)
    yield judge_cluster.runtime(fleet, served)
    yield judge_cluster.operator_life(fleet, served)
    yield judge_cluster.operator_kubernetes(fleet, served)
    for component, fault in judge_cluster.broken_components(fleet, served):
        if fault.component in judge_cluster.OF_OPERATOR:
            here = f"{component.name} {component.version}"
            yield by_fact(fault, f"fault of {component.name}", Verdict.BAD, here=here, known=fault.summary)


def _fleet_facts(around: _Around, pool: NodePool, case: Case) -> Iterator[Fact]:
    cluster, every = around.cluster, around.all_pools
    nodes = f"{counted(case.nodes, 'node')} with NVIDIA cards in {counted(len(every), 'pool')} that the team runs"
    yield Fact(name="nodes", says=nodes, at=around.span(*((*one.path, "nodes") for one in every)))
    yield _state(around, pool)
    brings = "the nodes bring the driver" if pool.driver.preinstalled else "an operator would install the driver"
    yield Fact(name="driver", says=brings, at=around.span((*pool.path, "driver", "preinstalled")))
    kinds = ", ".join(f"{name} on {branch}" for name, branch in sorted(_kinds(cluster)))
    own = [one for one in cluster.pools if chooses(one)]
    yield Fact(name="kinds", says=f"the cluster has {kinds}", at=around.span(*((*one.path, "tier") for one in own)))
    teams = f"{counted(case.teams, 'team')} with queues in the cluster"
    yield Fact(name="teams", says=teams, at=around.span(*(team.path for team in cluster.teams)))
    stack = f"the pool is on `stack: {pool.stack}`"
    at = around.span((*pool.path, "stack") if _says_stack(around, pool) else (*cluster.path, "stack"))
    yield Fact(name="stack", says=stack, at=at)
    if case.beside_operator:
        served = cluster.operator_pools
        beside = (
            f"the operator serves {counted(len(served), 'other pool')} of the cluster"
            if served
            else "the operator stands by"
        )
        yield Fact(name="beside", says=beside, at=around.span(*(one.path for one in served or (cluster,))))
    system = f"Kubernetes {cluster.kubernetes} on {cluster.distribution}, {cluster.os}, {cluster.container_runtime}"
    yield Fact(name="versions", says=system, at=around.span((*cluster.path, "kubernetes")))
    yield Fact(
        name="distribution",
        says=f"the cluster is {cluster.distribution}",
        at=around.span((*cluster.path, "distribution")),
    )
    yield Fact(name="exposure", says=f"`exposure: {pool.exposure.value}`", at=around.span((*pool.path, "exposure")))


def _says_stack(around: _Around, pool: NodePool) -> bool:
    plain = around.fleet.places.plain().get("nodePools", {}).get(pool.name, {})
    return isinstance(plain, dict) and "stack" in plain


def _state(around: _Around, pool: NodePool) -> Fact:
    users = [one.task_pool for one in around.cluster.users_of((pool,)) if one.task_pool.stateful]
    if not users:
        return Fact(name="state", says="no task pool on it is stateful", at=around.span((*pool.path, "tier")))
    names = in_a_row([f"`{one.name}`" for one in users])
    says = f"task pool {names} holds state there, and drains in {max(one.drain_seconds for one in users)} s"
    return Fact(name="state", says=says, at=around.span(*((*one.path, "stateful") for one in users)))


def _answered_facts(around: _Around, case: Case) -> Iterator[Fact]:
    questions = advice.read().questions
    for name, key, says, assumed in (
        (
            "growth",
            "growthPercentPerYear",
            f"{around.said('growthPercentPerYear')} % growth a year",
            "growth not said; taken as none",
        ),
        (
            "releases",
            "modelReleasesPerDay",
            f"model releases a day: {around.said('modelReleasesPerDay')}",
            "releases not said; taken as none",
        ),
        ("people", "people.platform", f"{case.people:g} people" if case.people is not None else "", f"people {ENOUGH}"),
        (
            "controllers",
            "people.controllers",
            f"{case.controllers} can debug a controller",
            f"skill with controllers {ENOUGH}",
        ),
        (
            "privileged",
            "security.privilegedPods",
            f"privileged pods are {case.privileged}",
            "privileged pods not said; taken as allowed",
        ),
        (
            "airGapped",
            "security.airGapped",
            f"cut off from the internet: {'yes' if case.air_gapped else 'no'}",
            "cut off from the internet: not said; taken as no",
        ),
        (
            "inService",
            "inService",
            f"in service: {'yes' if case.in_service else 'no'}",
            "in service: not said; taken as yes",
        ),
        (
            "clouds",
            "clouds",
            f"nodes run in {counted(case.clouds, 'cloud')}",
            f"clouds not said; {case.clouds} known by distribution",
        ),
    ):
        assert key in questions  # noqa: S101 - the table above is ours
        yield around.answered(name, key, says, assumed)
