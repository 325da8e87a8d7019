"""What the team has not said, what stands in for it, and how an answer would change the advice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from gpuplan.advise.record import Group, Missing
from gpuplan.catalog import advice
from gpuplan.model.answers import Answers
from gpuplan.words import in_a_row

MONEY: Final = {
    "hourlyRate": "No direction changes; hours of people become money, and can be held against idle cards.",
    "idleCardsPercent": "No direction changes; idle cards become money, and can be held against hours of people.",
}
"""Questions whose answers show money and turn nothing."""


def missing(answers: Answers, groups: Sequence[Group]) -> tuple[Missing, ...]:
    """Return every question without an answer, in the order of their keys."""
    return tuple(
        Missing(key=key, asks=question.asks, assumed=question.assumed, changes=tuple(_changes(key, groups)))
        for key, question in advice.read().questions.items()
        if key not in answers.given
    )


def _changes(key: str, groups: Sequence[Group]) -> Iterator[str]:
    if key in MONEY:
        yield MONEY[key]
    for group in groups:
        for turn in group.turns:
            if turn.key == key:
                names = in_a_row([f"`{name}`" for name in group.pools])
                yield f"{turn.when[:1].upper()}{turn.when[1:]}: {turn.way} for {names} of `{group.cluster}`."
