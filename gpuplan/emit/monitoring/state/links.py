"""Errors on the links of NVIDIA's cards: packets sent again over PCIe, and errors over NVLink.

Rates, since both links have some errors in good health; the limits are DCGM's own (NVIDIA/DCGM 4.6, health checks). Rates
that no link can reach come from a blank value between two good ones.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.emit import agents
from gpuplan.emit.monitoring import card_series, scenes
from gpuplan.emit.monitoring.alerts import Alert, Case
from gpuplan.emit.monitoring.state.common import CARD, WHO, steady
from gpuplan.model.fleet import Cluster, Fleet

REPLAYS = "DCGM_FI_DEV_PCIE_REPLAY_COUNTER"
CHECKSUMS = "DCGM_FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL"
RECOVERIES = "DCGM_FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL"
_WINDOW = "10m"
_IMPOSSIBLE = 1_000_000
_HOLD = "30m"


def alerts(fleet: Fleet, cluster: Cluster) -> Iterator[Alert]:
    """Yield the alerts on links: on PCIe where there are NVIDIA cards, on NVLink where those have it."""
    pools = agents.nvidia_pools(cluster)
    thresholds = fleet.monitoring.thresholds
    if pools:
        yield _pcie(scenes.card(fleet.catalog, pools[0]), thresholds.pcie_replays_per_minute)
    linked = [pool for pool in pools if pool.card.nvlink]
    if linked:
        yield _nvlink(scenes.card(fleet.catalog, linked[0]), thresholds.nvlink_errors_per_second)


def _pcie(card: scenes.Card, limit: int) -> Alert:
    count = card.of(REPLAYS)
    often, seldom = f"0+{2 * limit}x60", f"0+{limit // 2}x60"
    return Alert(
        name="GpuPcieReplaysHigh",
        expr=f"max by ({CARD}) (rate({REPLAYS}[{_WINDOW}])) * 60 > {limit} < {_IMPOSSIBLE}",
        wait="5m",
        severity="warning",
        summary="A GPU sends many packets again over PCIe.",
        description=f'{WHO} sent {{{{ $value | printf "%.0f" }}}} packets a minute again over PCIe, more than {limit}: '
        "its slot, riser or cable is failing. Reseat it at the next occasion, and watch for XID 79.",
        cases=(
            Case(kind="firing", name="many packets", inputs={count: often}, at="12m", fires=(card.labels,)),
            Case(kind="healthy", name="few packets", inputs={count: seldom}, at="17m"),
            Case(kind="absent", name="the card does not count", inputs={}, at="6m"),
            Case(kind="edge", name="many packets for a moment", inputs={count: f"0x3 {12 * limit}x30"}, at="7m"),
            Case(kind="edge", name="a blank value between two", inputs={count: "0x3 4294967295 0x30"}, at="10m"),
            Case(
                kind="edge",
                name="several pods share the card",
                inputs={card.of(REPLAYS, pod=pod): f"0+{limit * 2 // 3}x60" for pod in ("a", "b")},
                at="17m",
            ),
        ),
    )


def _nvlink(card: scenes.Card, limit: int) -> Alert:
    """A row of a link names its card in other words (`gpu_uuid`) than the rows of cards do."""
    often = f"{_of_card(f'rate({CHECKSUMS}[{_WINDOW}])')} > {limit} < {_IMPOSSIBLE}"
    once = f"{_of_card(card_series.grown(RECOVERIES, _WINDOW))} > 0 < {_IMPOSSIBLE}"
    return Alert(
        name="GpuNvlinkErrors",
        expr=f'label_replace({often}, "error", "checksum", "", "")\nor\nlabel_replace({once}, "error", "recovery", "", "")',
        hold=_HOLD,
        severity="warning",
        summary="A GPU has errors on its NVLinks.",
        description=f"{WHO} has NVLink errors ({{{{ $labels.error }}}}): jobs over several GPUs are slow there or fail. "
        "Drain the node, reset its GPUs and the fabric manager, and ask the vendor if it comes back.",
        cases=tuple(_nvlink_cases(card, limit)),
    )


def _of_card(errors: str) -> str:
    """Add up a card's links; a card that several pods hold, or a sum that the driver made, counts once."""
    each = f'label_replace({errors}, "UUID", "$1", "gpu_uuid", "(.+)")'
    return f"sum by ({CARD}) (max by ({CARD}, nvlink) ({each}))"


def _nvlink_cases(card: scenes.Card, limit: int) -> Iterator[Case]:
    checksums, recoveries = card.of(CHECKSUMS), card.of(RECOVERIES)
    often, seldom = f"0+{limit * 120}x60", f"0+{limit * 30}x60"
    yield Case(
        kind="firing",
        name="many checksum errors",
        inputs={checksums: often},
        at="11m",
        fires=({**card.labels, "error": "checksum"},),
    )
    yield Case(
        kind="firing",
        name="a link had to recover",
        inputs={recoveries: "0x3 1x60"},
        at="5m",
        fires=({**card.labels, "error": "recovery"},),
    )
    ended = {card.of(RECOVERIES, pod="job-0"): "0x4 stale", card.of(RECOVERIES): "_x4 1x60"}
    yield Case(
        kind="firing",
        name="the recovery ends the program",
        inputs=ended,
        at="6m",
        fires=({**card.labels, "error": "recovery"},),
    )
    own = {label: value for label, value in card.labels.items() if label != "gpu"}
    by_link = _by_link(card, limit)
    yield Case(kind="edge", name="the links add up", inputs=by_link, at="11m", fires=({**own, "error": "checksum"},))
    yield Case(
        kind="healthy", name="few checksum errors", inputs={checksums: seldom} | steady(recoveries, value=2), at="17m"
    )
    yield Case(kind="absent", name="the card does not count", inputs={}, at="6m")
    shared = {card.of(CHECKSUMS, pod=pod): f"0+{limit * 40}x60" for pod in ("a", "b")}
    yield Case(kind="edge", name="several pods share the card", inputs=shared, at="17m")
    yield Case(kind="edge", name="a link recovered long ago", inputs={recoveries: "0x3 1x60"}, at="45m")
    yield Case(
        kind="edge",
        name="a link recovered half an hour ago, and the alert still holds",
        inputs={recoveries: "0x3 1x60"},
        at="30m",
        fires=({**card.labels, "error": "recovery"},),
    )


def _by_link(card: scenes.Card, limit: int) -> dict[str, str]:
    """Two links of a card, each below the limit, as the rows of links name it."""
    where = {"node": card.labels["node"], "pool": card.labels["pool"], "gpu_uuid": card.labels["UUID"]}
    return {scenes.series(CHECKSUMS, **where, nvlink=link): f"0+{limit * 40}x60" for link in ("0", "1")}
