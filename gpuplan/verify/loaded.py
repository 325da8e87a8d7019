"""Rules as they were rendered, and as a Prometheus has loaded them, side by side; and what else it has answered."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from gpuplan.inventory.items import Item
from gpuplan.inventory.metrics import promql
from gpuplan.inventory.view import View
from gpuplan.manifests.set import Manifest
from gpuplan.verify.observed import Asked
from gpuplan.verify.scene import Scene


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule, rendered or loaded; times are in seconds."""

    name: str
    alerts: bool
    expr: str
    """As it is written."""
    labels: Mapping[str, str]
    wait: float = 0
    hold: float = 0
    health: str = ""
    """Of a loaded rule: `ok`, `err` or `unknown`, which is before its first evaluation."""
    error: str = ""

    def __str__(self) -> str:
        return f"{'alert' if self.alerts else 'record'} {self.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Rules that are evaluated together. `interval` is 0 for Prometheus' own; `file` and `evaluated` are those of loaded ones."""

    name: str
    rules: tuple[Rule, ...]
    interval: float = 0
    file: str = ""
    evaluated: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """A series by its labels, and its value."""

    labels: Mapping[str, str]
    value: float


def rules_of(manifests: Iterable[Manifest]) -> tuple[Group, ...]:
    """Return the rule groups of the rendered PrometheusRules, in their order."""
    objects = (Item.plain(dict(one.object)).root for one in manifests if one.key.kind == "PrometheusRule")
    return tuple(_rendered(group) for one in objects for group in one["spec"]["groups"].items())


def _rendered(group: View) -> Group:
    rules = tuple(
        Rule(
            name=one["alert"].text() or one["record"].text(),
            alerts=one["alert"].exists,
            expr=one["expr"].scalar(),
            labels=one["labels"].texts(),
            wait=seconds(one["for"].text()),
            hold=seconds(one["keep_firing_for"].text()),
        )
        for one in group["rules"].items()
    )
    return Group(name=group["name"].text(), rules=rules, interval=seconds(group["interval"].text()))


def loaded(scene: Scene) -> tuple[Group, ...] | str:
    """Return the rule groups that Prometheus has loaded, or why they are not known."""
    page = _answer(scene.observed.prometheus, "rules")
    return page if isinstance(page, str) else tuple(map(_loaded, page["groups"].items()))


def _loaded(group: View) -> Group:
    rules = tuple(
        Rule(
            name=one["name"].text(),
            alerts=one["type"].text() == "alerting",
            expr=one["query"].text(),
            labels=one["labels"].texts(),
            wait=_number(one["duration"]),
            hold=_number(one["keepFiringFor"]),
            health=one["health"].text(),
            error=one["lastError"].text(),
        )
        for one in group["rules"].items()
    )
    return Group(
        name=group["name"].text(),
        rules=rules,
        interval=_number(group["interval"]),
        file=group["file"].text(),
        evaluated=group["lastEvaluation"].text(),
    )


def metrics_read(groups: Iterable[Group]) -> tuple[str, ...]:
    """Return the names of the metrics that rules read, sorted."""
    read = (promql.read(rule.expr).selectors for group in groups for rule in group.rules)
    return tuple(sorted({one.name for selectors in read for one in selectors} - {""}))


def recorded(groups: Iterable[Group]) -> tuple[str, ...]:
    """Return the names of the series that rules record, sorted."""
    return tuple(sorted({rule.name for group in groups for rule in group.rules if not rule.alerts}))


def samples(scene: Scene, question: str) -> tuple[Sample, ...] | str:
    """Return the answer to a query, or why there is none."""
    said = _answer(scene.observed.prometheus, question)
    if isinstance(said, str):
        return said
    return tuple(
        Sample(labels=one["labels"].texts(), value=float(one["value"].scalar("nan"))) for one in said["samples"].items()
    )


def targets(scene: Scene) -> tuple[View, ...] | str:
    """Return what is scraped (`health`, `labels`, `lastError`, `scrapeInterval`, `scrapePool`), or why that is not known."""
    said = _answer(scene.observed.prometheus, "targets")
    return said if isinstance(said, str) else tuple(said["targets"].items())


def alertmanagers(scene: Scene) -> tuple[str, ...] | str:
    """Return the addresses to which Prometheus sends alerts, or why they are not known."""
    said = _answer(scene.observed.prometheus, "alertmanagers")
    return said if isinstance(said, str) else said["alertmanagers"].strings()


def clock(scene: Scene) -> float:
    """Return the time that Prometheus has, in seconds since 1970; 0 where it is not known."""
    asked = scene.observed.prometheus
    return float(asked.answers.get("now", 0)) if asked else 0.0


def _answer(asked: Asked | None, question: str) -> View | str:
    found = asked.answers.get(question) if asked else None
    if not isinstance(found, Mapping):
        return "it was not asked"
    view = Item.plain(dict(found)).root
    return view["problem"].text() or view


def _number(view: View) -> float:
    return float(view.value) if isinstance(view.value, int | float) else 0.0


_UNITS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800, "y": 31536000}


def seconds(text: str) -> float:
    """Return a duration of Prometheus in seconds; 0 for none.

    >>> seconds("1h30m"), seconds("500ms"), seconds("")
    (5400.0, 0.5, 0.0)
    """
    total, digits, unit = 0.0, "", ""
    for sign in f"{text} ":
        if unit and not sign.isalpha():
            total += int(digits or 0) * _UNITS.get(unit, 0)
            digits, unit = "", ""
        if sign.isdigit():
            digits += sign
        elif sign.isalpha():
            unit += sign
    return total
