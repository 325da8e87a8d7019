"""Files that a command leaves beside its result: all of them, each as a whole, or a message and none half-written."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from collections.abc import Mapping
from pathlib import Path

import click


def form_of(file: Path, endings: Mapping[str, str]) -> str:
    """Return the form that the ending of a file asks for. Raises UsageError for another one, or a folder that is none."""
    form = endings.get(file.suffix.lower())
    if form is None:
        raise click.UsageError(f"-o {file}: its ending says what to write, and is one of {', '.join(endings)}.")
    if not file.parent.is_dir():
        raise click.UsageError(f"-o {file}: there is no folder {file.parent}.")
    return form


def write_all(texts: Mapping[Path, str]) -> None:
    """Write texts to files. Each is written beside its place and put there when all are; raises UsageError otherwise."""
    staged: list[tuple[str, Path]] = []
    path = Path()
    try:
        for path, text in texts.items():
            staged.append((_beside(path, text), path))
        for made, path in staged:
            Path(made).replace(path)
    except OSError as error:
        for made, _ in staged:
            with contextlib.suppress(OSError):
                Path(made).unlink(missing_ok=True)
        raise click.UsageError(f"cannot write {path}: {error.strerror}") from None


def _beside(path: Path, text: str) -> str:
    """Write a text to a new file in the folder of `path`, with the rights of the file there, or that a new one would have."""
    number, made = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with open(number, "w", encoding="utf-8", newline="\n") as file:  # noqa: PTH123 - of a descriptor
            file.write(text)
        mask = os.umask(0)
        os.umask(mask)
        Path(made).chmod(stat.S_IMODE(path.stat().st_mode) if path.is_file() else 0o666 & ~mask)
    except OSError:
        Path(made).unlink(missing_ok=True)
        raise
    return made


def write_new(path: Path, text: str) -> None:
    """Write a file that is not there yet. Raises UsageError; nothing is ever overwritten."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise click.UsageError(f"cannot write {path}: {error.strerror}") from None
