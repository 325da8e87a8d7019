"""What others say of cards and nodes: the vendor's own agent, the driver, and agents that set conditions of nodes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gpuplan.emit import agents, counters
from gpuplan.emit.monitoring import card_series, scenes
from gpuplan.emit.monitoring.alerts import Alert, Case
from gpuplan.emit.monitoring.series import NODE_POOL
from gpuplan.emit.monitoring.state.common import CARD, CORDON, WHO, examples, steady, unless_drained, with_pool
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.pools import NodePool

RECOVERY = "DCGM_FI_DEV_GPU_RECOVERY_ACTION"
_CONDITION = "kube_node_status_condition"
_WAIT_MINUTES = 5


def alerts(fleet: Fleet, cluster: Cluster) -> Iterator[Alert]:
    """Yield the alerts on what others say."""
    yield from _unhealthy(fleet, cluster)
    yield from _recovery(fleet, cluster)
    yield from _conditions(fleet, cluster)


def _unhealthy(fleet: Fleet, cluster: Cluster) -> Iterator[Alert]:
    """Only where an exporter tells its vendor's own verdict; NVIDIA's is told by XIDs and by what the driver asks for."""
    families = card_series.families(fleet.catalog, cluster.pools).values()
    judging = [family for family, _ in families if family.exporter.metrics.unhealthy]
    if judging:
        yield Alert(
            name="GpuUnhealthy",
            expr=card_series.either(map(card_series.unhealthy, judging)),
            wait=f"{_WAIT_MINUTES}m",
            severity="critical",
            summary="A GPU is unhealthy in the eyes of its vendor's own agent.",
            description=f"{WHO} is not healthy: its plugin offers it no more, or soon will not. Drain the node and look.",
            cases=tuple(_unhealthy_cases(fleet, cluster)),
        )


def _unhealthy_cases(fleet: Fleet, cluster: Cluster) -> Iterator[Case]:
    found = [scenes.card(fleet.catalog, pool) for pool in examples(fleet.catalog, cluster.pools)]
    judged = [card for card in found if card.family.exporter.metrics.unhealthy]
    for card in judged:
        selector, bad, _ = scenes.holds(card.family.exporter.metrics.unhealthy)
        inputs = steady(_node(card)) | {card.of(selector): f"{bad}x60"}
        name = f"a card of pool {card.labels['pool']} is not healthy"
        yield Case(kind="firing", name=name, inputs=inputs, at="5m", fires=(card.labels,))
    card = judged[0]
    selector, bad, good = scenes.holds(card.family.exporter.metrics.unhealthy)
    known = steady(_node(card))
    yield Case(kind="healthy", name="it is healthy", inputs=known | {card.of(selector): f"{good}x60"}, at="6m")
    yield Case(kind="absent", name="the agent says nothing", inputs=known, at="6m")
    yield Case(
        kind="edge",
        name="it is not healthy for a moment",
        inputs=known | {card.of(selector): f"{bad}x4 {good}x50"},
        at="4m",
    )
    yield Case(
        kind="edge",
        name="the node is in no pool that is known",
        inputs={card.of(selector): f"{bad}x60"},
        at="5m",
        fires=({label: value for label, value in card.labels.items() if label != "pool"},),
    )


def _node(card: scenes.Card) -> str:
    return scenes.series(NODE_POOL, node=card.labels["node"], pool=card.labels["pool"])


def _recovery(fleet: Fleet, cluster: Cluster) -> Iterator[Alert]:
    """Only where the release's exporter knows the field (catalogue: `since`); values beyond 5 are none that we know."""
    pools = agents.nvidia_pools(cluster)
    if not pools or RECOVERY not in counters.collected(fleet, cluster):
        return
    card = scenes.card(fleet.catalog, pools[0])
    asked = card.of(RECOVERY)
    yield Alert(
        name="GpuRecoveryNeeded",
        expr=f"max by ({CARD}) ({RECOVERY} >= 1 < 6)",
        wait=f"{_WAIT_MINUTES}m",
        severity="critical",
        summary="The driver asks to recover a GPU.",
        description=f"{WHO} needs action {{{{ $value }}}}: 1 is a reset of the GPU, 2 a reboot of the node, 3 a drain of "
        "the GPU's peers, 4 a drain and a reset, 5 to recover the IMEX domain. Drain the node first.",
        cases=(
            Case(kind="firing", name="a reset", inputs={asked: "0 1x50"}, at="6m", fires=(card.labels,)),
            Case(kind="firing", name="the last known action", inputs={asked: "5x50"}, at="5m", fires=(card.labels,)),
            Case(kind="healthy", name="nothing is asked for", inputs=steady(asked, value=0), at="6m"),
            Case(kind="absent", name="the driver does not say", inputs={}, at="6m"),
            Case(kind="edge", name="no action has this number", inputs=steady(asked, value=4294967295), at="6m"),
            Case(kind="edge", name="it is asked for a moment", inputs={asked: "1x3 0x50"}, at="3m"),
        ),
    )


def _conditions(fleet: Fleet, cluster: Cluster) -> Iterator[Alert]:
    """Only where somebody can set one: what the fleet itself judges nodes by, and what the distribution's agent sets."""
    broken = _broken(fleet, cluster)
    if not broken:
        return
    said = (
        f'{_CONDITION}{{condition=~"{"|".join(names)}", status="{status}"}} == 1'
        for status in ("true", "false")
        if (names := sorted(name for name, bad in broken.items() if bad is (status == "true")))
    )
    yield Alert(
        name="GpuNodeConditionBad",
        expr=unless_drained(with_pool(f"max by (node, condition) ({' or '.join(said)})")),
        wait=f"{_WAIT_MINUTES}m",
        severity="critical",
        summary="An agent on a GPU node says that its GPUs are broken.",
        description="Condition {{ $labels.condition }} of node {{ $labels.node }} of pool {{ $labels.pool }} says so: "
        "read its message with kubectl describe node, and drain the node.",
        cases=tuple(_condition_cases(cluster.pools[0], broken)),
    )


def _broken(fleet: Fleet, cluster: Cluster) -> Mapping[str, bool]:
    """Return the conditions to watch, each with the status that says that a card is broken; the fleet's own word counts."""
    nvidia = agents.nvidia_pools(cluster)
    found = {
        known.name: known.broken
        for known in fleet.catalog.conditions.values()
        if nvidia and (not known.distributions or cluster.distribution in known.distributions)
    }
    health = fleet.governance.node_health
    own = {name: not healthy for name, healthy in health.conditions} if cluster.name in health.clusters else {}
    return found | own


def _condition_cases(pool: NodePool, broken: Mapping[str, bool]) -> Iterator[Case]:
    known, node = steady(scenes.in_pool(pool)), scenes.node(pool)
    for status in sorted(set(broken.values())):
        condition = min(name for name, bad in broken.items() if bad is status)
        fires = {"node": node, "pool": pool.name, "condition": condition}
        bad = known | _condition(node, condition, broken=status)
        yield Case(kind="firing", name=f"{condition} is bad", inputs=bad, at="5m", fires=(fires,))
    good = known | _condition(node, condition, broken=not status)
    yield Case(kind="healthy", name="the condition is that of a healthy node", inputs=good, at="6m")
    yield Case(kind="absent", name="nobody sets a condition", inputs=known, at="6m")
    yield Case(kind="edge", name="the node is in no pool", inputs=_condition(node, condition, broken=status), at="6m")
    drained = {scenes.series(CORDON, node=node): "0 1x60"}
    yield Case(kind="edge", name="the node is drained", inputs=bad | drained, at="6m")
    yield Case(kind="edge", name="it has just become bad", inputs=bad, at="4m")
    other = known | _condition(node, "DiskPressure", broken=True)
    yield Case(kind="edge", name="another condition is true", inputs=other, at="6m")


def _condition(node: str, condition: str, *, broken: bool) -> dict[str, str]:
    """A condition whose status is true or false: a series for each status, one of which is 1."""
    return {
        scenes.series(
            _CONDITION, node=node, condition=condition, status=status
        ): f"{int(status == str(broken).lower())}x60"
        for status in ("true", "false", "unknown")
    }
