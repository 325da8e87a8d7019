"""Every input of the cases has the findings that it must have, on their lines, and no others."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.cases.table import CASES, Case


@pytest.mark.parametrize("case", [case for case in CASES if case.is_manifests], ids=lambda case: case.name)
def test_a_case_has_its_findings_and_no_others(case: Case) -> None:
    assert case.counted() == Counter(case.findings)


def test_the_cases_are_all_here() -> None:
    assert len(CASES) == 62
