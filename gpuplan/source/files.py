"""Files that somebody names, or that lie below folders: which of them count, and their text."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from gpuplan.diagnostics import Diagnostic, Span
from gpuplan.source import findings
from gpuplan.source.document import position_after

STDIN: Final = "-"
"""The path that stands for standard input."""
ENDINGS: Final = (".yaml", ".yml", ".json", ".csv")
"""Files below a folder that are read, in any case; a file that is named is read whatever its ending."""
MAX_MIB: Final = 512
"""A larger file is not read: the dump of a cluster has some tens of MiB."""


@dataclass(frozen=True, slots=True)
class File:
    """A file to read: its path, and whether somebody named it rather than a folder that it lies in."""

    path: str
    named: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The files of some paths in the order of the paths, each once; links that lead nowhere, and what cannot be looked at."""

    files: tuple[File, ...]
    broken_links: int
    findings: tuple[Diagnostic, ...]


def find_files(paths: Iterable[str]) -> Found:
    """Look below folders, hidden names left out. A folder that links lead to several times is read once."""
    walk = _Walk()
    for path in paths:
        walk.add(path)
    return Found(files=tuple(walk.files.values()), broken_links=walk.broken, findings=tuple(walk.findings))


class _Walk:
    def __init__(self) -> None:
        self.files: dict[str, File] = {}
        """By real path, so that no link brings a file in twice."""
        self.folders: set[str] = set()
        self.broken = 0
        self.findings: list[Diagnostic] = []

    def add(self, path: str) -> None:
        """Take a path that somebody named."""
        if path == STDIN:
            self.files.setdefault(STDIN, File(STDIN, named=True))
            return
        try:
            mode = os.stat(path).st_mode  # noqa: PTH116 - as fast as can be: there may be a hundred thousand files
        except (OSError, ValueError) as error:
            self._unreadable(path, error)
            return
        if stat.S_ISDIR(mode):
            self._folder(path)
        elif stat.S_ISREG(mode):
            self.files.setdefault(os.path.realpath(path), File(path, named=True))
        else:
            name = shown_name(path)
            self.findings.append(findings.NOT_A_FILE.found(f"{name} is not an ordinary file", at=_top(name)))

    def _folder(self, top: str) -> None:
        waiting = [(top, os.path.realpath(top))]
        inside: list[tuple[str, str]] = []
        while waiting:
            folder, real = waiting.pop()
            if real in self.folders:
                continue
            self.folders.add(real)
            try:
                with os.scandir(folder) as entries:
                    for entry in entries:
                        if not entry.name.startswith("."):
                            self._entry(entry, real, waiting, inside)
            except OSError as error:
                self._unreadable(folder, error)
        for path, real in sorted(inside):
            self.files.setdefault(real, File(path, named=False))

    def _entry(
        self, entry: os.DirEntry[str], folder: str, waiting: list[tuple[str, str]], inside: list[tuple[str, str]]
    ) -> None:
        is_link = entry.is_symlink()
        real = os.path.realpath(entry.path) if is_link else os.path.join(folder, entry.name)  # noqa: PTH118 - speed
        try:
            is_folder = entry.is_dir()
            is_file = not is_folder and entry.name.lower().endswith(ENDINGS)
            if is_file and is_link and not entry.is_file():
                self.broken += not os.path.exists(real)  # noqa: PTH110 - speed
            elif is_file and entry.is_file():
                inside.append((entry.path, real))
        except OSError:  # a link in a circle
            self.broken += 1
            return
        if is_folder:
            waiting.append((entry.path, real))

    def _unreadable(self, path: str, error: OSError | ValueError) -> None:
        self.findings.append(_unreadable(path, error))


def read_text(file: File, stdin: bytes = b"") -> str | Diagnostic:
    """Return the text of a file, or why there is none."""
    name = shown_name(file.path)
    if file.path == STDIN:
        return decoded(name, stdin)
    try:
        with open(file.path, "rb") as opened:  # noqa: PTH123 - speed
            if (size := os.fstat(opened.fileno()).st_size) > MAX_MIB << 20:
                summary = f"{name} has {size >> 20} MiB, and {MAX_MIB} MiB is the most that is read"
                return findings.TOO_LARGE.found(summary, at=_top(name), fix="Split the file.")
            return decoded(name, opened.read())
    except OSError as error:
        return _unreadable(file.path, error)


def decoded(name: str, data: bytes) -> str | Diagnostic:
    """Return the text of UTF-8, or of UTF-16 with a byte order mark, as YAML's readers take them."""
    encoding = "utf-16" if data.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8"
    if encoding == "utf-8" and b"\0" in data:
        return findings.BINARY.found(f"{name} holds a zero byte", at=_place(name, data, data.index(0)))
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        summary = f"the byte 0x{data[error.start]:02X} is no part of {encoding.upper()} text here"
        return findings.NOT_UTF8.found(summary, at=_place(name, data, error.start))


def shown_name(path: str) -> str:
    """The path for people: forward slashes, and escapes for what no terminal or report could carry."""
    if path == STDIN:
        return "<stdin>"
    name = path.replace(os.sep, "/")
    return name if name.isprintable() else name.encode("unicode_escape", "surrogatepass").decode("ascii")


def _unreadable(path: str, error: OSError | ValueError) -> Diagnostic:
    name = shown_name(path)
    why = error.strerror if isinstance(error, OSError) else str(error)
    return findings.UNREADABLE.found(
        f"cannot read {name}: {why}",
        at=_top(name),
        detail="What it holds was not looked at, and what other files refer to may stand there.",
        fix="Name a path that exists and that whoever runs gpuplan may read.",
    )


def _place(name: str, data: bytes, index: int) -> Span:
    line, column = position_after(data[:index].decode("utf-8-sig", "replace"))
    return Span(name, line, column, line, column + 1)


def _top(name: str) -> Span:
    return Span(name, 1, 1, 1, 1)
