"""One run of the whole arrow in this process, phase by phase: `python -m bench.phases FLEET OUT` prints JSON.

The phases are those of `gpuplan.pipeline`, called one by one; like the command line, the run does without the collector.
"""

from __future__ import annotations

import datetime
import gc
import json
import resource
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gpuplan import catalog, rules
from gpuplan.diagnostics import has_errors
from gpuplan.emit.emitters import emit
from gpuplan.output import rendered_files, write_tree
from gpuplan.pipeline import silent
from gpuplan.resolve import resolve
from gpuplan.rules import suppress
from gpuplan.source.folder import read_fleet
from gpuplan.spec.load import load
from gpuplan.validate import validate

TODAY = datetime.date(2026, 11, 30)
PHASES = ("source", "spec", "resolve", "rules", "emit", "validate", "text", "write")


class Clock:
    """Wall and CPU seconds of each phase."""

    def __init__(self) -> None:
        self.phases: dict[str, dict[str, float]] = {}

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Time what happens inside."""
        wall, cpu = time.perf_counter(), time.process_time()
        yield
        self.phases[name] = {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}


def run(fleet_dir: Path, out_dir: Path) -> dict[str, object]:
    """Compile and write a fleet; return the seconds of each phase, the objects, and the peak of memory in MiB."""
    clock = Clock()
    with clock.phase("source"):
        documents, unreadable = read_fleet(fleet_dir)
    assert documents, unreadable
    with clock.phase("spec"):
        loaded, misshapen = load(documents)
    assert loaded, misshapen
    with clock.phase("resolve"):
        fleet, unbound = resolve(loaded, catalog.load(), TODAY)
    assert fleet, unbound
    with clock.phase("rules"):
        found = suppress.apply(rules.check(fleet), fleet.suppressions, fleet.places, TODAY)
    assert not has_errors(found), found
    with clock.phase("emit"):
        manifests = emit(fleet, silent)
    with clock.phase("validate"):
        faults = validate(manifests)
    assert not faults, faults
    with clock.phase("text"):
        files = tuple(rendered_files(manifests, str(fleet_dir)))
    with clock.phase("write"):
        report, problems = write_tree(out_dir, files, version="bench")
    assert report, problems
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"phases": clock.phases, "objects": len(manifests), "peakMiB": peak}


if __name__ == "__main__":
    gc.disable()
    print(json.dumps(run(Path(sys.argv[1]), Path(sys.argv[2]))))
