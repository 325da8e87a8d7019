"""How each kind of panel is drawn, and how numbers are written: a plain likeness of Grafana's panels."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, Locator, MaxNLocator, MultipleLocator

from tests.pictures.samples import Values
from tests.pictures.store import Answer

Panel = Mapping[str, Any]
COLORS = ("#4e79a7", "#59a14f", "#edc948", "#f28e2b", "#b07aa1", "#76b7b2", "#e15759", "#9c755f", "#ff9da7", "#86bcb6")
GOOD, BAD, INK, FAINT = "#2e7d32", "#c62828", "#24292f", "#8b949e"
LINES = 12
"""Lines of one panel; a picture with more shows nothing."""
ROWS = 8
"""Rows of a table that a picture has room for."""
_SCALES = ((1e9, "G"), (1e6, "M"), (1e3, "k"))
_STEPS = (0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 600, 1800, 3600, 7200, 21600, 43200, 86400)
_TIMES = ((86400, "d"), (3600, "h"), (60, "min"), (1, "s"), (0.001, "ms"))


def written(value: float, unit: str) -> str:
    """Write a number in a unit of Grafana's."""
    if np.isnan(value):
        return "no data"
    if unit == "percentunit":
        return f"{value * 100:.3g} %"
    if unit == "s":
        if value == 0:
            return "0 s"
        size, name = next(((size, name) for size, name in _TIMES if abs(value) >= size), _TIMES[-1])
        return f"{value / size:.3g} {name}"
    suffix = {"celsius": " °C", "watt": "W", "reqps": " req/s"}.get(unit, "")
    if unit.startswith("suffix:"):
        suffix = f" {unit.removeprefix('suffix:').strip()}"
    size, letter = next(((size, letter) for size, letter in _SCALES if abs(value) >= size), (1, ""))
    return f"{value / size:.3g}{' ' if unit == 'watt' else ''}{letter}{suffix}"


def legend(pattern: str, answer: Answer) -> str:
    """Fill a legend with an answer's labels; without one, the labels say what it is."""
    if not pattern:
        return ", ".join(value for name, value in sorted(answer.labels.items()) if name != "__name__") or "value"
    return re.sub(r"{{(\w+)}}", lambda match: answer.labels.get(match.group(1), ""), pattern).strip() or "(none)"


def limit(panel: Panel) -> tuple[float, bool] | None:
    """Return a panel's limit, and whether values above it are bad."""
    steps = panel["fieldConfig"]["defaults"]["thresholds"]["steps"]
    return (steps[1]["value"], steps[0]["color"] == "green") if len(steps) > 1 else None


def lines(axes: Axes, panel: Panel, found: Sequence[tuple[str, Values]]) -> None:
    """Draw lines or stacked areas over the day."""
    fields = panel["fieldConfig"]["defaults"]
    stacked = fields["custom"].get("stacking", {}).get("mode") == "normal"
    shown = sorted(found, key=lambda one: -np.nan_to_num(one[1]).mean())[:LINES]
    shown.sort(key=lambda one: one[0])
    below = np.zeros(0)
    for number, (name, values) in enumerate(shown):
        color = COLORS[number % len(COLORS)]
        hours = np.arange(len(values)) * (24 / len(values))
        if stacked:
            below = below if below.size else np.zeros(len(values))
            top = below + np.nan_to_num(values)
            axes.fill_between(hours, below, top, color=color, alpha=0.45, linewidth=0, label=name)
            below = top
        else:
            axes.plot(hours, values, color=color, linewidth=0.9, label=name)
    _axes(axes, panel, fields.get("unit", "short"))
    if shown:
        axes.legend(
            loc="upper left", bbox_to_anchor=(-0.02, -0.13), ncols=3, frameon=False, fontsize=5.5, labelcolor=INK,
            handlelength=1.0, columnspacing=1.0, borderaxespad=0.2, labelspacing=0.25,
        )  # fmt: skip
    if len(found) > LINES:
        axes.text(1, 1.02, f"{LINES} of {len(found)}", transform=axes.transAxes, ha="right", fontsize=5, color=FAINT)


def _axes(axes: Axes, panel: Panel, unit: str) -> None:
    fields = panel["fieldConfig"]["defaults"]
    bound = limit(panel)
    if bound:
        axes.axhline(bound[0], color=BAD, linewidth=0.8, linestyle=(0, (4, 3)))
    axes.set_ylim(bottom=fields.get("min"), top=fields.get("max"))
    if fields.get("min") is not None and axes.dataLim.y1 <= fields["min"]:
        axes.set_ylim(top=fields["min"] + 1)
    axes.set_xlim(0, 24)
    axes.xaxis.set_major_locator(MultipleLocator(6))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda hour, _: f"{hour:02.0f}:00"))
    axes.yaxis.set_major_locator(_ticks(unit, axes.get_ylim()))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: written(value, unit)))
    axes.tick_params(labelsize=5.5, left=False, bottom=False, colors=FAINT)
    axes.grid(visible=True, axis="y", color="#e6e8eb", linewidth=0.5)
    axes.set_axisbelow(True)
    for side in axes.spines.values():
        side.set_visible(False)


def _ticks(unit: str, limits: tuple[float, float]) -> Locator:
    """Return where the lines of the grid are: whole seconds, minutes or hours, whole things."""
    reach = limits[1] - limits[0]
    if unit == "s":
        return MultipleLocator(next((step for step in _STEPS if reach / step <= 4), reach))
    return MaxNLocator(4, integer=unit == "short" and reach >= 2)


def number(axes: Axes, panel: Panel, found: Sequence[tuple[str, Values]]) -> None:
    """Draw the last value, coloured by its limit, over a faint line of the day."""
    values = found[0][1] if found else np.array([np.nan])
    last = values[~np.isnan(values)][-1] if (~np.isnan(values)).any() else np.nan
    bound, color = limit(panel), INK
    if bound:
        color = BAD if (last > bound[0]) == bound[1] and last != bound[0] else GOOD
    axes.plot(np.arange(len(values)), values, color="#c9d1d9", linewidth=0.9)
    low, high = (np.nanmin(values), np.nanmax(values)) if found else (0.0, 1.0)
    axes.set_ylim(low - 0.1 * (high - low) - 1e-9, high + 2.2 * (high - low) + 1e-9)
    axes.axis("off")
    unit = panel["fieldConfig"]["defaults"].get("unit", "short")
    axes.text(
        0.5, 0.62, written(float(last), unit), transform=axes.transAxes, ha="center", va="center", fontsize=11,
        color=color, fontweight="bold",
    )  # fmt: skip


def table(axes: Axes, panel: Panel, found: Sequence[tuple[str, Answer]]) -> None:
    """Draw rows, one for each set of labels at the end of the day, with a column for each query."""
    columns = list(dict.fromkeys(name for name, _ in found))
    rows: dict[tuple[tuple[str, str], ...], dict[str, float]] = {}
    for name, answer in found:
        key = tuple(sorted((label, value) for label, value in answer.labels.items() if label != "__name__"))
        if not np.isnan(answer.values[-1]):
            rows.setdefault(key, {})[name] = float(answer.values[-1])
    labels = sorted({label for key in rows for label, _ in key})
    axes.axis("off")
    heads = [*labels, *columns]
    units = {
        one["matcher"]["options"]: part["value"]
        for one in panel["fieldConfig"].get("overrides", ())
        for part in one["properties"]
        if part["id"] == "unit"
    }
    spread = [number / max(1, len(heads)) for number in range(len(heads))]
    for left, head in zip(spread, heads, strict=True):
        axes.text(left, 0.97, head, transform=axes.transAxes, fontsize=6, color=FAINT, va="top", fontweight="bold")
    height = 0.9 / ROWS
    for line, (key, cells) in enumerate(sorted(rows.items())[:ROWS]):
        texts = [dict(key).get(label, "") for label in labels]
        texts += [written(cells[name], units.get(name, "short")) if name in cells else "" for name in columns]
        for left, text in zip(spread, texts, strict=True):
            at = 0.97 - height * (line + 1)
            axes.text(left, at, text, transform=axes.transAxes, fontsize=6, color=INK, va="top")
    if len(rows) > ROWS:
        axes.text(1, 1.02, f"{ROWS} of {len(rows)}", transform=axes.transAxes, ha="right", fontsize=5, color=FAINT)
