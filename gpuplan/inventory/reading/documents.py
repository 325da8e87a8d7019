"""Places of values that were read piece by piece: a piece is parsed with places when the first of them is asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial

from gpuplan.diagnostics import KeyPath, Span
from gpuplan.inventory.places import InnerPlaces, TextPlaces, text_node
from gpuplan.inventory.view import View
from gpuplan.source.document import Node
from gpuplan.source.foreign import parse_foreign
from gpuplan.source.pieces import Piece


class Parsed:
    """A piece with places, shared by all items that stand in it (`kind: List`)."""

    def __init__(self, piece: Piece) -> None:
        self.piece = piece

    @cached_property
    def _documents(self) -> tuple[TextPlaces, ...]:
        file, text = self.piece.file, self.piece.text
        roots = parse_foreign(file, text).roots
        # What a reader of JSON alone can read stands, as a whole, at the beginning.
        roots = roots or (text_node(file, ""),)
        return tuple(TextPlaces(partial(_same, root), file, text) for root in roots)

    def document(self, index: int) -> TextPlaces:
        """Return the places of a document of the piece, in the lines of the piece."""
        return self._documents[min(index, len(self._documents) - 1)]


def _same(node: Node) -> Node:
    return node


@dataclass(frozen=True, slots=True)
class PiecePlaces:
    """Places in a document of a piece, below a path in it, as places of the file."""

    parsed: Parsed
    index: int
    prefix: KeyPath = ()

    @property
    def file(self) -> str:
        """Name of the file."""
        return self.parsed.piece.file

    def at(self, path: KeyPath, *, key: bool) -> Span:
        """Return where a path stands in the file."""
        return self.parsed.piece.moved(self.parsed.document(self.index).at((*self.prefix, *path), key=key))

    def own_line(self, path: KeyPath) -> bool:
        """Tell whether the key at a path begins its line."""
        return self.parsed.document(self.index).own_line((*self.prefix, *path))

    def inside(self, path: KeyPath, offset: int) -> Span:
        """Return where a character of the text at a path stands in the file."""
        return self.parsed.piece.moved(self.parsed.document(self.index).inside((*self.prefix, *path), offset))


class KeyedPlaces(InnerPlaces):
    """Places in a text under a key: the text as a whole stands where its key stands."""

    def __init__(self, read: Callable[[], Node], text: str, view: View) -> None:
        super().__init__(read, text, view.inside)
        self._view = view

    @property
    def file(self) -> str:
        """Name of the file."""
        return self._view.item.places.file

    def at(self, path: KeyPath, *, key: bool) -> Span:
        """Return where a path stands in the file."""
        return super().at(path, key=key) if path else self._view.key_span

    def lifted(self, span: Span) -> Span:
        """Return the place in the file of a place in the text."""
        return self._lifted(span)
