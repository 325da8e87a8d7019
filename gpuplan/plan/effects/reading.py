"""What topics share: objects before and after, which clusters stay, and words for numbers and names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from gpuplan.plan.comparison import Comparison
from gpuplan.plan.parts import Action, Effect, ObjectChange, Risk, SpecChange
from gpuplan.plan.state import Ref
from gpuplan.words import in_a_row

Object = Mapping[str, Any]

MOST_NAMES = 6
"""Names that a summary lists before it only counts."""


def spec(made: Mapping[str, object] | None) -> Object:
    """Return an object's spec; empty where there is none."""
    found: Any = (made or {}).get("spec", {})
    return found if isinstance(found, Mapping) else {}


def metadata(made: Mapping[str, object] | None, part: str) -> Mapping[str, str]:
    """Return an object's labels or annotations."""
    found: Any = (made or {}).get("metadata", {})
    return found.get(part, {}) if isinstance(found, Mapping) else {}


def labels(made: Mapping[str, object] | None) -> Mapping[str, str]:
    """Return an object's labels."""
    return metadata(made, "labels")


def sides(change: ObjectChange) -> Object:
    """Return the object on the side that has it, the new one first."""
    return change.after or change.before or {}


def new_cluster(comparison: Comparison, change: ObjectChange) -> str:
    """Return the name that the cluster of a change has on the new side; empty for Argo CD's own."""
    name = change.ref.cluster or ""
    return comparison.moves.new_name("clusters", name) if change.action is Action.DELETE else name


def staying(comparison: Comparison) -> frozenset[str]:
    """Return the clusters that both sides have, by their new names. What a cluster brings or takes along is told as a whole."""
    before = {comparison.moves.new_name("clusters", name) for name in comparison.old.clusters}
    return frozenset(before.intersection(comparison.new.clusters))


def changes(comparison: Comparison, *kinds: str, actions: Sequence[Action] = tuple(Action)) -> Iterator[ObjectChange]:
    """Yield the changes of objects of some kinds in clusters that both sides have."""
    stay = staying(comparison)
    for change in comparison.of_kind(*kinds):
        if change.action in actions and new_cluster(comparison, change) in stay:
            yield change


def differs(change: ObjectChange, read: Callable[[Object], object]) -> bool:
    """Tell whether both sides have the object, and something that is read off it differs."""
    return change.before is not None and change.after is not None and read(change.before) != read(change.after)


def refs(some: Iterable[ObjectChange]) -> tuple[Ref, ...]:
    """Return the identities of the objects that change, each once."""
    return tuple(dict.fromkeys(change.ref for change in some))


def causes(some: Iterable[ObjectChange]) -> tuple[SpecChange, ...]:
    """Return what in the spec led to some changes, each once."""
    return tuple({cause.path: cause for change in some for cause in change.causes}.values())


def told(fact: str, risk: Risk, cluster: str, subject: str, text: str, some: Iterable[ObjectChange]) -> Effect:
    """Return what some changes of objects do together."""
    together = tuple(some)
    return Effect(
        fact=fact,
        risk=risk,
        cluster=cluster,
        subject=subject,
        summary=text,
        objects=refs(together),
        causes=causes(together),
    )


def listed(names: Iterable[str], most: int = MOST_NAMES) -> str:
    """Return names as words, in their order; what is beyond `most` is counted.

    >>> listed(["a", "b", "c"]), listed("abcd", most=2)
    ('a, b and c', 'a, b and 2 more')
    """
    some = list(dict.fromkeys(names))
    if len(some) > most:
        some = [*some[:most], f"{len(some) - most} more"]
    return in_a_row(some)


def stepped(old: int | None, new: int | None) -> str:
    """Return a number before and after; None is without end."""
    return " → ".join("no limit" if number is None else str(number) for number in (old, new))


def stepped_text(old: object, new: object) -> str:
    """Return a value before and after."""
    return f"{old} → {new}"


def in_cards(pieces: int, per_piece: Fraction | None) -> int:
    """Return the whole cards that pieces are, rounded to the nearest; 0 where nobody knows what a piece is."""
    return round(pieces * per_piece) if per_piece is not None else 0


def signed(pieces: int, per_piece: Fraction | None) -> str:
    """Return a difference in pieces and, where a piece is no whole card, in cards.

    >>> signed(-16, Fraction(1)), signed(-28, Fraction(1, 4)), signed(3, None)
    ('-16 cards', '-28 pieces, 7 cards', '+3 pieces')
    """
    if per_piece == 1:
        return f"{pieces:+d} card{'' if abs(pieces) == 1 else 's'}"
    text = f"{pieces:+d} piece{'' if abs(pieces) == 1 else 's'}"
    if per_piece is None:
        return text
    cards = abs(pieces) * per_piece
    number = str(cards) if cards.denominator == 1 else f"{float(cards):.1f}"
    return f"{text}, {number} card{'' if cards == 1 else 's'}"
