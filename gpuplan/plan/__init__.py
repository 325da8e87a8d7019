"""What a change means before it is merged: who gains and loses cards, what drains, what is destroyed.

    State(old) x State(new) -> Comparison -> Plan

A `State` is one side: its objects, and the resolved fleet where the side is a spec rather than a rendered tree. A
`Comparison` holds everything that differs; `effects` say what each difference does to a cluster, `rollout` how to do it
without harm. All of it is data, and nothing here reads a clock, a file or a cluster.
"""

from __future__ import annotations

from gpuplan.plan.build import plan
from gpuplan.plan.comparison import Comparison, compare_states
from gpuplan.plan.parts import Approval, Effect, Plan, Risk, Rollout, Step
from gpuplan.plan.state import State

__all__ = ["Approval", "Comparison", "Effect", "Plan", "Risk", "Rollout", "State", "Step", "compare_states", "plan"]
