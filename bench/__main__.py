"""Ratios of speed and memory, all from one run: `python -m bench`.

CPU seconds where a machine may be busy, wall seconds where a person waits. Figures are the least of several runs.
"""

from __future__ import annotations

import json
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from bench.fleet import FULL, Size
from tests.controlplane.test_rendered_tools import TEMPLATES
from tests.controlplane.toolchain import tool_path

RUNS = 5
STARTS = 20
HALF = Size(clusters=FULL.clusters // 2, pools=FULL.pools, teams=FULL.teams)
GPUPLAN = [sys.executable, "-m", "gpuplan"]
COMPILING = ("source", "spec", "resolve", "rules", "emit", "validate", "text")
"""Phases up to the bytes of every file; writing them is the file system's."""


def run(command: Sequence[str]) -> tuple[float, float]:
    """Run a command to its end; its wall and CPU seconds."""
    before, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return time.perf_counter() - wall, cpu


def best(command: Sequence[str], runs: int, choose: Callable[[list[float]], float] = min) -> tuple[float, float]:
    """Run a command several times; its least (or otherwise chosen) wall and CPU seconds."""
    walls, cpus = zip(*(run(command) for _ in range(runs)), strict=True)
    return choose(list(walls)), choose(list(cpus))


def example() -> None:
    """Compare `render --check` on the example with kubeconform on the same tree."""
    wall, cpu = best([*GPUPLAN, "render", "--check"], RUNS)
    print(f"(a) example: gpuplan render --check   {wall:6.2f} s wall, {cpu:5.2f} s CPU (target: under 1 s wall)")
    kubeconform = tool_path("kubeconform")
    if not kubeconform.exists():
        print("    kubeconform is not built: run `make tools` for the ratio")
        return
    locations = [word for name in TEMPLATES for word in ("-schema-location", f"schemas/kubernetes/{name}")]
    command = [str(kubeconform), "-strict", *locations, "rendered/clusters", "rendered/argocd"]
    peer_wall, peer_cpu = best(command, RUNS)
    print(f"    example: kubeconform, schemas only {peer_wall:6.2f} s wall, {peer_cpu:5.2f} s CPU")
    print(f"    ratio, everything against schemas  {wall / peer_wall:6.1f} in wall time, {cpu / peer_cpu:.1f} in CPU")


def compiled(size: Size) -> dict[str, Any]:
    """Compile a generated fleet in a process of its own."""
    command = [sys.executable, "-m", "bench.compile", str(size.clusters), str(size.pools), str(size.teams)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def large() -> None:
    """Compile the large fleet and half of it, and compare their growth."""
    half, full = compiled(HALF), compiled(FULL)
    for size, made in ((HALF, half), (FULL, full)):
        spent = sum(made["seconds"][phase] for phase in COMPILING)
        phases = ", ".join(f"{phase} {seconds:.1f}" for phase, seconds in made["seconds"].items())
        print(f"(b) {size}: {made['objects']:,} objects, {made['bytes'] / 2**20:.0f} MiB of YAML")
        print(
            f"    {made['objects'] / spent:,.0f} objects/s a core, {made['peak_mib']:,.0f} MiB peak   CPU s: {phases}"
        )
    grown = sum(full["seconds"][phase] for phase in COMPILING) / sum(half["seconds"][phase] for phase in COMPILING)
    print(f"    growth: {full['objects'] / half['objects']:.2f} times the objects in {grown:.2f} times the time")
    print("    targets: 3,000 objects/s, under 1,536 MiB, growth alike")


def start_up() -> None:
    """Compare `gpuplan --version` with an interpreter that does nothing."""
    wall, cpu = best([str(Path(sys.executable).parent / "gpuplan"), "--version"], STARTS, statistics.median)
    bare_wall, bare_cpu = best([sys.executable, "-c", "pass"], STARTS, statistics.median)
    over = f"{(wall - bare_wall) * 1000:.0f} ms wall, {(cpu - bare_cpu) * 1000:.0f} ms CPU"
    print(f"(c) gpuplan --version: {over} over `python -c pass` at {bare_wall * 1000:.0f} ms (target: under 120 ms)")


def main() -> None:
    """Run all three."""
    example()
    start_up()
    large()


if __name__ == "__main__":
    main()
