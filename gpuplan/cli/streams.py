"""Standard output and standard error as a command wants them: present, able to hold any text, and silent when a reader goes."""

from __future__ import annotations

import errno
import io
import os
import sys
from pathlib import Path
from typing import Any, TextIO


class OutputError(Exception):
    """The system refused what we wrote to standard output, for example since the disk is full."""


class _Pipe(io.FileIO):
    """A pipe or file behind a standard stream.

    A reader that has gone (`| head -1`) has seen what it wanted: the rest is dropped and the exit code stays what it is.
    """

    def __init__(self, fd: int, *, is_result: bool) -> None:
        super().__init__(fd, "wb", closefd=False)
        self._is_result = is_result
        self._refused = False

    def write(self, data: Any) -> int:
        """Write, or drop what nobody will read. Raises OutputError once where a result gets lost."""
        try:
            if not self._refused:
                return super().write(data)
        except OSError as error:
            if self._is_result and error.errno != errno.EPIPE:
                self._refused = True
                raise OutputError(error.strerror) from None
        return memoryview(data).nbytes


def prepare() -> None:
    """Make `sys.stdout` and `sys.stderr` fit for use."""
    sys.stdout = _prepared(sys.stdout, is_result=True)
    sys.stderr = _prepared(sys.stderr, is_result=False)


def _prepared(stream: TextIO | None, *, is_result: bool) -> TextIO:
    if stream is None:  # closed by the caller: `gpuplan check >&-`
        return Path(os.devnull).open("w", encoding="utf-8")
    if not isinstance(stream, io.TextIOWrapper):
        return stream
    stream.flush()
    if stream.isatty():
        stream.reconfigure(errors="backslashreplace")  # a terminal without UTF-8 is no reason to fail
        return stream
    pipe = io.BufferedWriter(_Pipe(stream.fileno(), is_result=is_result))
    return io.TextIOWrapper(pipe, encoding=stream.encoding, errors="backslashreplace", line_buffering=not is_result)
