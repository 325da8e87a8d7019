"""(b) A large generated fleet, whole and at half its size: throughput, memory, and whether the time grows as the objects do."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from bench import fleet
from bench.fleet import Size
from bench.phases import PHASES
from bench.report import Line

ROOT = Path(__file__).parents[1]
TIMES = 3
LEAST_OBJECTS_A_SECOND = 3000
MOST_MIB = 1500
IN_MEMORY = Path("/dev/shm")
"""Where the output goes if there is room: on a disk, making a file takes ten times longer at one moment than at another."""
STEEPEST = 1.15
"""CPU seconds an object at full size to those at half size; 1 is linear."""


@dataclass(frozen=True, slots=True)
class Run:
    """What one run of the whole arrow cost."""

    objects: int
    peak_mib: float
    wall: dict[str, float]
    cpu: dict[str, float]

    @property
    def seconds_an_object(self) -> float:
        """CPU seconds of all phases for one object."""
        return sum(self.cpu.values()) / self.objects


def measured(size: Size) -> Run:
    """Write a fleet and compile it in a process of its own."""
    with tempfile.TemporaryDirectory(dir=IN_MEMORY if IN_MEMORY.is_dir() else None) as scratch:
        spec, out = Path(scratch, "fleet"), Path(scratch, "rendered")
        fleet.write(size, spec)
        command = [sys.executable, "-m", "bench.phases", str(spec), str(out)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    said = json.loads(done.stdout)
    seconds = {kind: {name: said["phases"][name][kind] for name in PHASES} for kind in ("wall", "cpu")}
    return Run(said["objects"], said["peakMiB"], seconds["wall"], seconds["cpu"])


def quietest(sizes: Iterable[Size]) -> dict[Size, Run]:
    """Measure sizes in turn, several times, and return the cheapest run of each: the one that was disturbed least."""
    runs: dict[Size, list[Run]] = {size: [] for size in sizes}
    for _ in range(TIMES):
        for size, own in runs.items():
            own.append(measured(size))
    return {size: min(own, key=lambda run: run.seconds_an_object) for size, own in runs.items()}


def lines() -> Iterator[Line]:
    """Measure the full size and two halves."""
    halves = (fleet.FEWER_CLUSTERS, fleet.FEWER_TEAMS)
    runs = quietest((fleet.FULL, *halves))
    full = runs[fleet.FULL]
    yield Line(str(fleet.FULL), f"{full.objects:,} objects")
    for name in PHASES:
        yield Line(f"  {name}", f"{full.wall[name]:.2f} s wall  {full.cpu[name]:.2f} s CPU")
    wall, cpu = sum(full.wall.values()), sum(full.cpu.values())
    yield Line("  all", f"{wall:.2f} s wall  {cpu:.2f} s CPU")
    rate = full.objects / cpu
    fast = rate >= LEAST_OBJECTS_A_SECOND
    yield Line(
        "objects a second and core", f"{rate:,.0f}", f"at least {LEAST_OBJECTS_A_SECOND:,}, with validation", fast
    )
    yield Line("  without writing files", f"{full.objects / (cpu - full.cpu['write']):,.0f}")
    yield Line("memory at the peak", f"{full.peak_mib:,.0f} MiB", f"under {MOST_MIB:,} MiB", full.peak_mib < MOST_MIB)
    for size in halves:
        half = runs[size]
        ratio = full.seconds_an_object / half.seconds_an_object
        yield Line(f"{size}: {half.objects:,} objects", f"{1 / half.seconds_an_object:,.0f} objects/s")
        yield Line(
            "  time an object, full to this", f"{ratio:.2f}", f"at most {STEEPEST}; 1 is linear", ratio <= STEEPEST
        )
        yield Line("  memory an object, full to this", f"{_memory(full) / _memory(half):.2f}")


def _memory(run: Run) -> float:
    return run.peak_mib / run.objects
