"""Spellings that still work and have a newer form: said with the command that rewrites them."""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic
from gpuplan.rulebook import FORMER_IDS
from gpuplan.spec import findings
from gpuplan.spec.fleet import FleetSpec
from gpuplan.spec.merge import Origins


def former_ids(spec: FleetSpec, origins: Origins) -> Iterator[Diagnostic]:
    """Yield a warning for each suppression that names a rule by an id it no longer has."""
    for index, said in enumerate(spec.suppress):
        now = FORMER_IDS.get(said.rule)
        if now is not None:
            yield findings.FORMER_ID.found(
                f"`{said.rule}` is `{now}` now",
                at=origins.value(("suppress", index, "rule")),
                fix=f"Run `gpuplan migrate`, or write `{now}`.",
            )
