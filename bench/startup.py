"""(c) Start-up: `gpuplan --version` beside a Python that does nothing."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from bench.measure import side_by_side
from bench.report import Line

TIMES = 20
MOST_MILLISECONDS = 120


def lines() -> Iterator[Line]:
    """Start each of them in turn, many times."""
    commands: dict[str, list[str | Path]] = {
        "python": [sys.executable, "-c", "pass"],
        "gpuplan": [Path(sys.executable).with_name("gpuplan"), "--version"],
    }
    costs = side_by_side(commands, TIMES, cwd=Path(__file__).parent)
    for name, command in (("python", "python -c pass"), ("gpuplan", "gpuplan --version")):
        one = costs[name]
        yield Line(command, f"{one.wall * 1000:.0f} ms wall  {one.cpu * 1000:.0f} ms CPU")
    wall, cpu = ((getattr(costs["gpuplan"], kind) - getattr(costs["python"], kind)) * 1000 for kind in ("wall", "cpu"))
    target = f"under {MOST_MILLISECONDS} ms over bare Python"
    yield Line("difference", f"{wall:.0f} ms wall  {cpu:.0f} ms CPU", target, cpu < MOST_MILLISECONDS)
    yield Line("ratio", f"{costs['gpuplan'].wall / costs['python'].wall:.1f} wall")
