"""Kinds of change as text files: a sentence, what is written instead of what in `base.yaml`, and the plan.

    A floor shrinks.

    -- guaranteed: 64
    ++ guaranteed: 48

    => the plan in the lines of `dump`

Lines after `--` stand in the spec exactly once and are replaced by those after `++`; several lines of either go together.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gpuplan.emit.emitters import emit
from gpuplan.plan import State
from tests.build import resolved

HERE = Path(__file__).parent
CASES = sorted((HERE / "cases").glob("*.txt"))
BASE = (HERE / "base.yaml").read_text(encoding="utf-8")
MARK = "=>\n"


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of change: its sentence and edits as written, the new spec, and the plan that is expected."""

    head: str
    new: str
    expected: str


def read(path: Path) -> Kind:
    """Read a case."""
    head, _, expected = path.read_text(encoding="utf-8").partition(MARK)
    text = BASE
    for old, new in _edits(head):
        assert text.count(old) == 1, f"{path.name}: {old!r} stands {text.count(old)} times in the spec"
        text = text.replace(old, new)
    return Kind(head, text, expected)


def _edits(head: str) -> Iterator[tuple[str, str]]:
    old: list[str] = []
    new: list[str] = []
    for line in [*head.splitlines(), "-- "]:
        if line.startswith("-- "):
            if new:
                yield "\n".join(old), "\n".join(new)
                old, new = [], []
            old.append(line[3:])
        elif line.startswith("++"):
            new.append(line[3:])


@functools.lru_cache(maxsize=128)
def state(text: str, name: str = "side") -> State:
    """Compile a spec into a side of a plan. Warnings of rules do not matter here; what cannot be resolved does."""
    fleet, found = resolved(text)
    assert fleet is not None, [f"{finding.at} {finding.rule} {finding.summary}" for finding in found]
    manifests = emit(fleet, lambda _name, _number, _total: None)
    return State(name=name, manifests=manifests, fleet=fleet, written=fleet.places.plain())
