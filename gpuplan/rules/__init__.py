"""Fleet -> findings: one rule, one file, one id `area/name`; this tuple lists them all, in the order of their ids."""

from __future__ import annotations

from types import ModuleType

from gpuplan.diagnostics import Diagnostics, ordered
from gpuplan.model.fleet import Fleet
from gpuplan.rules.base import Rule

MODULES: tuple[ModuleType, ...] = ()

RULES: tuple[Rule, ...] = tuple(Rule.of(module) for module in MODULES)


def check(fleet: Fleet) -> Diagnostics:
    """Run every rule."""
    return ordered(finding for rule in RULES for finding in rule.check(fleet))
