"""One comment that is updated in place, and one label that says the risk: what to do, whoever the host is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, Protocol

LABEL_PREFIX: Final = "gpuplan/"
COLOURS: Final = {
    "none": "c2e0c6",
    "low": "0e8a16",
    "disruptive": "fbca04",
    "destructive": "b60205",
    "unknown": "d4c5f9",
}
"""Every risk with the colour of its label, the least first; `unknown` is for a change that could not be planned."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Why a host did not do something, and what to do about it."""

    summary: str
    fix: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comment:
    """A comment that this token's owner wrote."""

    id: int
    body: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """What a comment says: its first line is the hidden `marker` by which it is found again."""

    marker: str
    body: str


class Discussion(Protocol):
    """The discussion of one change. Each method but `problem` may raise one of `failures`."""

    @property
    def failures(self) -> tuple[type[Exception], ...]:
        """What the host's library raises for anything that is not our fault."""

    def problem(self, error: Exception) -> Problem:
        """Say what one of `failures` means, without the token."""

    def own_comments(self) -> Iterator[Comment]:
        """Yield the comments that we wrote, the oldest first. Others' are left out, or they could forge a plan."""

    def add_comment(self, body: str) -> None:
        """Write a comment."""

    def edit_comment(self, comment: Comment, body: str) -> None:
        """Replace the text of a comment."""

    def delete_comment(self, comment: Comment) -> None:
        """Take a comment away."""

    def labels(self) -> frozenset[str]:
        """Return the names of the labels that the change has."""

    def relabel(self, add: str | None, remove: tuple[str, ...]) -> None:
        """Add a label and remove others."""


def put_comment(discussion: Discussion, note: Note) -> str | Problem:
    """Write the note, or update the one with its marker; a second one with it goes. Return what was done."""

    def put() -> str:
        mine = [comment for comment in discussion.own_comments() if comment.body.startswith(note.marker)]
        for repeated in mine[1:]:
            discussion.delete_comment(repeated)
        if not mine:
            discussion.add_comment(note.body)
            return "wrote the comment"
        if mine[0].body.strip() == note.body.strip():
            return "the comment is up to date"
        discussion.edit_comment(mine[0], note.body)
        return "updated the comment"

    return _tried(discussion, put)


def put_label(discussion: Discussion, risk: str) -> str | Problem:
    """Leave exactly one label of ours on the change, that of the risk; labels of others stay. Return what was done."""
    wanted = LABEL_PREFIX + risk

    def put() -> str:
        found = discussion.labels()
        remove = tuple(LABEL_PREFIX + other for other in COLOURS if other != risk and LABEL_PREFIX + other in found)
        if wanted in found and not remove:
            return f"the label is {wanted} already"
        discussion.relabel(None if wanted in found else wanted, remove)
        return f"set the label {wanted}"

    return _tried(discussion, put)


def _tried(discussion: Discussion, action: Callable[[], str]) -> str | Problem:
    try:
        return action()
    except discussion.failures as error:
        return discussion.problem(error)


def worst(risks: Iterator[str]) -> str:
    """Return the greatest of some risks; a word that is none of them counts as `unknown`."""
    order = list(COLOURS)
    return max((risk if risk in COLOURS else "unknown" for risk in risks), key=order.index, default="unknown")
