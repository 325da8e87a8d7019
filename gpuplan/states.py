"""The sides of a plan, read from where they are: a spec's folder, or a rendered tree."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from gpuplan import pipeline
from gpuplan.diagnostics import Diagnostics, Origin, Span, has_errors
from gpuplan.manifests.set import HUB_AREA, Manifest, ManifestSet, TextFile
from gpuplan.model.fleet import Fleet
from gpuplan.output.index import INDEX_FILE
from gpuplan.plan import State
from gpuplan.source.objects import read_object


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """A side, unless too much is wrong with it, and every finding."""

    state: State | None
    findings: Diagnostics


def of_spec(name: str, folder: Path, today: datetime.date, texts: pipeline.Texts = pipeline.no_texts) -> Side:
    """Check and compile the spec in a folder. A spec with errors has no state."""
    checked = pipeline.check(folder, today)
    if checked.fleet is None or not checked.ok:
        return Side(state=None, findings=checked.findings)
    manifests, faults = pipeline.render(checked.fleet, texts=texts)
    found = (*checked.findings, *faults)
    return Side(state=None if has_errors(found) else of_fleet(name, checked.fleet, manifests), findings=found)


def of_fleet(name: str, fleet: Fleet, manifests: ManifestSet) -> State:
    """Return the state of a resolved fleet."""
    return State(name=name, manifests=manifests, fleet=fleet, written=fleet.places.plain())
