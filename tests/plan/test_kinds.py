"""One expected plan for each kind of change (`cases/*.txt`; `make golden` rewrites them, to be read in review)."""

from __future__ import annotations

import functools
import os
from pathlib import Path

import pytest

from gpuplan import rules
from gpuplan.diagnostics import Severity
from gpuplan.plan import State, compare_states, plan
from tests.plan.dump import dumped
from tests.plan.kinds import BASE, CASES, MARK, read, state


@functools.cache
def base() -> State:
    return state(BASE, "base")


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_the_plan_says_what_a_change_means(path: Path) -> None:
    kind = read(path)
    said = dumped(plan(compare_states(base(), state(kind.new, "change"))))
    if os.environ.get("GPUPLAN_WRITE_GOLDEN"):
        path.write_text(kind.head + MARK + said, encoding="utf-8")
    assert said == read(path).expected


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_the_new_spec_of_a_case_is_one_that_check_accepts(path: Path) -> None:
    fleet = state(read(path).new).fleet
    assert fleet is not None
    assert not [found.summary for found in rules.check(fleet) if found.severity is Severity.ERROR]


def test_there_are_at_least_forty_kinds() -> None:
    assert len(CASES) >= 40
