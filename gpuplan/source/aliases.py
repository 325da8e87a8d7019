"""How much the aliases of one document unfold to: a few lines of aliases of aliases can stand for millions of values."""

from __future__ import annotations

from typing import Final

from gpuplan.source.document import Mapping, Node, Scalar, Sequence
from gpuplan.source.findings import MAX_ALIASED_NODES

ALIAS_STYLE: Final = "*"
"""`Scalar.style` of the null that stands for an alias at fault."""


class Repeats:
    """Keeps count of the values that aliases repeat in one document."""

    def __init__(self) -> None:
        self._measured: dict[int, tuple[int, int]] = {}
        self._repeated = 0

    def fits(self, node: Node) -> bool:
        """Count one more repeat of a node; false once the document has more than it may."""
        self._repeated += self.measure(node)[0]
        return self._repeated <= MAX_ALIASED_NODES

    def measure(self, node: Node) -> tuple[int, int]:
        """Return (values, depth) of a node with its aliases unfolded; a scalar is (1, 0).

        Each collection is measured once, so that the work grows with the text and not with what it unfolds to. Every
        alias was held to the depth limit when it was met, which bounds the recursion.
        """
        if isinstance(node, Scalar):
            return 1, 0
        known = self._measured.get(id(node))
        if known is None:
            inner = [self.measure(child) for child in _children(node)]
            known = 1 + sum(size for size, _ in inner), 1 + max((depth for _, depth in inner), default=0)
            self._measured[id(node)] = known
        return known


def _children(node: Node) -> list[Node]:
    if isinstance(node, Mapping):
        return [entry.value for entry in node]
    return list(node.items) if isinstance(node, Sequence) else []
