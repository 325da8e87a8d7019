"""(f) A change of one line in the large fleet: the render after it and the plan of it, each beside a render of everything.

All are commands as somebody types them, start-up included. Before each one the tree and what is remembered of it are those of the
fleet before the change. CPU is what is compared: a render of everything takes several processes where it has several cores.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from bench import fleet
from bench.growth import IN_MEMORY
from bench.measure import Cost, cost, summed_up
from bench.report import Line

GPUPLAN = Path(sys.executable).with_name("gpuplan")
TIMES = 3
MOST = 0.2
"""Part of a render of everything that a change of one line may cost."""
FILE, BEFORE, AFTER = "teams/team-007.yaml", '"guaranteed": 8', '"guaranteed": 9'


def lines() -> Iterator[Line]:
    """Run each of them in turn, several times; the least of each is what it costs."""
    with tempfile.TemporaryDirectory(dir=IN_MEMORY if IN_MEMORY.is_dir() else None) as scratch:
        site = Site(Path(scratch))
        runs: dict[str, list[Cost]] = {}
        for _ in range(TIMES):
            for name, options in (
                ("all", ["--no-cache", "--jobs", "1"]),
                ("all, parallel", ["--no-cache"]),
                ("change", []),
            ):
                site.reset()
                runs.setdefault(name, []).append(site.run("render", "--out", "rendered", *options))
            runs.setdefault("plan", []).append(site.run("plan", "--base", "before", "--output-format", "json"))
    costs = {name: summed_up(own, min) for name, own in runs.items()}
    whole = costs["all"]
    yield Line(f"render all of {fleet.FULL}, one process", _said(whole))
    yield Line("  as many processes as cores", _said(costs["all, parallel"]))
    for name, title in (("change", "render after a change of one line"), ("plan", "plan of it")):
        ratio = costs[name].cpu / whole.cpu
        yield Line(title, _said(costs[name]))
        yield Line("  to all, CPU", f"{ratio:.0%}", f"at most {MOST:.0%}", ratio <= MOST)
        yield Line("  to all, wall", f"{costs[name].wall / whole.wall:.0%}")


class Site:
    """A folder with the fleet before and after the change, its output, and a cache of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        fleet.write(fleet.FULL, folder / "before")
        fleet.write(fleet.FULL, folder / "fleet")
        self.file = folder / "fleet" / FILE
        self.old = self.file.read_text(encoding="utf-8")
        self.new = self.old.replace(BEFORE, AFTER, 1)

    def reset(self) -> None:
        """Bring output and cache to the fleet before the change, then change it."""
        self.file.write_text(self.old, encoding="utf-8")
        self.run("render", "--out", "rendered")
        self.run("render", "--out", "rendered")  # what was written a moment ago is read once more
        self.file.write_text(self.new, encoding="utf-8")

    def run(self, *arguments: str) -> Cost:
        """Run gpuplan."""
        return cost([GPUPLAN, *arguments], cwd=self.folder, env={"XDG_CACHE_HOME": str(self.folder / "cache")})


def _said(measured: Cost) -> str:
    return f"{measured.wall:.2f} s wall  {measured.cpu:.2f} s CPU"
