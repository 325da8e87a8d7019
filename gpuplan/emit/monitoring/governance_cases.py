"""Cases of the alerts on idle cards, crowded task pools, floors and quotas."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import ceil

from gpuplan.emit import base
from gpuplan.emit.monitoring import scenes, series
from gpuplan.emit.monitoring.alerts import Case
from gpuplan.emit.monitoring.kueue_scenes import HOUR, Queue
from gpuplan.emit.monitoring.kueue_series import PENDING, QUOTA, RESOURCE_PENDING, STATUS, SUBTREE, USAGE
from gpuplan.model.fleet import Cluster
from gpuplan.model.pools import NodePool, Produced, produced_resources
from gpuplan.model.queues import Cohort, Team

_LONG = 10 * HOUR


def idle(cluster: Cluster, least: int, minutes: int) -> Iterator[Case]:
    """Yield cases in which one pod holds as many cards of a team as count, or one too few."""
    pool, team = cluster.pools[0], cluster.teams[0]
    made = produced_resources(pool)[0]
    enough = ceil(Fraction(least) / made.unit.card_share)
    at, fires = f"{minutes + 90}m", ({"team": team.name, "pool": pool.name},)

    def held(units: int, busy: str, age: str = "0") -> dict[str, str]:
        return _pod(team, pool, made, units=units, busy=busy, started=age)

    nothing = f"0x{_LONG}"
    yield Case(
        kind="firing", name="everything that a team holds is idle", inputs=held(enough, nothing), at=at, fires=fires
    )
    yield Case(kind="healthy", name="everything works", inputs=held(enough, f"0.9x{_LONG}"), at=at)
    yield Case(kind="absent", name="no card tells how busy it is", inputs=held(enough, f"_x{_LONG}"), at=at)
    if enough > 1:
        yield Case(kind="edge", name="a team holds one piece too few", inputs=held(enough - 1, nothing), at=at)
    blink = held(enough, f"0x{minutes + HOUR - 1} 0.5 0x{_LONG}")
    yield Case(kind="edge", name="for one minute of the last hour it worked", inputs=blink, at=at)
    late = held(enough, f"_x70 0x{_LONG}")
    yield Case(kind="edge", name="most of the first hour was not seen", inputs=late, at=at)
    young = held(enough, nothing, age=str((minutes + 60) * 60))
    yield Case(kind="edge", name="the pod is not an hour old", inputs=young, at=at)


def _pod(team: Team, pool: NodePool, made: Produced, *, units: int, busy: str, started: str) -> dict[str, str]:
    """Return a pod of a team that holds pieces of a pool's cards, all as busy as each other."""
    node, resource, share = scenes.node(pool), base.prometheus_label(made.resource), float(made.unit.card_share)
    whose = {"namespace": team.namespaces[0], "pod": "train-0"}
    inputs = {
        scenes.series(series.NAMESPACE_TEAM, namespace=team.namespaces[0], team=team.name): f"1x{_LONG}",
        scenes.in_pool(pool): f"1x{_LONG}",
        scenes.series(series.FRACTION, pool=pool.name, resource=resource): f"{share}x{_LONG}",
        scenes.series(series.CARDS_PER_NODE, pool=pool.name): f"1x{_LONG}",
        scenes.series(series.NODE_CAPACITY, pool=pool.name): f"1x{_LONG}",
        scenes.series(series.TEAM_ALLOCATED, team=team.name, pool=pool.name): f"{round(units * share, 6)}x{_LONG}",
        scenes.series(series.POD_REQUESTS, **whose, node=node, resource=resource): f"{units}x{_LONG}",
        scenes.series("kube_pod_start_time", **whose): f"{started}x{_LONG}",
    }
    for index in range(units):
        device = {"gpu": str(index), "UUID": f"{node}-gpu-{index}"}
        inputs[scenes.series(series.GPU_UTIL, **whose, **device, node=node, pool=pool.name)] = busy
    return inputs


def unmapped() -> Iterator[Case]:
    """Yield cases by the number of pods whose namespace is no team's."""
    pods = series.PODS_WITHOUT_TEAM.name
    yield Case(kind="firing", name="a stray pod stays", inputs={pods: "1x120"}, at="90m", fires=({},))
    yield Case(kind="healthy", name="every pod is a team's", inputs={pods: "0x120"}, at="90m")
    yield Case(kind="absent", name="nobody counts pods", inputs={}, at="90m")
    yield Case(kind="edge", name="a stray pod was there for half an hour", inputs={pods: "1x30 0x90"}, at="90m")


def congested(pool: Cohort, percent: int, minutes: int, *, tells: bool) -> Iterator[Case]:
    """Yield cases in which a queue uses all of a shared task pool, or what does not crowd it, and waits for more or not.

    A Kueue that does not tell what waits shows a crowd by what is borrowed.
    """
    (flavor, resource), owned = max(
        ((item, one.nominal) for item, one in pool.shares.items()), key=lambda item: item[1]
    )
    queue, name = pool.queues[0].name, pool.task_pool.name
    at, long = f"{minutes + 10}m", f"x{minutes + HOUR}"
    of_queue = {"cluster_queue": queue, "replica_role": "leader", "resource": resource}
    usage, quota = (scenes.series(metric, **of_queue, cohort=name, flavor=flavor) for metric in (USAGE, QUOTA))
    waiting = scenes.series(RESOURCE_PENDING, **of_queue)
    stale = scenes.series(RESOURCE_PENDING, **{**of_queue, "replica_role": "follower"})
    known = {scenes.series(series.COHORT_QUOTA, cohort=name, resource=resource): f"{owned}{long}", quota: f"0{long}"}
    more, quiet = ceil(Fraction(owned * percent, 100)) + 1, min(owned, owned * percent // 100)
    crowd = {**known, usage: f"{owned if tells else more}{long}", waiting: f"{more}{long}"}
    fires = ({"cohort": name, "resource": resource},)
    yield Case(kind="firing", name="more is asked for than there is", inputs=crowd, at=at, fires=fires)
    yield Case(
        kind="healthy", name="nobody uses the pool", inputs={**known, usage: f"0{long}", waiting: f"0{long}"}, at=at
    )
    yield Case(kind="absent", name="Kueue is silent", inputs={key: crowd[key] for key in known if key != quota}, at=at)
    yield Case(kind="edge", name="nothing tells what waits", inputs={**known, usage: f"{quiet}{long}"}, at=at)
    old = {**known, usage: f"{quiet}{long}", waiting: f"0{long}", stale: f"{more}{long}"}
    yield Case(kind="edge", name="a replica that does not lead shows old work", inputs=old, at=at)
    brief = {**crowd, usage: f"{more}x{minutes - 5} 0{long}", waiting: f"0{long}"}
    yield Case(kind="edge", name="the crowd is soon gone", inputs=brief, at=at)


def starved(floor: Queue, minutes: int) -> Iterator[Case]:
    """Yield cases in which work waits in a queue that owns a floor; Kueue has tried it and set it aside."""
    at, long = f"{minutes + 10}m", f"x{minutes + HOUR}"
    peak, quota, usage = series.PEAK_HOURS.name, floor.quota(QUOTA), floor.quota(USAGE)
    number, amount = floor.of(PENDING, status="inadmissible"), floor.of(RESOURCE_PENDING, resource=floor.resource)
    known = {**floor.known(), peak: f"1{long}"}
    waits = {
        **known,
        quota: f"{floor.nominal}{long}",
        usage: f"0{long}",
        number: f"1{long}",
        amount: f"{floor.nominal}{long}",
    }
    yield Case(kind="firing", name="a job waits that the floor would hold", inputs=waits, at=at, fires=(floor.labels,))
    full = {**waits, usage: f"{floor.nominal}{long}"}
    yield Case(kind="healthy", name="the floor is used up", inputs=full, at=at)
    yield Case(kind="absent", name="Kueue is silent", inputs=known, at=at)
    yield Case(kind="edge", name="these are no peak hours", inputs={**waits, peak: f"0{long}"}, at=at)
    stale = {**waits, number: f"0{long}", amount: f"0{long}"}
    stale |= {floor.of(PENDING, status="active", role="follower"): f"1{long}"}
    stale |= {floor.of(RESOURCE_PENDING, resource=floor.resource, role="follower"): f"1{long}"}
    yield Case(kind="edge", name="a replica that does not lead shows old work", inputs=stale, at=at)
    brief = {**waits, number: f"1x{max(minutes - 5, 0)} 0{long}", amount: f"1x{max(minutes - 5, 0)} 0{long}"}
    yield Case(kind="edge", name="it waits for less than the time", inputs=brief, at=at)


def drift(queue: Queue, pools: tuple[Cohort, ...], minutes: int) -> Iterator[Case]:
    """Yield cases in which the live quota is the declared one, another one, or none."""
    at, long = f"{minutes + 10}m", f"x{minutes + HOUR}"
    declared = {"cluster_queue": queue.name, "resource": queue.resource}
    spec, live = scenes.series(series.QUEUE_QUOTA, **declared), queue.quota(QUOTA)
    right, wrong = f"{queue.nominal}{long}", f"{queue.nominal + 1}{long}"
    yield Case(
        kind="firing", name="somebody raised a quota", inputs={spec: right, live: wrong}, at=at, fires=(declared,)
    )
    yield Case(kind="healthy", name="the quota is the spec's", inputs={spec: right, live: right}, at=at)
    yield Case(kind="absent", name="Kueue is silent", inputs={spec: right}, at=at)
    held = {spec: right, live: right, queue.of(STATUS, status="pending"): f"1{long}"}
    yield Case(kind="edge", name="somebody has stopped the queue", inputs=held, at=at)
    other = scenes.series(QUOTA, cluster_queue="another", cohort="c", flavor="f", resource=queue.resource)
    yield Case(
        kind="edge", name="Kueue does not have the queue", inputs={spec: right, other: right}, at=at, fires=(declared,)
    )
    brief = {spec: right, live: f"{queue.nominal + 1}x{minutes - 5} {right}"}
    yield Case(kind="edge", name="the change is soon put back", inputs=brief, at=at)
    for pool in pools[:1]:
        (flavor, resource), share = next(iter(pool.shares.items()))
        own = {"cohort": pool.name, "resource": resource}
        total = sum(one.nominal for (_, name), one in pool.shares.items() if name == resource)
        drifted = {
            scenes.series(series.COHORT_QUOTA, **own): f"{total}{long}",
            scenes.series(SUBTREE, **own, flavor=flavor, replica_role="leader"): f"{total + share.nominal + 1}{long}",
        }
        yield Case(kind="edge", name="somebody raised what a task pool owns", inputs=drifted, at=at, fires=(own,))
