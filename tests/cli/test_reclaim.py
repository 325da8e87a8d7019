"""`gpuplan reclaim` where servers are away, and how its verdicts are shown. What it does to a cluster: tests/controlplane."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from gpuplan.cli import run
from gpuplan.model.reclaim_policy import text
from gpuplan.reclaim.decide import decide
from gpuplan.report import console, reclaim
from tests.controlplane.reclaiming import kubeconfig
from tests.unit.reclaim.scenery import NOW, busy, owner, policy, seen, told


def shown(*, explain: bool, act: bool = False) -> str:
    active, use = busy()
    observed = seen(owner("a"), owner("b", notes=told(31)), active, use=use)
    parts = reclaim.overview(decide(policy(max_share_percent=100), observed, NOW), explain=explain, act=act)
    return console.drawn(parts, colour=False, width=200)


def test_what_would_be_done_is_shown_and_that_nothing_was() -> None:
    lines = shown(explain=False).splitlines()
    assert len([line for line in lines if line.startswith("Job vision/")]) == 2
    assert "suspend" in lines[2]
    assert lines[-1] == "3 pieces of work with GPUs: 1 idle, 1 notice, 1 active. Dry run: nothing was changed."


def test_explained_is_all_work_with_the_reason() -> None:
    found = shown(explain=True, act=True)
    assert "card 0 on h100-0 reached 90%" in found
    assert "no card above 2% for 60 min; told at 2026-11-30T13:29:00Z, the grace is over" in found
    assert "Dry run" not in found


def test_programs_get_every_verdict() -> None:
    made = reclaim.data(policy(), decide(policy(), seen(owner(notes=told(10))), NOW), NOW, act=False)
    assert json.loads(json.dumps(made)) == made
    (work,) = made["work"]
    assert (work["verdict"], work["action"], work["dueAt"]) == ("in_grace", "remind", "2026-11-30T14:20:00Z")


def test_a_name_cannot_steer_the_terminal() -> None:
    parts = reclaim.overview(decide(policy(), seen(owner("a\x1b[31m")), NOW), explain=True, act=False)
    assert "\x1b" not in console.drawn(parts, colour=False)


def nowhere(folder: Path) -> list[str]:
    """Return the options of a look at servers that nobody runs."""
    (folder / "policy.json").write_text(text(policy()), encoding="utf-8")
    config = kubeconfig(folder, "http://127.0.0.1:1", "token")
    where = ["--policy", str(folder / "policy.json"), "--kubeconfig", str(config)]
    return [*where, "--prometheus", "http://127.0.0.1:1"]


def test_an_api_server_that_cannot_be_reached_is_exit_code_3(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["reclaim", *nowhere(tmp_path)]) == 3
    assert "http://127.0.0.1:1 cannot be reached" in capsys.readouterr().err


def test_a_look_that_is_repeated_ends_when_it_is_asked_to_also_as_the_first_process_of_a_container(
    tmp_path: Path,
) -> None:
    """The kernel keeps signals without a handler from a first process, and the kubelet would have to kill it."""
    command = [sys.executable, "-m", "gpuplan", "reclaim", *nowhere(tmp_path), "--every", "1h"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as program:
        assert program.stderr
        program.stderr.readline()
        program.terminate()
        assert program.wait(timeout=30) == 0


def test_an_address_of_alertmanager_that_is_none_is_used_wrongly(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["reclaim", *nowhere(tmp_path), "--alertmanager", "alertmanager:9093"]) == 2
    assert "it begins with neither http:// nor https://" in capsys.readouterr().err


def test_without_any_cluster_it_is_used_wrongly(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "policy.json").write_text(text(policy()), encoding="utf-8")
    (tmp_path / "empty.yaml").write_text("{}", encoding="utf-8")
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    where = ["--policy", str(tmp_path / "policy.json"), "--kubeconfig", str(tmp_path / "empty.yaml")]
    assert run(["reclaim", "--prometheus", "http://127.0.0.1:1", *where]) == 2
    assert "no cluster is configured" in capsys.readouterr().err
