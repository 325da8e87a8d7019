"""Cards that are hot, or slowed down.

Whether a card is slowed down stands in a bit mask (NVML's clocks event reasons). An idle card (0x1) and one at its power cap
(0x4) are as they should be. Hardware slowdown (0x8) is raised with the two reasons that have bits of their own, and counts
where neither is there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gpuplan.emit import agents
from gpuplan.emit.monitoring import card_series, scenes
from gpuplan.emit.monitoring.alerts import Alert, Case, record
from gpuplan.emit.monitoring.series import THROTTLED
from gpuplan.emit.monitoring.state.common import CARD, WHO, examples, steady
from gpuplan.manifests.kinds.monitoring import RecordingRule
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.pools import NodePool

REASONS = "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS"
_IDLE, _POWER_CAP, _HW_SLOWDOWN, _SW_THERMAL, _HW_THERMAL, _POWER_BRAKE, _DISPLAY = 1, 4, 8, 32, 64, 128, 256
_ALL_BITS = 1 << 16
"""No reason has a bit as high: a larger mask is no data."""
_WAIT_MINUTES = 5


def records(cluster: Cluster) -> Iterator[RecordingRule]:
    """Yield the series of cards that are slowed down, where a cluster has NVIDIA cards."""
    if agents.nvidia_pools(cluster):
        others = f"{_bit(_HW_SLOWDOWN)} * (1 - {_bit(_HW_THERMAL)}) * (1 - {_bit(_POWER_BRAKE)})"
        reasons = {
            "hw_thermal": _bit(_HW_THERMAL),
            "hw_power_brake": _bit(_POWER_BRAKE),
            "hw_slowdown": others,
            "sw_thermal": _bit(_SW_THERMAL),
        }
        named = (
            f'label_replace(max by ({CARD}) ({expression}), "reason", "{reason}", "", "")'
            for reason, expression in reasons.items()
        )
        yield record(THROTTLED, "\nor\n".join(named))


def _bit(value: int) -> str:
    """Return 1 where a bit of the mask is set, else 0."""
    return f"floor(({REASONS} >= 0 < {_ALL_BITS}) / {value}) % 2"


def alerts(fleet: Fleet, cluster: Cluster) -> Iterator[Alert]:
    """Yield the alerts on heat and on what slows cards down."""
    yield _thermal(fleet, cluster)
    nvidia = agents.nvidia_pools(cluster)
    if nvidia:
        yield _throttled(scenes.card(fleet.catalog, nvidia[0]), fleet.monitoring.thresholds.throttled_percent)


def _thermal(fleet: Fleet, cluster: Cluster) -> Alert:
    """Against the limit that the card itself reports, or the one that the catalogue has for it."""
    margin = fleet.monitoring.thresholds.thermal_margin_celsius
    families = [family for family, _ in card_series.families(fleet.catalog, cluster.pools).values()]
    return Alert(
        name="GpuThermalMarginLow",
        expr=card_series.either(card_series.hot(family, margin) for family in families),
        wait=f"{_WAIT_MINUTES}m",
        severity="warning",
        summary="A GPU is about to slow down because it is hot.",
        description=f"{WHO} is at {{{{ $value }}}} °C, less than {margin} °C below its slowdown temperature: look at "
        "the node's fans and the air that it gets.",
        cases=tuple(_thermal_cases(fleet, examples(fleet.catalog, cluster.pools), margin)),
    )


def _thermal_cases(fleet: Fleet, pools: Sequence[NodePool], margin: int) -> Iterator[Case]:
    for pool in pools:
        card = scenes.card(fleet.catalog, pool)
        inputs = _temperature(card, pool, margin, above=1)
        name = f"a card of pool {pool.name} is hot"
        yield Case(kind="firing", name=name, inputs=inputs, at="5m", fires=(card.labels,))
        if card.family.exporter.metrics.temperature_margin:
            yield from _margin_cases(card, pool, margin)
    pool, card = pools[0], scenes.card(fleet.catalog, pools[0])
    now = card.of(card.family.exporter.metrics.temperature)
    yield Case(kind="healthy", name="it is at its limit", inputs=_temperature(card, pool, margin, above=0), at="6m")
    yield Case(
        kind="edge", name="it is hot for less than five minutes", inputs=_temperature(card, pool, margin, 1), at="4m"
    )
    nonsense = _temperature(card, pool, margin, above=1) | {now: "644245923x60"}
    yield Case(kind="edge", name="the reading is absurd", inputs=nonsense, at="6m")
    unread = {name: values for name, values in nonsense.items() if name != now}
    yield Case(kind="absent", name="the card says nothing of its temperature", inputs=unread, at="6m")


def _margin_cases(card: scenes.Card, pool: NodePool, margin: int) -> Iterator[Case]:
    metrics, where = card.family.exporter.metrics, f"a card of pool {pool.name}"
    here, now = steady(scenes.in_pool(pool)), {card.of(metrics.temperature): "80x60"}
    left, limit = card.of(metrics.temperature_margin), card.of(metrics.temperature_limit)
    near = here | now | {left: f"{margin - 1}x60"}
    yield Case(kind="firing", name=f"{where} tells how near it is alone", inputs=near, at="5m", fires=(card.labels,))
    far = here | now | {left: f"{margin}x60"}
    yield Case(kind="healthy", name=f"{where} tells that it is not near", inputs=far, at="6m")
    old = here | now | {left: "0x60", limit: "90x60"}
    yield Case(kind="edge", name=f"{where} has a limit, and a distance of 0 for none", inputs=old, at="6m")


def _temperature(card: scenes.Card, pool: NodePool, margin: int, above: int) -> dict[str, str]:
    """A card that is so much hotter than the limit less the margin."""
    exporter = card.family.exporter
    limit = exporter.limit_celsius or 90
    own = {card.of(exporter.metrics.temperature_limit): f"{limit}x60"} if exporter.metrics.temperature_limit else {}
    return {
        **steady(scenes.in_pool(pool)),
        **own,
        card.of(exporter.metrics.temperature): f"{limit - margin + above}x60",
    }


def _throttled(card: scenes.Card, percent: int) -> Alert:
    return Alert(
        name="GpuThrottled",
        expr=f"avg_over_time({THROTTLED}[10m]) * 100 > {percent}",
        wait=f"{_WAIT_MINUTES}m",
        severity="warning",
        summary="A GPU is slowed down by heat or by its power supply.",
        description=f'{WHO} was slowed down by {{{{ $labels.reason }}}} for {{{{ $value | printf "%.0f" }}}} % of ten '
        "minutes: look at fans and air (thermal), or at the power supplies (power brake).",
        cases=tuple(_throttled_cases(card)),
    )


def _throttled_cases(card: scenes.Card) -> Iterator[Case]:
    mask = card.of(REASONS)
    for name, reasons, reason in (
        ("hardware slows it down for heat, and says so twice", _HW_THERMAL + _HW_SLOWDOWN, "hw_thermal"),
        ("the power supply slows it down", _POWER_BRAKE + _HW_SLOWDOWN, "hw_power_brake"),
        ("hardware slows it down for no reason of its own bit", _HW_SLOWDOWN, "hw_slowdown"),
        ("the driver slows it down for heat", _SW_THERMAL, "sw_thermal"),
    ):
        fires = {**card.labels, "reason": reason}
        yield Case(kind="firing", name=name, inputs={mask: f"{reasons}x60"}, at="5m", fires=(fires,))
    yield Case(
        kind="healthy", name="it is idle or at its power cap", inputs={mask: f"{_IDLE + _POWER_CAP}x60"}, at="6m"
    )
    yield Case(kind="absent", name="it does not say", inputs={}, at="6m")
    yield Case(kind="edge", name="the next higher bit is another", inputs={mask: f"{_DISPLAY}x60"}, at="6m")
    yield Case(kind="edge", name="every bit is set, which is no data", inputs={mask: "4294967295x60"}, at="6m")
    yield Case(kind="edge", name="it is slowed down for a moment", inputs={mask: f"0x8 {_HW_THERMAL} 0x30"}, at="14m")
    yield Case(kind="edge", name="it has just been slowed down", inputs={mask: f"{_HW_THERMAL}x60"}, at="4m")
