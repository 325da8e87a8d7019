"""amtool accepts the configuration, and every team's alerts reach the team, in our eyes and by the rendered test.

The tool of the test tools is 0.34; where a system has its own (Debian: 0.25), that one must agree on all that it knows.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings

from gpuplan import pipeline
from gpuplan.emit.monitoring import alertmanager
from gpuplan.emit.monitoring.alerts import PLATFORM_TEAM
from gpuplan.model.fleet import Fleet
from gpuplan.model.monitoring import Alertmanager, DailyHours, MailServer, Receiver
from tests.build import TODAY, resolved
from tests.generated import fleets

EXAMPLE = Path(__file__).parents[2] / "fleet"
SEVERITIES = ("critical", "warning", "info")
HOURS = DailyHours(time_zone="Europe/Berlin", days=(1, 2, 6), start=20 * 60, end=6 * 60, path=())
MAIL = MailServer(address="mail.acme.io:587", sender="gpu@acme.io", username="gpu", secret="mail", key="password")
PLATFORM = "the-platform"
OLD_KINDS = ("slack", "pagerduty", "email")
KINDS = (*OLD_KINDS, "webhook")
"""Ways to tell; Debian's Alertmanager cannot read a webhook's address from a file."""


def told(fleet: Fleet, kinds: Sequence[str], hours: DailyHours | None) -> Fleet:
    """Return the fleet with a receiver for the platform and for every second team, in every way in turn."""
    teams = tuple(
        replace(team, receiver="" if number % 3 == 2 else f"r-{number}") for number, team in enumerate(fleet.teams)
    )
    names = [PLATFORM, *(team.receiver for team in teams if team.receiver)]
    receivers = tuple(
        Receiver(name=name, kind=kinds[number % len(kinds)], secret="hooks", key=name, to="#gpu@acme.io", path=())  # type: ignore[arg-type]  # one of the kinds
        for number, name in enumerate(names)
    )
    made = Alertmanager(
        receivers=receivers, mail=MAIL, platform=PLATFORM, office_hours=hours, url="", path=("monitoring",)
    )
    return replace(fleet, teams=teams, monitoring=replace(fleet.monitoring, alertmanager=made))


def example() -> Fleet:
    checked = pipeline.check(EXAMPLE, TODAY)
    assert checked.fleet is not None
    return checked.fleet


def write(fleet: Fleet, folder: Path) -> Path:
    """Write what is rendered for the fleet's first cluster; return the folder of Prometheus' files."""
    cluster = next(cluster for cluster in fleet.clusters if cluster.pools)
    for text in alertmanager.texts(fleet, cluster):
        path = folder / text.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.text, encoding="utf-8")
    return folder / "prometheus" / cluster.name


def ran(*command: str | Path, folder: Path, tool: Path) -> subprocess.CompletedProcess[str]:
    """Run a command that finds the tool as `amtool`."""
    path = f"{tool.parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        command, cwd=folder, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False
    )


def receiver_of(folder: Path, tool: Path, *labels: str) -> str:
    done = ran(tool, "config", "routes", "test", "--config.file=alertmanager.yaml", *labels, folder=folder, tool=tool)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture
def amtools(amtool: Path) -> list[tuple[Path, tuple[str, ...]]]:
    """Return every amtool there is, ours and the system's own, and what it can read."""
    systems = shutil.which("amtool")
    return [(amtool, KINDS), *([(Path(systems), OLD_KINDS)] if systems else [])]


@pytest.mark.parametrize("hours", [None, HOURS], ids=["any time", "office hours"])
def test_each_team_s_alerts_reach_its_receiver_or_the_platform_s_where_it_has_none(
    amtools: list[tuple[Path, tuple[str, ...]]], tmp_path: Path, hours: DailyHours | None
) -> None:
    for tool, kinds in amtools:
        fleet = told(example(), kinds, hours)
        folder = write(fleet, tmp_path / tool.parent.name)
        for severity in SEVERITIES:
            said = f"severity={severity}"
            for team in fleet.teams:
                own = team.receiver or PLATFORM
                assert receiver_of(folder, tool, f"team={team.name}", said, "cluster=x") == own
            assert receiver_of(folder, tool, f"team={PLATFORM_TEAM}", said, "node=n") == PLATFORM
        assert {team.receiver for team in fleet.teams} & {PLATFORM} == set()


def test_the_example_tells_each_team_of_its_own_alerts(amtool: Path, tmp_path: Path) -> None:
    fleet = example()
    folder = write(fleet, tmp_path)
    own = {team.name: receiver_of(folder, amtool, f"team={team.name}", "severity=critical") for team in fleet.teams}
    assert own == {team.name: team.receiver for team in fleet.teams}
    assert fleet.monitoring.alertmanager.platform not in own.values()
    done = ran("sh", "alertmanager.test.sh", folder=folder, tool=amtool)
    assert (done.returncode, done.stderr) == (0, "")


def test_an_alert_of_nobody_goes_to_the_platform_and_one_that_is_no_news_to_nobody(
    amtool: Path, tmp_path: Path
) -> None:
    folder = write(told(example(), KINDS, HOURS), tmp_path)
    assert receiver_of(folder, amtool, "alertname=DiskFull") == PLATFORM
    assert receiver_of(folder, amtool, "alertname=Watchdog", "severity=none") == alertmanager.NOBODY


def test_the_rendered_test_passes_and_names_the_alert_that_goes_astray(
    amtools: list[tuple[Path, tuple[str, ...]]], tmp_path: Path
) -> None:
    for tool, kinds in amtools:
        fleet = told(example(), kinds, None)
        folder = write(fleet, tmp_path / tool.parent.name)
        done = ran("sh", "alertmanager.test.sh", folder=folder, tool=tool)
        assert (done.returncode, done.stderr) == (0, "")

        file = folder / "alertmanager.yaml"
        lost = re.sub(r"receiver: r-1\b", f"receiver: {PLATFORM}", file.read_text(encoding="utf-8"))
        file.write_text(lost, encoding="utf-8")
        done = ran("sh", "alertmanager.test.sh", folder=folder, tool=tool)
        assert done.returncode == 1
        team = fleet.teams[1].name
        assert f"an alert with team={team} severity=critical does not reach r-1" in done.stderr
        assert done.stderr.count("does not reach") == len(SEVERITIES)


def test_the_rendered_test_fails_where_alertmanager_would_refuse_the_configuration(
    amtool: Path, tmp_path: Path
) -> None:
    folder = write(told(example(), KINDS, None), tmp_path)
    (folder / "alertmanager.yaml").write_text("route: {receiver: nobody}\n", encoding="utf-8")
    assert ran("sh", "alertmanager.test.sh", folder=folder, tool=amtool).returncode == 1


@given(fleets())
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_it_holds_for_whatever_fleet(amtool: Path, text: str) -> None:
    fleet, _ = resolved(text)
    if fleet is None or not any(cluster.pools for cluster in fleet.clusters):
        return
    with TemporaryDirectory() as folder:
        written = write(told(fleet, KINDS, HOURS), Path(folder))
        done = ran("sh", "alertmanager.test.sh", folder=written, tool=amtool)
        assert (done.returncode, done.stderr) == (0, "")


ALERTS = """{{"receiver": "r", "status": "{status}", "alerts": [{{"status": "{status}", "labels": {labels},
"annotations": {{"summary": "A GPU is missing.", "description": "Node n1 reports 1 GPU too few.",
"runbook_url": "https://runbooks/x"}}}}], "groupLabels": {{}}, "commonLabels": {labels},
"commonAnnotations": {{"runbook_url": "https://runbooks/x"}}, "externalURL": "http://am"}}"""
LABELS = '{"alertname": "GpuMissingFromNode", "cluster": "eu", "team": "platform", "severity": "critical"}'


@pytest.mark.parametrize(
    ("template", "status", "labels", "text"),
    [
        (alertmanager.TITLE, "firing", LABELS, "FIRING (1): GpuMissingFromNode in eu, team platform"),
        (alertmanager.TITLE, "resolved", '{"alertname": "X"}', "RESOLVED: X"),
        (
            alertmanager.BODY,
            "firing",
            LABELS,
            "*A GPU is missing.* Node n1 reports 1 GPU too few. <https://runbooks/x|Runbook>",
        ),
        (alertmanager.BODY, "resolved", LABELS, "Over: Node n1 reports 1 GPU too few."),
        (alertmanager.PAGERDUTY_SEVERITY, "firing", LABELS, "critical"),
        (alertmanager.PAGERDUTY_SEVERITY, "firing", '{"severity": "page"}', "error"),
        (alertmanager.PAGERDUTY_SEVERITY, "firing", "{}", "error"),
    ],
)
def test_what_people_read_is_what_the_alert_says(
    amtools: list[tuple[Path, tuple[str, ...]]], tmp_path: Path, template: str, status: str, labels: str, text: str
) -> None:
    (tmp_path / "none.tmpl").write_text("", encoding="utf-8")
    (tmp_path / "data.json").write_text(ALERTS.format(status=status, labels=labels), encoding="utf-8")
    for tool, _ in amtools:
        command = ("template", "render", "--template.glob=none.tmpl", "--template.data=data.json")
        done = ran(tool, *command, f"--template.text={template}", folder=tmp_path, tool=tool)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.strip() == text
