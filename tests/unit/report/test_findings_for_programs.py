"""Findings as programs read them: our JSON, GitHub's commands, SARIF and JUnit."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from typing import Any
from urllib.parse import unquote

import jsonschema
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gpuplan.diagnostics import Diagnostic, Related, Severity, Span
from gpuplan.report.junit import as_junit
from gpuplan.report.machine import as_github, as_json
from gpuplan.report.sarif import MAX_RESULTS, as_sarif
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="kueue/over",
    severity=Severity.ERROR,
    summary="Quota above capacity",
    why="Pods stay Pending.",
    fix="Lower it.",
    bad="guaranteed: 640",
    good="guaranteed: 128",
)
OVER = DOC.found(
    "640 cards on `train`",
    at=Span("fleet/my teams.yaml", 3, 45, 3, 48),
    also=(Related("from here", Span("fleet/pools.yaml", 2, 3, 4, 9)),),
)
UNSURE = Diagnostic(rule="card/x", severity=Severity.WARNING, summary="w", at=Span("fleet/pools.yaml", 9, 1, 10, 1))
NOTE = Diagnostic(rule="card/y", severity=Severity.INFO, summary="n", at=Span("fleet/pools.yaml", 1, 1, 1, 1))


def test_json_holds_everything_and_a_version_of_its_form() -> None:
    assert json.loads(as_json((OVER, UNSURE))) == {
        "format_version": "1.0",
        "summary": {"error": 1, "warning": 1, "info": 0},
        "findings": [
            {
                "rule": "kueue/over",
                "severity": "error",
                "summary": "640 cards on `train`",
                "detail": "Pods stay Pending.",
                "fix": "Lower it.",
                "at": {"file": "fleet/my teams.yaml", "line": 3, "column": 45, "endLine": 3, "endColumn": 48},
                "also": [
                    {
                        "message": "from here",
                        "at": {"file": "fleet/pools.yaml", "line": 2, "column": 3, "endLine": 4, "endColumn": 9},
                    }
                ],
            },
            {
                "rule": "card/x",
                "severity": "warning",
                "summary": "w",
                "detail": "",
                "fix": "",
                "at": {"file": "fleet/pools.yaml", "line": 9, "column": 1, "endLine": 10, "endColumn": 1},
                "also": [],
            },
        ],
    }


def test_github_gets_errors_first_and_columns_only_within_one_line() -> None:
    place = "file=fleet/my teams.yaml,line=3,endLine=3,col=45,endColumn=48,title=kueue/over"
    words = "640 cards on `train`%0APods stay Pending.%0Aalso: fleet/pools.yaml:2:3 from here%0Afix: Lower it."
    assert as_github((NOTE, UNSURE, OVER)).splitlines() == [
        f"::error {place}::{words}",
        "::warning file=fleet/pools.yaml,line=9,endLine=10,title=card/x::w",
        "::notice file=fleet/pools.yaml,line=1,endLine=1,col=1,endColumn=1,title=card/y::n",
        "Found 1 error, 1 warning, 1 note in 2 files.",
    ]


def test_github_is_told_how_many_it_will_not_show() -> None:
    assert as_github((OVER,) * 13).splitlines()[-1] == (
        "Found 13 errors in 1 file. GitHub shows 10 of a kind for each step: 3 more are only in this log."
    )


def test_what_has_a_meaning_in_a_github_command_is_escaped() -> None:
    at = Span("a,b:100%.yaml", 1, 1, 1, 1)
    finding = Diagnostic(rule="a/b", severity=Severity.ERROR, summary="50%\n::error::x", at=at)
    assert as_github((finding,)).splitlines()[0] == (
        "::error file=a%2Cb%3A100%25.yaml,line=1,endLine=1,col=1,endColumn=1,title=a/b::50%25%0A::error::x"
    )


def closed(required: str, optional: str = "", **properties: Any) -> dict[str, Any]:
    """An object that has every required key and none but these."""
    names = [*required.split(), *optional.split()]
    return {
        "type": "object",
        "required": required.split(),
        "properties": {name: properties.get(name, {}) for name in names},
        "additionalProperties": False,
    }


def each(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


LEVEL = {"enum": ["none", "note", "warning", "error"]}
TEXT = closed("text", "markdown", text={"type": "string", "minLength": 1}, markdown={"type": "string"})
COUNT = {"type": "integer", "minimum": 1}
REGION = closed("startLine startColumn endLine endColumn", startLine=COUNT, startColumn=COUNT)
PHYSICAL = closed(
    "artifactLocation region",
    artifactLocation=closed("uri", uri={"type": "string", "pattern": r"^[A-Za-z0-9/_.~%-]+$"}),
    region=REGION,
)
RESULT = closed(
    "ruleId ruleIndex level message locations",
    "relatedLocations",
    level=LEVEL,
    message=TEXT,
    locations={**each(closed("physicalLocation", physicalLocation=PHYSICAL)), "minItems": 1, "maxItems": 1},
    relatedLocations=each(closed("id message physicalLocation", id=COUNT, message=TEXT, physicalLocation=PHYSICAL)),
)
RULE = closed(
    "id",
    "shortDescription fullDescription help defaultConfiguration",
    shortDescription=TEXT,
    fullDescription=TEXT,
    help=TEXT,
    defaultConfiguration=closed("level", level=LEVEL),
)
NOTIFICATION = closed("level message", level=LEVEL, message=TEXT)
SARIF = closed(
    "$schema version runs",
    version={"const": "2.1.0"},
    runs=each(
        closed(
            "tool columnKind invocations results",
            tool=closed("driver", driver=closed("name semanticVersion rules", rules=each(RULE))),
            columnKind={"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
            invocations=each(
                closed(
                    "executionSuccessful toolExecutionNotifications",
                    executionSuccessful={"type": "boolean"},
                    toolExecutionNotifications=each(NOTIFICATION),
                )
            ),
            results=each(RESULT),
        )
    ),
)
"""The part of SARIF 2.1.0 that we write, from its specification."""


def sarif_run(found: tuple[Diagnostic, ...], docs: dict[str, RuleDoc]) -> dict[str, Any]:
    log = json.loads(as_sarif(found, docs))
    jsonschema.validate(log, SARIF)
    (run,) = log["runs"]
    assert isinstance(run, dict)
    return run


def test_sarif_has_the_rules_that_fired_with_their_help_and_each_result_points_at_its_rule() -> None:
    run = sarif_run((OVER, UNSURE, NOTE), {DOC.id: DOC, "not/fired": DOC})
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == ["card/x", "card/y", "kueue/over"]
    assert "guaranteed: 128" in rules[2]["help"]["markdown"]
    assert [rules[r["ruleIndex"]]["id"] for r in run["results"]] == [r["ruleId"] for r in run["results"]]
    assert [r["level"] for r in run["results"]] == ["error", "warning", "note"]


def test_sarif_places_are_relative_uris_and_columns_of_characters() -> None:
    run = sarif_run((OVER,), {})
    place = run["results"][0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "fleet/my%20teams.yaml"
    assert place["region"] == {"startLine": 3, "startColumn": 45, "endLine": 3, "endColumn": 48}
    assert run["columnKind"] == "unicodeCodePoints"
    assert run["results"][0]["relatedLocations"][0]["message"]["text"] == "from here"


def test_sarif_keeps_errors_where_there_are_too_many_results_and_says_so() -> None:
    run = sarif_run((NOTE,) * 10 + (OVER,) * (MAX_RESULTS - 1), {})
    assert len(run["results"]) == MAX_RESULTS
    assert sum(result["level"] == "error" for result in run["results"]) == MAX_RESULTS - 1
    (notification,) = run["invocations"][0]["toolExecutionNotifications"]
    assert notification["message"]["text"].startswith("9 more findings are left out")


def test_no_findings_are_a_valid_report_everywhere() -> None:
    assert json.loads(as_json(()))["findings"] == []
    assert as_github(()) == "No findings.\n"
    assert sarif_run((), {})["results"] == []
    (case,) = ET.fromstring(as_junit(())).iter("testcase")
    assert list(case) == []


def test_junit_has_a_case_for_each_finding_and_only_errors_fail() -> None:
    root = ET.fromstring(as_junit((OVER, UNSURE, NOTE)))
    (suite,) = root.iter("testsuite")
    assert (suite.get("tests"), suite.get("failures")) == ("3", "1")
    cases = list(suite.iter("testcase"))
    assert [case.get("name") for case in cases][:1] == ["fleet/my teams.yaml:3:45 kueue/over"]
    assert [[child.tag for child in case] for case in cases] == [["failure"], ["system-out"], ["system-out"]]
    failure = cases[0][0]
    assert failure.get("message") == "640 cards on `train`"
    assert (failure.text or "").endswith("fix: Lower it.")


anything = st.text(st.characters(), max_size=30)
places = st.builds(Span, st.text(st.characters(codec="utf-8"), min_size=1, max_size=9), *[st.integers(1, 9)] * 4)
findings = st.builds(
    Diagnostic,
    rule=st.sampled_from(["a/b", "c/d"]),
    severity=st.sampled_from(Severity),
    summary=anything,
    detail=anything,
    fix=anything,
    at=places,
    also=st.lists(st.builds(Related, anything.filter(bool), places), max_size=2).map(tuple),
)
NASTY = Diagnostic(
    rule="a/b", severity=Severity.ERROR, summary="\x00\x1b]]>\ufffe\ud800\x7f&<\"'", at=Span("\x01<&\"'\n", 1, 1, 1, 1)
)


@settings(deadline=None)
@given(st.lists(findings, max_size=4).map(tuple))
@example((NASTY,))
def test_any_content_gives_well_formed_output(found: tuple[Diagnostic, ...]) -> None:
    assert len(list(ET.fromstring(as_junit(found)).iter("testcase"))) == max(1, len(found))
    commands = as_github(found).split("\n")
    assert len(commands) == len(found) + 2
    assert all(command.startswith(("::error file=", "::warning file=", "::notice file=")) for command in commands[:-2])
    run = sarif_run(found, {"a/b": DOC})
    uris = [result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for result in run["results"]]
    assert [unquote(uri) for uri in uris] == [finding.at.file for finding in found]
    for text in (as_json(found), as_sarif(found, {})):
        assert all(char == "\n" or " " <= char <= "~" for char in text)


@pytest.mark.parametrize("write", [as_json, as_github, as_junit, lambda found: as_sarif(found, {})])
def test_two_runs_give_the_same_bytes(write: Any) -> None:
    assert write((OVER, UNSURE)) == write((OVER, UNSURE))
