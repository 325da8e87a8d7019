"""(g) `gpuplan lint` of fifty thousand objects beside kubeconform on the same files, once with a file for each and once with ten.

kubeconform validates each object by its schema, of those kinds that have one here; lint finds out besides what objects mean for
each other. Where the time goes is measured in a process of its own.
"""

from __future__ import annotations

import gc
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from bench import manifests
from bench.growth import IN_MEMORY, ROOT
from bench.measure import side_by_side
from bench.report import Line
from gpuplan.inventory.assumed import Assumed
from gpuplan.inventory.grouping import inventories
from gpuplan.inventory.reading.read import read_paths
from gpuplan.lint import judged
from tests.controlplane.toolchain import tool_path

TIMES = 3
MOST_OF_KUBECONFORM = 1.0
"""Wall time of lint to that of kubeconform."""
SCHEMAS = (
    "{{.ResourceKind}}-{{.Group}}-{{.ResourceAPIVersion}}.json",
    "{{.ResourceKind}}-{{.ResourceAPIVersion}}.json",
)
"""Names of schemas of kinds in a group, and of the core's."""


def lines() -> Iterator[Line]:
    """Measure both layouts."""
    with tempfile.TemporaryDirectory(dir=IN_MEMORY if IN_MEMORY.is_dir() else None) as scratch:
        for objects_a_file in (1, 10):
            folder = Path(scratch) / f"by-{objects_a_file}"
            count = manifests.write(folder, objects_a_file)
            yield Line(f"{count:,} objects, {objects_a_file} a file", "")
            yield from _compared(folder)
        yield from _parts(folder)


def _compared(folder: Path) -> Iterator[Line]:
    locations = [word for name in SCHEMAS for word in ("-schema-location", f"{ROOT}/schemas/kubernetes/{name}")]
    commands: dict[str, list[str | Path]] = {
        "gpuplan lint": [sys.executable, "-m", "gpuplan", "lint", folder],
        "kubeconform": [tool_path("kubeconform"), "-ignore-missing-schemas", *locations, folder],
    }
    costs = side_by_side(commands, TIMES, cwd=ROOT, pick=min)
    for name, one in costs.items():
        yield Line(f"  {name}", f"{one.wall:.2f} s wall  {one.cpu:.2f} s CPU  {one.peak_mib:,.0f} MiB")
    ratio = costs["gpuplan lint"].wall / costs["kubeconform"].wall
    yield Line(
        "  lint to kubeconform", f"{ratio:.2f} wall", f"at most {MOST_OF_KUBECONFORM:.0f}", ratio <= MOST_OF_KUBECONFORM
    )


def _parts(folder: Path) -> Iterator[Line]:
    done = subprocess.run(
        [sys.executable, "-m", "bench.lint", folder], cwd=ROOT, capture_output=True, text=True, check=True
    )
    for name, seconds in json.loads(done.stdout).items():
        yield Line(f"  of lint: {name}", f"{seconds:.2f} s wall")


def phases(folder: Path) -> dict[str, float]:
    """Return the seconds of each phase of lint."""
    gc.disable()
    begun = time.perf_counter()
    read = read_paths([folder])
    has_read = time.perf_counter()
    grouped = inventories(read.objects, read.configs, Assumed())
    has_grouped = time.perf_counter()
    for inventory in grouped.values():
        judged(inventory)
    ended = time.perf_counter()
    return {"read": has_read - begun, "by cluster": has_grouped - has_read, "rules": ended - has_grouped}


if __name__ == "__main__":
    print(json.dumps(phases(Path(sys.argv[1]))))
