"""Numbers, values and places of a plan in words, the same in every form of it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from fractions import Fraction

from gpuplan.compare import path_text
from gpuplan.plan.parts import ABSENT, SpecChange
from gpuplan.plan.state import Ref

LONGEST = 80
"""Characters of a value that stand in a line."""
PLACES = 3
"""Places that one line names."""
ENDLESS = "no limit"
HUB = "Argo CD's cluster"


def counted(number: int, one: str, many: str = "") -> str:
    """Return a number with its noun.

    >>> counted(1, "row"), counted(2, "row")
    ('1 row', '2 rows')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def code(text: str) -> str:
    """Return a name as code; a backtick in it would end that."""
    return "`" + text.replace("`", "'") + "`"


def short(text: str, limit: int = LONGEST) -> str:
    """Return text of at most `limit` characters."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


def value(of: object) -> str:
    """Return a value of the spec on one line."""
    if isinstance(of, str):
        return short(of if of and of == of.strip() else json.dumps(of, ensure_ascii=False))
    return short(json.dumps(of, ensure_ascii=False, default=str))


def number(of: int | None) -> str:
    """Return an amount; None is without end."""
    return ENDLESS if of is None else f"{of:,}"


def amount(old: int | None, new: int | None, per_piece: Fraction | None = None) -> str:
    """Return an amount before and after, with what comes or goes, in cards too where a piece is no card.

    >>> amount(64, 48), amount(7, 14, Fraction(1, 7)), amount(0, 0)
    ('64 → 48 (-16)', '7 → 14 (+7, +1 card)', '-')
    """
    if old == new:
        return "-" if new == 0 else number(new)
    if old is None or new is None:
        return f"{number(old)} → {number(new)}"
    step = new - old
    return f"{number(old)} → {number(new)} ({step:+,}{_in_cards(step, per_piece)})"


def _in_cards(step: int, per_piece: Fraction | None) -> str:
    if per_piece is None or per_piece == 1:
        return ""
    many = step * per_piece
    return f", {'+' if many > 0 else ''}{cards(many)}"


def decimal(many: Fraction) -> str:
    """Return a number, exact where it is whole, else with two digits.

    >>> decimal(Fraction(5, 2)), decimal(Fraction(100, 7)), decimal(Fraction(-1200))
    ('2.5', '14.29', '-1,200')
    """
    return f"{int(many):,}" if many.denominator == 1 else f"{float(many):,.2f}".rstrip("0").rstrip(".")


def cards(many: Fraction) -> str:
    """Return a number of cards.

    >>> cards(Fraction(1)), cards(Fraction(5, 2))
    ('1 card', '2.5 cards')
    """
    return f"{decimal(many)} {'card' if abs(many) == 1 else 'cards'}"


def spec_path(path: Iterable[str | int]) -> str:
    """Return where a value sits in the spec."""
    return path_text(tuple(path))


def spec_change(change: SpecChange) -> str:
    """Return a change of the spec with its place: `nodePools.a.nodes` 2 → 3 (fleet/pools.yaml:4:12)."""
    return f"{code(short(spec_path(change.path)))} {_sides(change)} ({code(place(change))})"


def _sides(change: SpecChange) -> str:
    if change.old is ABSENT:
        return f"added: {code(value(change.new))}"
    if change.new is ABSENT:
        return f"taken out: {code(value(change.old))}"
    return f"{code(value(change.old))} → {code(value(change.new))}"


def place(change: SpecChange) -> str:
    """Return the line of the spec, marked where it is the old one."""
    return f"{change.at.file}:{change.at.line}{' before' if change.gone else ''}"


def because(causes: Sequence[SpecChange]) -> str:
    """Return the lines of the spec behind something; empty where there are none."""
    places = list(dict.fromkeys(place(cause) for cause in causes))
    if not places:
        return ""
    more = f" and {counted(len(places) - PLACES, 'more place')}" if len(places) > PLACES else ""
    return ", ".join(code(one) for one in places[:PLACES]) + more


def object_name(ref: Ref) -> str:
    """Return kind, namespace and name of an object."""
    name = f"{ref.key.namespace}/{ref.key.name}" if ref.key.namespace else ref.key.name
    return f"{ref.key.kind} {code(name)}"


def cluster_name(cluster: str | None) -> str:
    """Return a cluster's name, or what the one is called that Argo CD runs in."""
    return HUB if cluster is None else cluster
