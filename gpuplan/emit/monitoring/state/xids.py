"""XIDs, the driver's error codes, by what each calls for: the catalogue's judgement, and the fleet's own of some.

By the exporter's count of the last 5 minutes: the last code alone (DCGM_FI_DEV_XID_ERRORS) never goes back to 0, and shows
nothing when the same code comes again. The count is a gauge, and ends with its window; alerts that people must see outlive it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gpuplan.catalog.xids import Reaction, judged
from gpuplan.emit import agents
from gpuplan.emit.monitoring import scenes
from gpuplan.emit.monitoring.alerts import PLATFORM_TEAM, Alert, Case
from gpuplan.emit.monitoring.promql import of_namespace_team
from gpuplan.emit.monitoring.series import NAMESPACE_TEAM
from gpuplan.emit.monitoring.state.common import CARD, WHO, steady
from gpuplan.emit.monitoring.state.counters import XIDS
from gpuplan.model.fleet import Cluster, Fleet

_HOLD = "30m"
_PROGRAM = "namespace, pod, node, pool, xid"
_NEW_CODE = 999
"""A code that no catalogue has, for cases."""


def alerts(fleet: Fleet, cluster: Cluster) -> Iterator[Alert]:
    """Yield the alerts on XIDs, where a cluster has NVIDIA cards."""
    pools = agents.nvidia_pools(cluster)
    if not pools:
        return
    own = fleet.monitoring.xids
    codes = judged(fleet.catalog.xids, own.drain, own.ignore)
    card = scenes.card(fleet.catalog, pools[0])
    if codes[Reaction.DRAIN]:
        yield _drain(card, codes[Reaction.DRAIN], codes[Reaction.NONE])
    if codes[Reaction.PROGRAM]:
        yield _program(cluster, card, codes[Reaction.PROGRAM])
    yield _unknown(card, [code for kind, known in codes.items() if kind is not Reaction.UNKNOWN for code in known])


def _any_of(codes: Iterable[int]) -> str:
    return "|".join(map(str, sorted(codes)))


def _drain(card: scenes.Card, codes: tuple[int, ...], quiet: tuple[int, ...]) -> Alert:
    seen, none_yet = card.of(XIDS, xid=str(codes[-1])), card.of(XIDS)
    others = {card.of(XIDS, xid=str(code)): "_ 1x55" for code in quiet[:3]}
    fires = ({**card.labels, "xid": str(codes[-1])},)
    shared = (card.of(XIDS, xid=str(codes[-1]), pod=pod, namespace="default") for pod in ("a", "b"))
    return Alert(
        name="GpuXidNodeDrain",
        expr=f'max by ({CARD}, xid) ({XIDS}{{xid=~"{_any_of(codes)}"}}) > 0',
        hold=_HOLD,
        severity="critical",
        summary="A GPU reported an error after which its node must be drained.",
        description=f"{WHO} reported XID {{{{ $labels.xid }}}}: drain the node before anything else runs on the GPU.",
        cases=(
            Case(kind="firing", name="the code was counted", inputs={seen: "_ 1x4 0x50"}, at="2m", fires=fires),
            Case(
                kind="healthy",
                name="no code was counted, and then one that needs no drain",
                at="3m",
                inputs={none_yet: "0x60", **others},
            ),
            Case(kind="absent", name="the exporter does not count codes", inputs={}, at="3m"),
            Case(
                kind="edge",
                name="the window is over and the alert still holds",
                at="30m",
                fires=fires,
                inputs={
                    seen: "_ 1x4 0x60",
                },
            ),
            Case(kind="edge", name="the window has been over for long", inputs={seen: "_ 1x4 0x60"}, at="37m"),
            Case(kind="edge", name="two pods share the card", inputs=steady(*shared), at="1m", fires=fires),
        ),
    )


def _program(cluster: Cluster, card: scenes.Card, codes: tuple[int, ...]) -> Alert:
    """To the team of the namespace; to the platform where no team owns it."""
    failed = f'max by ({_PROGRAM}) ({XIDS}{{xid=~"{_any_of(codes)}", pod!=""}}) > 0'
    stray = f'label_replace({failed}, "team", "{PLATFORM_TEAM}", "", "")'
    owned = f"{of_namespace_team(failed)}\nor on (namespace, pod, node, xid) "
    return Alert(
        name="GpuXidApplication",
        expr=f"{owned if cluster.teams else ''}{stray}",
        hold=_HOLD,
        severity="info",
        team="",
        summary="A program on a GPU failed.",
        description="Pod {{ $labels.namespace }}/{{ $labels.pod }} on node {{ $labels.node }} caused XID "
        "{{ $labels.xid }}: the program failed and the GPU stays in service. Look at the program's own log first.",
        cases=tuple(_program_cases(cluster, card, str(codes[0]))),
    )


def _program_cases(cluster: Cluster, card: scenes.Card, xid: str) -> Iterator[Case]:
    owner = cluster.teams[0] if cluster.teams else None
    namespace, team = (owner.namespaces[0], owner.name) if owner else ("team-a", PLATFORM_TEAM)
    facts = steady(scenes.series(NAMESPACE_TEAM, namespace=namespace, team=team)) if owner else {}
    where = {"node": card.labels["node"], "pool": card.labels["pool"], "xid": xid}
    held = card.of(XIDS, xid=xid, namespace=namespace, pod="job-0")
    stray = card.of(XIDS, xid=xid, namespace="default", pod="stray")
    fires = {**where, "namespace": namespace, "pod": "job-0", "team": team}
    yield Case(
        kind="firing", name="who owns the namespace hears of it", inputs=facts | steady(held), at="1m", fires=(fires,)
    )
    yield Case(
        kind="edge",
        name="the namespace is no team's",
        inputs=facts | steady(stray),
        at="1m",
        fires=({**where, "namespace": "default", "pod": "stray", "team": PLATFORM_TEAM},),
    )
    once = facts | {held: "0 1x4 0x50"}
    yield Case(kind="healthy", name="no code was counted", inputs=facts | steady(held, value=0), at="3m")
    yield Case(kind="edge", name="the window is over and the alert still holds", inputs=once, at="30m", fires=(fires,))
    yield Case(kind="edge", name="it has been over for long", inputs=once, at="37m")
    yield Case(kind="absent", name="nobody held the card", inputs=facts | steady(card.of(XIDS, xid=xid)), at="1m")


def _unknown(card: scenes.Card, known: Iterable[int]) -> Alert:
    new = card.of(XIDS, xid=str(_NEW_CODE))
    fires = ({**card.labels, "xid": str(_NEW_CODE)},)
    return Alert(
        name="GpuXidUnknown",
        expr=f'max by ({CARD}, xid) ({XIDS}{{xid!="", xid!~"{_any_of(known)}"}}) > 0',
        hold=_HOLD,
        severity="warning",
        summary="A GPU reported an error code that the catalogue does not know.",
        description=f"{WHO} reported XID {{{{ $labels.xid }}}}, which is in no class: look it up in NVIDIA's catalogue, "
        "and add it to monitoring.xids.drain or monitoring.xids.ignore.",
        cases=(
            Case(kind="firing", name="a new code was counted", inputs={new: "0 1x4 0x50"}, at="2m", fires=fires),
            Case(
                kind="healthy",
                name="only codes with a class were counted",
                at="3m",
                inputs=steady(
                    *(card.of(XIDS, xid=str(code)) for code in sorted(known)[:3]),
                    card.of(XIDS),
                ),
            ),
            Case(kind="absent", name="the exporter does not count codes", inputs={}, at="3m"),
            Case(
                kind="edge",
                name="the window is over and the alert still holds",
                at="30m",
                fires=fires,
                inputs={
                    new: "0 1x4 0x50",
                },
            ),
            Case(kind="edge", name="it has been over for long", inputs={new: "0 1x4 0x50"}, at="37m"),
        ),
    )
