"""The numbers that a record rests on: the catalogue's, and those that the team puts in their place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from gpuplan.catalog import advice
from gpuplan.catalog.advice import Figure
from gpuplan.diagnostics import Span
from gpuplan.model.answers import Answers


@dataclass(frozen=True, slots=True, kw_only=True)
class Used:
    """A number as it is used; `at` is its place in the answers file, None where it is the catalogue's."""

    key: str
    figure: Figure
    at: Span | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Every number by its key in the answers file: `hours.perFault`."""

    used: Mapping[str, Used]

    def of(self, key: str) -> Fraction:
        """Return a number, exact."""
        return Fraction(self.used[key].figure.value)

    def shown(self, key: str) -> str:
        """Return a number as people write it."""
        return shown(self.of(key))


def settings(answers: Answers) -> Settings:
    """Put the team's numbers in the place of the catalogue's."""
    return Settings(used={one.key: one for one in _used(answers)})


def _used(answers: Answers) -> Iterator[Used]:
    for section, figures in advice.read().figures.items():
        for name, figure in figures.items():
            key = f"{section}.{name}"
            own = answers.number(key)
            if own is None:
                yield Used(key=key, figure=figure, at=None)
            else:
                yield Used(key=key, figure=replace(figure, value=own), at=answers.places[key])


def shown(value: Fraction) -> str:
    """Return a number with at most two decimals.

    >>> shown(Fraction(1234, 10)), shown(Fraction(8)), shown(Fraction(1, 3)), shown(Fraction(123456))
    ('123.4', '8', '0.33', '123,456')
    """
    text = f"{round(value * 100) / 100:,.2f}"
    return text.rstrip("0").rstrip(".")
