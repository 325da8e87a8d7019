"""Every transcript in `transcripts/` says what really happens, asked of a real Prometheus. GPUPLAN_WRITE_GOLDEN=1 rewrites them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.cli.transcript import ENVIRONMENT, played

TRANSCRIPTS = sorted((Path(__file__).parent / "transcripts").glob("*.txt"))
WRITE = bool(os.environ.get("GPUPLAN_WRITE_GOLDEN"))
IN_CI = bool(os.environ.get("CI"))
NAMED = "http://prometheus.example:9090"
"""How the server is written down; its port is another each time."""


@pytest.mark.parametrize("file", TRANSCRIPTS, ids=lambda file: file.stem)
def test_a_bill_looks_as_the_transcript_says(
    file: Path, spring_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, value in {**ENVIRONMENT, "GPUPLAN_PROMETHEUS": spring_url}.items():
        monkeypatch.setenv(name, value)
    expected = file.read_text(encoding="utf-8")
    found = played(expected.replace(NAMED, spring_url)).replace(spring_url, NAMED)
    if WRITE:
        assert not IN_CI, "transcripts are not rewritten in CI"
        file.write_text(found, encoding="utf-8")
    else:
        assert found == expected
