"""The forms of a plan, by the name of an output format and by the ending of a file."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from gpuplan.report.plans import data, markdown, page
from gpuplan.report.plans.parts import View

FORMS: Final[dict[str, Callable[[View], str]]] = {
    "markdown": markdown.as_markdown,
    "json": data.as_json,
    "html": page.as_html,
}
"""For files and pipes; a terminal is drawn by `terminal`, which asks for colour."""

ENDINGS: Final = {".json": "json", ".md": "markdown", ".html": "html"}
