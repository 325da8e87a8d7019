"""The fleet folder to documents: which files count, in what order, and what may go wrong on the way to their text."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from gpuplan.diagnostics import Diagnostic, Diagnostics, Severity, Span, ordered
from gpuplan.rulebook import RuleDoc
from gpuplan.source import findings
from gpuplan.source.document import Document, position_after, split_lines
from gpuplan.source.yamltext import Parsed, parse_text

_ENDINGS: Final = (".yaml", ".yml")
"""In any case, so that `teams.YML` is not left out in silence."""
_MAX_BYTES: Final = findings.MAX_FILE_MIB * 1024 * 1024
_UTF16: Final = (b"\xff\xfe", b"\xfe\xff")


def read_fleet(folder: Path, called: Path | None = None) -> tuple[tuple[Document, ...] | None, Diagnostics]:
    """Read every `.yaml` and `.yml` file below a folder, in the order of their paths.

    Spans name the files as if they lay in the folder `called`: that of a state of the past is not where it is read from.
    Hidden files and folders (`.git`, an editor's `.#x.yaml`) do not count. The documents are None when some of the
    fleet is missing (a file or a document that cannot be read): whatever a later phase would then find missing might
    stand there. Errors that leave the documents whole come with the documents.
    """
    files, noted = fleet_files(folder)
    if not files:
        return None, noted
    found = [*noted]
    documents: list[Document] = []
    for path in files:
        parsed = read_file(path, None if called is None else called / path.relative_to(folder))
        documents += parsed.documents
        found += parsed.findings
    lost = any(f.severity is Severity.ERROR and f.rule not in findings.LOSES_NOTHING for f in found)
    return None if lost else tuple(documents), ordered(found)


def fleet_files(folder: Path) -> tuple[tuple[Path, ...], Diagnostics]:
    """Return the files of a fleet in the order of their paths, and what is wrong with the folder; no files where all is lost."""
    found: list[Diagnostic] = []
    name = shown_path(folder)
    if (problem := _folder_problem(folder, name)) is not None:
        return (), (problem,)
    files = sorted(_files(folder, found), key=lambda path: path.as_posix())
    if len(files) > findings.MAX_FILES:
        summary = f"{name} holds more than {findings.MAX_FILES:,} YAML files"
        return (), (_at_file(findings.TOO_MANY_FILES, name, summary),)
    if not files and not found:
        return (), (_at_file(findings.NO_FLEET, name, f"{name} holds no YAML file"),)
    return tuple(files), ordered(found)


def read_file(path: Path, called: Path | None = None) -> Parsed:
    """Read one file; its name in spans is the path as given, or `called`, with forward slashes."""
    file = shown_path(called or path)
    data = _bytes(path, file)
    if isinstance(data, Diagnostic):
        return Parsed(documents=(), findings=(data,))
    if data.startswith(_UTF16) or data[:4].count(0) == 2:
        return Parsed(documents=(), findings=(_at_file(findings.NOT_UTF8, file, f"{file} is UTF-16"),))
    if b"\0" in data:
        at = _byte_span(file, data, data.index(0))
        return Parsed(documents=(), findings=(findings.BINARY.found(f"{file} holds a zero byte", at=at),))
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        summary = f"the byte 0x{data[error.start]:02X} is no part of UTF-8 text here"
        finding = findings.NOT_UTF8.found(summary, at=_byte_span(file, data, error.start))
        return Parsed(documents=(), findings=(finding,))
    return parse_text(file, text)


class FileLines:
    """Lines of files on disk, for the excerpts of a report; a file that cannot be shown has none."""

    def __init__(self) -> None:
        self._lines: dict[str, tuple[str, ...]] = {}

    def __call__(self, file: str) -> tuple[str, ...]:
        """Return the lines of a file by its name in spans."""
        if file not in self._lines:
            data = _bytes(Path(file), file)
            text = "" if isinstance(data, Diagnostic) or b"\0" in data else data.decode("utf-8-sig", "replace")
            self._lines[file] = split_lines(text) if text else ()
        return self._lines[file]


def _files(folder: Path, found: list[Diagnostic]) -> Iterator[Path]:
    """Yield the YAML files below a folder, in no order, at most one more than `MAX_FILES`."""
    top = folder.resolve()
    waiting: list[tuple[Path, frozenset[Path]]] = [(folder, frozenset([top]))]
    count = 0
    while waiting:
        inside, above = waiting.pop()
        for path in _entries(inside, found):
            is_folder = _is_folder(path)
            if not is_folder and not path.name.lower().endswith(_ENDINGS):
                continue
            problem = _link_problem(path, top, above)
            if problem is not None:
                found.append(problem)
            elif is_folder:
                waiting.append((path, above | {path.resolve()}))
            else:
                yield path
                count += 1
                if count > findings.MAX_FILES:
                    return


def _folder_problem(folder: Path, name: str) -> Diagnostic | None:
    try:
        is_folder = stat.S_ISDIR(folder.stat().st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return _at_file(findings.NO_FLEET, name, f"the fleet folder {name} does not exist")
    except OSError as error:
        return _at_file(findings.UNREADABLE, name, f"cannot read {name}: {error.strerror}")
    return None if is_folder else _at_file(findings.NO_FLEET, name, f"{name} is a file, and a fleet is a folder")


def _is_folder(path: Path) -> bool:
    try:
        return stat.S_ISDIR(path.stat().st_mode)
    except OSError:  # said when the file is read
        return False


def _entries(folder: Path, found: list[Diagnostic]) -> list[Path]:
    try:
        names = os.listdir(folder)  # noqa: PTH208 -- iterdir defers the error to the first step, and so past this try
    except OSError as error:
        found.append(
            _at_file(findings.UNREADABLE, shown_path(folder), f"cannot list {shown_path(folder)}: {error.strerror}")
        )
        return []
    return [folder / name for name in names if not name.startswith(".")]


def _link_problem(path: Path, top: Path, above: frozenset[Path]) -> Diagnostic | None:
    """Return what is wrong with a symbolic link, if it is one."""
    file = shown_path(path)
    try:
        if not stat.S_ISLNK(path.lstat().st_mode):
            return None
        target = path.resolve(strict=True)
    except PermissionError as error:
        return _at_file(findings.UNREADABLE, file, f"cannot read {file}: {error.strerror}")
    except (OSError, RuntimeError):  # a loop is a RuntimeError up to Python 3.12
        return _at_file(findings.BROKEN_LINK, file, f"the link {file} leads nowhere or in a circle")
    if target in above:
        return _at_file(findings.BROKEN_LINK, file, f"the link {file} leads back to a folder that it lies in")
    if not target.is_relative_to(top):
        return _at_file(findings.LINK_LEAVES_FLEET, file, f"the link {file} leads out of the fleet folder")
    return None


def _bytes(path: Path, file: str) -> bytes | Diagnostic:
    """Return the content of a file, or why there is none. Size and kind are looked at before anything is read."""
    try:
        state = path.stat()
        if not stat.S_ISREG(state.st_mode):
            return _at_file(findings.NOT_A_FILE, file, f"{file} is not an ordinary file")
        if state.st_size > _MAX_BYTES:
            size = f"{state.st_size / 1024 / 1024:.1f} MiB"
            summary = f"{file} has {size}, and {findings.MAX_FILE_MIB} MiB is the most a file may have"
            return _at_file(findings.TOO_LARGE, file, summary)
        return path.read_bytes()
    except OSError as error:
        return _at_file(findings.UNREADABLE, file, f"cannot read {file}: {error.strerror}")


def _byte_span(file: str, data: bytes, index: int) -> Span:
    """Where a byte stands, counted as an editor does that shows what is no UTF-8 as one sign."""
    line, column = position_after(data[:index].decode("utf-8-sig", "replace"))
    return Span(file, line, column, line, column + 1)


def _at_file(rule: RuleDoc, file: str, summary: str) -> Diagnostic:
    return rule.found(summary, at=Span(file, 1, 1, 1, 1))


def shown_path(path: Path) -> str:
    """The path for people: forward slashes, and escapes for what no terminal or report could carry."""
    name = path.as_posix()
    return name if name.isprintable() else name.encode("unicode_escape", "surrogatepass").decode("ascii")
