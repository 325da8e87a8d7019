"""Comments to what they speak of: the line below them, the line they end, or the end of a block."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from gpuplan.source.layout import Comment, Group, Layout, Page, Pair, Part

BLANK = ""
"""An empty line among comments."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One entry of a block: the lines above it, the comment at its end, and what it holds.

    `blank` tells whether an empty line parts it from what stands before; `block` is its value where that is a block.
    """

    member: Part | Pair
    above: tuple[str, ...]
    blank: bool
    ending: Comment | None
    block: Block | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A block mapping or list, and the comments at its end."""

    group: Group
    rows: tuple[Row, ...]
    below: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Attached:
    """A document: `prelude` before its marker, its value as one row (which has a block, or is in brackets), and its end."""

    page: Page
    prelude: tuple[str, ...]
    row: Row
    below: tuple[str, ...]


class Next(NamedTuple):
    """What comes after a block: its offset and column. The end of a document has column -1."""

    at: int
    column: int


def attached(layout: Layout) -> tuple[Attached, ...]:
    """Give each comment of a text its place."""
    walk = _Walk(layout)
    starts = [layout.starts[page.line] for page in layout.pages]
    ends = [*starts[1:], len(layout.text) + 1]
    made: list[Attached] = []
    for page, start, end in zip(layout.pages, starts, ends, strict=True):
        prelude = walk.before(start) if page.marker and not made else ()
        walk.skip_marker(page)
        row = walk.row(page.root, page.root, Next(end, -1), parent=-1)
        made.append(Attached(page=page, prelude=prelude, row=row, below=walk.before(end)))
    return tuple(made)


class _Walk:
    """Goes through the comments of a text once, in step with its values."""

    def __init__(self, layout: Layout) -> None:
        self._lines = layout.lines
        self._waiting = deque(layout.comments)

    def _peek(self, before: int) -> Comment | None:
        """Return the next comment if it stands before an offset."""
        return self._waiting[0] if self._waiting and self._waiting[0].at < before else None

    def skip_marker(self, page: Page) -> None:
        """Pass over a comment in the `---` line, which is kept as it is."""
        while page.marker not in ("", "---") and (comment := self._peek(page.root.at)) and comment.line == page.line:
            self._waiting.popleft()

    def before(self, at: int) -> tuple[str, ...]:
        """Take the comments before an offset."""
        taken: list[str] = []
        while comment := self._peek(at):
            taken += self._taken(comment)
        return tuple(taken)

    def _taken(self, comment: Comment) -> Iterator[str]:
        """Take the next comment, behind an empty line if one stands above it."""
        self._waiting.popleft()
        if comment.alone and self._blank_above(comment.line):
            yield BLANK
        yield comment.text

    def _blank_above(self, line: int) -> bool:
        return line > 0 and not self._lines[line - 1].strip()

    def row(self, member: Part | Pair, value: Part, following: Next, *, parent: int) -> Row:
        """Take a member with its comments; `parent` is the column of the block that it stands in."""
        above = [*self.before(member.at)]
        if self._blank_above(member.line):
            above.append(BLANK)
        blank = bool(above) and above[0] == BLANK
        ending, block = None, None
        if isinstance(value, Group) and not value.flow:
            if isinstance(member, Pair):
                ending = self._ending(member.key.end_line, value.members[0].at)
            block, lifted = _lifted(self._block(value, following, parent), member)
            above += lifted
        else:
            above += [text for text in self.before(value.at) if text != BLANK]
            while self._peek(value.end):  # between brackets: printed with them
                self._waiting.popleft()
            ending = self._ending(value.end_line, following.at)
        return Row(member=member, above=tuple(above[blank:]), blank=blank, ending=ending, block=block)

    def _ending(self, line: int, before: int) -> Comment | None:
        comment = self._peek(before)
        return self._waiting.popleft() if comment and comment.line == line and not comment.alone else None

    def _block(self, group: Group, following: Next, parent: int) -> Block:
        rows = []
        ends = [*(Next(member.at, group.column) for member in group.members[1:]), following]
        for member, end in zip(group.members, ends, strict=True):
            value = member.value if isinstance(member, Pair) else member
            rows.append(self.row(member, value, end, parent=group.column))
        return Block(group=group, rows=tuple(rows), below=self._below(group, following, parent))

    def _below(self, group: Group, following: Next, parent: int) -> tuple[str, ...]:
        """Take the comments that stand as deep as the block: shallower ones speak of what comes next.

        A list may stand at the column of its key: then only what is deeper belongs to the list.
        """
        list_at_key = not group.mapping and parent == group.column
        least = max(following.column + 1, group.column + list_at_key)
        taken: list[str] = []
        while (comment := self._peek(following.at)) and comment.alone and comment.column >= least:
            taken += self._taken(comment)
        return tuple(taken)


def _lifted(block: Block, member: Part | Pair) -> tuple[Block, tuple[str, ...]]:
    """Take from the block of a list item what stands above its first line, which shares the line of the dash."""
    first = block.rows[0]
    if not isinstance(member, Group) or member.properties or member.at != block.group.at or not first.above:
        return block, ()
    return replace(block, rows=(replace(first, above=()), *block.rows[1:])), first.above
