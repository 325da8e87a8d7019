"""What the README shows is what gpuplan does."""

from __future__ import annotations

import re
from pathlib import Path

from gpuplan import pipeline
from gpuplan.output import rendered_files
from tests.build import TODAY

README = Path("README.md").read_text(encoding="utf-8")


def write_fleet(folder: Path, old: str = "", new: str = "") -> Path:
    (example,) = re.findall(r"```yaml\n(.*?)```", README, flags=re.DOTALL)
    assert len(example.splitlines()) == 12
    fleet = folder / "fleet"
    fleet.mkdir()
    (fleet / "fleet.yaml").write_text(example.replace(old, new), encoding="utf-8")
    return fleet


def test_the_twelve_lines_have_nothing_wrong_and_make_as_many_files_as_said(tmp_path: Path) -> None:
    checked = pipeline.check(write_fleet(tmp_path), TODAY)
    assert (checked.findings, checked.ok) == ((), True)
    assert checked.fleet is not None
    manifests, faults = pipeline.render(checked.fleet)
    assert faults == ()
    (said,) = re.findall(r"It compiles into (\d+) files", README)
    assert len(list(rendered_files(manifests, "fleet"))) == int(said)


def test_the_finding_shown_is_the_finding_given(tmp_path: Path) -> None:
    (finding,) = pipeline.check(write_fleet(tmp_path, "guaranteed: 12", "guaranteed: 20"), TODAY).findings
    line = f"fleet/fleet.yaml:{finding.at.line}:{finding.at.column} {finding.severity.value} {finding.rule}: {finding.summary}"
    assert line in README
    assert f"fix: {finding.fix}" in README
