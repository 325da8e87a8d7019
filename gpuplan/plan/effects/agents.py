"""Node agents of ours: which restart, on how many nodes, and what that does to whoever holds a card.

Their configuration is in ConfigMaps that never change: another content has another name, which the pods name, so that they
restart by themselves. What belongs to an agent (accounts, roles, Services, ConfigMaps) is told with it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from gpuplan import conventions
from gpuplan.plan.comparison import Comparison
from gpuplan.plan.effects import pool_pairs, reading
from gpuplan.plan.effects.pool_pairs import Side, nodes_text
from gpuplan.plan.effects.reading import labels, listed
from gpuplan.plan.parts import Action, Effect, ObjectChange, Risk
from gpuplan.words import counted

KIND = "DaemonSet"
TITLES: Mapping[str, str] = {
    conventions.DCGM_EXPORTER: "DCGM exporter",
    conventions.DEVICE_PLUGIN: "device plugin",
    conventions.FEATURE_DISCOVERY: "GPU Feature Discovery",
    conventions.MIG_MANAGER: "MIG manager",
    conventions.MPS_DAEMON: "MPS control daemon",
}
"""Agents in words, by the value of their label."""
ROLLS: Mapping[str, str] = {
    conventions.DCGM_EXPORTER: "agent/exporter-rolls",
    conventions.DEVICE_PLUGIN: "agent/plugin-rolls",
    conventions.MIG_MANAGER: "agent/mig-manager-rolls",
    conventions.MPS_DAEMON: "agent/mps-rolls",
}
"""Fact on the restart of an agent, where it is not the general one."""
LEAVES: Mapping[str, str] = {
    conventions.DCGM_EXPORTER: "agent/exporter-leaves",
    conventions.DEVICE_PLUGIN: "agent/plugin-leaves",
    conventions.MPS_DAEMON: "agent/mps-leaves",
}
PARTS: Mapping[str, str] = {
    "affinity": "where it may run",
    "nodeSelector": "where it may run",
    "resources": "what it asks for",
    "runtimeClassName": "its runtime",
    "securityContext": "its rights",
    "tolerations": "taints that it tolerates",
    "volumes": "its configuration",
}
"""Parts of a pod in words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Changes of one agent in one cluster, with the pools that they are for."""

    cluster: str
    agent: str
    changes: Sequence[ObjectChange]
    pools: Sequence[Side]

    @property
    def nodes(self) -> int:
        """Nodes that it runs on, as far as the spec says."""
        return sum(side.nodes for side in self.pools)

    @property
    def cards(self) -> int:
        """Their cards."""
        return sum(side.cards for side in self.pools)

    @property
    def title(self) -> str:
        """The agent in words."""
        return TITLES.get(self.agent, self.agent)

    def effect(self, fact: str, risk: Risk, summary: str) -> Effect:
        """Return an effect of the group."""
        return Effect(
            fact=fact,
            risk=risk,
            cluster=self.cluster,
            subject=self.title,
            summary=f"{self.title} {summary}",
            objects=reading.refs(self.changes),
            causes=reading.causes(self.changes),
            teams=pool_pairs.teams_on(*self.pools) if risk.rank >= Risk.DISRUPTIVE.rank else (),
            nodes=self.nodes,
            cards=self.cards,
        )


def effects(comparison: Comparison) -> Iterator[Effect]:
    """Yield what becomes of our agents. Those of pools that come, go or change their stack are told with the pool."""
    told = _told_here(comparison)
    changed = [change for change in reading.changes(comparison, KIND) if told is None or _pool(change) in told]
    rolling = [change for change in changed if change.action is Action.UPDATE and _restarts(change)]
    for group in _groups(comparison, rolling):
        yield from _rolls(group)
    quiet = [change for change in changed if change.action is Action.UPDATE and not _restarts(change)]
    for group in _groups(comparison, quiet):
        yield group.effect("agent/settings", Risk.NONE, f"goes on on {_place(group)}: none of its pods changes")
    for group in _groups(comparison, [change for change in changed if change.action is Action.CREATE]):
        yield group.effect("agent/starts", Risk.NONE, f"starts on {_place(group)}")
    for group in _groups(comparison, [change for change in changed if change.action is Action.DELETE]):
        yield from _leaves(group)
    for change in changed:
        if change.action is Action.REPLACE:
            yield from _made_anew(comparison, change)


def _told_here(comparison: Comparison) -> frozenset[str] | None:
    """Return the pools that both sides have under one name, in one cluster and on one stack; None where nobody knows pools."""
    if comparison.old.fleet is None or comparison.new.fleet is None:
        return None
    return frozenset(
        pair.new.pool.name
        for pair in pool_pairs.staying(comparison)
        if (pair.old.pool.stack, pair.old.pool.name) == (pair.new.pool.stack, pair.new.pool.name)
    )


def _pool(change: ObjectChange) -> str:
    return labels(reading.sides(change)).get(conventions.LABEL_POOL, "")


def _groups(comparison: Comparison, changes: Sequence[ObjectChange]) -> Iterator[Group]:
    """Yield changes by cluster and agent."""
    found: dict[tuple[str, str], list[ObjectChange]] = defaultdict(list)
    for change in changes:
        agent = labels(reading.sides(change)).get(conventions.LABEL_APP_NAME, change.ref.key.name)
        found[reading.new_cluster(comparison, change), agent].append(change)
    known = {side.pool.name: side for side in (*pool_pairs.old_sides(comparison), *pool_pairs.new_sides(comparison))}
    for (cluster, agent), some in sorted(found.items()):
        pools = [known[_pool(change)] for change in some if _pool(change) in known]
        yield Group(cluster=cluster, agent=agent, changes=some, pools=pools)


def _restarts(change: ObjectChange) -> bool:
    """Tell whether the pods are made anew."""
    return any(one.path[:2] == ("spec", "template") for one in change.changes)


def _rolls(group: Group) -> Iterator[Effect]:
    kills = group.agent == conventions.MPS_DAEMON
    fact = ROLLS.get(group.agent, "agent/rolls")
    after = ", and ends every process that shares a card through it" if kills else ""
    how = "one at a time in each pool" if len(group.changes) > 1 else "one at a time"
    effect = group.effect(
        fact,
        Risk.DISRUPTIVE if kills else Risk.LOW,
        f"restarts on {_place(group)}, {how}{after} ({listed(_why(group))})",
    )
    yield from pool_pairs.with_handovers(effect, *(group.pools if kills else ()))


def _leaves(group: Group) -> Iterator[Effect]:
    kills = group.agent == conventions.MPS_DAEMON
    effect = group.effect(
        LEAVES.get(group.agent, "agent/leaves"),
        Risk.DISRUPTIVE if kills else Risk.LOW,
        f"leaves {_place(group)}{', and ends every process that shares a card through it' if kills else ''}",
    )
    yield from pool_pairs.with_handovers(effect, *(group.pools if kills else ()))


def _place(group: Group) -> str:
    """Say on how many nodes of which pools."""
    names = [side.pool.name for side in group.pools] or [_pool(change) for change in group.changes]
    pools = f"pool {names[0]}" if len(names) == 1 else f"{counted(len(names), 'pool')} ({listed(names)})"
    return f"{nodes_text(group.nodes)} of {pools}" if group.pools else pools


def _why(group: Group) -> Iterator[str]:
    """Yield what changes in the pods, in words."""
    for change in group.changes:
        for one in change.changes:
            path = [step for step in one.path if isinstance(step, str)]
            if path[:2] != ["spec", "template"]:
                continue
            if path[-1] == "image":
                yield f"image {_tag(one.old)} → {_tag(one.new)}"
            else:
                yield next((PARTS[step] for step in path if step in PARTS), "its settings")


def _tag(image: object) -> str:
    return str(image).rpartition(":")[2]


def _made_anew(comparison: Comparison, change: ObjectChange) -> Iterator[Effect]:
    name = change.ref.key.name
    yield Effect(
        fact="agent/immutable",
        risk=Risk.DISRUPTIVE,
        cluster=reading.new_cluster(comparison, change),
        subject=f"{KIND} {name}",
        summary=f"{KIND} {name}: {change.reason}; the sync fails until a person deletes it",
        objects=(change.ref,),
        causes=change.causes,
    )
