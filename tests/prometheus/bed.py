"""Real servers with data of the past: Prometheus, and what else answers its API."""

from __future__ import annotations

import contextlib
import datetime
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.controlplane.ports import PortLease
from tests.controlplane.processes import Guardian, Process

PATIENCE = 60.0
"""Seconds for a server to be ready on a busy machine."""
MINUTE = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A series that has one value, once a minute, from `start` to before `end` (seconds since 1970), but for gaps."""

    name: str
    value: float | str
    start: int
    end: int
    labels: Mapping[str, str] = field(default_factory=dict)
    every: int = MINUTE


def seconds(text: str) -> int:
    """Return a time with an offset as seconds since 1970."""
    return int(datetime.datetime.fromisoformat(text).timestamp())


def open_metrics(lines: Iterable[Line], gaps: Iterable[tuple[int, int]] = ()) -> str:
    """Return series as promtool backfills them: the samples of a name together, without those in a gap."""
    named: dict[str, list[Line]] = {}
    for line in lines:
        named.setdefault(line.name, []).append(line)
    text: list[str] = []
    for name, its in named.items():
        text.append(f"# TYPE {name} gauge")
        for line in its:
            labels = ",".join(f'{key}="{value}"' for key, value in line.labels.items())
            text += (
                f"{name}{{{labels}}} {line.value} {at}"
                for at in range(line.start, line.end, line.every)
                if not any(start <= at < end for start, end in gaps)
            )
    return "\n".join([*text, "# EOF", ""])


def backfilled(promtool: Path, text: str, folder: Path) -> Path:
    """Write blocks that hold a text's samples; the folder is then a Prometheus' data."""
    folder.mkdir(parents=True)
    source = folder.parent / f"{folder.name}.om"
    source.write_text(text, encoding="utf-8")
    write_blocks(promtool, source, folder, "--max-block-duration=48h")
    return folder


def write_blocks(promtool: Path, source: Path, data: Path, *flags: str) -> None:
    """Write the samples of an OpenMetrics file as blocks into a Prometheus' data."""
    command: list[str | Path] = [promtool, "tsdb", "create-blocks-from", *flags, "openmetrics", "--quiet", source, data]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def is_ready(url: str) -> bool:
    """Tell whether a server answers with 200."""
    try:
        with urllib.request.urlopen(url, timeout=2) as response:
            return bool(response.status == 200)
    except (urllib.error.URLError, OSError):
        return False


class Bed:
    """Servers of one test session, each on a port of its own; all end with it."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self._ports = PortLease()
        self._guardian = Guardian(folder)

    def close(self) -> None:
        """End all servers."""
        self._guardian.close()
        self._ports.close()

    def port(self) -> int:
        """Return a free port of 127.0.0.1."""
        return self._ports.take()

    def start(self, *command: str | Path, ready: str, name: str) -> Process:
        """Start a program and wait until the address `ready` answers."""
        process = Process(command, log=self.folder / f"{name}.log", group=self._guardian.group)
        process.wait_until(lambda: is_ready(ready), PATIENCE, what="is ready")
        return process

    def prometheus(self, binary: Path, data: Path, *, name: str, more: Iterable[str] = (), config: str = "{}\n") -> str:
        """Start a Prometheus over blocks of the past, and return its address."""
        port = self.port()
        file = self.folder / f"{name}.yml"
        file.write_text(config, encoding="utf-8")
        self.start(
            binary,
            f"--config.file={file}",
            f"--storage.tsdb.path={data}",
            "--storage.tsdb.retention.time=100y",
            f"--web.listen-address=127.0.0.1:{port}",
            *more,
            ready=f"http://127.0.0.1:{port}/-/ready",
            name=name,
        )
        return f"http://127.0.0.1:{port}"


@contextlib.contextmanager
def bed(folder: Path) -> Iterator[Bed]:
    """Give a bed whose servers end with the block."""
    made = Bed(folder)
    try:
        yield made
    finally:
        made.close()
