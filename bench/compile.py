"""Compile one generated fleet in a process of its own and print what each phase cost, as JSON.

`python -m bench.compile CLUSTERS POOLS TEAMS`
"""

from __future__ import annotations

import datetime
import gc
import json
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from bench.fleet import Size, write
from gpuplan import __version__, catalog, rules
from gpuplan.emit.emitters import emit
from gpuplan.output import check_tree, rendered_files, write_tree
from gpuplan.resolve import resolve
from gpuplan.source.folder import read_fleet
from gpuplan.spec.load import load
from gpuplan.validate import validate

T = TypeVar("T")
TODAY = datetime.date(2026, 11, 30)


class Clock:
    """CPU seconds of this process, phase by phase."""

    def __init__(self) -> None:
        self.phases: dict[str, float] = {}

    def run(self, phase: str, work: Callable[[], T]) -> T:
        """Do the work and note what it cost."""
        before = time.process_time()
        done = work()
        self.phases[phase] = time.process_time() - before
        return done


def measure(size: Size, folder: Path) -> dict[str, object]:
    """Return the phases' CPU seconds, the objects and bytes made, and the peak memory."""
    write(size, folder / "fleet")
    clock = Clock()
    known = catalog.load()
    documents, unreadable = clock.run("source", lambda: read_fleet(folder / "fleet"))
    loaded, misshapen = clock.run("spec", lambda: load(documents or ()))
    if loaded is None:
        raise SystemExit([str(finding) for finding in (*unreadable, *misshapen)][:3])
    fleet, unbound = clock.run("resolve", lambda: resolve(loaded, known, TODAY))
    if fleet is None:
        raise SystemExit([str(finding) for finding in unbound][:3])
    found = clock.run("rules", lambda: rules.check(fleet))
    errors = [finding for finding in found if finding.severity.value == "error"]
    if errors:
        raise SystemExit(f"the generated fleet has errors: {errors[0].summary}")
    manifests = clock.run("emit", lambda: emit(fleet, lambda *_: None))
    faults = clock.run("validate", lambda: validate(manifests))
    files = clock.run("text", lambda: tuple(rendered_files(manifests, str(folder / "fleet"))))
    clock.run("write", lambda: write_tree(folder / "rendered", files, version=__version__))
    clock.run("check", lambda: check_tree(folder / "rendered", files, version=__version__))
    return {
        "objects": len(manifests),
        "files": len(files),
        "bytes": sum(len(file.content) for file in files),
        "findings": len(found),
        "faults": len(faults),
        "seconds": clock.phases,
        "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def main(arguments: list[str]) -> None:
    """Measure one size and print it."""
    gc.disable()  # as the command line does
    clusters, pools, teams = map(int, arguments)
    with tempfile.TemporaryDirectory(prefix="gpuplan-bench-") as folder:
        print(json.dumps(measure(Size(clusters=clusters, pools=pools, teams=teams), Path(folder))))


if __name__ == "__main__":
    main(sys.argv[1:])
