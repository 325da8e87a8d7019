"""Start programs, show their logs when something is wrong, and leave none behind, however the tests end."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from tests.controlplane.waiting import wait_for

TAIL_LINES = 40


class ProcessDiedError(RuntimeError):
    """A program ended while it was needed; the message shows the end of its log."""


class Guardian:
    """Ends every program of one control plane when the tests die without stopping it.

    It is a shell that leads the process group of the programs and reads from a pipe that we hold. When this process
    ends, by whatever signal, the pipe closes, and the shell ends the group, itself included. (The kernel's parent
    death signal would not do: it follows the thread that started the program, not the process.)
    """

    def __init__(self, folder: Path) -> None:
        script = 'cat >/dev/null; trap "" TERM; kill -TERM 0; sleep 0.5; rm -rf -- "$1"; kill -KILL 0'
        self._shell = subprocess.Popen(
            ["/bin/sh", "-c", script, "guardian", str(folder)], stdin=subprocess.PIPE, process_group=0
        )

    @property
    def group(self) -> int:
        """The process group that the programs join."""
        return self._shell.pid

    def close(self) -> None:
        """End the shell and whatever is left in the group."""
        if self._shell.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.group, signal.SIGKILL)
        if self._shell.stdin is not None:
            self._shell.stdin.close()
        self._shell.wait(timeout=10)


class Process:
    """One running program with its log file."""

    def __init__(
        self, command: Sequence[str | Path], *, log: Path, group: int, environment: Mapping[str, str] | None = None
    ) -> None:
        self.name = Path(command[0]).name
        self.log = log
        with log.open("ab") as output:
            self._process = subprocess.Popen(
                [str(part) for part in command],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=os.environ | dict(environment or {}),
                process_group=group,
            )

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    @property
    def running(self) -> bool:
        """Tell whether the program still runs."""
        return self._process.poll() is None

    def tail(self, lines: int = TAIL_LINES) -> str:
        """Return the end of the log under a heading."""
        text = self.log.read_text(encoding="utf-8", errors="replace")
        return f"--- {self.name}, the end of {self.log} ---\n" + "\n".join(text.splitlines()[-lines:])

    def require_running(self) -> None:
        """Raise `ProcessDiedError`, with the end of the log, when the program has ended."""
        if not self.running:
            raise ProcessDiedError(f"{self.name} ended with status {self._process.returncode}\n{self.tail()}")

    def wait_until(self, ready: Callable[[], object], timeout: float, *, what: str) -> None:
        """Wait until `ready` holds. Raises `WaitTimeoutError` or `ProcessDiedError`, both with the end of the log."""
        wait_for(ready, timeout, what=f"{self.name} {what}", alive=self.require_running, evidence=self.tail)

    def resident_bytes(self) -> int:
        """Return the memory that the program holds now, in bytes; 0 when it has ended."""
        with contextlib.suppress(OSError):
            pages = int(Path(f"/proc/{self.pid}/statm").read_text(encoding="ascii").split()[1])
            return pages * os.sysconf("SC_PAGE_SIZE")
        return 0

    def ask_to_stop(self) -> None:
        """Send SIGTERM, and return at once."""
        if self.running:
            self._process.terminate()

    def stop(self, patience: float) -> None:
        """End the program: SIGTERM, `patience` seconds, SIGKILL. Returns when it is gone."""
        self.ask_to_stop()
        try:
            self._process.wait(timeout=patience)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait(timeout=10)


def stop_together(processes: Iterable[Process], patience: float) -> None:
    """Ask all programs to stop before waiting for the first, so that their patience is shared."""
    stopping = list(processes)
    for process in stopping:
        process.ask_to_stop()
    for process in stopping:
        process.stop(patience)
