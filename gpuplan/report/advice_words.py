"""The sentences of a decision record that are about all of it: what is decided, the alternatives, the pilot, the way back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction

from gpuplan.advise.costs import When
from gpuplan.advise.pilot import CYCLE_DAYS
from gpuplan.advise.record import Group, Pilot, Record
from gpuplan.advise.settings import shown
from gpuplan.words import counted, in_a_row

WAYS = {
    "manual": "scripts and gpuplan's own agents (`stack: manual`)",
    "operator": "the GPU Operator (`stack: operator`)",
    "external": "the distribution's own stack (`stack: external`)",
}


def names(found: Iterable[str]) -> str:
    """Return names of the fleet in a row."""
    return in_a_row([f"`{name}`" for name in found])


def money(value: Fraction | None) -> str:
    """Return an amount to the whole unit: an estimate has no cents.

    >>> money(Fraction(12345, 10))
    '1,234'
    """
    return "-" if value is None else f"{round(value):,}"


def summary(record: Record) -> str:
    """Return the decision in a sentence or two."""
    if not record.groups:
        return "No pool has a choice between scripts and the GPU Operator."
    parts = []
    for way, words in WAYS.items():
        pools = [name for group in record.groups if group.advised == way for name in group.pools]
        if pools:
            parts.append(f"{names(pools)} by {words}")
    said = f"Run {'; '.join(parts)}."
    if not record.order:
        return f"{said} Nothing moves."
    first = record.order[0]
    move = "moves" if len(record.order) == 1 else "move"
    return f"{said} {counted(len(record.order), 'pool')} {move}; `{first.pool}` goes first, as the pilot."


def sure(group: Group) -> str:
    """Return how sure a direction is, in a few words."""
    if group.stuck:
        return "people must decide: both ways are ruled out"
    if group.ruled_out:
        return "the other way is ruled out"
    if group.because:
        return "by what is around it"
    return "narrow: look at what would change it" if group.narrow else "clear"


def unturned(group: Group) -> str:
    """Return why nothing is listed that would turn a direction."""
    if group.because and not group.ruled_out:
        return "it turns with what is around it, not by a fact of its own"
    return "no single fact turns it"


def compared(record: Record) -> list[str]:
    """Return how people and idle cards weigh against each other."""
    return list(_compared(record))


def _compared(record: Record) -> Iterator[str]:
    costs = record.costs
    if costs.work and costs.break_even is not None:
        yield f"By hours alone the operator costs less from {shown(costs.break_even)} nodes on whose driver it installs."
    for when in dict.fromkeys(one.when for one in costs.work):
        yield from _difference(record, when)
    if costs.work and costs.rate is None:
        yield "No hourly rate is given (`hourlyRate`), so people are shown in hours."


def _difference(record: Record, when: When) -> Iterator[str]:
    costs = record.costs
    hours = {one.way: one.hours for one in costs.work if one.when == when}
    more = hours["manual"] - hours["operator"]
    side = "more than" if more > 0 else "less than"
    text = f"{when[:1].upper()}{when[1:]} scripts take {shown(abs(more))} hours a month {side} the operator"
    difference, percent = costs.difference(when), costs.as_idle_percent(when)
    if more == 0:
        yield f"{when[:1].upper()}{when[1:]} both ways take the same hours."
    elif difference is not None and costs.rate is not None:
        worth = f", {money(abs(difference))} {costs.rate.currency}"
        if percent is not None:
            worth += f"; {shown(percent)} % of the cards standing idle cost as much"
        yield f"{text}{worth}."
    else:
        yield f"{text}."


def pilot_steps(record: Record) -> list[str]:
    """Return what is done in the pilot, in its order."""
    return list(_steps(record.pilot, moves=bool(record.order))) if record.pilot else []


def _steps(pilot: Pilot, *, moves: bool) -> Iterator[str]:
    pool = pilot.pool
    yield (
        f"Read the measures below for {pilot.days} days before anything changes: the base line."
        f" `gpuplan verify --cluster {pilot.cluster}` is green."
    )
    if moves:
        if pilot.keep_off:
            yield (
                f'Have the nodes of {names(pilot.keep_off)} labelled `nvidia.com/gpu.deploy.operands: "false"` before the'
                " operator comes, new ones as well: it would serve them, too (rule `operator/labelled-by-others`)."
            )
        if pilot.split:
            yield (
                f"Take {counted(pilot.split, 'node')} out of `{pool}` as a pool of their own, told apart by `nodeNames` or a"
                " label, with the same tier: both pools are one flavor, and jobs do not notice. The next steps are for that"
                f" pool; `{pool}` stays as it is."
            )
        command = f"gpuplan migrate-stack --pool {pool} --to {pilot.to}"
        yield f"Move it: `{command}` prints the steps, each a commit with a check after it."
    yield "Upgrade its driver to the next release of its branch, node by node, in the maintenance window."
    yield "Upgrade the agents to the next release set: `gpuplan upgrade` says what restarts where."
    yield "Run the maintenance drill and the fault drill on it."
    if moves:
        yield f"Go back once, as practice (`gpuplan migrate-stack --pool {pool} --to {pilot.now}`), and forth again."
    yield (
        f"Ask the queries at the end of the {CYCLE_DAYS} days; hold them against the base line, and against pools that did not"
        " move."
    )
    yield (
        "All four pass: sign, and go on. One fails: go back, write down why, and ask `gpuplan advise` again with the numbers"
        " that were measured."
    )


def others(record: Record) -> str:
    """Return the pools that move after the pilot, in their order."""
    return ", ".join(
        f"`{move.pool}` of `{move.cluster}` to {move.to}" + (f" ({move.critical})" if move.critical else "")
        for move in record.order[1:]
    )


def alternatives(record: Record) -> list[str]:
    """Return what else was looked at, and why it is not advised."""
    return list(_alternatives(record))


def _alternatives(record: Record) -> Iterator[str]:
    for way, against in (("operator", "manual"), ("manual", "operator")):
        losing = [group for group in record.groups if group.advised == against]
        if losing:
            pools = names(name for group in losing for name in group.pools)
            why = "; ".join(dict.fromkeys(_against(group) for group in losing))
            yield f"{WAYS[way][:1].upper()}{WAYS[way][1:]} for {pools}: {why}."
    if any(group.advised != "external" for group in record.groups):
        yield (
            "A stack that others run (`stack: external`): only where a provider or another team takes it on; gpuplan then states"
            " what nodes have to offer."
        )
    if record.order:
        yield "All at once, without a pilot: it is quicker by a cycle, and the first fault is everybody's."


def _against(group: Group) -> str:
    """Return what spoke most against the way that is not advised."""
    if group.because:
        return group.because
    sign = 1 if group.advised == "operator" else -1
    strongest = max(group.scores, key=lambda score: sign * score.total)
    if sign * strongest.total <= 0:
        return "the points are even, and the pool stays where it is"
    return strongest.made.reason


def way_back(record: Record) -> list[str]:
    """Return how each decision is undone."""
    return list(_way_back(record))


def _way_back(record: Record) -> Iterator[str]:
    for move in record.order:
        command = f"gpuplan migrate-stack --pool {move.pool} --to {move.now}"
        yield f"`{move.pool}`: `{command}`, from every step; queues, names and quotas stay as they are."
    if not record.order:
        yield "Nothing moves, so there is nothing to undo."
    if any(group.advised == "operator" for group in record.groups):
        yield (
            "Keep node images with driver and toolkit for as long as a way back to scripts is wanted: without them it begins"
            " with building one."
        )
    yield "Ask again when one of the facts changes, at the latest in a year: the record says which ones turn it."
