"""The way of one pool to another stack, worked out on the spec itself: each step is edited into the text, resolved, judged and
compared with the one before, before anybody is told to take it.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from gpuplan.diagnostics import Diagnostic, Diagnostics, Related, Severity
from gpuplan.manifests.set import ManifestSet
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.pools import NodePool, Stack
from gpuplan.moving import stack_text
from gpuplan.moving.stack_course import Move, edits, move
from gpuplan.moving.stack_findings import CANNOT, THERE
from gpuplan.moving.stack_owners import twice_owned
from gpuplan.moving.stack_refusals import reasons
from gpuplan.moving.stack_steps import Passage, Side, passage
from gpuplan.plan import Comparison, State, compare_states
from gpuplan.plan.parts import ABSENT

Texts = Mapping[Path, str]
KEPT = (
    "ClusterQueue",
    "Cohort",
    "LocalQueue",
    "PriorityClass",
    "ResourceFlavor",
    "Topology",
    "WorkloadPriorityClass",
)
"""Kinds of which no object may change on the way."""
TOGETHER = ("mig/beside-operator", "operator/beside-other-agents")
"""Rules by which pools have to move together."""


class Looked(Protocol):
    """What checking a spec gives."""

    @property
    def fleet(self) -> Fleet | None:
        """The resolved fleet."""
        ...

    @property
    def findings(self) -> Diagnostics:
        """All findings."""
        ...


Check = Callable[[Texts], Looked]
"""Checks a spec that is only there as texts."""
Render = Callable[[Fleet, Fleet], tuple[ManifestSet, ManifestSet]]
"""Compiles two fleets where they can differ."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoadStep:
    """A step with what it changes: from place `number - 1` to place `number`."""

    number: int
    forth: Passage
    back: Passage
    comparison: Comparison
    done: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Road:
    """All steps of a move, and the text of the spec at each place."""

    move: Move
    steps: tuple[RoadStep, ...]
    texts: tuple[Texts, ...]
    """By the number of the place; one more than there are steps."""

    @property
    def here(self) -> int:
        """Number of the place where the spec is: so many steps are done."""
        return self.move.here or 0


def road(fleet: Fleet, pool: NodePool, target: Stack, texts: Texts, check: Check, render: Render) -> Road | Diagnostics:
    """Work out the way of a pool to a stack, or say why there is none."""
    cluster = _home(fleet, pool.cluster)
    found = tuple(reasons(fleet, cluster, pool, target))
    if found:
        return found
    going = _move(cluster, pool, target, texts)
    if going.here is None:
        return (_lost(fleet, pool, going),)
    written = _texts(going, cluster, pool, texts)
    if isinstance(written, Diagnostic):
        return (written,)
    fleets: list[Fleet] = []
    for number, text in enumerate(written):
        looked = check(text)
        faults = [one for one in looked.findings if one.severity is Severity.ERROR]
        if looked.fleet is None or faults:
            return tuple(_faulty(fleet, pool, target, number, one) for one in faults[:1])
        fleets.append(looked.fleet)
    compared = [_compared(old, new, render) for old, new in itertools.pairwise(fleets)]
    broken = tuple(_broken(fleet, pool, going, fleets, compared))
    if broken:
        return broken
    return Road(move=going, steps=tuple(_steps(going, fleets, compared)), texts=tuple(written))


def _move(cluster: Cluster, pool: NodePool, target: Stack, texts: Texts) -> Move:
    named = stack_text.names(texts, (*pool.path, "stack")) is not ABSENT
    default = stack_text.names(texts, ("defaults", "nodePool", "stack"))
    inherited: Stack = cluster.stack
    for stack in ("manual", "operator", "external"):
        if default == stack:
            inherited = stack
    return move(cluster, pool, target, named=named, inherited=inherited)


def arrived(fleet: Fleet, pool: NodePool, target: Stack, texts: Texts) -> Diagnostics:
    """Return the finding for a pool that is on its stack already, with all steps behind it; none for others."""
    cluster = _home(fleet, pool.cluster)
    going = _move(cluster, pool, target, texts)
    if going.here != len(going.places) - 1 and not (going.here is None and pool.stack == target):
        return ()
    where = fleet.places.value((*pool.path, "stack"))
    return (THERE.found(f"Pool `{pool.name}` is on `stack: {pool.stack}` already", at=where),)


def _lost(fleet: Fleet, pool: NodePool, going: Move) -> Diagnostic:
    return CANNOT.found(
        f"Pool `{pool.name}` is on `stack: {pool.stack}`, and the spec is at no step of the way from `{going.origin}` to "
        f"`{going.target}`",
        at=fleet.places.value((*pool.path, "stack")),
        fix=f"Write the stack that its nodes have now, `{going.origin}`, or finish the way that was begun. Take "
        "`operatorStandby` out where the operator has pools and no other pool is labelled by people.",
    )


def _texts(going: Move, cluster: Cluster, pool: NodePool, texts: Texts) -> list[Texts] | Diagnostic:
    """Return the text of the spec at each place, by edits from the place where it is."""
    here = going.here or 0
    made: dict[int, Texts] = {here: texts}
    for numbers in (range(here, 0, -1), range(here, len(going.places) - 1)):
        back = numbers.step < 0
        for number in numbers:
            goal = number + (-1 if back else 1)
            wanted = edits(pool, cluster, going.places[number], going.places[goal])
            found = stack_text.edited(made[number], wanted)
            if isinstance(found, Diagnostic):
                return found
            made[goal] = found
    return [made[number] for number in sorted(made)]


def _faulty(fleet: Fleet, pool: NodePool, target: Stack, number: int, fault: Diagnostic) -> Diagnostic:
    when = f"after step {number}" if number else "before it begins"
    together = " Or move the pools together: change their `stack` at once, and `gpuplan plan` lays out the order."
    return CANNOT.found(
        f"Pool `{pool.name}` cannot go to `stack: {target}` by itself: {when} {fault.rule} would say: {fault.summary}",
        at=fleet.places.key(pool.path),
        also=(Related("what the rule speaks of", fault.at),),
        fix=f"{fault.fix}{together}" if fault.rule in TOGETHER else fault.fix or None,
    )


def _compared(old: Fleet, new: Fleet, render: Render) -> Comparison:
    first, second = render(old, new)
    return compare_states(_state("before", old, first), _state("after", new, second))


def _state(name: str, fleet: Fleet, manifests: ManifestSet) -> State:
    return State(name=name, manifests=manifests, fleet=fleet, written=fleet.places.plain())


def _broken(
    fleet: Fleet, pool: NodePool, going: Move, fleets: list[Fleet], compared: list[Comparison]
) -> Iterator[Diagnostic]:
    """Yield where a step would not keep what all have to keep."""
    for number, (old, new, comparison) in enumerate(zip(fleets, fleets[1:], compared, strict=False), start=1):
        before, after = (_home(one, going.cluster) for one in (old, new))
        changed = [
            f"{change.ref.key.kind} `{change.ref.key.name}` would change" for change in comparison.of_kind(*KEPT)
        ]
        for words in (*changed, *twice_owned(before, after, comparison.old.manifests, comparison.new.manifests)):
            yield CANNOT.found(
                f"Pool `{pool.name}` cannot go to `stack: {going.target}`: at step {number} {words}",
                at=fleet.places.key(pool.path),
            )


def _home(fleet: Fleet, name: str) -> Cluster:
    return next(cluster for cluster in fleet.clusters if cluster.name == name)


def _side(fleet: Fleet, going: Move, number: int) -> Side:
    cluster = _home(fleet, going.cluster)
    pool = next(one for one in cluster.pools if one.name == going.pool)
    return Side(place=going.places[number], cluster=cluster, pool=pool)


def _steps(going: Move, fleets: list[Fleet], compared: list[Comparison]) -> Iterator[RoadStep]:
    here = going.here or 0
    sides = [_side(fleet, going, number) for number, fleet in enumerate(fleets)]
    for number, (old, new) in enumerate(itertools.pairwise(sides), start=1):
        yield RoadStep(
            number=number,
            forth=passage(old, new, from_stack=going.origin),
            back=passage(new, old, from_stack=going.target),
            comparison=compared[number - 1],
            done=number <= here,
        )
