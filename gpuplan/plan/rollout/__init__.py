"""Changes that would harm as one commit, laid out as safe ones: one module a kind, each a generator."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from gpuplan.plan.comparison import Comparison
from gpuplan.plan.parts import Effect, Rollout
from gpuplan.plan.rollout import cut, guardrails, names, shrink, stack

Layout = Callable[[Comparison, Sequence[Effect]], Iterator[Rollout]]

LAYOUTS: tuple[Layout, ...] = (names.layout, shrink.layout, cut.layout, stack.layout, guardrails.layout)
"""Every kind, in the order in which their rollouts are shown."""


def rollouts_of(comparison: Comparison, effects: Sequence[Effect]) -> tuple[Rollout, ...]:
    """Return the ordered rollouts that the differences ask for."""
    return tuple(rollout for layout in LAYOUTS for rollout in layout(comparison, effects))
