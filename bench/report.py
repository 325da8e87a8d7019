"""Lines of the report: a figure, what it is measured against, and whether it is as it should be."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Line:
    """One figure. `target` is what it should be, in words; `met` is None where there is none."""

    what: str
    figure: str
    target: str = ""
    met: bool | None = None

    @property
    def verdict(self) -> str:
        """The last column."""
        return {None: "", True: "ok", False: "MISSED"}[self.met]


def show(title: str, lines: Iterable[Line]) -> None:
    """Print a table."""
    rows = [(line.what, line.figure, line.target, line.verdict) for line in lines]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    print(f"\n{title}")
    for row in rows:
        cells = [row[0].ljust(widths[0]), row[1].rjust(widths[1]), row[2].ljust(widths[2]), row[3]]
        print("  " + "  ".join(cells).rstrip())
