"""Two states of a small fleet, from spec text: what a change of a line does."""

from __future__ import annotations

import functools

from gpuplan.emit.emitters import emit
from gpuplan.plan import Comparison, State, compare_states
from gpuplan.plan.effects import effects_of
from gpuplan.plan.live import NOBODY_LOOKED, Live
from gpuplan.plan.parts import Effect
from tests.build import fleet


@functools.lru_cache(maxsize=256)
def state(text: str) -> State:
    """Compile a spec that has nothing wrong into a side of a plan."""
    made = fleet(text)
    return State(
        name="side",
        manifests=emit(made, lambda _name, _number, _total: None),
        fleet=made,
        written=made.places.plain(),
    )


def comparison(old: str, new: str, live: Live = NOBODY_LOOKED) -> Comparison:
    """Compare two specs."""
    return compare_states(state(old), state(new), live)


def effects(old: str, new: str, live: Live = NOBODY_LOOKED) -> tuple[Effect, ...]:
    """Return what the change from one spec to another does."""
    return effects_of(comparison(old, new, live))


def edited(text: str, *edits: tuple[str, str]) -> str:
    """Replace pieces of a spec, each of which must stand there exactly once."""
    for old, new in edits:
        assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in the spec"
        text = text.replace(old, new)
    return text
