"""How far a long run is: a bar on a terminal, else a line now and then."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from typing import TextIO

PAUSE = 15.0
"""Seconds between two lines where nobody looks at a terminal, and before the first: what is quick says nothing."""

Tell = Callable[[int, str], None]
"""Takes how many of the steps are done, and what is done now."""


@contextlib.contextmanager
def progress(stream: TextIO, total: int) -> Iterator[Tell]:
    """Give a function that shows progress on a stream, and take a bar away at the end, also after Ctrl-C."""
    if stream.isatty():
        with _bar(stream, total) as tell:
            yield tell
    else:
        yield _lines(stream, total)


@contextlib.contextmanager
def _bar(stream: TextIO, total: int) -> Iterator[Tell]:
    from rich.console import Console  # noqa: PLC0415 - only for who looks
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn  # noqa: PLC0415

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(file=stream), transient=True) as shown:
        task = shown.add_task("", total=total)
        yield lambda done, what: shown.update(task, completed=done, description=what)


def _lines(stream: TextIO, total: int) -> Tell:
    last = time.monotonic()

    def tell(done: int, what: str) -> None:
        nonlocal last
        if time.monotonic() - last >= PAUSE:
            last = time.monotonic()
            stream.write(f"{what} ({done} of {total})\n")
            stream.flush()

    return tell
