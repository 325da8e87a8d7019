"""Training throughput: what the tensor pipes of a team's training do, against the same hour of the week before.

Facts: NVIDIA/dcgm-exporter 4.8. Tensor activity is the best sign of throughput that every job gives without being asked; a
job's own count of tokens is better, where there is one. The exporter knows namespace and pod of whoever holds a card and no
task pool, so this is what a team does on the pools of its training task pools, without the pods of its engines, which our
own scrapes know. Experiments on the same cards are in it. Shared cards repeat a card's row for each pod, and parts of a cut
card are measured against themselves: neither is looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from gpuplan.catalog.cards import Vendor
from gpuplan.emit import counters
from gpuplan.emit.monitoring import scrapes, series
from gpuplan.emit.monitoring.alerts import Alert, Case, Group, record
from gpuplan.emit.monitoring.promql import TO_TEAM, number, part
from gpuplan.emit.monitoring.scenes import node
from gpuplan.emit.monitoring.scenes import series as written
from gpuplan.manifests.kinds.monitoring import RecordingRule
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.pools import NodePool
from gpuplan.model.queues import Cohort, TaskKind
from gpuplan.model.sharing import SharingMode

METRIC = "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE"
LEAST_ACTIVITY = "0.01"
"""Part of the tensor pipes below which a week's hour says nothing about the next."""
INTERVAL = "4m"
"""A week is long: less often than others, and within the five minutes for which Prometheus remembers a sample."""
WEEK = 7 * 24 * 60
"""Minutes."""


def groups(fleet: Fleet, cluster: Cluster) -> Iterator[Group]:
    """Yield what is recorded and alerted on of training; nothing where it cannot be seen."""
    trained = [cohort for cohort in cluster.cohorts_with_queues if _seen(cohort)]
    if trained and METRIC in counters.collected(fleet, cluster):
        yield Group(
            name="gpuplan-training",
            interval=INTERVAL,
            records=tuple(_records(cluster, trained)),
            alerts=(_alert(fleet.monitoring.thresholds.throughput_drop_percent, trained[0]),),
        )


def _seen(cohort: Cohort) -> tuple[NodePool, ...]:
    """Return the pools with whole cards on which a task pool trains; none where it does not train."""
    if cohort.task_pool.kind is not TaskKind.TRAINING:
        return ()
    return tuple(
        pool
        for flavor in cohort.flavors
        for pool in flavor.pools
        if pool.sharing.mode is SharingMode.EXCLUSIVE and _names_pool(pool)
    )


def _names_pool(pool: NodePool) -> bool:
    """Where others run the exporter, its series may not say which pool a card is in."""
    return pool.card.vendor is Vendor.NVIDIA and pool.stack != "external"


def _records(cluster: Cluster, trained: Sequence[Cohort]) -> Iterator[RecordingRule]:
    """Yield activity and its change, which there is only where training ran at both ends of both hours."""
    pools = "|".join(sorted({pool.name for cohort in trained for pool in _seen(cohort)}))
    task_pools = "|".join(sorted(cohort.task_pool.name for cohort in trained))
    card = f'max by (namespace, pod, node, pool, UUID) ({METRIC}{{pool=~"{pools}", pod!="", GPU_I_ID=""}} >= 0 <= 1.01)'
    if any(scrapes.serving_pools(cluster)):
        card = f'({card} unless on (namespace, pod) up{{task_pool!=""}})'
    yield record(
        series.TENSOR,
        f"clamp_max(avg by (team, pool) (\n  {card}\n  * {TO_TEAM}\n), 1)\n"
        f'and on (team) {series.QUEUE_TEAM}{{task_pool=~"{task_pools}"}}',
    )
    now, then = f"{series.TENSOR}[1h]", f"{series.TENSOR}[1h] offset 1w"
    whole_hours = " and ".join(f"{series.TENSOR} offset {ago}" for ago in ("1h", "1w", "1w1h"))
    yield record(
        series.THROUGHPUT_CHANGE,
        f"(avg_over_time({now}) / (avg_over_time({then}) > {LEAST_ACTIVITY}) - 1)\nand {series.TENSOR} and {whole_hours}",
    )


def _alert(drop: int, cohort: Cohort) -> Alert:
    return Alert(
        name="TrainingThroughputDrop",
        expr=f"{series.THROUGHPUT_CHANGE} < -{part(drop)}",
        wait="1h",
        severity="warning",
        team="",
        summary="Training does less with its cards than a week ago.",
        description="The tensor pipes of team {{ $labels.team }}'s cards in pool {{ $labels.pool }} do "
        f"{{{{ $value | humanizePercentage }}}} against the same hour of the week before, a loss of more than {drop} %. "
        "Look for jobs that wait for data or for each other, for a new release of the training code, and for slow cards.",
        cases=tuple(_cases(drop, cohort)),
    )


def _cases(drop: int, cohort: Cohort) -> Iterator[Case]:
    """Yield cases of one card that was half busy a week ago."""
    pool, team = _seen(cohort)[0], cohort.queues[0].team
    place = {"namespace": team.namespaces[0], "pod": f"{cohort.task_pool.name}-0"}
    card = written(METRIC, node=node(pool), pool=pool.name, gpu="0", UUID="GPU-0", **place)
    owner = written(series.NAMESPACE_TEAM, namespace=team.namespaces[0], team=team.name)
    queue = written(
        series.QUEUE_TEAM,
        cluster_queue=cohort.queues[0].name,
        team=team.name,
        task_pool=cohort.task_pool.name,
        service=cohort.task_pool.service.value,
    )
    facts = {owner: f"1x{WEEK + 300}", queue: f"1x{WEEK + 300}"}
    low = number(Fraction(100 - drop, 400))
    at = f"{WEEK + 200}m"
    fires = ({"team": team.name, "pool": pool.name},)
    dropped = f"0.5x{WEEK} {low}x300"
    yield Case(
        kind="firing",
        name="half of what is left without the alert",
        inputs={**facts, card: dropped},
        at=at,
        fires=fires,
    )
    yield Case(kind="healthy", name="as busy as a week ago", inputs={**facts, card: f"0.5x{WEEK + 300}"}, at=at)
    yield Case(kind="absent", name="no team owns the namespace", inputs={queue: facts[queue], card: dropped}, at=at)
    yield Case(kind="edge", name="no job runs any more", inputs={**facts, card: f"0.5x{WEEK} stale"}, at=at)
    yield Case(
        kind="edge", name="hardly anything ran a week ago", inputs={**facts, card: f"0.005x{WEEK} 0.001x300"}, at=at
    )
    yield Case(kind="edge", name="nothing ran a week ago", inputs={**facts, card: f"_x{WEEK} {low}x300"}, at=at)
