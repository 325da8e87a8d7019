"""What kustomize's patches may still change: a base is no object of a cluster's before its overlay has been laid over it.

A finding in what a patch writes, or on the object as a whole, may be the very thing that the patch puts right.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from gpuplan.diagnostics import Diagnostic
from gpuplan.inventory.items import Object
from gpuplan.source.pieces import values_of

Paths = frozenset[tuple[str, ...]]
PATCH_LISTS: Final = ("patches", "patchesStrategicMerge", "patchesJson6902")
_NAMING: Final = ("apiVersion", "kind", "metadata")
_JOINING: Final = frozenset({"cohort", "cohortName", "parent", "parentName"})
"""Fields on which the sense of others hangs: a limit is right in a cohort, and refused without."""
_UNPATCHED_RULES: Final = ("manifest/metadata", "import/unsupported-kind", "yaml/")
"""Findings on names, kinds and syntax, which no patch changes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Patch:
    """Which objects a patch is for, and what it writes in them."""

    kind: str
    name: str
    """A regular expression; empty for every name."""
    paths: Paths | None
    """The first two keys of what it writes; None where that is not known."""

    def is_for(self, one: Object) -> bool:
        """Tell whether an object is the patch's."""
        return self.kind in ("", one.kind) and (not self.name or _matches(self.name, one.name))


def listed_patches(kustomization: Mapping[str, object]) -> Iterator[Patch]:
    """Yield the patches that a kustomization holds itself, or for which it names the target."""
    for key in PATCH_LISTS:
        listed = kustomization.get(key)
        for entry in listed if isinstance(listed, list) else ():
            target = entry.get("target") if isinstance(entry, Mapping) else None
            text = entry.get("patch") if isinstance(entry, Mapping) else entry
            if isinstance(target, Mapping):
                yield Patch(kind=str(target.get("kind") or ""), name=str(target.get("name") or ""), paths=None)
            elif isinstance(text, str) and "\n" in text:
                for value in values_of("", text).values:
                    yield from written_patch(value)


def written_patch(value: object) -> Iterator[Patch]:
    """Yield the patch that a document is: it names its object itself."""
    metadata = value.get("metadata") if isinstance(value, Mapping) else None
    if isinstance(value, Mapping) and isinstance(metadata, Mapping):
        paths = frozenset(_paths(value))
        joins = any(path[-1] in _JOINING for path in paths)
        name = re.escape(str(metadata.get("name")))
        yield Patch(kind=str(value.get("kind")), name=name, paths=None if joins else paths)


def unpatched(
    findings: Iterable[Diagnostic], objects: Iterable[Object], patches: Sequence[Patch]
) -> Iterator[Diagnostic]:
    """Yield the findings that no patch can have to do with."""
    changed: dict[str, list[tuple[Object, Paths | None]]] = {}
    for one in objects if patches else ():
        for patch in patches:
            if patch.is_for(one):
                changed.setdefault(one.file, []).append((one, patch.paths))
    for finding in findings:
        lying = () if finding.rule.startswith(_UNPATCHED_RULES) else changed.get(finding.at.file, ())
        if not any(_may_change(one, paths, finding) for one, paths in lying):
            yield finding


def _may_change(one: Object, paths: Paths | None, finding: Diagnostic) -> bool:
    whole, at = one.root.span, (finding.at.line, finding.at.column)
    if not (whole.line, whole.column) <= at <= (whole.end_line, whole.end_column):
        return False
    starts = sorted(_starts(one))
    path = starts[max(0, bisect_right([place for place, _ in starts], at) - 1)][1] if starts else ()
    return paths is None or not path or path[0] in _NAMING or path in paths or path[:1] in paths


def _starts(one: Object) -> Iterator[tuple[tuple[int, int], tuple[str, ...]]]:
    for key, view in one.root.entries():
        yield (view.key_span.line, view.key_span.column), (key,)
        for inner, below in view.entries():
            yield (below.key_span.line, below.key_span.column), (key, inner)


def _paths(value: Mapping[str, object]) -> Iterator[tuple[str, ...]]:
    for key, inner in value.items():
        if key not in _NAMING:
            yield from ((key, str(below)) for below in inner) if isinstance(inner, Mapping) else ((key,),)


def _matches(pattern: str, name: str) -> bool:
    try:
        return re.fullmatch(pattern, name) is not None
    except re.error:
        return pattern == name
