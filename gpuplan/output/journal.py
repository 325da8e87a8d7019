"""The file beside the tree that keeps two writers apart and tells the next start how far a killed one came.

`.<name>.gpuplan-write` is locked while a write runs, holds the inode of the staged tree, and is gone when all is done.
The lock ends with its process. The inode is the one fact that a recovery needs: if the tree has it, the new tree is in
place; if not, it is not.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_RETRY_SECONDS = 0.05


class BusyError(Exception):
    """Another process holds the lock. Never leaves `output`: it becomes a finding."""


@dataclass(frozen=True, slots=True)
class Site:
    """Where a tree and its helpers lie. All are in one folder, so that renames stay on one file system."""

    root: Path

    @property
    def stage(self) -> Path:
        """The next tree while it is made; after an exchange, the old one."""
        return self.root.with_name(f".{self.root.name}.gpuplan-stage")

    @property
    def old(self) -> Path:
        """The old tree between two renames, where folders cannot be exchanged."""
        return self.root.with_name(f".{self.root.name}.gpuplan-old")

    @property
    def trash(self) -> Path:
        """The old tree once all in it that somebody changed is saved: half removed, it has no meaning any more."""
        return self.root.with_name(f".{self.root.name}.gpuplan-trash")

    @property
    def journal(self) -> Path:
        """The lock, and the inode of the staged tree."""
        return self.root.with_name(f".{self.root.name}.gpuplan-write")


class Journal:
    """An open and locked journal."""

    __slots__ = ("_descriptor", "finished")

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self.finished = True
        """Whether nothing is left for a later start; only then the file goes away at the end."""

    def staged(self) -> int | None:
        """Return the inode of the tree that was staged last, or None if none was."""
        text = os.pread(self._descriptor, 64, 0)
        return int(text) if text.isdigit() else None

    def record(self, inode: int) -> None:
        """Note the inode of the staged tree, durably, before anything is renamed."""
        self.clear()
        os.pwrite(self._descriptor, b"%d" % inode, 0)
        os.fsync(self._descriptor)

    def clear(self) -> None:
        """Forget the staged tree."""
        os.ftruncate(self._descriptor, 0)


@contextlib.contextmanager
def journal_of(site: Site, patience: float) -> Iterator[Journal]:
    """Hold the lock of a tree. Waits `patience` seconds for another writer, then raises BusyError."""
    descriptor = _acquire(site.journal, time.monotonic() + patience)
    journal = Journal(descriptor)
    try:
        yield journal
    finally:
        if journal.finished:
            site.journal.unlink(missing_ok=True)
        os.close(descriptor)


def _acquire(path: Path, deadline: float) -> int:
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _is_still(path, descriptor):
                return descriptor
        except OSError as error:
            if error.errno not in (errno.EWOULDBLOCK, errno.EACCES):
                os.close(descriptor)
                raise
            if time.monotonic() > deadline:
                os.close(descriptor)
                raise BusyError from error
            time.sleep(_RETRY_SECONDS)
        os.close(descriptor)


def _is_still(path: Path, descriptor: int) -> bool:
    """Tell whether the locked file still has its name: the writer before us removes it when it is done."""
    try:
        return path.lstat().st_ino == os.fstat(descriptor).st_ino
    except FileNotFoundError:
        return False
