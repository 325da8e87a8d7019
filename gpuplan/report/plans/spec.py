"""What differs in the spec itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from gpuplan.plan.parts import SpecChange
from gpuplan.report.plans.parts import Entries, Entry, Section
from gpuplan.report.plans.words import spec_change

NOUN: Final = ("change of the spec", "changes of the spec")


def sections(changes: Sequence[SpecChange]) -> tuple[Section, ...]:
    """Return the section of the spec's values that differ."""
    entries = tuple(Entry(text=spec_change(change)) for change in changes)
    block = Entries(title="", entries=entries)
    return (Section(title="In the spec", noun=NOUN, blocks=(block,), folded=True),) if entries else ()
