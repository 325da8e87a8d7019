"""The sides of a plan, read from where they are: a spec's folder, or a rendered tree."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from pathlib import Path

from gpuplan import pipeline
from gpuplan.diagnostics import Diagnostic, Diagnostics, Origin, Span, has_errors
from gpuplan.manifests.set import HUB_AREA, Manifest, ManifestSet, TextFile
from gpuplan.manifests.write import GENERATED
from gpuplan.model.fleet import Fleet
from gpuplan.output.plan import previous_index
from gpuplan.plan import State
from gpuplan.source.objects import read_object


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """A side, unless too much is wrong with it, and every finding."""

    state: State | None
    findings: Diagnostics


def of_spec(name: str, folder: Path, today: datetime.date, texts: pipeline.Texts = pipeline.NO_TEXTS) -> Side:
    """Check and compile the spec in a folder. A spec with errors has no state."""
    checked = pipeline.check(folder, today)
    if checked.fleet is None or not checked.ok:
        return Side(state=None, findings=checked.findings)
    manifests, faults = pipeline.render(checked.fleet, texts=texts)
    found = (*checked.findings, *faults)
    return Side(state=None if has_errors(found) else of_fleet(name, checked.fleet, manifests), findings=found)


def of_fleet(name: str, fleet: Fleet, manifests: ManifestSet) -> State:
    """Return the state of a resolved fleet."""
    return State(name=name, manifests=manifests, fleet=fleet, written=fleet.places.plain())


def of_tree(name: str, root: Path) -> Side:
    """Read a rendered tree by its index. It has no spec: places are the files of `fleet/` that the index names, line 1."""
    index = previous_index(root)
    if isinstance(index, Diagnostic):
        return Side(state=None, findings=(index,))
    manifests: list[Manifest] = []
    texts: list[TextFile] = []
    for path in sorted(index.hashes):
        origins = [Origin((), Span(file, 1, 1, 1, 1)) for file in index.sources[path]] or [NOWHERE]
        where, made = _place(path), read_object(root / path)
        if where is not None and made is not None:
            manifests.append(Manifest(object=made, cluster=where[0], area=where[1], origin=origins[0]))
        else:
            texts.append(_text(root, path, origins))
    return Side(state=State(name=name, manifests=ManifestSet.of(manifests, texts), fleet=None), findings=())


NOWHERE = Origin((), Span("fleet", 1, 1, 1, 1))


def _place(path: str) -> tuple[str | None, str] | None:
    """Return (cluster, area) of the file of an object, None for a file that holds none."""
    match path.split("/"):
        case ["clusters", cluster, area, _]:
            return cluster, area
        case [folder, _] if folder == HUB_AREA:
            return None, HUB_AREA
        case _:
            return None


def _text(root: Path, path: str, origins: list[Origin]) -> TextFile:
    """Return a file without the line that says whence it comes: a change of that is none of the file."""
    try:
        text = (root / path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        text = ""
    first, _, rest = text.partition("\n")
    return TextFile(path=path, text=rest if first.startswith(GENERATED) else text, origin=origins[0])
