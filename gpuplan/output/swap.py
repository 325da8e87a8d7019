"""Putting a staged tree in the place of the old one, in one step where the system can."""

from __future__ import annotations

import ctypes
import enum
import errno
import os
from pathlib import Path

_AT_FDCWD = -100
_RENAME_EXCHANGE = 2
_NO_EXCHANGE = frozenset((errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EPERM))
"""Errors of a system or file system that has no exchange. Source: rename(2)."""


class Guarantee(enum.Enum):
    """What a kill in the middle of a write leaves."""

    EXCHANGE = "exchange"
    """At any moment the old tree or the new one, whole: the folders are exchanged in one step."""
    JOURNAL = "journal"
    """The old tree or the new one, whole, or for a moment none: then the next start puts the new one in place."""


def put_in_place(stage: Path, root: Path, old: Path, prefer: Guarantee) -> Guarantee:
    """Make `stage` the tree at `root`, and return the guarantee that held.

    The tree before it is then at `stage` after an exchange, and at `old` otherwise. Raises OSError and leaves all as it
    was where the system refuses both ways.
    """
    if not root.exists():
        stage.rename(root)
        return Guarantee.EXCHANGE
    if prefer is Guarantee.EXCHANGE and exchange(stage, root):
        return Guarantee.EXCHANGE
    root.rename(old)
    try:
        stage.rename(root)
    except BaseException:
        old.rename(root)
        raise
    return Guarantee.JOURNAL


def exchange(one: Path, other: Path) -> bool:
    """Exchange two folders in one step; False where the system cannot. Raises OSError for any other refusal."""
    rename = getattr(_libc(), "renameat2", None)
    if rename is None:
        return False
    if rename(_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other), ctypes.c_uint(_RENAME_EXCHANGE)) == 0:
        return True
    number = ctypes.get_errno()
    if number in _NO_EXCHANGE:
        return False
    raise OSError(number, os.strerror(number), str(other))


def sync_file_system(folder: Path) -> None:
    """Wait until what was written on the file system of `folder` is on the disk.

    One call for the whole tree: a call for each of tens of thousands of files would take minutes.
    """
    syncfs = getattr(_libc(), "syncfs", None)
    if syncfs is None:
        os.sync()
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        if syncfs(descriptor) != 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number), str(folder))
    finally:
        os.close(descriptor)


def sync_folder(folder: Path) -> None:
    """Wait until the names in a folder are on the disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)
