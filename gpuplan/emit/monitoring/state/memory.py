"""Memory that lost data, and rows of it that must be or cannot be replaced."""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.emit import agents, counters
from gpuplan.emit.monitoring import card_series, scenes
from gpuplan.emit.monitoring.alerts import Alert, Case
from gpuplan.emit.monitoring.state.common import CARD, WHO, examples, steady
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.sharing import SharingMode

_FAILED = "DCGM_FI_DEV_ROW_REMAP_FAILURE"
_PENDING = "DCGM_FI_DEV_ROW_REMAP_PENDING"
_BLANK = "9223372036854775794"
"""What DCGM writes where a card has no value."""
_ENDED = (("job-0", "10.0.0.1:9400"), ("", "10.0.0.2:9400"))
"""Who held the card and where its exporter was, before an error and after."""


def alerts(fleet: Fleet, cluster: Cluster) -> Iterator[Alert]:
    """Yield the alerts on memory."""
    yield from _row_remap(fleet, cluster)
    yield _uncorrectable(fleet, cluster)


def _row_remap(fleet: Fleet, cluster: Cluster) -> Iterator[Alert]:
    """Only where a card can report it: those before Ampere and those in MIG mode do not (catalogue: `from`, `onMig`)."""
    metric = fleet.catalog.metrics[_FAILED]
    pools = [
        pool
        for pool in agents.nvidia_pools(cluster)
        if metric.may_exist_on(pool.card.architecture) and (metric.on_mig or pool.sharing.mode is not SharingMode.MIG)
    ]
    if not pools or not {_FAILED, _PENDING} <= set(counters.collected(fleet, cluster)):
        return
    card = scenes.card(fleet.catalog, pools[0])
    yield _remap_failed(card)
    yield _remap_pending(card)


def _remap_failed(card: scenes.Card) -> Alert:
    return Alert(
        name="GpuRowRemapFailed",
        expr=f"max by ({CARD}) ({_FAILED}) == 1",
        severity="critical",
        summary="A GPU could not replace a broken memory row.",
        description=f"{WHO} has no spare rows left: take it out of service and ask the vendor for a replacement.",
        cases=(
            Case(
                kind="firing",
                name="a row could not be replaced",
                inputs={card.of(_FAILED): "0 1x40"},
                at="1m",
                fires=(card.labels,),
            ),
            *_quiet(card, _FAILED, "1m"),
        ),
    )


def _remap_pending(card: scenes.Card) -> Alert:
    return Alert(
        name="GpuRowRemapPending",
        expr=f"max by ({CARD}) ({_PENDING}) == 1",
        wait="15m",
        severity="info",
        summary="A GPU replaces a broken memory row at its next reset.",
        description=f"{WHO} needs a reset when nothing runs on it: drain the node at the next occasion.",
        cases=(
            Case(
                kind="firing",
                name="a row waits for a reset",
                inputs=steady(card.of(_PENDING)),
                at="15m",
                fires=(card.labels,),
            ),
            Case(kind="edge", name="a reset comes soon", inputs={card.of(_PENDING): "1x9 0x40"}, at="9m"),
            *_quiet(card, _PENDING, "16m"),
        ),
    )


def _quiet(card: scenes.Card, metric: str, at: str) -> Iterator[Case]:
    yield Case(kind="healthy", name="no row is broken", inputs=steady(card.of(metric), value=0), at=at)
    yield Case(kind="absent", name="the card does not say", inputs={}, at=at)
    yield Case(kind="edge", name="the value is blank", inputs=steady(card.of(metric), value=_BLANK), at=at)


def _uncorrectable(fleet: Fleet, cluster: Cluster) -> Alert:
    """By the growth of a count, which outlives the error; the alert outlives the window, so that somebody sees it."""
    families = (family for family, _ in card_series.families(fleet.catalog, cluster.pools).values())
    return Alert(
        name="GpuMemoryUncorrectable",
        expr=card_series.either(card_series.corrupted(family) for family in families),
        hold="30m",
        severity="critical",
        summary="A GPU lost data in its memory.",
        description=f"{WHO} had a memory error that could not be corrected: what ran on it is lost, and the GPU needs "
        "a reset before anything else runs there.",
        cases=tuple(_uncorrectable_cases(fleet, cluster)),
    )


def _uncorrectable_cases(fleet: Fleet, cluster: Cluster) -> Iterator[Case]:
    for pool in examples(fleet.catalog, cluster.pools):
        card = scenes.card(fleet.catalog, pool)
        count = card.of(card.family.exporter.metrics.uncorrectable)
        inputs = steady(scenes.in_pool(pool)) | {count: "3x1 4x60"}
        name = f"a card of pool {pool.name} lost data"
        yield Case(kind="firing", name=name, inputs=inputs, at="3m", fires=(card.labels,))
    pool = cluster.pools[0]
    card = scenes.card(fleet.catalog, pool)
    count, known = card.of(card.family.exporter.metrics.uncorrectable), steady(scenes.in_pool(pool))
    yield Case(kind="healthy", name="the count of its life stays", inputs=known | {count: "3x60"}, at="5m")
    yield Case(kind="absent", name="the card does not count", inputs=known, at="2m")
    long_ago = known | {count: "3x1 4x70"}
    yield Case(
        kind="edge",
        name="the window is over and the alert still holds",
        inputs=long_ago,
        at="40m",
        fires=(card.labels,),
    )
    yield Case(kind="edge", name="it was long ago", inputs=long_ago, at="43m")
    held, after = (card.of(card.family.exporter.metrics.uncorrectable, pod=pod, instance=at) for pod, at in _ENDED)
    ended = known | {held: "3x4 stale", after: "_x4 4x50"}
    yield Case(kind="firing", name="the error ends the program", inputs=ended, at="6m", fires=(card.labels,))
    handed = known | {held: "3x4 stale", after: "_x4 3x50"}
    yield Case(kind="edge", name="the card goes from one pod to another", inputs=handed, at="6m")
    blank = known | {count: f"3x1 {_BLANK} 3x50"}
    yield Case(kind="edge", name="a value between two is blank", inputs=blank, at="4m")
    yield Case(kind="edge", name="the driver was loaded anew", inputs=known | {count: "3x1 0x50"}, at="4m")
