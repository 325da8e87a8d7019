"""The runbooks of alerts: each alert has one, each stands for an alert, and what they name exists."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from gpuplan import catalog
from gpuplan.emit.monitoring import publish
from gpuplan.report import alert_runbooks
from gpuplan.spec.fleet import FleetSpec
from tests.build import fleet, resolved
from tests.generated import fleets
from tests.unit.report.alert_fleets import (
    EVERYTHING,
    FLEETS,
    PAGES,
    everything,
    example,
    fences,
    page,
    raised,
    runbooks,
    stems,
    written,
)

SECTIONS = [
    "What it means",
    "What work feels",
    "See whether it is true",
    "What to do",
    "When it is false",
    "Whom to tell",
    "Silence it",
    "Change it",
]


def test_every_alert_has_a_runbook_and_every_runbook_an_alert() -> None:
    assert {name.lower() for name in raised(everything())} == stems()
    assert {name.lower() for name in raised(example())} <= stems()


@given(fleets())
@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_whatever_a_fleet_can_raise_has_a_runbook_where_its_alert_points(text: str) -> None:
    made, _ = resolved(text)
    if made is None:
        return
    paths = {one.path for one in written(made)}
    alerts = {
        alert.name for cluster in made.clusters for group in publish.groups(made, cluster) for alert in group.alerts
    }
    assert paths == {publish.runbook_path(name) for name in alerts}


@pytest.mark.parametrize("name", PAGES)
def test_a_runbook_answers_the_same_questions_in_the_same_order(name: str) -> None:
    for text in (runbooks(fleet_name).get(name) for fleet_name in FLEETS):
        if text is None:
            continue
        parts = re.split(r"(?<=\n\n)^## (.+)\n\n", text, flags=re.MULTILINE)
        assert parts[1::2] == SECTIONS
        assert all(part.strip() for part in parts)
        assert not re.search(r"(?<!\")\bNone\b|\{[{%#]|[%#]\}", text)
        assert text.count("```") % 2 == 0


@pytest.mark.parametrize("name", PAGES)
def test_what_it_asks_of_the_alert_is_a_label_that_the_alert_carries(name: str) -> None:
    (one,) = (one for one in raised(everything()).values() if one.alert.name.lower() == name)
    carried = {label for case in one.alert.cases for labels in case.fires for label in labels}
    asked = set(re.findall(r"^[A-Z_]+='<(\w+)>'$", page(name), re.MULTILINE))
    silenced = set(re.findall(r' (\w+)="\$', fences(page(name).partition("## Silence it")[2], "sh")[0]))
    assert asked | silenced <= carried
    if "node" in carried:
        assert "node" in asked


@functools.cache
def schema() -> Any:
    return FleetSpec.model_json_schema(by_alias=True)


def in_spec(key: str) -> bool:
    """Tell whether the spec has a key; `<…>` stands for any name."""
    places = [schema()]
    for part in key.split("."):
        below = []
        for place in places:
            for one in spread(place):
                if part.startswith("<"):
                    below += [other for other in (one.get("additionalProperties"),) if isinstance(other, dict)]
                    below += one.get("patternProperties", {}).values()
                else:
                    below += [one["properties"][part]] if part in one.get("properties", {}) else []
        places = below
    return bool(places)


def spread(place: Any) -> Iterator[Any]:
    """Yield a place of the schema with what it refers to."""
    if "$ref" in place:
        yield from spread(schema()["$defs"][place["$ref"].rpartition("/")[2]])
    for either in ("anyOf", "oneOf", "allOf"):
        for one in place.get(either, ()):
            yield from spread(one)
    yield place


KEY = re.compile(r"`((?:monitoring|governance|taskPools|teams|nodePools|clusters|cardTiers|delivery)\.[\w.<>]+)")


@pytest.mark.parametrize("name", PAGES)
def test_every_key_that_it_tells_to_change_is_one_of_the_spec(name: str) -> None:
    for key in KEY.findall(page(name)):
        assert in_spec(key), key


def test_every_key_whose_value_is_shown_is_one_of_the_spec() -> None:
    assert [key for key in alert_runbooks.values(everything()) if not in_spec(key)] == []
    assert not in_spec("monitoring.thresholds.noSuchThing")


def test_every_threshold_is_shown_by_some_runbook() -> None:
    shown = {key for name in PAGES for key in KEY.findall(page(name))}
    assert {key for key in alert_runbooks.values(everything()) if "thresholds" in key} <= shown


def test_a_threshold_of_the_spec_is_the_one_that_is_shown() -> None:
    made = everything()
    limits = replace(made.monitoring.thresholds, pcie_replays_per_minute=77)
    changed = replace(made, monitoring=replace(made.monitoring, thresholds=limits))
    texts = {Path(text.path).stem: text.text for text in written(changed)}
    assert "| `monitoring.thresholds.pcieReplaysPerMinute` | 77 |" in texts["gpupciereplayshigh"]
    assert "More than 77 packets a minute" in texts["gpupciereplayshigh"]


@pytest.mark.parametrize("name", PAGES)
def test_it_points_to_runbooks_that_there_are(name: str) -> None:
    for other in re.findall(r"`((?:Gpu|Team|Kueue|Inference|Training|Release)[A-Z]\w+)`", page(name)):
        assert other.lower() in stems(), other


@pytest.mark.parametrize("name", ["gpuxidnodedrain", "gpuxidapplication", "gpuxidunknown"])
def test_the_runbooks_of_xids_have_the_class_of_every_code(name: str) -> None:
    rows = re.findall(r"^\| ([a-z-]+) \| ([\d, -]+) \|", page(name), re.MULTILINE)
    found: dict[str, set[int]] = {}
    for kind, codes in rows:
        for part in codes.split(", "):
            first, _, last = part.partition("-")
            found.setdefault(kind, set()).update(range(int(first), int(last or first) + 1))
    assert found == {kind: set(row.codes) for kind, row in catalog.load().xids.items()}


def test_the_fleets_own_judgement_of_codes_is_told() -> None:
    made = fleet(EVERYTHING.replace("monitoring: {", "monitoring: {xids: {drain: [109], ignore: [63]}, "))
    (text,) = (one.text for one in written(made) if one.path.endswith("/gpuxidnodedrain.md"))
    assert "drain after 109, ignore 63" in text


def test_a_node_is_entered_the_way_its_cluster_allows() -> None:
    assert "talosctl" in page("gpumissingfromnode")
    assert "chroot /host/run/nvidia/driver" in page("gpumissingfromnode")
    assert "amd-smi" in page("gpuexporterdownongpunode")
    assert "talosctl" not in runbooks("example")["gpumissingfromnode"]


def test_the_documentation_lists_every_alert_with_its_severity_and_whom_it_is_for() -> None:
    docs = (Path(__file__).parents[3] / "docs" / "monitoring.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([A-Z]\w+) \| (critical|warning|info)[^|]* \| (platform|team) \|$", docs, re.MULTILINE)
    alerts = raised(everything()).items()
    assert sorted(rows) == sorted((name, one.alert.severity, one.alert.team or "team") for name, one in alerts)
