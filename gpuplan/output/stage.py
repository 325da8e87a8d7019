"""Making the next tree beside the old one, and saving what others changed meanwhile.

Unchanged files of ours and all files of others are hard links, so a render that changes one file of fifty thousand
writes one file. The link is safe against an editor that writes in place: the old tree goes away right after, so each
link is soon the only name of its file again, and the edit is in it.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

from gpuplan.diagnostics import Diagnostic
from gpuplan.output.index import sha256
from gpuplan.output.plan import WritePlan, previous_index
from gpuplan.output.scan import Entry, EntryKind, Snapshot, Stamp, folders_above, read_file, scan


def build(plan: WritePlan, stage: Path) -> dict[str, Stamp]:
    """Fill the empty folder `stage` with the next tree, and return the stamps of the files that are new. Raises OSError."""
    folders = _folders(plan)
    for folder in folders:
        (stage / folder).mkdir()
    _link_all(
        (path for path in (*plan.unchanged, *plan.carried) if plan.seen[path].kind is not EntryKind.FOLDER), plan, stage
    )
    new = f"{stage}/"
    stamps = {path: _write(new + path, plan.content[path], plan.seen.get(path)) for path in plan.written}
    for folder in reversed(folders):  # last of all, since a folder may be read-only
        entry = plan.seen.get(folder)
        if entry is not None and entry.kind is EntryKind.FOLDER:
            (stage / folder).chmod(stat.S_IMODE(entry.mode))
    if plan.root.exists():
        shutil.copymode(plan.root, stage)
    return stamps


def rescue(old: Path, new: Path, seen: Snapshot) -> None:
    """Move to the new tree what someone changed or made in the old one after it was `seen`. Raises OSError.

    A file of ours that was edited in that moment comes back as edited, and the next render says so.
    """
    for path, entry in scan(old).items():
        if entry.kind is not EntryKind.FOLDER and seen.get(path) != entry:
            (new / path).parent.mkdir(parents=True, exist_ok=True)
            (old / path).replace(new / path)


def accounted_for(old: Path, new: Path) -> Snapshot:
    """Return what needs no rescue from the old tree of a killed run, of which nobody remembers what was `seen`.

    That is what its own index lists with that hash, and files of others that the new tree has as new or newer.
    """
    index = previous_index(old)
    hashes = {} if isinstance(index, Diagnostic) else index.hashes
    later = scan(new)
    return {
        path: entry
        for path, entry in scan(old).items()
        if (
            (entry.kind is EntryKind.FILE and sha256(read_file(f"{old}/{path}")) == hashes[path])
            if path in hashes
            else (path in later and later[path].modified >= entry.modified)
        )
    }


def remove(tree: Path) -> None:
    """Remove a tree, with the read-only folders in it. Raises OSError."""
    if not tree.exists():
        return
    try:
        _remove(tree)
    except PermissionError:
        for path, entry in scan(tree).items():
            if entry.kind is EntryKind.FOLDER:
                (tree / path).chmod(stat.S_IRWXU)
        shutil.rmtree(tree)


def _remove(folder: Path) -> None:
    """Remove a folder that is ours alone, name by name and never through a link."""
    with _opened(folder) as descriptor:
        with os.scandir(descriptor) as entries:
            found = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]
        for name, is_folder in found:
            if is_folder:
                _remove(folder / name)
            else:
                os.unlink(name, dir_fd=descriptor)
    folder.rmdir()


def _folders(plan: WritePlan) -> list[str]:
    """Return all folders of the next tree, each after the one that holds it."""
    kept = {path for path in plan.carried if plan.seen[path].kind is EntryKind.FOLDER}
    return sorted(kept | folders_above((*plan.content, *plan.unchanged)))


def _link_all(paths: Iterable[str], plan: WritePlan, stage: Path) -> None:
    """Give files a second name, or copy them where the file system or their owner allows none.

    Folder by folder: the system then looks up names alone, which takes a third less than paths.
    """
    names: dict[str, list[str]] = {}
    for path in paths:
        folder, _, name = path.rpartition("/")
        names.setdefault(folder, []).append(name)
    for folder, own in names.items():
        source, target = plan.root / folder, stage / folder
        with _opened(source) as old, _opened(target) as new:
            for name in own:
                try:
                    os.link(name, name, src_dir_fd=old, dst_dir_fd=new, follow_symlinks=False)
                except OSError:
                    shutil.copy2(source / name, target / name, follow_symlinks=False)


@contextlib.contextmanager
def _opened(folder: Path) -> Iterator[int]:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _write(target: str, content: bytes, before: Entry | None) -> Stamp:
    """Write a new file and return its stamp; it takes over the mode of the one that it replaces."""
    descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    try:
        rest = memoryview(content)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        if before is not None and before.kind is EntryKind.FILE:
            os.fchmod(descriptor, stat.S_IMODE(before.mode))
        status = os.fstat(descriptor)
        return status.st_ino, status.st_mtime_ns, status.st_size
    finally:
        os.close(descriptor)
