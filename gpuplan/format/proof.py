"""Whether two texts say the same: values, order where it means something, and comments."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from gpuplan.diagnostics import Severity
from gpuplan.format.order import Place, below, fixed_keys, root
from gpuplan.source.document import Mapping, Node, Scalar, Sequence
from gpuplan.source.layout import lay_out
from gpuplan.source.yamltext import parse_text


def difference(before: str, after: str) -> str | None:
    """Return the first thing that a new text says otherwise than the old one, None where it says the same.

    Both are read by the reader of the spec. The old text has no errors.
    """
    old, new = parse_text("before", before), parse_text("after", after)
    if errors := [finding for finding in new.findings if finding.severity is Severity.ERROR]:
        return f"line {errors[0].at.line} of the new text: {errors[0].summary}"
    if len(old.documents) != len(new.documents):
        return "the number of documents"
    for one, other in zip(old.documents, new.documents, strict=True):
        found = next(_different(one.root, other.root, root(), ""), None)
        if found is not None:
            return found
    return _comments(before, after)


def _comments(before: str, after: str) -> str | None:
    old, new = (Counter(comment.text for comment in lay_out(text).comments) for text in (before, after))
    lost = next(iter((old - new) + (new - old)), None)
    return None if lost is None else f"the comment `{lost}`"


def _different(old: Node, new: Node, place: Place | None, path: str) -> Iterator[str]:
    """Yield the paths at which two values differ."""
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        if _names(old, place) != _names(new, place):
            yield f"the keys of `{path}`" if path else "the sections"
            return
        for name, entry in old.entries.items():
            yield from _different(
                entry.value, new.entries[name].value, below(place, name), f"{path}.{name}".lstrip(".")
            )
    elif isinstance(old, Sequence) and isinstance(new, Sequence):
        if len(old.items) != len(new.items):
            yield f"the length of `{path}`"
            return
        for number, (one, other) in enumerate(zip(old.items, new.items, strict=True)):
            yield from _different(one, other, below(place, number), f"{path}.{number}")
    elif not (isinstance(old, Scalar) and isinstance(new, Scalar) and _same(old, new)):
        yield f"the value of `{path}`"


def _names(mapping: Mapping, place: Place | None) -> list[str]:
    """Return the keys in their order, those whose order means nothing first, in one that is always the same."""
    fixed = fixed_keys(place)
    names = list(mapping.entries)
    return sorted(name for name in names if name in fixed) + [name for name in names if name not in fixed]


def _same(old: Scalar, new: Scalar) -> bool:
    return type(old.value) is type(new.value) and old.value == new.value
