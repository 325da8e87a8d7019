"""What a process costs: wall time, CPU time of all its threads and children, and the most memory it held."""

from __future__ import annotations

import os
import statistics
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

Pick = Callable[[list[float]], float]
"""One number for many: `statistics.median`, or `min` where other work on the machine can only add."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """Seconds on the clock, seconds of CPU (user and system), and MiB of resident memory at the peak."""

    wall: float
    cpu: float
    peak_mib: float


class FailedError(RuntimeError):
    """A measured program failed; the message ends with what it said."""


def cost(command: Sequence[str | Path], *, cwd: Path, env: Mapping[str, str] | None = None) -> Cost:
    """Run a program to its end. Raises `FailedError` for any exit code but 0."""
    begun = time.perf_counter()
    with subprocess.Popen(
        command, cwd=cwd, env={**os.environ, **(env or {})}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    ) as process:
        assert process.stderr is not None
        said = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    wall = time.perf_counter() - begun
    if process.returncode:
        raise FailedError(f"{' '.join(map(str, command))}: exit {process.returncode}: {said.decode()[-2000:]}")
    return Cost(wall=wall, cpu=usage.ru_utime + usage.ru_stime, peak_mib=usage.ru_maxrss / 1024)


def summed_up(costs: Sequence[Cost], pick: Pick) -> Cost:
    """Return the median or the least of each number for itself."""
    return Cost(
        wall=pick([one.wall for one in costs]),
        cpu=pick([one.cpu for one in costs]),
        peak_mib=pick([one.peak_mib for one in costs]),
    )


def side_by_side(
    commands: Mapping[str, Sequence[str | Path]], times: int, *, cwd: Path, pick: Pick = statistics.median
) -> dict[str, Cost]:
    """Run programs in turn, so that what else the machine does meets them alike; return one cost for each."""
    costs: dict[str, list[Cost]] = {name: [] for name in commands}
    for _ in range(times):
        for name, command in commands.items():
            costs[name].append(cost(command, cwd=cwd))
    return {name: summed_up(each, pick) for name, each in costs.items()}
