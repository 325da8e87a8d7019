"""Manifest rules: each finds what its cases mark, at that line and as badly, and nothing else."""

from __future__ import annotations

from collections import Counter

import pytest

from gpuplan.rulebook import RuleDoc
from gpuplan.rules import manifests
from tests.lint.cases import Case, cases

CASES = cases()


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_rule_finds_what_its_case_marks_and_nothing_else(case: Case) -> None:
    expected = case.expected()
    assert bool(expected) == case.fires, "a case that fires marks a line, and a quiet one none"
    found = Counter((one.at.line, one.severity.value) for one in case.judged() if one.rule == case.rule)
    assert found == expected


@pytest.mark.parametrize("doc", [rule.doc for rule in manifests.RULES], ids=lambda doc: doc.id)
def test_every_manifest_rule_has_a_case_that_fires_and_one_that_is_quiet(doc: RuleDoc) -> None:
    kinds = {case.fires for case in CASES if case.rule == doc.id}
    assert kinds == {True, False}


def test_rules_are_listed_by_their_ids_and_once() -> None:
    ids = [rule.doc.id for rule in manifests.RULES]
    assert ids == sorted(set(ids))
