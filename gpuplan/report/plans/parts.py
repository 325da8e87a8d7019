"""What a view consists of. Texts are plain, with `code` between backticks: every form escapes them in its own way."""

from __future__ import annotations

from dataclasses import dataclass

from gpuplan.plan import Plan, Risk


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """Lines to read or copy as they are."""

    language: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One thing that a reader counts, on one line, with what belongs to it."""

    text: str
    sign: str = ""
    """`+`, `~`, `-`, `-/+`, or the number of a step."""
    asked: tuple[str, ...] = ()
    """People and groups who are to be told, by their names at the code host."""
    origin: str = ""
    """The lines of the spec behind it."""
    details: tuple[str, ...] = ()
    codes: tuple[Code, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Entries:
    """Entries of one kind under a title."""

    title: str
    entries: tuple[Entry, ...]
    before: str = ""
    """A sentence between title and entries."""
    after: str = ""
    """What holds for all of them, or how many are not shown."""
    link: str = ""
    """Source of `after`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Cells under names; the columns in `right` are numbers."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    right: frozenset[int]
    after: tuple[str, ...] = ()


Block = Entries | Table


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A part of a view."""

    title: str
    noun: tuple[str, str]
    """What one entry or row is: one, many."""
    blocks: tuple[Block, ...]
    risk: Risk | None = None
    """Set where all of it is of one risk."""
    folded: bool = False
    """Whether it is closed at first where a form can fold."""

    @property
    def size(self) -> int:
        """How many entries and rows it has."""
        return sum(len(block.entries if isinstance(block, Entries) else block.rows) for block in self.blocks)


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """What becomes of objects, and how many files beside them differ."""

    add: int
    change: int
    destroy: int
    replace: int
    files: int


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """A plan, prepared."""

    plan: Plan
    title: str
    """What is compared with what."""
    fleet: str
    """The fleet, its clusters, and how many of them change."""
    headline: str
    """The counts; it stands at both ends."""
    counts: Counts
    sections: tuple[Section, ...]
    """In reading order: what destroys is first."""
    notes: tuple[str, ...] = ()
    """What a reader has to know of how the plan was made."""
