"""Alerts on idle work and on the reclaimer: their cases hold for both modes and for looks that are close or far apart."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuplan.emit.monitoring import publish
from tests.build import fleet
from tests.promtool.test_business import judge
from tests.unit.reclaim.test_policy import FLEET


@pytest.mark.parametrize("mode", ["dryRun", "suspend"])
@pytest.mark.parametrize("minutes", [1, 5, 60])
def test_every_case_of_an_alert_holds(promtools: tuple[Path, ...], tmp_path: Path, mode: str, minutes: int) -> None:
    said = FLEET.replace("mode: dryRun", f"mode: {mode}, everyMinutes: {minutes}")
    judge(promtools, tmp_path, fleet(said), "reclaim")


def test_there_are_no_such_alerts_without_a_reclaimer() -> None:
    made = fleet(FLEET.replace("mode: dryRun", "mode: 'off'"))
    assert "gpuplan-reclaim" not in {group.name for group in publish.groups(made, made.clusters[0])}
