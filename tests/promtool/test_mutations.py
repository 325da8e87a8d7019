"""No case of an alert is vacuous: break the alert, and the cases that should notice go red.

Each alert of a cluster with everything is broken in two ways, it never fires and it always fires, and those on cards in two
more: they do not wait, and they do not hold. promtool runs the cases of each against the broken rule, all in one call.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from gpuplan.emit.monitoring import publish
from gpuplan.emit.monitoring.alerts import Alert, Case, Group
from tests.build import fleet
from tests.promtool.test_promtool import BUSINESS, files, spec, write

STATE = "gpuplan-gpu-state"
Break = Callable[[Alert], Alert]
BREAKS: dict[str, Break] = {
    "never fires": lambda alert: replace(alert, expr="vector(0) > 1", hold=""),
    "always fires": lambda alert: replace(alert, expr="vector(1)", wait=""),
    "fires at once": lambda alert: replace(alert, wait=""),
    "ends at once": lambda alert: replace(alert, hold=""),
}


def broken() -> Iterator[tuple[str, Group, Break, Callable[[Case], bool]]]:
    """Yield how to break each alert, with its group, and which of its cases may notice."""
    made = fleet(spec("fleet-rich"))
    for group in publish.groups(made, made.clusters[0]):
        for alert in group.alerts if not group.name.startswith(BUSINESS) else ():
            alone = replace(group, alerts=(alert,))
            yield f"{alert.name} never fires", alone, BREAKS["never fires"], lambda case: bool(case.fires)
            yield f"{alert.name} always fires", alone, BREAKS["always fires"], lambda case: not case.fires
            if alert.wait and group.name == STATE:
                yield f"{alert.name} fires at once", alone, BREAKS["fires at once"], lambda case: not case.fires
            if alert.hold and group.name == STATE:
                yield f"{alert.name} ends at once", alone, BREAKS["ends at once"], lambda case: bool(case.fires)


@pytest.fixture(scope="module")
def red(promtool: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, bool]]:
    """Whether each case of each broken alert went red."""
    folder = tmp_path_factory.mktemp("broken")
    names: dict[str, str] = {}
    for name, group, way, notices in broken():
        alert = group.alerts[0]
        cases = tuple(case for case in alert.cases if notices(case))
        start = name.replace(" ", "-")
        names[f"{start}.test.yaml"] = name
        write(folder, files(replace(group, alerts=(replace(way(alert), cases=cases),)), start))
    done = subprocess.run(
        [promtool, "test", "rules", "--junit=found.xml", *names],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    suites = ElementTree.parse(folder / "found.xml").getroot()
    return {
        names[suite.attrib["name"]]: {case.attrib["name"]: case.find("failure") is not None for case in suite}
        for suite in suites
    }


def test_every_alert_of_the_cluster_was_broken(red: dict[str, dict[str, bool]]) -> None:
    assert set(red) == {name for name, *_ in broken()}
    assert len(red) > 60


def test_a_case_that_fires_misses_an_alert_that_never_does(red: dict[str, dict[str, bool]]) -> None:
    quiet = [case for name, cases in red.items() if "never" in name for case, failed in cases.items() if not failed]
    assert not quiet


def test_a_case_that_is_quiet_notices_an_alert_that_always_fires(red: dict[str, dict[str, bool]]) -> None:
    quiet = [case for name, cases in red.items() if "always" in name for case, failed in cases.items() if not failed]
    assert not quiet


@pytest.mark.parametrize("way", ["fires at once", "ends at once"])
def test_a_case_notices_that_an_alert_does_not_wait_or_hold(red: dict[str, dict[str, bool]], way: str) -> None:
    assert not [name for name, cases in red.items() if name.endswith(way) and not any(cases.values())]
