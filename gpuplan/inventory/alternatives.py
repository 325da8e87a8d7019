"""Files of which a cluster gets one or the other: folders of two clusters, overlays, versions, examples with the same names.

Two files that say what the same queue is cannot both be right for one cluster. What they hold is judged apart: each of them with
all that does not contradict it. A finding counts where it holds however the files are combined.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise, takewhile
from typing import Final

from gpuplan.diagnostics import Diagnostic
from gpuplan.inventory.items import Config, Object

Files = frozenset[str]
Key = tuple[str, str, str]
Choice = tuple[tuple[Object, ...], tuple[Config, ...]]

TELLING: Final = frozenset(
    ("ClusterQueue", "Cohort", "LocalQueue", "ResourceFlavor", "Topology", "AdmissionCheck", "ClusterPolicy")
)
"""Kinds whose objects are told by name alone, and which other objects are judged against."""
_BASES: Final = re.compile(r"bases?|common|shared|defaults?|components?|lib")
"""Folders whose files others complete or replace, rather than do without."""
MOST: Final = 24
"""Combinations of files; with more, files are taken as they come."""
_MOST_RIVALS: Final = 100
"""Files that say what one object is; with more, they are no alternatives but a heap."""
_MOST_WORK: Final = 4
_SMALL: Final = 5000


def alternatives(objects: Sequence[Object], configs: Sequence[Config]) -> list[Choice]:
    """Return what belongs together; all of it at once where no two files say what the same object is."""
    places: dict[Key, dict[str, None]] = {}
    for one in objects:
        if one.kind in TELLING and one.name:
            places.setdefault((one.kind, one.namespace, one.name), {})[one.file] = None
    twice = [tuple(files) for files in places.values() if len(files) > 1]
    if not twice:
        return [(tuple(objects), tuple(configs))]
    files = frozenset(one.file for one in (*objects, *configs))
    many = max(map(len, twice)) > _MOST_RIVALS
    found = [files] if many else list(dict.fromkeys(_combined(files, twice)))
    sizes = Counter(one.file for one in objects)
    work = sum(sizes[file] for choice in found for file in choice)
    if not 1 < len(found) <= MOST or work > _MOST_WORK * len(objects) + _SMALL:
        found = [files]
    return [_of(choice, objects, configs) for choice in found]


def in_all(judged: Sequence[tuple[Choice, Iterable[Diagnostic]]]) -> Iterator[Diagnostic]:
    """Yield the findings that hold in each choice that their file is part of, each once."""
    if len(judged) == 1:
        yield from judged[0][1]
        return
    parts: Counter[str] = Counter()
    seen: Counter[tuple[object, ...]] = Counter()
    first: dict[tuple[object, ...], Diagnostic] = {}
    for (objects, configs), findings in judged:
        parts.update({one.file for one in (*objects, *configs)})
        mine = {(one.rule, one.severity, one.at): one for one in findings}
        seen.update(mine.keys())
        for known, one in mine.items():
            first.setdefault(known, one)
    yield from (one for known, one in first.items() if seen[known] >= parts[one.at.file])


def _of(choice: Files, objects: Sequence[Object], configs: Sequence[Config]) -> Choice:
    """Return what stands in some files; of the same object in a base and elsewhere, what stands elsewhere comes first."""
    mine = sorted((one for one in objects if one.file in choice), key=lambda one: _is_base(one.file))
    return tuple(mine), tuple(one for one in configs if one.file in choice)


def _is_base(file: str) -> bool:
    return any(_BASES.fullmatch(part) for part in file.split("/")[:-1])


def _combined(files: Files, twice: Sequence[tuple[str, ...]], left: int = MOST + 1) -> list[Files]:
    """Return the sets of files in which no two say the same, so far as they lie in different places."""
    here = [inside for known in twice if len(inside := tuple(one for one in known if one in files)) > 1]
    folder, rivals = _rivals(here)
    if not rivals:
        return [files]
    found: list[Files] = []
    for name in rivals:
        if len(found) >= left:
            break
        kept = _beside(name, rivals)
        smaller = frozenset(one for one in files if (part := _below(folder, one)) in kept or part not in rivals)
        found += _combined(smaller, here, left - len(found))
    return found


def _rivals(twice: Sequence[tuple[str, ...]]) -> tuple[str, Mapping[str, set[str]]]:
    """Return the uppermost folder in which the same objects part, and what in it excludes what."""
    folders = {_common(pair) for one in twice for pair in pairwise(sorted(one))}
    for folder in sorted(folders, key=lambda one: (one.count("/") if one else -1, one)):
        rivals: dict[str, set[str]] = {}
        for files in twice:
            parts = dict.fromkeys(
                part for file in files if (part := _below(folder, file)) and not _BASES.fullmatch(part)
            )
            if len(parts) > 1:
                for part in parts:
                    rivals.setdefault(part, set()).update(parts.keys() - {part})
        if rivals:
            return folder, rivals
    return "", {}


def _common(files: Sequence[str]) -> str:
    """Return the folder in which all files lie, at some depth."""
    apart = [file.split("/")[:-1] for file in files]
    return "/".join(names[0] for names in takewhile(lambda names: len(set(names)) == 1, zip(*apart, strict=False)))


def _below(folder: str, file: str) -> str:
    """Return the name in a folder under which a file lies; empty if it lies elsewhere."""
    start = f"{folder}/" if folder else ""
    return file[len(start) :].partition("/")[0] if file.startswith(start) else ""


def _beside(name: str, rivals: Mapping[str, set[str]]) -> set[str]:
    """Return what can stand beside a name, those of like names first: `flavors-b.yaml` beside `queues-b.yaml`."""
    words = set(re.split(r"[^a-z0-9]+", name.lower()))
    kept = {name}
    for other in sorted(rivals, key=lambda one: -len(words & set(re.split(r"[^a-z0-9]+", one.lower())))):
        if not rivals[other] & kept:
            kept.add(other)
    return kept
