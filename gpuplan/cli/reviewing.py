"""The review of a change, once for every CI system: check, render --check and plan, and the files that they leave.

A step that fails does not hide the next one: where `rendered/` is stale the plan is still made, since a reviewer wants to see it.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from gpuplan import __version__, cli, pipeline
from gpuplan.cli.options import today
from gpuplan.cli.outcome import rule_docs
from gpuplan.cli.runner import Runner, dotenv
from gpuplan.cli.writing import write_all
from gpuplan.diagnostics import Diagnostic, Diagnostics, has_errors, ordered
from gpuplan.output import OutputFile, Stale, check_tree
from gpuplan.output.partial import only
from gpuplan.output.plan import plan_write, previous_index
from gpuplan.pipeline.parts import Render
from gpuplan.pipeline.tree import whole
from gpuplan.report import review, runbooks
from gpuplan.report.codequality import as_codequality
from gpuplan.report.findings import findings_text
from gpuplan.report.human import Page
from gpuplan.report.review import COMMENT_FILE, REVIEW_FILE, Planned, Review
from gpuplan.report.stale import Tree, lines

SARIF: Final = "findings.sarif"
JUNIT: Final = "findings.junit.xml"
JSON: Final = "findings.json"
CODE_QUALITY: Final = "findings.codequality.json"
PLAN_JSON: Final = "plan.json"
PLAN_MARKDOWN: Final = "plan.md"
PLAN_HTML: Final = "plan.html"
DOTENV: Final = "gpuplan.env"
FILES: Final = (
    SARIF,
    JUNIT,
    JSON,
    CODE_QUALITY,
    PLAN_JSON,
    PLAN_MARKDOWN,
    PLAN_HTML,
    COMMENT_FILE,
    REVIEW_FILE,
    DOTENV,
)
_IN_THE_LOG: Final = "see the job's log"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is reviewed: the spec, its output, what to compare with, and from what risk on it fails."""

    fleet: Path
    out: Path
    base: str
    """A commit or folder."""
    fail_on: str | None
    results: Path
    """The folder that takes the files."""


def clean(results: Path) -> None:
    """Make the folder of the results, without files of an earlier review. Raises OSError."""
    results.mkdir(parents=True, exist_ok=True)
    for name in FILES:
        (results / name).unlink(missing_ok=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What check and render --check found."""

    findings: Diagnostics
    stale: tuple[Stale, ...] | None
    """Files that differ; None where the spec has errors."""
    reasons: tuple[str, ...]
    """Lines for the log that say why."""


def checked(asked: Asked) -> Checked:
    """Check the spec and compare its render with the output. Raises OSError where that cannot be read."""
    seen = pipeline.check(asked.fleet, today())
    if seen.fleet is None or not seen.ok:
        return Checked(findings=seen.findings, stale=None, reasons=())
    render = Render(fleet=seen.fleet, fleet_dir=str(asked.fleet), root=asked.out, texts=runbooks.texts)
    made = whole(render, None, None, pipeline.silent)
    files, edited = only(asked.out, made.files, ())
    stale = check_tree(asked.out, files, version=__version__)
    # A render would refuse to touch files that somebody edited; then it is no use to say "run render".
    _, problems = plan_write(asked.out, files, version=__version__, allow_empty=True) if stale else (None, ())
    index = previous_index(asked.out)
    tree = Tree(
        root=asked.out,
        index=None if isinstance(index, Diagnostic) else index,
        wanted={file.path: file.content for file in files if isinstance(file, OutputFile)},
        version=__version__,
    )
    found = ordered((*seen.findings, *made.findings, *edited, *problems))
    return Checked(findings=found, stale=stale, reasons=tuple(lines(tree, stale)))


def planned(asked: Asked, quoted: Callable[[], contextlib.AbstractContextManager[None]]) -> tuple[Planned | None, int]:
    """Run `gpuplan plan`, its text for people inside of `quoted`; what it wrote, None where it made none, and its exit code."""
    files = [str(asked.results / name) for name in (PLAN_JSON, PLAN_MARKDOWN, PLAN_HTML)]
    arguments = ["plan", "--fleet", str(asked.fleet), "--out", str(asked.out), "--base", asked.base]
    arguments += [part for file in files for part in ("-o", file)]
    arguments += ["--fail-on", asked.fail_on] if asked.fail_on else []
    with quoted():
        code = cli.run(arguments)
    try:
        made = json.loads(Path(files[0]).read_text(encoding="utf-8"))
        markdown = Path(files[1]).read_text(encoding="utf-8")
    except OSError:
        return None, code or cli.FAULT
    asks = tuple(name for approval in made["approvals"] for name in _asked(approval))
    return Planned(
        risk=made["risk"], no_changes=made["no_changes"], approvals=tuple(dict.fromkeys(asks)), markdown=markdown
    ), code


def _asked(approval: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(approval["owners"]) or (approval["role"],)


def reviewed(
    asked: Asked, told: Callable[[Checked], None], quoted: Callable[[], contextlib.AbstractContextManager[None]]
) -> Review:
    """Run the steps, tell what is known before the plan is made, and return what came out. Raises OSError."""
    seen = checked(asked)
    told(seen)
    if seen.stale is None:
        plan, code, why = None, 1, "the spec has errors"
    else:
        plan, code = planned(asked, quoted)
        why = "" if plan else f"`gpuplan plan` ended with {code}: {_IN_THE_LOG}"
    return Review(
        fleet=str(asked.fleet),
        out=str(asked.out),
        findings=seen.findings,
        stale=None if seen.stale is None else tuple(f"{one.staleness.value} {one.path}" for one in seen.stale),
        plan=plan,
        no_plan=why,
        refused=plan is not None and code == 1,
        exit_code=max(code, int(bool(seen.stale) or has_errors(seen.findings))),
    )


def write(made: Review, results: Path, where: Runner) -> Mapping[str, str]:
    """Write all files but the plan's, which are there, and return the outputs. Raises UsageError."""
    outputs = dict(review.outputs(made))
    if made.plan:
        outputs["plan-json"] = str(results / PLAN_JSON)
        outputs["plan-markdown"] = str(results / PLAN_MARKDOWN)
    texts = {
        SARIF: _findings(made, "sarif"),
        JUNIT: _findings(made, "junit"),
        JSON: _findings(made, "json"),
        REVIEW_FILE: review.as_json(made),
        COMMENT_FILE: review.as_markdown(made),
    }
    if where is Runner.GITLAB:
        texts |= {CODE_QUALITY: as_codequality(made.findings), DOTENV: dotenv(outputs)}
    write_all({results / name: text for name, text in texts.items()})
    return outputs


def _findings(made: Review, output_format: str) -> str:
    docs = rule_docs() if output_format == "sarif" else {}
    return findings_text(made.findings, output_format, lines=lambda _file: (), docs=docs, page=Page())
