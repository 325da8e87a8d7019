"""The five dashboards of a cluster: the whole fleet there, its pools, its teams, its nodes, and what it serves."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from gpuplan.emit.dashboards import business, cost, engines, governance, state, tables, tasks
from gpuplan.emit.dashboards.context import Context
from gpuplan.emit.dashboards.panels import Board, Panel, Section
from gpuplan.emit.dashboards.present import Present
from gpuplan.emit.dashboards.scope import Scope
from gpuplan.emit.monitoring import scrapes
from gpuplan.emit.monitoring.alerts import Group
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.sharing import SharingMode


def boards(fleet: Fleet, cluster: Cluster, groups: tuple[Group, ...]) -> Iterator[Board]:
    """Yield the dashboards of a cluster, without panels of what it does not have."""
    present = Present.of(fleet, cluster, groups)
    for make, labels in _BOARDS:
        board = make(Context(fleet=fleet, cluster=cluster, scope=Scope(labels)), present)
        if board.sections:
            yield board


def _board(key: str, title: str, says: str, on: Context, sections: tuple[Section, ...]) -> Board:
    return Board(key=key, title=f"{title} / {on.cluster.name}", says=says, variables=on.scope.labels, sections=sections)


def _sections(present: Present, **titled: Iterator[Panel]) -> tuple[Section, ...]:
    """Keep the panels of what is present; a section without any is left out. Names of sections are spelled with `_`."""
    made = (
        Section(title=title.replace("_", " "), panels=tuple(present.panels(panels))) for title, panels in titled.items()
    )
    return tuple(section for section in made if section.panels)


def _runs(on: Context, queues_by: str, jobs_by: str) -> Iterator[Panel]:
    yield from tasks.queues(on, queues_by)
    yield from tasks.jobs(on, jobs_by)


def _fleet(on: Context, present: Present) -> Board:
    def glance() -> Iterator[Panel]:
        yield from state.glance(on)
        yield from (governance.idle(on), tasks.waiting(on), governance.guarantee(on), cost.of_cluster(on))

    def resources() -> Iterator[Panel]:
        yield from state.by_pool(on)
        yield from state.errors(on, "pool")
        yield from state.conditions(on)
        yield tables.alerts(on, present.groups)

    def ruled() -> Iterator[Panel]:
        yield from governance.shares(on, "team")
        yield governance.congestion(on)
        yield from governance.quotas(on)
        yield from governance.losses(on)
        yield from (governance.candidates(on), governance.strangers(on))

    def priced() -> Iterator[Panel]:
        yield from cost.held(on, "team")
        yield from (cost.by_cost_center(on), cost.by_pool(on), cost.unallocated(on), cost.bill(on))

    sections = _sections(
        present,
        At_a_glance=glance(),
        Resource_state=resources(),
        Task_runs=_runs(on, "team", "team"),
        Governance=ruled(),
        Business=business.overview(on),
        Cost=priced(),
    )
    return _board("fleet", "GPU fleet", "Do the cards work, for whom, and at what cost?", on, sections)


def _pool(on: Context, present: Present) -> Board:
    def glance() -> Iterator[Panel]:
        yield from state.glance(on)
        yield from (governance.idle(on), cost.of_cluster(on))

    def amounts() -> Iterator[Panel]:
        yield tables.pools(on)
        yield governance.capacity(on)
        yield from governance.shares(on, "team")

    def resources() -> Iterator[Panel]:
        yield from state.by_pool(on)
        yield from state.spread(on)
        if any(pool.sharing.mode is SharingMode.MIG for pool in on.cluster.pools):
            yield state.instances(on)

    def troubles() -> Iterator[Panel]:
        yield from state.errors(on, "pool")
        yield from state.links(on, "pool")

    def priced() -> Iterator[Panel]:
        yield from cost.held(on, "team")
        yield cost.unallocated(on)

    sections = _sections(
        present, At_a_glance=glance(), Capacity=amounts(), State=resources(), Errors=troubles(), Cost=priced()
    )
    return _board("pool", "GPU pools", "What does each tier and pool have, how well is it used?", on, sections)


def _team(on: Context, present: Present) -> Board:
    def glance() -> Iterator[Panel]:
        yield from (governance.idle(on), tasks.waiting(on), tasks.success(on), governance.guarantee(on))
        yield from (governance.reclaimed(on), cost.of_teams(on))

    def amounts() -> Iterator[Panel]:
        yield from governance.shares(on, "pool")
        yield from governance.quotas(on)
        yield tables.pods(on)

    def ruled() -> Iterator[Panel]:
        yield from governance.queues(on)
        yield from governance.losses(on)
        yield governance.idle_work(on)

    def results() -> Iterator[Panel]:
        yield business.latency(on, "task_pool, model")
        yield from (business.throughput(on, "pool"), business.tensor(on), business.releases(on, "project, name"))

    def priced() -> Iterator[Panel]:
        yield from cost.held(on, "pool")
        yield cost.bill(on)

    sections = _sections(
        present,
        At_a_glance=glance(),
        Cards=amounts(),
        Task_runs=_runs(on, "cluster_queue", "namespace"),
        Governance=ruled(),
        Business=results(),
        Cost=priced(),
    )
    says = "What does a team hold, does its work get through, what does it cost?"
    return _board("team", "GPU team", says, on, sections)


def _node(on: Context, present: Present) -> Board:
    def glance() -> Iterator[Panel]:
        yield from state.node_glance(on)

    def troubles() -> Iterator[Panel]:
        yield from state.errors(on, "node")
        yield from state.links(on, "node")
        yield from state.conditions(on)

    def held() -> Iterator[Panel]:
        yield tables.pods_of_nodes(on)

    sections = _sections(present, At_a_glance=glance(), Cards=state.cards(on), Errors=troubles(), Work=held())
    return _board("node", "GPU nodes", "How is each card of a node, and who holds it?", on, sections)


def _serving(on: Context, present: Present) -> Board:
    if not any(scrapes.serving_pools(on.cluster)):
        return _board("serving", "", "", on, ())

    def answers() -> Iterator[Panel]:
        yield business.latency(on, "task_pool, model")
        yield business.requests(on, "task_pool, model")
        yield from business.promises(on)

    sections = _sections(present, At_a_glance=business.glance(on), Promise=answers(), Engines=engines.panels(on))
    return _board("serving", "GPU serving", "Are requests answered as fast as promised?", on, sections)


_BOARDS: tuple[tuple[Callable[[Context, Present], Board], tuple[str, ...]], ...] = (
    (_fleet, ("pool", "team")),
    (_pool, ("pool",)),
    (_team, ("team", "pool")),
    (_node, ("pool", "node")),
    (_serving, ("team", "task_pool", "model")),
)
"""How each dashboard is made, and its variables."""
