"""A dashboard as a picture: its panels in its grid, each with what Prometheus answers to it."""

from __future__ import annotations

import hashlib
import io
import json
import re
from collections.abc import Callable, Mapping
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from tests.pictures.samples import MINUTES
from tests.pictures.shapes import FAINT, INK, legend, lines, number, table
from tests.pictures.store import Answer

Json = Mapping[str, Any]
Ask = Callable[[str, int], list[Answer]]

STEP = 1200
"""Seconds between two points of a line."""
COLUMN, ROW = 0.62, 0.265
"""Size of a cell of the grid, in inches."""
HEAD = 0.5
PAD = 0.06
"""Inches: the title of the picture, and the distance between panels."""
FONT = "font-family: 'DejaVu Sans'; "
PANELS = {"timeseries": lines, "stat": number}


def filled(expr: str, chosen: Mapping[str, str]) -> str:
    """Fill in what Grafana fills in: `chosen` values of variables, all values of the others."""
    known = expr.replace("$__rate_interval", f"{STEP + 60}s")
    return re.sub(r"\$(\w+)", lambda match: chosen.get(match.group(1), ".*"), known)


def stamp(board: Json) -> str:
    """Return what a picture was drawn of, as a short hash: titles, places, questions and units."""
    return hashlib.sha256(json.dumps([board["title"], board["panels"]], sort_keys=True).encode()).hexdigest()[:16]


def answers(panel: Json, ask: Ask, chosen: Mapping[str, str]) -> list[tuple[str, Answer]]:
    """Ask what a panel asks: its answers with their legends, or with the titles of their columns."""
    table_of = panel["type"] == "table"
    found: list[tuple[str, Answer]] = []
    for target in panel["targets"]:
        pattern = _column(panel, target["refId"]) if table_of else target.get("legendFormat", "")
        made = ask(filled(target["expr"], chosen), STEP)
        found += [(pattern if table_of else legend(pattern, answer), answer) for answer in made]
    return found


def _column(panel: Json, reference: str) -> str:
    renamed = next(one for one in panel["transformations"] if one["id"] == "organize")["options"]["renameByName"]
    return str(renamed.get(f"Value #{reference}") or renamed["Value"])


def picture(board: Json, ask: Ask, chosen: Mapping[str, str]) -> str:
    """Return a dashboard as SVG: the same text for the same answers."""
    panels = board["panels"]
    wide = 24 * COLUMN
    high = HEAD + ROW * max(panel["gridPos"]["y"] + panel["gridPos"]["h"] for panel in panels)
    with mpl.rc_context({"font.family": "DejaVu Sans", "svg.fonttype": "none", "svg.hashsalt": "gpuplan"}):
        figure = Figure(figsize=(wide, high), facecolor="#f4f5f6")
        said = " · ".join(f"{name} = {value}" for name, value in chosen.items())
        figure.text(0.008, 1 - 0.22 / high, board["title"], fontsize=11, color=INK, fontweight="bold", va="center")
        figure.text(0.992, 1 - 0.22 / high, said, fontsize=7, color=FAINT, va="center", ha="right")
        for panel in panels:
            _panel(figure, panel, ask, chosen)
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None, "Title": board["title"]})
    return _small(buffer.getvalue()).replace("<defs>", f"<!-- {stamp(board)} -->\n<defs>", 1)


def _panel(figure: Figure, panel: Json, ask: Ask, chosen: Mapping[str, str]) -> None:
    wide, high = figure.get_size_inches()
    at = panel["gridPos"]
    left, top = at["x"] * COLUMN + PAD, HEAD + at["y"] * ROW
    width, height = at["w"] * COLUMN - 2 * PAD, at["h"] * ROW - PAD
    bottom = high - top - height
    if panel["type"] == "row":
        figure.text(left / wide, (bottom + 0.08) / high, panel["title"], fontsize=8, color=INK, fontweight="bold")
        return
    box = (left / wide, bottom / high)
    figure.add_artist(
        Rectangle(box, width / wide, height / high, facecolor="white", edgecolor="#d8dee4", linewidth=0.6, zorder=-1)
    )
    title_at = (bottom + height - 0.13) / high
    figure.text((left + 0.08) / wide, title_at, panel["title"], fontsize=7, color=INK, va="center")
    found = answers(panel, ask, chosen)
    margin = (0.1, 0.05, 0.1, 0.24) if panel["type"] != "timeseries" else (0.6, 0.56, 0.14, 0.3)
    inner = (
        (left + margin[0]) / wide,
        (bottom + margin[1]) / high,
        (width - margin[0] - margin[2]) / wide,
        (height - margin[1] - margin[3]) / high,
    )
    axes = figure.add_axes(inner)
    if panel["type"] == "table":
        table(axes, panel, found)
    else:
        PANELS[panel["type"]](axes, panel, [(name, answer.values) for name, answer in found])
    if not any((~np.isnan(answer.values)).any() for _, answer in found):
        axes.text(0.5, 0.5, "No data", transform=axes.transAxes, ha="center", fontsize=7, color=FAINT)


def _small(text: str) -> str:
    """Write coordinates with one decimal, a twelfth of a point: nobody sees more, and machines agree on it; and say less.

    matplotlib names every group and repeats the font for every word.
    """
    rounded = re.sub(r"-?\d+\.\d{2,}", lambda match: f"{float(match.group()):.1f}".removesuffix(".0"), text)
    shorter = (
        re.sub(r'<g id="[^"]*">', "<g>", rounded).replace(FONT, "").replace(' transform="rotate(-0', ' data-at="(')
    )
    shorter = re.sub(r' data-at="[^"]*"', "", shorter).replace("*{stroke", f"text{{{FONT.strip()}}}*{{stroke", 1)
    paths = re.sub(r' d="([^"]*)"', lambda match: f' d="{_path(match.group(1))}"', shorter)
    return re.sub(r"\n\s+", "\n", paths)


def _path(said: str) -> str:
    return re.sub(r"\s*([MLCQzZ])\s*", r"\1", " ".join(said.split()))


assert MINUTES * 60 % STEP == 0
