"""Inference engines and release controllers: where their metrics are, and what they are called (data/serving.yaml)."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType

from gpuplan import versions
from gpuplan.catalog._load import Row, Table
from gpuplan.versions import Version

MEAN = "mean"
"""Purpose of the counter by which an engine without histograms tells how long its requests took."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """What answers requests, by the name that the spec has for it.

    `model_label` is the label that names the model, empty where no series has one. `objective` is the purpose of the metric
    by which a promise on latency is measured. At the ports `answers_at` it answers requests and shows no metrics. `switch`
    is the flag that turns metrics on, `bounds_switch` the one that sets the bounds of its histograms; both may be empty.
    Names and bounds are known to hold from `oldest` to `newest`.
    """

    name: str
    title: str
    port: int
    answers_at: tuple[int, ...]
    model_label: str
    objective: str
    switch: str
    bounds_switch: str
    oldest: Version | None
    newest: Version | None
    unchecked: frozenset[str]
    source: str
    checked: dt.date

    @property
    def has_histograms(self) -> bool:
        """Whether it tells how many requests kept to a time, rather than their mean alone."""
        return self.objective != MEAN

    def is_older(self, version: Version) -> bool:
        """Tell whether a version is older than all that are known."""
        return self.oldest is not None and version < self.oldest

    def is_newer(self, version: Version) -> bool:
        """Tell whether a version is of a minor release that is newer than all that are known."""
        return self.newest is not None and version.minor > self.newest.minor


@dataclass(frozen=True, slots=True, kw_only=True)
class Controller:
    """What releases work: the port of its metrics, and the values of `app.kubernetes.io/name` that its Services may have."""

    name: str
    title: str
    port: int
    service_names: tuple[str, ...]
    unchecked: frozenset[str]
    source: str
    checked: dt.date


@dataclass(frozen=True, slots=True, kw_only=True)
class ServingMetric:
    """A metric by the name that Prometheus sees; `of` is its engine or controller, `purpose` what it is for.

    `since` is the first version that has it and `until` the first that does not; None where nobody knows of one.
    """

    name: str
    of: str
    purpose: str
    type: str
    unit: str
    labels: tuple[str, ...]
    since: Version | None
    until: Version | None
    unchecked: frozenset[str]
    source: str
    checked: dt.date

    def at(self, version: Version | None) -> bool:
        """Tell whether a version has it; None stands for the newest."""
        if version is None:
            return self.until is None
        return not ((self.since and version < self.since) or (self.until and version >= self.until))


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """The bounds of a histogram's buckets in seconds, ascending, as its exporter prints them."""

    metric: str
    seconds: tuple[str, ...]
    unchecked: frozenset[str]
    source: str
    checked: dt.date

    @property
    def milliseconds(self) -> Mapping[int, str]:
        """What is printed for each bound, by whole milliseconds; bounds that are no whole number are rounded."""
        return {round(Fraction(text) * 1000): text for text in self.seconds}


@dataclass(frozen=True, slots=True, kw_only=True)
class Servings:
    """All tables, each by the name of its rows; `bounds` by the name of the metric."""

    engines: Mapping[str, Engine]
    controllers: Mapping[str, Controller]
    metrics: Mapping[str, ServingMetric]
    bounds: Mapping[str, Bounds]

    def metric(self, engine: str, purpose: str, version: str = "") -> str:
        """Return the name of an engine's metric for a purpose, empty where it has none.

        `version` is as in the spec: one that is missing, or no version, stands for the newest.
        """
        wanted = versions.parse(version) if version else None
        found = (one.name for one in self.metrics.values() if (one.of, one.purpose) == (engine, purpose))
        return next((name for name in found if self.metrics[name].at(wanted)), "")

    def objective(self, engine: str, version: str = "") -> str:
        """Return the name of the metric by which an engine's promise on latency is measured."""
        return self.metric(engine, self.engines[engine].objective, version)


def read() -> Servings:
    """Read every table."""
    table = Table("serving.yaml")
    return Servings(
        engines=MappingProxyType({row.key: _engine(row) for row in table.rows("engines")}),
        controllers=MappingProxyType({row.key: _controller(row) for row in table.rows("controllers")}),
        metrics=MappingProxyType({row.key: _metric(row) for row in table.rows("metrics")}),
        bounds=MappingProxyType({row.key: _bounds(row) for row in table.rows("bounds")}),
    )


def _engine(row: Row) -> Engine:
    return Engine(
        name=row.key,
        title=row.text("title"),
        port=row.whole("port"),
        answers_at=row.wholes("answersAt"),
        model_label=row.text("modelLabel"),
        objective=row.text("objective"),
        switch=row.text("switch"),
        bounds_switch=row.text("boundsSwitch"),
        oldest=row.optional_version("oldest"),
        newest=row.optional_version("newest"),
        unchecked=row.unchecked,
        source=row.provenance.source,
        checked=row.provenance.checked,
    )


def _controller(row: Row) -> Controller:
    return Controller(
        name=row.key,
        title=row.text("title"),
        port=row.whole("port"),
        service_names=row.texts("serviceNames"),
        unchecked=row.unchecked,
        source=row.provenance.source,
        checked=row.provenance.checked,
    )


def _metric(row: Row) -> ServingMetric:
    return ServingMetric(
        name=row.key,
        of=row.text("of"),
        purpose=row.text("purpose"),
        type=row.text("type"),
        unit=row.text("unit", ""),
        labels=row.texts("labels"),
        since=row.optional_version("since"),
        until=row.optional_version("until"),
        unchecked=row.unchecked,
        source=row.provenance.source,
        checked=row.provenance.checked,
    )


def _bounds(row: Row) -> Bounds:
    return Bounds(
        metric=row.key,
        seconds=row.texts("seconds"),
        unchecked=row.unchecked,
        source=row.provenance.source,
        checked=row.provenance.checked,
    )
