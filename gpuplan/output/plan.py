"""What a write would do to the tree, decided before anything is touched.

Three owners: a path in the index is ours, a path on disk that the index lacks is somebody's, and a path of ours whose
content has another hash was edited. Ours may be replaced and removed; the other two never.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path

from gpuplan.diagnostics import Diagnostic, Diagnostics, Span, ordered
from gpuplan.output import findings
from gpuplan.output.files import KeptFile, OutputFile
from gpuplan.output.index import INDEX_FILE, Index, IndexFormatError, index_text, read_index, sha256
from gpuplan.output.scan import Entry, EntryKind, Snapshot, folders_above, read_file, scan


@dataclass(frozen=True, slots=True, kw_only=True)
class WritePlan:
    """The next tree: `written` anew, `unchanged` files of ours and `carried` entries of others as they are.

    All paths are below `root` and sorted. `removed` are files of ours that the next tree lacks.
    """

    root: Path
    content: Mapping[str, bytes]
    """The files of ours in the next tree whose bytes are known, the index among them; those that are kept are `unchanged`."""
    written: tuple[str, ...]
    unchanged: tuple[str, ...]
    removed: tuple[str, ...]
    carried: tuple[str, ...]
    seen: Snapshot
    """The tree as it was when the plan was made."""

    @property
    def changes_nothing(self) -> bool:
        """Tell whether the tree is already what it should be."""
        return not self.written and not self.removed


class NotKeptError(Exception):
    """A file that was to be kept is not what the last render wrote: the caller has to know what it should be."""


def plan_write(
    root: Path, files: Iterable[OutputFile | KeptFile], *, version: str, allow_empty: bool = False
) -> tuple[WritePlan | None, Diagnostics]:
    """Compare the tree at `root` with the files it should hold. Reads only.

    Returns no plan where something edited or foreign would be lost, with a finding for each. A kept file that still has its
    stamp is not read. Raises OSError where the tree cannot be read, ValueError if two files share a path, and NotKeptError.
    """
    outputs = tuple(files)
    if not outputs and not allow_empty:
        return None, (findings.EMPTY.found(f"nothing to write to {root}", at=_at(root)),)
    if root.exists() and not root.is_dir():
        return None, (findings.IN_THE_WAY.found(f"{root} is not a folder", at=_at(root)),)
    content, kept = _content(outputs, version), {file.path: file for file in outputs if isinstance(file, KeptFile)}
    seen = scan(root)
    previous = previous_index(root)
    if isinstance(previous, Diagnostic):
        return None, (previous,)
    unchanged, edited = _compare(root, seen, previous, content, kept.keys())
    unchanged |= _keep(root, seen, previous.hashes, kept)
    carried = _carried(seen, previous.hashes.keys() | unchanged | {INDEX_FILE})
    obstacles = _obstacles(root, (*content, *kept), {path: seen[path].kind for path in carried}) if carried else ()
    problems = ordered([*edited, *obstacles])
    if problems:
        return None, problems
    plan = WritePlan(
        root=root,
        content=content,
        written=tuple(sorted(content.keys() - unchanged)),
        unchanged=tuple(sorted(unchanged)),
        removed=tuple(sorted((previous.hashes.keys() & seen.keys()) - content.keys() - kept.keys())),
        carried=tuple(sorted(carried)),
        seen=seen,
    )
    return plan, ()


def previous_index(root: Path) -> Index | Diagnostic:
    """Read the index in `root`: an empty one where there is none, a finding where it makes no sense."""
    path = root / INDEX_FILE
    try:
        return read_index(path.read_bytes())
    except FileNotFoundError:
        return Index({})
    except (IsADirectoryError, IndexFormatError) as error:
        return findings.INDEX_UNREADABLE.found(f"cannot use {path}: {error}", at=findings.at_file(path))


def _content(outputs: tuple[OutputFile | KeptFile, ...], version: str) -> dict[str, bytes]:
    if len({file.path.casefold() for file in outputs} | {INDEX_FILE}) <= len(outputs):
        raise ValueError("two of the files to write have one path, up to the case of letters")
    content = {file.path: file.content for file in outputs if isinstance(file, OutputFile)}
    content[INDEX_FILE] = index_text(outputs, version).encode()
    return content


def _keep(root: Path, seen: Snapshot, hashes: Mapping[str, str], kept: Mapping[str, KeptFile]) -> AbstractSet[str]:
    """Return the paths of kept files. Raises NotKeptError unless those that are ours to look at are as they were rendered."""
    for file in kept.values():
        if file.elsewhere:
            continue
        entry = seen.get(file.path)
        if entry is None or entry.kind is not EntryKind.FILE or hashes.get(file.path) != file.sha256:
            raise NotKeptError(file.path)
        if entry[2:] != file.stamp and sha256(read_file(f"{root}/{file.path}")) != file.sha256:
            raise NotKeptError(file.path)
    return kept.keys()


def _compare(
    root: Path, seen: Snapshot, previous: Index, content: Mapping[str, bytes], kept: AbstractSet[str]
) -> tuple[set[str], list[Diagnostic]]:
    """Return the paths that already hold what they should, and a finding for each file of ours that was edited; those that
    are `kept` are looked at elsewhere.
    """
    unchanged: set[str] = set()
    edited: list[Diagnostic] = []
    for path in seen.keys() & ((previous.hashes.keys() - kept) | content.keys()):
        entry, wanted, listed = seen[path], content.get(path), previous.hashes.get(path)
        if entry.kind is not EntryKind.FILE:
            if listed is not None:
                edited.append(_edited(root / path, entry))
            continue
        if listed is None and (wanted is None or len(wanted) != entry.size):
            continue
        found = read_file(f"{root}/{path}")
        if found == wanted:
            unchanged.add(path)
        elif listed is not None and sha256(found) != listed:
            edited.append(_edited(root / path, entry))
    return unchanged, edited


def _edited(path: Path, entry: Entry) -> Diagnostic:
    what = "was changed by hand" if entry.kind is EntryKind.FILE else f"is now a {entry.kind.value}"
    return findings.HAND_EDITED.found(f"{path} {what}", at=findings.at_file(path))


def _carried(seen: Snapshot, ours: AbstractSet[str]) -> set[str]:
    """Return the entries that are not ours, with the folders that hold them; a folder that was empty is somebody's."""
    foreign = {path for path, entry in seen.items() if entry.kind is not EntryKind.FOLDER and path not in ours}
    filled = folders_above(seen)
    foreign |= {path for path, entry in seen.items() if entry.kind is EntryKind.FOLDER and path not in filled}
    return foreign | folders_above(foreign)


def _obstacles(root: Path, content: Iterable[str], carried: Mapping[str, EntryKind]) -> Iterator[Diagnostic]:
    """Say what stands where a file, or a folder above one, has to go."""
    files = set(content)
    folders = folders_above(files)
    for path in files & carried.keys():
        kind = carried[path].value
        yield findings.IN_THE_WAY.found(f"a {kind} not made by gpuplan is at {root / path}", at=_at(root, path))
    for path in folders & carried.keys():
        if carried[path] is not EntryKind.FOLDER:
            kind = carried[path].value
            yield findings.IN_THE_WAY.found(f"a {kind} is where a folder has to be: {root / path}", at=_at(root, path))
    folded = {path.casefold(): path for path in files | folders}
    for path in carried:
        ours = folded.get(path.casefold(), path)
        if ours != path:
            message = f"{path} and {ours} differ only in the case of letters"
            yield findings.CASE_COLLISION.found(message, at=_at(root, path))


def _at(root: Path, path: str = "") -> Span:
    return findings.at_file(root / path)
