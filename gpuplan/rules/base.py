"""What a rule is: a text, and a generator of findings over the resolved fleet. Rules only read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import cast

from gpuplan.diagnostics import Diagnostic
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc

Check = Callable[[Fleet], Iterator[Diagnostic]]


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule: its words, its check, and the module docstring that becomes its page."""

    doc: RuleDoc
    check: Check
    page: str

    @classmethod
    def of(cls, module: ModuleType) -> Rule:
        """Read a rule off its module, which holds `DOC`, `check` and a docstring."""
        return cls(cast("RuleDoc", module.DOC), cast("Check", module.check), module.__doc__ or "")
