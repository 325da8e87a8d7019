"""`gpuplan drill`: what would be done, and what came of it, for people, for pages and for programs."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from rich.console import RenderableType
from rich.text import Text

from gpuplan import conventions
from gpuplan.drill.checks import Check
from gpuplan.drill.cleaning import Cleaned, Marked
from gpuplan.drill.expectations import Report, moves_of
from gpuplan.drill.plan import ALERT, Plan
from gpuplan.drill.state import Move
from gpuplan.reclaim import times
from gpuplan.report.console import table, title
from gpuplan.report.terminal import printable

FORMAT_VERSION = "1.0"
FORMATS = ("text", "markdown", "json")
STYLES: Final = {"met": "green", "not met": "bold red", "unknown": "yellow"}
_MOVES = ("POD", "TASK POOL", "FROM", "TO", "SECONDS WITHOUT", "REQUESTS LOST")


def intentions(plan: Plan) -> Iterator[str]:
    """Yield what a drill does, a line each."""
    pool, limits = plan.pool, plan.limits
    yield f"note the drill on {', '.join(plan.nodes) or 'no node'} (annotation {conventions.ANNOTATION_DRILL})"
    budget = (
        f"as disruption budgets allow, each with its own grace; give up after {limits.budget:.0f} s without an eviction"
    )
    if plan.kind == "maintenance":
        yield "then, one node after the other: cordon it"
        yield f"evict its pods, {budget}"
    else:
        bad = "False" if pool.symptom.healthy else "True"
        yield f"then, one node after the other: set its condition {pool.symptom.condition} to {bad}. {pool.symptom.why}"
        yield f"wait up to {limits.isolate:.0f} s for the node to be isolated by others; the drill does not do that"
        yield f"where it is, evict its pods, {budget}"
        watched = plan.watches_alert or plan.watches_receipt
        alert = f"wait up to {limits.alert:.0f} s for the alert {ALERT}"
        yield alert if watched else f"leave the alert {ALERT} alone: nobody is named who could be asked"
    yield f"wait up to {limits.ready:.0f} s for their successors to be ready"
    yield "take back what was changed, and wait for the node to take work as before"


def planned(plan: Plan, checks: Sequence[Check], *, act: bool) -> Iterator[RenderableType]:
    """Yield what a drill would do, and whether work would bear it."""
    yield title(f"{plan.kind.capitalize()} drill on pool {plan.pool.name} of cluster {plan.pool.cluster}")
    yield Text("")
    yield table(
        ("CHECK", "", "WHAT WAS SEEN"), ((one.name, one.outcome, _seen(one.summary, one.evidence)) for one in checks)
    )
    yield Text("")
    yield from (Text(f"{number}. {printable(line)}") for number, line in enumerate(intentions(plan), start=1))
    yield Text("")
    yield Text(verdict(checks, act=act))


def verdict(checks: Sequence[Check], *, act: bool) -> str:
    """Return one line: whether the drill can be done."""
    bad = sum(one.outcome == "not met" for one in checks)
    if bad:
        return f"Refused: {bad} of {len(checks)} checks are not met. Nothing was changed."
    return "" if act else "Nothing was changed. Do it with --yes."


def refused(checks: Sequence[Check]) -> bool:
    """Whether a check forbids the drill."""
    return any(one.outcome == "not met" for one in checks)


def plan_data(plan: Plan, checks: Sequence[Check]) -> dict[str, Any]:
    """Return the plan for programs."""
    return {
        **_head(plan),
        "refused": refused(checks),
        "checks": [_found(one) for one in checks],
        "steps": [*intentions(plan)],
    }


def plan_markdown(plan: Plan, checks: Sequence[Check], *, act: bool) -> str:
    """Return the plan as a page."""
    rows = (f"| {_cell(one.name)} | {one.outcome} | {_cell(_seen(one.summary, one.evidence))} |" for one in checks)
    steps = (f"{number}. {printable(line)}" for number, line in enumerate(intentions(plan), start=1))
    head = f"# {plan.kind.capitalize()} drill on pool `{plan.pool.name}` of cluster `{plan.pool.cluster}`"
    said = verdict(checks, act=act)
    return "\n".join([head, "", "| check | | what was seen |", "|---|---|---|", *rows, "", *steps, "", said, ""])


def overview(report: Report) -> Iterator[RenderableType]:
    """Yield what a drill came to."""
    yield title(_title(report))
    yield Text("")
    rows = ((one.name, one.subject, one.outcome, _seen(one.summary, one.evidence)) for one in report.expectations)
    yield table(("EXPECTATION", "NODE", "", "WHAT WAS SEEN"), rows)
    moved = [*_moved(report)]
    if moved:
        yield Text("")
        yield table(_MOVES, moved, right=frozenset({4, 5}))
    yield Text("")
    yield Text(summary(report))
    yield from (Text(line) for line in notes(report))


def markdown(report: Report) -> str:
    """Return what a drill came to as a page."""
    from gpuplan.report.templating import environment  # noqa: PLC0415 - jinja2 costs those that want no page

    page = environment().overlay()
    page.filters = {**page.filters, "cell": _cell}
    return page.get_template("drill.md.j2").render(
        title=_title(report),
        said=summary(report),
        expectations=report.expectations,
        moves=[*_moved(report)],
        notes=[*notes(report)],
    )


def summary(report: Report) -> str:
    """Return one line: how many expectations were met."""
    counts = {name: sum(one.outcome == name for one in report.expectations) for name in STYLES}
    parts = ", ".join(f"{count} {name}" for name, count in counts.items() if count) or "no node was reached"
    took = (report.ended_at - report.began_at).total_seconds()
    broken = f" Broken off: {printable(report.state.why)}." if report.state.why else ""
    return f"{len(report.expectations)} expectations: {parts}. It took {took:.0f} s.{broken}"


def notes(report: Report) -> Iterator[str]:
    """Yield what has to be known of what stays."""
    yield from (f"Not taken back: {printable(line)}." for line in report.state.kept)
    if report.left:
        yield f"Not taken back: {', '.join(report.left)}. Run `gpuplan drill clean-up --yes` when the server answers again."


def data(report: Report) -> dict[str, Any]:
    """Return what a drill came to for programs."""
    return {
        **_head(report.state.plan),
        "failed": report.failed,
        "beganAt": times.written(report.began_at),
        "endedAt": times.written(report.ended_at),
        "brokenOff": report.state.why,
        "notTakenBack": [*report.state.kept, *report.left],
        "expectations": [{**_found(one), "node": one.subject} for one in report.expectations],
        "moves": [_move(move, lost) for move, lost in moves_of(report.state)],
    }


def marked(found: Iterable[Marked], now: datetime.datetime) -> Iterator[RenderableType]:
    """Yield the notes that are on nodes."""
    rows = [
        (one.node.name, one.mark.drill, one.mark.kind, one.mark.pool, one.mark.who, _life(one, now))
        if one.mark
        else (one.node.name, "", "", "", "", "no drill wrote this note: look, and remove it by hand")
        for one in found
    ]
    if rows:
        yield table(("NODE", "DRILL", "KIND", "POOL", "OF", ""), rows)
    else:
        yield Text("No node has the note of a drill.")


def marked_data(found: Iterable[Marked], now: datetime.datetime) -> dict[str, Any]:
    """Return the notes that are on nodes for programs."""
    return {
        "format_version": FORMAT_VERSION,
        "marks": [
            {
                "node": one.node.name,
                "drill": one.mark.drill if one.mark else None,
                "kind": one.mark.kind if one.mark else None,
                "pool": one.mark.pool if one.mark else None,
                "who": one.mark.who if one.mark else None,
                "seemsAlive": one.mark.seems_alive(now) if one.mark else None,
            }
            for one in found
        ],
    }


def cleaned(found: Cleaned) -> Iterator[RenderableType]:
    """Yield what was taken back, and what was not."""
    yield from (Text(printable(line)) for line in found.done)
    yield from (Text(f"Not taken back: {printable(line)}") for line in found.kept)
    if not (found.done or found.faults):
        yield Text("Nothing was left to take back.")


def cleaned_data(found: Cleaned, alive: Iterable[str]) -> dict[str, Any]:
    """Return what was taken back for programs; `alive` are drills that still run."""
    return {
        "format_version": FORMAT_VERSION,
        "takenBack": [*found.done],
        "kept": [*found.kept],
        "faults": [*found.faults],
        "alive": sorted(alive),
    }


def _life(one: Marked, now: datetime.datetime) -> str:
    return "seems to run" if one.mark and one.mark.seems_alive(now) else "dead"


def _head(plan: Plan) -> dict[str, Any]:
    return {
        "format_version": FORMAT_VERSION,
        "drill": plan.drill,
        "kind": plan.kind,
        "fleet": plan.pool.fleet,
        "cluster": plan.pool.cluster,
        "pool": plan.pool.name,
        "nodes": [*plan.nodes],
    }


def _found(one: Any) -> dict[str, Any]:
    return {"name": one.name, "outcome": one.outcome, "summary": one.summary, "evidence": [*one.evidence]}


def _move(move: Move, lost: int | None) -> dict[str, Any]:
    return {
        "namespace": move.pod.namespace,
        "pod": move.pod.name,
        "taskPool": move.pod.queue,
        "from": move.node,
        "to": move.successor_node,
        "successor": move.successor,
        "evictedAt": times.written(move.evicted_at),
        "goneAt": times.written(move.gone_at) if move.gone_at else None,
        "readyAt": times.written(move.ready_at) if move.ready_at else None,
        "secondsWithoutReady": move.without_seconds,
        "requestsLost": lost,
    }


def _moved(report: Report) -> Iterator[tuple[str, ...]]:
    for move, lost in moves_of(report.state):
        seconds = "unknown" if move.without_seconds is None else f"{move.without_seconds:.1f}"
        where = move.successor_node or ("waits" if move.pod.owner else "gone")
        requests = "unknown" if lost is None else str(lost)
        yield (printable(str(move.pod)), printable(move.pod.queue), move.node, printable(where), seconds, requests)


def _title(report: Report) -> str:
    plan = report.state.plan
    return f"{plan.kind.capitalize()} drill {plan.drill} on pool {plan.pool.name} of cluster {plan.pool.cluster}"


def _seen(line: str, evidence: Iterable[str]) -> str:
    return "\n".join([printable(line), *(f"  {printable(one)}" for one in evidence)])


def _cell(value: object) -> str:
    """Return text that ends no cell of a Markdown table and begins no HTML."""
    text = "<br>".join(printable(line) for line in str(value).replace("<", "&lt;").split("\n"))
    return text.replace("|", "\\|")
