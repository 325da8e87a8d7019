"""The sides of a plan, read from where they are: a spec's folder, or a rendered tree."""

from __future__ import annotations

import datetime
from dataclasses import dataclass, replace
from pathlib import Path

from gpuplan import __version__, pipeline
from gpuplan.diagnostics import Diagnostic, Diagnostics, Origin, Severity, Span, has_errors
from gpuplan.manifests.set import HUB_AREA, Manifest, ManifestSet, TextFile
from gpuplan.manifests.write import GENERATED
from gpuplan.model.fleet import Fleet
from gpuplan.output.index import INDEX_FILE, Index
from gpuplan.output.plan import previous_index
from gpuplan.plan import State
from gpuplan.source.git import checkout
from gpuplan.source.git_findings import OUTSIDE
from gpuplan.source.objects import read_object

FLEET, OUT = "fleet", "rendered"
"""Folders of a repository, as they are called unless said otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """A side, unless too much is wrong with it, and every finding."""

    state: State | None
    findings: Diagnostics
    notes: tuple[str, ...] = ()
    """What a reader of the plan has to know of how the side was read, as sentences."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a side is: its spec, its rendered tree, or both."""

    name: str
    fleet: Path | None
    out: Path | None
    called: Path | None = None
    """What findings call the spec's folder, where it is not `fleet`."""


def in_folder(name: str, folder: Path, fleet: Path = Path(FLEET), out: Path = Path(OUT)) -> Place:
    """Tell what a folder is: a rendered tree by its index, a repository by the spec's folder in it, else a spec's folder."""
    if (folder / INDEX_FILE).is_file():
        return Place(name=name, fleet=None, out=folder)
    if not fleet.is_absolute() and (folder / fleet).is_dir():
        return Place(name=name, fleet=folder / fleet, out=folder / out)
    return Place(name=name, fleet=folder, out=None)


def in_git(ref: str, fleet: Path, out: Path, into: Path) -> Place | Diagnostic:
    """Take a spec and its rendered tree as they were at a commit out of git into a folder; findings call them as they are now."""
    taken = checkout(ref, (fleet, out), into)
    if isinstance(taken, Diagnostic) and taken.rule == OUTSIDE.id:  # the output may be elsewhere: the spec is enough
        taken = checkout(ref, (fleet,), into)
    if isinstance(taken, Diagnostic):
        return taken
    spec, *rest = (folder if folder.is_dir() else None for folder in taken.folders)
    return Place(name=ref, fleet=spec, out=rest[0] if rest else None, called=fleet)


def sides(old: Place, new: Place, today: datetime.date, texts: pipeline.Texts = pipeline.NO_TEXTS) -> tuple[Side, Side]:
    """Read both sides. Two specs are compiled only where they can differ; an old one that has errors, or that another
    version of gpuplan has rendered, is read off its rendered tree where it has one.
    """
    if old.fleet is None or new.fleet is None:
        return of_place(old, today, texts), of_place(new, today, texts)
    before, after = (pipeline.check(one.fleet, today, one.called) for one in (old, new) if one.fleet)
    if after.fleet is None or not after.ok:
        return Side(state=None, findings=before.findings), Side(state=None, findings=after.findings)
    if before.fleet is None or not before.ok:
        fallen = _without_spec(old, before.findings)
        return fallen, (
            _compiled(new.name, after, texts) if fallen.state else Side(state=None, findings=after.findings)
        )
    version = rendered_by(old.out)
    if version not in ("", __version__):
        return _as_rendered(old, before, version, texts), _compiled(new.name, after, texts)
    first, second = pipeline.render_changed(before.fleet, after.fleet, texts)
    return (
        Side(state=of_fleet(old.name, before.fleet, first), findings=before.findings),
        Side(state=of_fleet(new.name, after.fleet, second), findings=after.findings),
    )


def of_place(where: Place, today: datetime.date, texts: pipeline.Texts = pipeline.NO_TEXTS) -> Side:
    """Read one side by itself, from its spec where it has one."""
    if where.fleet is not None:
        return _compiled(where.name, pipeline.check(where.fleet, today, where.called), texts)
    if where.out is not None:
        return of_tree(where.name, where.out)
    note = f"{where.name} has neither spec nor rendered tree: everything is new"
    return Side(state=State(name=where.name, manifests=ManifestSet.of(()), fleet=None), findings=(), notes=(note,))


def rendered_by(out: Path | None) -> str:
    """Return the version of gpuplan that wrote a rendered tree; empty where there is none, or it does not say."""
    index = previous_index(out) if out is not None else None
    return index.version if isinstance(index, Index) else ""


def _without_spec(old: Place, found: Diagnostics) -> Side:
    """Return a side whose spec has errors as its rendered tree, where it has one."""
    errors = sum(finding.severity is Severity.ERROR for finding in found)
    if old.out is None or not (old.out / INDEX_FILE).is_file():
        return Side(state=None, findings=found)
    side = of_tree(old.name, old.out)
    note = f"the spec of {old.name} has {errors} {'error' if errors == 1 else 'errors'}: its rendered tree is compared"
    return replace(side, notes=(note,))


def _compiled(name: str, checked: pipeline.Checked, texts: pipeline.Texts) -> Side:
    if checked.fleet is None or not checked.ok:
        return Side(state=None, findings=checked.findings)
    manifests, faults = pipeline.render(checked.fleet, texts=texts)
    found = (*checked.findings, *faults)
    state = None if has_errors(faults) else of_fleet(name, checked.fleet, manifests)
    return Side(state=state, findings=found)


def _as_rendered(old: Place, before: pipeline.Checked, version: str, texts: pipeline.Texts) -> Side:
    """Return a side as another version of gpuplan has rendered it, with what this one makes of its spec."""
    again = _compiled(old.name, before, texts)
    tree = of_tree(old.name, old.out or Path(OUT))
    if again.state is None or tree.state is None:
        return again
    note = f"{old.name} was rendered by gpuplan {version}: what only this version changes is marked"
    return Side(
        state=replace(again.state, manifests=tree.state.manifests, again=again.state.manifests),
        findings=before.findings,
        notes=(note,),
    )


def of_spec(name: str, folder: Path, today: datetime.date, texts: pipeline.Texts = pipeline.NO_TEXTS) -> Side:
    """Check and compile the spec in a folder. A spec with errors has no state."""
    return _compiled(name, pipeline.check(folder, today), texts)


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
