"""Every rule says what its cases mark, on that line, and nothing else does."""

from __future__ import annotations

import pytest

from tests.rules.cases import Case, as_marks, cases, judged, marks


@pytest.mark.parametrize("case", cases(), ids=str)
def test_exactly_the_marked_findings_are_made(case: Case) -> None:
    expected, found = marks(case.text), judged(case.text)
    told = "\n".join(f"{finding.at} {finding.severity.value} {finding.rule}: {finding.summary}" for finding in found)
    assert as_marks(found, expected) == expected, f"made:\n{told}"


@pytest.mark.parametrize("case", cases(), ids=str)
def test_a_firing_case_marks_its_own_rule_and_a_quiet_one_does_not(case: Case) -> None:
    own = {mark for _, mark in marks(case.text) if mark.split()[-1] == case.rule}
    assert bool(own) == case.fires


@pytest.mark.parametrize("case", [case for case in cases() if not case.fires], ids=str)
def test_a_quiet_case_has_nothing_worse_than_a_note(case: Case) -> None:
    assert all(mark.startswith("info ") for _, mark in marks(case.text))
