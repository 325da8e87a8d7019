"""The rules are complete: listed, named after their files, explained, and shown both firing and quiet."""

from __future__ import annotations

import pkgutil
from collections import Counter
from pathlib import Path

import pytest

from gpuplan import rules
from gpuplan.format import findings as format_findings
from gpuplan.moving import stack_findings, upgrade_findings
from gpuplan.output import findings as output_findings
from gpuplan.plan import findings as plan_findings
from gpuplan.report.book import BOOK
from gpuplan.resolve import findings as resolve_findings
from gpuplan.rulebook import RuleDoc
from gpuplan.rules import manifests, suppress
from gpuplan.source import findings as source_findings
from gpuplan.source import git_findings
from gpuplan.source.yamltext import parse_text
from gpuplan.spec import findings as spec_findings
from gpuplan.spec.load import load
from gpuplan.validate import findings as validate_findings
from tests.rules.cases import cases

FOLDER = Path(rules.__file__).parent
IDS = [rule.doc.id for rule in rules.RULES]
MANIFEST_IDS = [rule.doc.id for rule in manifests.RULES]
DOCS = (
    *{doc.id: doc for doc in (rule.doc for rule in (*rules.RULES, *manifests.RULES))}.values(),
    *source_findings.FINDINGS,
    *git_findings.FINDINGS,
    *plan_findings.FINDINGS,
    *spec_findings.FINDINGS,
    *resolve_findings.FINDINGS,
    *suppress.FINDINGS,
    *format_findings.FINDINGS,
    *stack_findings.FINDINGS,
    *upgrade_findings.FINDINGS,
    *output_findings.FINDINGS,
    *validate_findings.FINDINGS,
)


def rule_modules() -> set[str]:
    """Return the names of all modules that sit in a folder of the rules."""
    areas = [found.name for found in pkgutil.iter_modules([str(FOLDER)]) if found.ispkg]
    return {
        f"gpuplan.rules.{area}.{found.name}" for area in areas for found in pkgutil.iter_modules([str(FOLDER / area)])
    }


def test_every_rule_module_is_listed_once() -> None:
    for listed in (rules.MODULES, manifests.MODULES):
        assert max(Counter(module.__name__ for module in listed).values()) == 1
    assert {module.__name__ for module in (*rules.MODULES, *manifests.MODULES)} == rule_modules()


def test_a_rule_is_listed_for_what_it_judges() -> None:
    every = {module.__name__: module for module in (*rules.MODULES, *manifests.MODULES)}.values()
    assert {module for module in every if hasattr(module, "check")} == set(rules.MODULES)
    assert {module for module in every if hasattr(module, "judge")} == set(manifests.MODULES)


def test_the_rules_are_listed_in_the_order_of_their_ids() -> None:
    assert sorted(IDS) == IDS


def test_a_rule_has_the_id_that_its_file_says() -> None:
    assert tuple(IDS) == rules.IDS
    assert tuple(MANIFEST_IDS) == manifests.IDS


def test_there_are_enough_rules() -> None:
    assert len(rules.RULES) >= 45


def test_no_two_findings_share_an_id_and_the_book_holds_them_all() -> None:
    assert Counter(doc.id for doc in DOCS) == Counter(BOOK.keys())


@pytest.mark.parametrize("doc", DOCS, ids=lambda doc: doc.id)
def test_a_finding_is_explained_in_full(doc: RuleDoc) -> None:
    assert doc.summary
    assert not doc.summary[0].islower()
    assert not doc.summary.endswith(".")
    for sentence in (doc.why, doc.fix):
        assert sentence
        assert sentence[-1] in ".`"


PAGES_OF_RULES = {rule.doc.id: rule.page for rule in (*manifests.RULES, *rules.RULES)}


@pytest.mark.parametrize("rule_id", PAGES_OF_RULES)
def test_the_page_of_a_rule_names_its_source(rule_id: str) -> None:
    first, _, rest = PAGES_OF_RULES[rule_id].partition("\n\n")
    assert first.endswith(".")
    assert "\n" not in first
    assert "\n\nSource: " in rest


@pytest.mark.parametrize("doc", [rule.doc for rule in rules.RULES], ids=lambda doc: doc.id)
def test_the_examples_of_a_rule_are_pieces_of_a_fleet_that_differ(doc: RuleDoc) -> None:
    for example in (doc.bad, doc.good):
        parsed = parse_text("example.yaml", example)
        assert not parsed.findings
        _, shape = load(parsed.documents)
        assert {finding.rule for finding in shape} <= {spec_findings.MISSING_KEY.id}, shape
    assert doc.bad != doc.good


@pytest.mark.parametrize("rule_id", IDS)
def test_a_rule_is_shown_firing_and_quiet(rule_id: str) -> None:
    assert {case.fires for case in cases() if case.rule == rule_id} == {True, False}


def test_every_case_is_of_a_rule() -> None:
    assert {case.rule for case in cases()} <= {doc.id for doc in DOCS}


@pytest.mark.parametrize("doc", [rule.doc for rule in manifests.RULES], ids=lambda doc: doc.id)
def test_the_examples_of_a_manifest_rule_differ_and_are_text_of_their_format(doc: RuleDoc) -> None:
    assert doc.bad
    assert doc.good
    assert doc.bad != doc.good
