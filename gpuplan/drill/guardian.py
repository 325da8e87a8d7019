"""The guardian: a small process of its own session that takes a drill back when the process that runs the drill has died.

It holds the reading end of a pipe. Where the pipe ends without the word that all is done, its writer is dead.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

DONE = "done"
READY = "ready"
START_SECONDS = 60.0
"""A program that is imported on a busy machine."""
END_SECONDS = 10.0
LATE_SECONDS = 1.0
"""How much later than its sender's death a request may arrive."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Guardian:
    """The process as its drill sees it."""

    process: subprocess.Popen[bytes]

    @property
    def alive(self) -> bool:
        """Whether it could still take the drill back."""
        return self.process.poll() is None

    def dismiss(self) -> None:
        """Say that there is nothing to take back any more, and wait for its end."""
        with contextlib.suppress(OSError):
            _input(self.process).write(f"{DONE}\n".encode())
            _input(self.process).close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(END_SECONDS)


def start(drill: str, kubeconfig: Path | None, context: str) -> Guardian | str:
    """Start the guardian of a drill, and wait until it watches. Return why it does not, in its own words."""
    where = [*(("--kubeconfig", str(kubeconfig)) if kubeconfig else ()), *(("--context", context) if context else ())]
    command = [sys.executable, "-m", "gpuplan", "drill", "guard", "--drill", drill, *where]
    process = subprocess.Popen(  # noqa: S603 - this program itself
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    )
    out = _output(process)
    heard, _, _ = select.select([out], [], [], START_SECONDS)
    if heard and out.readline().decode().strip() == READY:
        return Guardian(process=process)
    process.kill()
    process.wait()
    return "the guardian of the drill does not start"


def watch(lines: Iterable[str]) -> bool:
    """Wait for the end of the pipe; return whether the drill said that all is done."""
    return any(line.strip() == DONE for line in lines)


@contextlib.contextmanager
def undisturbed() -> Iterator[None]:
    """Be ended by nothing that is meant for the drill: a closed terminal, or a service manager that stops its group."""
    held = (signal.SIGINT, signal.SIGHUP, signal.SIGTERM)
    before = [signal.signal(one, signal.SIG_IGN) for one in held]
    try:
        yield
    finally:
        for one, handler in zip(held, before, strict=True):
            signal.signal(one, handler)


def name() -> str:
    """Return where a drill runs, for people: machine and process."""
    return f"{os.uname().nodename}:{os.getpid()}"


def _input(process: subprocess.Popen[bytes]) -> IO[bytes]:
    if process.stdin is None:
        raise AssertionError("it is started with a pipe")
    return process.stdin


def _output(process: subprocess.Popen[bytes]) -> IO[bytes]:
    if process.stdout is None:
        raise AssertionError("it is started with a pipe")
    return process.stdout
