"""The data files as a whole: sorted, unique, sourced, dated, fast to read."""

from __future__ import annotations

import datetime as dt
import itertools
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import yaml

from gpuplan import catalog
from gpuplan.catalog import (
    _load,
    cards,
    compat,
    conditions,
    cuts,
    distributions,
    drivers,
    metrics,
    mig,
    operator,
    provided,
    releases,
    serving,
    timezones,
    upgrades,
    vendors,
    xids,
)

FILES = sorted(path.name for path in _load.DATA.glob("*.yaml"))
READERS = (
    cards.read,
    mig.read,
    provided.read,
    cuts.read,
    distributions.read,
    drivers.read,
    operator.read,
    releases.read,
    upgrades.read,
    compat.read,
    conditions.read,
    metrics.read,
    serving.read,
    timezones.read,
    vendors.read,
    xids.read,
)


def rows() -> Iterator[tuple[str, Any]]:
    """Every row of the catalogue with its name, whatever its table."""
    known = catalog.load()
    tables: dict[str, Any] = {
        "cards": known.cards,
        "mig": known.mig,
        "releases": known.releases,
        "stops": known.upgrades,
        "metrics": known.metrics,
        "time zones": known.time_zones,
        "xids": known.xids,
        "engines": known.serving.engines,
        "controllers": known.serving.controllers,
        "metrics of engines and controllers": known.serving.metrics,
        "bounds": known.serving.bounds,
        "conditions": known.conditions,
        "branches": known.drivers.branches,
        "limits": known.drivers.limits,
        "requirements": known.drivers.requirements,
        "kueue": known.compat.kueue,
        "incompatibilities": known.compat.incompatibilities,
        "operator": known.compat.operator,
        "distributions": known.compat.distributions,
        "nodes of distributions": known.distributions,
        "fields of the operator": known.operator.fields,
        "lines of the operator": known.operator.lines,
        "provided": known.provided,
        "operating systems": known.compat.operating_systems,
        "families": known.vendors.by_name,
        "exporters": {name: family.exporter for name, family in known.vendors.by_name.items()},
        **{f"components of {name}": release.components for name, release in known.releases.items()},
    }
    for table, content in tables.items():
        for name, row in content.items():
            yield f"{table}/{name}", row


@pytest.mark.parametrize(("name", "row"), [pytest.param(name, row, id=name) for name, row in rows()])
def test_each_row_has_a_source_and_the_day_somebody_looked(name: str, row: Any) -> None:
    assert row.source.startswith("https://"), name
    assert dt.date(2026, 1, 1) <= row.checked <= dt.date.today()  # noqa: DTZ011 - a date of the calendar


@pytest.mark.parametrize("file", FILES)
def test_each_file_is_sorted_and_uses_all_its_sources(file: str) -> None:
    content = _load.tree((_load.DATA / file).read_bytes())
    text = (_load.DATA / file).read_text()
    for section, entries in content.items():
        if section != "shapes":
            assert list(entries) == sorted(entries, key=_natural), f"{file}: {section}"
    for source in content["sources"]:
        assert f"source: {source}" in text, f"{file}: nothing uses the source {source}"


def _natural(name: str) -> tuple[tuple[int, str], ...]:
    """Order `a40` before `a100` and `25.3` before `25.10`, by their numbers where letters agree."""
    groups = itertools.groupby(name, key=str.isdigit)
    return tuple((int(text), "") if digits else (-1, text) for digits, text in ((d, "".join(g)) for d, g in groups))


def test_the_loader_refuses_a_key_that_is_written_twice() -> None:
    with pytest.raises(ValueError, match="written twice"):
        _load.tree(b"a: 1\nb: {c: 1, c: 2}\n")


def test_the_loader_keeps_every_scalar_a_string() -> None:
    assert _load.tree(b"{on: 1e3, 0o17: [~, 2026-01-01]}") == {"on": "1e3", "0o17": ["~", "2026-01-01"]}


@pytest.mark.parametrize(
    ("values", "read"),
    [
        pytest.param({}, lambda row: row.text("a"), id="missing"),
        pytest.param({"a": ["1"]}, lambda row: row.text("a"), id="list for a scalar"),
        pytest.param({"a": "1"}, lambda row: row.texts("a"), id="scalar for a list"),
        pytest.param({"a": "yes"}, lambda row: row.flag("a"), id="yes for true"),
        pytest.param({"a": "x"}, lambda row: row.whole("a"), id="word for a number"),
        pytest.param({"a": "x"}, lambda row: row.version("a"), id="word for a version"),
        pytest.param({"a": "1"}, lambda row: row.mapping("a"), id="scalar for a map"),
    ],
)
def test_a_misshapen_row_raises(values: dict[str, Any], read: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        read(_load.Row("file: section.row", "row", values, {}))


def test_the_catalogue_is_read_once() -> None:
    assert catalog.load() is catalog.load()


def test_reading_all_rows_is_faster_than_the_safe_loader_alone() -> None:
    """10 ms of a core against 20, on the path of every command; the ratio holds on any machine."""
    texts = [(_load.DATA / name).read_bytes() for name in FILES]
    ours = [_cost(lambda: [read() for read in READERS]) for _ in range(7)]
    theirs = [_cost(lambda: [yaml.load(text, yaml.CSafeLoader) for text in texts]) for _ in range(7)]
    assert min(ours) < min(theirs)


def _cost(work: Callable[[], object]) -> float:
    """Seconds of a core that the work takes."""
    start = time.process_time()
    work()
    return time.process_time() - start
