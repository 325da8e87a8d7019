"""`gpuplan advise`: a decision record as a page that a team can sign, and for a terminal. For programs: `advice_data`."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final

import jinja2
from rich.console import RenderableType
from rich.text import Text

from gpuplan.advise.case import Fact
from gpuplan.advise.costs import HOURS_PER_MONTH, Idle
from gpuplan.advise.decide import Score
from gpuplan.advise.dimensions import ABILITY, DIMENSIONS, FIT, REST, SCALE, STATE
from gpuplan.advise.pilot import CYCLE_DAYS
from gpuplan.advise.record import Group, Record
from gpuplan.advise.settings import Used, shown
from gpuplan.catalog import advice
from gpuplan.catalog.advice import Question
from gpuplan.diagnostics import Span
from gpuplan.report import advice_words as words
from gpuplan.report.console import table, title
from gpuplan.report.templating import environment, filled
from gpuplan.report.terminal import printable
from gpuplan.words import counted

STEPS: Final = {
    SCALE: "1 scale and growth",
    ABILITY: "2 ability and budget",
    STATE: "3 state on nodes",
    FIT: "4 compatibility",
    REST: "5 direction",
}
"""The decision path, as the record numbers it."""
TIMES: Final = "\N{MULTIPLICATION SIGN}"
PLACES: Final = 3
"""Places of a fact that are named; a fleet can have a hundred pools."""


def markdown(record: Record) -> str:
    """Return the record as a page."""
    page = _pages().get_template("advice.md.j2")
    text = page.render(
        record=record,
        summary=words.summary(record),
        steps=STEPS,
        dimensions=DIMENSIONS,
        facts=_facts(record),
        compared=words.compared(record),
        pilot_steps=words.pilot_steps(record),
        alternatives=words.alternatives(record),
        way_back=words.way_back(record),
        others=words.others(record),
        cycle_days=CYCLE_DAYS,
        hours_per_month=HOURS_PER_MONTH,
        names=words.names,
        number=shown,
        signed=signed,
        money=words.money,
        sure=words.sure,
        unturned=words.unturned,
        said=_said,
        place=_place,
        places=_places,
        sum_of=_sum_of,
        meaning=_meaning,
        origin=_origin,
    )
    return text.rstrip("\n") + "\n"


@functools.cache
def _pages() -> jinja2.Environment:
    made = environment().overlay()
    made.filters = {**made.filters, "md": md}
    return made


def md(text: str) -> str:
    """Return a sentence that a table and a list can hold: nothing in it makes a cell, a link or HTML.

    >>> md("a|b <c> [d]")
    'a\\\\|b &lt;c> \\\\[d]'
    """
    return printable(text).replace("|", "\\|").replace("<", "&lt;").replace("[", "\\[")


def signed(value: Fraction | int) -> str:
    """Return points with their sign.

    >>> signed(2), signed(-1), signed(0)
    ('+2', '-1', '0')
    """
    return f"+{shown(Fraction(value))}" if value > 0 else shown(Fraction(value))


def _place(at: Span) -> str:
    return f"`{printable(at.file)}:{at.line}`"


def _places(at: Sequence[Span]) -> str:
    """Return places, each line once; the fleet as a whole where it says nothing."""
    lines = tuple(dict.fromkeys(_place(one) for one in at))
    more = f" and {len(lines) - PLACES} more" if len(lines) > PLACES else ""
    return ", ".join(lines[:PLACES]) + more if lines else "nowhere: there are none"


def _said(group: Group, score: Score) -> str:
    """Return where the facts of a score are said."""
    facts = [group.fact(name) for name in score.made.facts]
    at = tuple(span for fact in facts for span in fact.at)
    assumed = [fact.name for fact in facts if fact.assumed]
    parts = ([_places(at)] if at else []) + ([f"*assumed: {', '.join(assumed)}*"] if assumed else [])
    return "; ".join(parts) or "nowhere: there are none"


def _facts(record: Record) -> list[tuple[Fact, str]]:
    """Return each fact once, with the clusters whose pools it is about where it is not about all."""
    found: dict[tuple[str, str], tuple[Fact, list[str]]] = {}
    for group in record.groups:
        for fact in group.facts:
            _, clusters = found.setdefault((fact.name, fact.says), (fact, []))
            clusters.append(f"`{group.cluster}`: {words.names(group.pools)}")
    return [(fact, "" if len(about) == len(record.groups) else "; ".join(about)) for fact, about in found.values()]


def _sum_of(idle: Idle) -> str:
    parts = " + ".join(f"{tier.cards} {TIMES} {tier.price} (`{tier.tier}`)" for tier in idle.tiers)
    return f"({parts}) {TIMES} {HOURS_PER_MONTH} h {TIMES} 1 %"


def _meaning(one: Used) -> str:
    return f"{one.figure.unit}; {one.figure.says}" if one.figure.unit else one.figure.says


def _origin(one: Used) -> str:
    if one.at is not None:
        return f"the team, {_place(one.at)}"
    judged = "judgement; " if one.figure.judged else ""
    return f"{judged}[{one.figure.checked}]({one.figure.source})"


def overview(record: Record) -> Iterator[RenderableType]:
    """Yield the record for a terminal: the decision, why, what would change it, and the first step."""
    yield title(f"Who runs the GPU agents of fleet {record.fleet}, as of {record.date}")
    yield Text(words.summary(record))
    for group in record.groups:
        yield Text("")
        moves = f"{group.now} → {group.advised}  ({signed(group.total)}, {words.sure(group)})"
        yield title(f"{group.cluster}: {', '.join(group.pools)}  {moves}")
        if group.because:
            yield Text(f"Not by points alone: {group.because}.")
        yield table(("STEP", "DIMENSION", "POINTS", "DECIDED BY"), list(_rows(group)))
        turned = [f"{turn.when}: {turn.way}" for turn in group.turns] or [words.unturned(group)]
        yield from (Text(f"{'turns' if group.turns else 'holds'}  {line}") for line in turned)
        yield from (Text(f"before {line}") for line in group.conditions)
    for one in record.fixed:
        yield Text(f"\n{one.cluster}: {one.pool} stays or becomes {one.advised}: {one.why}.")
    yield Text("")
    yield from _ending(record)


def _rows(group: Group) -> Iterator[tuple[str, str, str, str]]:
    for score in group.scores:
        dimension = DIMENSIONS[score.dimension]
        points = f"{signed(score.made.points)} {TIMES} {shown(score.weight)}"
        yield STEPS[dimension.step], dimension.title, points, score.made.reason


def _ending(record: Record) -> Iterator[RenderableType]:
    yield from (Text(line) for line in words.compared(record))
    if record.pilot and record.order:
        yield Text(
            f"Pilot: {record.pilot.pool} of {record.pilot.cluster}, to {record.pilot.to}: {'; '.join(record.pilot.why)}."
        )
    if record.missing:
        keys = ", ".join(one.key for one in record.missing)
        yield Text(f"Not said: {counted(len(record.missing), 'answer')} ({keys}); `gpuplan advise --questions` asks.")
    yield Text("`--output-format markdown` writes the whole record, to be signed.")


def questions() -> str:
    """Return an answers file in which everything is a comment: the questions, and the numbers of gpuplan."""
    known = advice.read()
    groups: dict[str, list[dict[str, str]]] = {}
    for question in known.questions.values():
        name, _, leaf = question.key.rpartition(".")
        groups.setdefault(name, []).append({"name": leaf, "asks": question.asks, "example": _example(question)})
    return filled(
        "advice-answers.yaml.j2",
        groups=[{"name": name, "questions": listed} for name, listed in groups.items()],
        sections=[{"name": name, "figures": list(figures.values())} for name, figures in known.figures.items()],
    )


def _example(question: Question) -> str:
    match question.kind:
        case "number":
            return "2"
        case "flag":
            return "true"
        case "word":
            return f"{question.words[0]}  # {' | '.join(question.words)}"
        case "words":
            return f"[{question.words[-2]}]  # any of {', '.join(question.words)}"
        case "rate":
            return '"95 EUR"'
