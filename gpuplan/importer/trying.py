"""The drafted spec taken through the arrow, as `check` and `render` would, without a folder."""

from __future__ import annotations

import datetime
from dataclasses import dataclass

from gpuplan import catalog, pipeline, rules
from gpuplan.diagnostics import Diagnostics, has_errors, ordered
from gpuplan.manifests.set import ManifestSet
from gpuplan.model.fleet import Fleet
from gpuplan.resolve import resolve
from gpuplan.source.yamltext import parse_text
from gpuplan.spec.load import load


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """The fleet and what it renders to, None where it has errors, and every finding."""

    fleet: Fleet | None
    manifests: ManifestSet | None
    findings: Diagnostics


def tried(text: str, file: str, today: datetime.date) -> Tried:
    """Compile the text of a draft; `file` is its name in findings."""
    parsed = parse_text(file, text)
    if not parsed.documents:
        return Tried(fleet=None, manifests=None, findings=parsed.findings)
    loaded, misshapen = load(parsed.documents)
    found = [*parsed.findings, *misshapen]
    if loaded is None:
        return Tried(fleet=None, manifests=None, findings=ordered(found))
    fleet, unbound = resolve(loaded, catalog.load(), today)
    found += unbound
    if fleet is None or has_errors(found):
        return Tried(fleet=None, manifests=None, findings=ordered(found))
    found += rules.check(fleet)
    if has_errors(found):
        return Tried(fleet=fleet, manifests=None, findings=ordered(found))
    manifests, faults = pipeline.render(fleet)
    return Tried(fleet=fleet, manifests=manifests, findings=ordered((*found, *faults)))
