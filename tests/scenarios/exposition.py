"""Series as an exporter shows them: a name, labels, and a value for each minute; and the text format that carries them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

Values = Callable[[int], float | None]
"""Minute of the scenario, from 0 -> value, or None while the series is not shown."""


@dataclass(frozen=True, slots=True)
class Shown:
    """One series of one exporter."""

    name: str
    labels: tuple[tuple[str, str], ...]
    values: Values


def shown(name: str, values: Values | float, /, **labels: str) -> Shown:
    """Return a series; a plain number is its value in every minute."""
    return Shown(name, tuple(sorted(labels.items())), values if callable(values) else always(values))


def always(value: float) -> Values:
    """Return the same value in every minute."""
    return lambda _: value


def growing(per_minute: float, begin: int = 0, start: float = 0) -> Values:
    """Return a counter that grows from a minute on."""
    return lambda minute: start + per_minute * max(0, minute - begin)


def switched(at: int, before: float | None, after: float | None) -> Values:
    """Return one value before a minute and another from it on; None hides the series."""
    return lambda minute: before if minute < at else after


def text(series: Iterable[tuple[str, Mapping[str, str], float]]) -> str:
    """Return samples in Prometheus' text format, grouped by name as the format asks."""
    by_name: dict[str, list[str]] = {}
    for name, labels, value in series:
        inside = ",".join(f'{key}="{_escaped(label)}"' for key, label in labels.items())
        by_name.setdefault(name, []).append(f"{name}{{{inside}}} {value:.17g}\n")
    return "".join(f"# TYPE {name} untyped\n{''.join(lines)}" for name, lines in by_name.items())


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
