"""What a dashboard is made of, before Grafana's words for it: sections of panels, and their places in its grid."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

GRID = 24
"""Columns of Grafana's grid."""
ROW_HEIGHT = 1
"""Height of a section's title."""

Kind = Literal["lines", "stacked", "stat", "bars", "table"]
"""How data is shown: lines over time, areas on top of each other, the last value, a bar for each series, or a table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """What a panel asks Prometheus, and how the answer is called: a legend with `{{label}}`, or a column's title."""

    expr: str
    legend: str = ""
    unit: str = ""
    """Unit of a table's column; elsewhere the panel's unit holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """A value beyond which something is wrong, drawn as a line or a colour."""

    value: float
    bad: Literal["above", "below"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """One panel. `unit` is Grafana's name of a unit; sizes are columns and rows of its grid.

    `link` is the label of a table that leads to another dashboard, and the dashboard: (`node`, `node`).
    """

    title: str
    says: str
    """What it shows and how to read it, one or two sentences."""
    kind: Kind
    queries: tuple[Query, ...]
    unit: str = "short"
    width: int = 8
    height: int = 7
    limit: Limit | None = None
    least: float | None = None
    most: float | None = None
    link: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A titled row of panels."""

    title: str
    panels: tuple[Panel, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """One dashboard: its key (`fleet`, `pool`, …), its title, the variables by which it is filtered, and its sections."""

    key: str
    title: str
    says: str
    variables: tuple[str, ...]
    """Names of variables, which are the labels that they filter."""
    sections: tuple[Section, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where something lies in the grid: left column, top row, width, height."""

    x: int
    y: int
    w: int
    h: int


def places(panels: Sequence[Panel], top: int) -> Iterator[tuple[Panel, Place]]:
    """Lay panels from left to right below `top`; a line breaks where the next one no longer fits, and is widened to fill."""
    for line in _lines(panels):
        height, asked = max(panel.height for panel in line), sum(panel.width for panel in line)
        left = 0
        for panel in line:
            width = GRID - left if panel is line[-1] else panel.width * GRID // asked
            yield panel, Place(x=left, y=top, w=width, h=height)
            left += width
        top += height


def _lines(panels: Sequence[Panel]) -> Iterator[list[Panel]]:
    line: list[Panel] = []
    for panel in panels:
        if line and sum(one.width for one in line) + panel.width > GRID:
            yield line
            line = []
        line.append(panel)
    if line:
        yield line


def stat(title: str, says: str, expr: str, unit: str = "short", limit: Limit | None = None) -> Panel:
    """Return a small panel with one number."""
    return Panel(
        title=title, says=says, kind="stat", queries=(Query(expr=expr),), unit=unit, width=3, height=4, limit=limit
    )


def above(value: float) -> Limit:
    """Return a limit that is passed from below."""
    return Limit(value=value, bad="above")


def below(value: float) -> Limit:
    """Return a limit that is passed from above."""
    return Limit(value=value, bad="below")
