"""Guard rails that go from off to deny: a time of warnings in between shows who would be refused."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gpuplan.model.fleet import Enforcement, Fleet
from gpuplan.plan.comparison import Comparison
from gpuplan.plan.parts import Edit, Effect, Rollout, Step
from gpuplan.plan.rollout.holding import merge

RAILS = {
    "queueRequired": "queue_required",
    "producedResources": "produced_resources",
    "statefulServing": "stateful_serving",
}
"""Key in the spec -> field of the resolved guard rails."""


def layout(comparison: Comparison, _effects: Sequence[Effect]) -> Iterator[Rollout]:
    """Yield a rollout where guard rails that were off would refuse work at once."""
    old, new = comparison.old.fleet, comparison.new.fleet
    if old is None or new is None:
        return
    jumped = [key for key in RAILS if _of(old, key) is Enforcement.OFF and _of(new, key) is Enforcement.DENY]
    if jumped:
        edits = tuple(Edit(path=("governance", "guardRails", key), value=Enforcement.WARN.value) for key in jumped)
        yield Rollout(
            kind="guardrail",
            cluster=None,
            subject=", ".join(jumped),
            reason="Work that nobody was warned of is refused from one moment to the next.",
            steps=(
                Step(
                    title="Warn first",
                    edits=edits,
                    until="no warnings have come for as long as the rarest job takes to come round: kubectl shows them to "
                    "whoever submits, and the API server's audit log to you",
                ),
                merge("Argo CD shows the bindings as Synced"),
            ),
        )


def _of(fleet: Fleet, key: str) -> Enforcement:
    made: Enforcement = getattr(fleet.governance.guard_rails, RAILS[key])
    return made
