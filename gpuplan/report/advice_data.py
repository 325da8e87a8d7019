"""A decision record for programs: the same as the page, with places as file, line and column."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

from gpuplan.advise.case import Fact
from gpuplan.advise.costs import Costs, Idle, Work
from gpuplan.advise.dimensions import DIMENSIONS
from gpuplan.advise.fixed import Fixed
from gpuplan.advise.pilot import CYCLE_DAYS
from gpuplan.advise.record import Group, Pilot, Record
from gpuplan.advise.settings import Used
from gpuplan.diagnostics import Span
from gpuplan.rules.judgement import Judgement

FORMAT_VERSION: Final = "1.0"


def data(record: Record) -> dict[str, Any]:
    """Return the record. Amounts of money are text, since a JSON number is a binary one to most readers."""
    return {
        "format_version": FORMAT_VERSION,
        "fleet": record.fleet,
        "date": record.date.isoformat(),
        "answers": record.answers or None,
        "direction": record.direction,
        "pools": [_group(group) for group in record.groups],
        "fixed": [_fixed(one) for one in record.fixed],
        "missing": [
            {"key": one.key, "asks": one.asks, "assumed": one.assumed, "changes": list(one.changes)}
            for one in record.missing
        ],
        "costs": _costs(record.costs),
        "order": [
            {
                "cluster": move.cluster,
                "pool": move.pool,
                "nodes": move.nodes,
                "now": move.now,
                "to": move.to,
                "critical": move.critical or None,
                "together": list(move.whole_cluster),
            }
            for move in record.order
        ],
        "pilot": _pilot(record.pilot) if record.pilot else None,
        "figures": {one.key: _figure(one) for one in record.figures},
    }


def _figure(one: Used) -> dict[str, Any]:
    by = "team" if one.at else "judgement" if one.figure.judged else "source"
    return {"value": str(one.figure.value), "by": by, "source": one.figure.source, "at": _span(one.at)}


def _span(at: Span | None) -> dict[str, Any] | None:
    return None if at is None else {"file": at.file, "line": at.line, "column": at.column}


def _number(value: Fraction) -> float:
    return round(float(value), 2)


def _group(group: Group) -> dict[str, Any]:
    return {
        "cluster": group.cluster,
        "names": list(group.pools),
        "now": group.now,
        "advised": group.advised,
        "points": _number(group.total),
        "narrow": group.narrow,
        "stuck": group.stuck,
        "because": group.because or None,
        "scores": [
            {
                "dimension": score.dimension,
                "title": DIMENSIONS[score.dimension].title,
                "step": DIMENSIONS[score.dimension].step,
                "points": score.made.points,
                "weight": _number(score.weight),
                "reason": score.made.reason,
                "facts": list(score.made.facts),
                "figures": list(score.made.figures),
            }
            for score in group.scores
        ],
        "ruledOut": [{"way": one.way, "why": one.why, "opens": one.opens} for one in group.ruled_out],
        "compatibility": [_cell(cell) for cell in group.judged],
        "facts": [_fact(fact) for fact in group.facts],
        "conditions": list(group.conditions),
        "turns": [
            {"fact": turn.fact, "key": turn.key or None, "when": turn.when, "becomes": turn.way} for turn in group.turns
        ],
    }


def _cell(cell: Judgement) -> dict[str, Any]:
    return {
        "what": cell.aspect,
        "verdict": cell.verdict.value,
        "here": cell.here,
        "known": cell.known or None,
        "source": cell.source or None,
        "checked": cell.checked.isoformat() if cell.checked else None,
    }


def _fact(fact: Fact) -> dict[str, Any]:
    return {"name": fact.name, "says": fact.says, "assumed": fact.assumed, "at": [_span(span) for span in fact.at]}


def _fixed(one: Fixed) -> dict[str, Any]:
    return {
        "cluster": one.cluster,
        "pool": one.pool,
        "now": one.now,
        "advised": one.advised,
        "why": one.why,
        "source": one.source or None,
        "at": _span(one.at),
        "ask": list(one.ask),
    }


def _money(value: Fraction | None) -> str | None:
    return None if value is None else f"{round(value * 100) / 100:.2f}"


def _costs(costs: Costs) -> dict[str, Any]:
    return {
        "work": [_work(work) for work in costs.work],
        "hourlyRate": {"amount": str(costs.rate.amount), "currency": costs.rate.currency} if costs.rate else None,
        "breakEvenNodes": None if costs.break_even is None else _number(costs.break_even),
        "idle": [_idle(idle) for idle in costs.idle],
        "unpriced": list(costs.unpriced),
    }


def _work(work: Work) -> dict[str, Any]:
    return {
        "when": work.when,
        "way": work.way,
        "nodes": work.nodes,
        "base": _number(work.base),
        "upgrades": _number(work.upgrades),
        "faults": _number(work.faults),
        "hours": _number(work.hours),
        "money": _money(work.money),
    }


def _idle(idle: Idle) -> dict[str, Any]:
    return {
        "currency": idle.currency,
        "tiers": [{"tier": tier.tier, "cards": tier.cards, "price": str(tier.price)} for tier in idle.tiers],
        "percent": None if idle.percent is None else str(idle.percent),
        "onePercent": _money(idle.a_percent),
        "money": _money(idle.money),
    }


def _pilot(pilot: Pilot) -> dict[str, Any]:
    return {
        "cluster": pilot.cluster,
        "pool": pilot.pool,
        "now": pilot.now,
        "to": pilot.to,
        "why": list(pilot.why),
        "split": pilot.split,
        "keepOff": list(pilot.keep_off),
        "baselineDays": pilot.days,
        "cycleDays": CYCLE_DAYS,
        "measures": [
            {
                "name": measure.name,
                "title": measure.title,
                "passes": measure.passes,
                "byPeople": measure.by_people or None,
                "queries": [{"says": query.says, "expr": query.expr} for query in measure.queries],
            }
            for measure in pilot.measures
        ],
    }
