"""Findings to text, in each of the formats of `--output-format`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from gpuplan.diagnostics import Diagnostics
from gpuplan.report.human import LinesOf, Page, concise, full
from gpuplan.rulebook import RuleDoc

FORMATS: Final = ("full", "concise", "json", "github", "sarif", "junit")


def findings_text(
    found: Diagnostics, output_format: str, *, lines: LinesOf, docs: Mapping[str, RuleDoc], page: Page
) -> str:
    """Return the findings in a format of `FORMATS`, with a line end, or nothing at all.

    `lines` gives the source lines for `full`; `docs` are the rules by id, for `sarif`; only `full` and `concise` have
    colour. What is for programs carries the findings as they are; what a person or a log shows is made safe for it.
    """
    match output_format:
        case "full":
            return full(found, lines, page)
        case "concise":
            return concise(found, page)
        case "json":
            from gpuplan.report.machine import as_json  # noqa: PLC0415 -- start-up: one format is needed in a run

            return as_json(found)
        case "github":
            from gpuplan.report.machine import as_github  # noqa: PLC0415

            return as_github(found)
        case "sarif":
            from gpuplan.report.sarif import as_sarif  # noqa: PLC0415

            return as_sarif(found, docs)
        case "junit":
            from gpuplan.report.junit import as_junit  # noqa: PLC0415

            return as_junit(found)
        case _:
            raise ValueError(f"no such format: {output_format}")
