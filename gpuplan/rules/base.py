"""What a rule is: a text, and a generator of findings over the resolved fleet, over manifests, or over both. Rules only read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import Final, cast

from gpuplan.diagnostics import Diagnostic
from gpuplan.inventory.inventory import Inventory
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc

Check = Callable[[Fleet], Iterator[Diagnostic]]
Judge = Callable[[Inventory], Iterator[Diagnostic]]
PACKAGES: Final = {"import": "imports"}
"""Areas whose name no package can have."""


def modules(ids: Iterable[str]) -> tuple[ModuleType, ...]:
    """Return the modules of rules: `kueue/cohort-of-one` is `gpuplan.rules.kueue.cohort_of_one`."""
    return tuple(import_module(path_of(rule_id)) for rule_id in ids)


def path_of(rule_id: str) -> str:
    """Return the module that a rule of this id lives in."""
    area, _, name = rule_id.partition("/")
    return f"gpuplan.rules.{PACKAGES.get(area, area)}.{name.replace('-', '_')}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """What every rule has: its words, and the module docstring that becomes its page."""

    doc: RuleDoc
    page: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule(Explained):
    """A rule about fleets."""

    check: Check

    @classmethod
    def of(cls, module: ModuleType) -> Rule:
        """Read a rule off its module, which holds `DOC`, `check` and a docstring."""
        return cls(doc=cast("RuleDoc", module.DOC), page=module.__doc__ or "", check=cast("Check", module.check))


@dataclass(frozen=True, slots=True, kw_only=True)
class ManifestRule(Explained):
    """A rule about manifests."""

    judge: Judge
    checks: bool
    """Whether it is a rule about fleets, too."""

    @classmethod
    def of(cls, module: ModuleType) -> ManifestRule:
        """Read a rule off its module, which holds `DOC`, `judge` and a docstring."""
        doc, judge = cast("RuleDoc", module.DOC), cast("Judge", module.judge)
        return cls(doc=doc, page=module.__doc__ or "", judge=judge, checks=hasattr(module, "check"))
