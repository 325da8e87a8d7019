"""What `gpuplan advise` asks a team, and the numbers by which it judges the answers (data/advice.yaml).

A number whose row lists `value` as unchecked is a judgement: its source says why there is a line, not where it is.
"""

from __future__ import annotations

import datetime as dt
import functools
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from types import MappingProxyType
from typing import Literal, cast

from gpuplan.catalog._load import Row, Table

Kind = Literal["number", "word", "words", "flag", "rate"]
"""What an answer is; a rate is a price such as `95 EUR`."""
EDITABLE = ("hours", "thresholds", "weights")
"""Sections of an answers file that put numbers in the place of ours."""
MOST = Decimal(1_000_000)
"""The largest number that a team may put in the place of ours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One key of the answers file. `assumed` says in words what stands in for a missing answer."""

    key: str
    """Dotted path in the file."""
    kind: Kind
    least: Decimal
    most: Decimal
    whole: bool
    words: tuple[str, ...]
    asks: str
    assumed: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A number that a record rests on, with its unit and what it means; `judged` where nobody has read it at a source."""

    name: str
    value: Decimal
    unit: str
    says: str
    judged: bool
    source: str
    checked: dt.date


@dataclass(frozen=True, slots=True, kw_only=True)
class Preferred:
    """The stack that the maker of a distribution wants to be used there."""

    advise: str
    says: str
    source: str
    checked: dt.date


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """All of it, each by name. `figures` maps a section of the answers file (`EDITABLE`) to its numbers."""

    questions: Mapping[str, Question]
    figures: Mapping[str, Mapping[str, Figure]]
    preferred: Mapping[str, Preferred]

    @property
    def keys(self) -> Mapping[str, Question]:
        """Every key of an answers file, the numbers that stand in for ours among them."""
        numbers = {
            f"{section}.{name}": _for_figure(f"{section}.{name}", figure)
            for section, figures in self.figures.items()
            for name, figure in figures.items()
        }
        return {**self.questions, **numbers}


def _for_figure(key: str, figure: Figure) -> Question:
    return Question(
        key=key,
        kind="number",
        least=Decimal(0),
        most=MOST,
        whole=False,
        words=(),
        asks=figure.says,
        assumed=f"{figure.value} {figure.unit}".rstrip(),
    )


@functools.cache
def read() -> Advice:
    """Read the questions and numbers."""
    table = Table("advice.yaml")
    sections = {"hours": "hours", "thresholds": "thresholds", "weights": "dimensions"}
    return Advice(
        questions=MappingProxyType({row.key: _question(row) for row in table.rows("questions")}),
        figures=MappingProxyType(
            {
                name: MappingProxyType({row.key: _figure(row) for row in table.rows(section)})
                for name, section in sections.items()
            }
        ),
        preferred=MappingProxyType({row.key: _preferred(row) for row in table.rows("distributions")}),
    )


def _question(row: Row) -> Question:
    return Question(
        key=row.key,
        kind=cast("Kind", row.text("kind")),
        least=Decimal(row.text("least", "0")),
        most=Decimal(row.text("most", "0")),
        whole=row.flag("whole"),
        words=row.texts("words"),
        asks=row.text("asks"),
        assumed=row.text("assumed"),
    )


def _figure(row: Row) -> Figure:
    provenance = row.provenance
    return Figure(
        name=row.key,
        value=Decimal(row.text("value")),
        unit=row.text("unit", ""),
        says=row.text("says"),
        judged="value" in row.unchecked,
        source=provenance.source,
        checked=provenance.checked,
    )


def _preferred(row: Row) -> Preferred:
    provenance = row.provenance
    return Preferred(
        advise=row.text("advise"), says=row.text("says"), source=provenance.source, checked=provenance.checked
    )
