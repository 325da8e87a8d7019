"""gpuplan among other programs: pipes whose reader goes, closed and full outputs, Ctrl-C, and terminals."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.transcript import ENVIRONMENT

ROOT = Path(__file__).parents[2]
GPUPLAN = (sys.executable, "-m", "gpuplan")


def fleet_of(*clusters: str) -> str:
    """Return a fleet with one pool in each cluster."""
    pool = "{tier: serve, nodes: 2, cardsPerNode: 4, selectedBy: {labels: {pool: a}}, cluster: %s}"
    return "\n".join(
        [
            "apiVersion: gpuplan.dev/v1alpha1",
            "metadata: {name: tiny}",
            "cardTiers: {serve: {cards: [l40s]}}",
            "clusters:",
            *(f'  {name}: {{kubernetes: "1.36"}}' for name in clusters),
            "nodePools:",
            *(f"  pool-{name}: {pool % name}" for name in clusters),
        ]
    )


@pytest.fixture(autouse=True)
def fleet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("fleet").mkdir()
    Path("fleet/fleet.yaml").write_text(fleet_of("eu", "us"), encoding="utf-8")


def environment(**more: str) -> dict[str, str]:
    return {**ENVIRONMENT, "PYTHONPATH": str(ROOT), **more}


def shell(command: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Run a line of bash in which `$gpuplan` is gpuplan."""
    return subprocess.run(
        ["bash", "-c", command],
        capture_output=True,
        text=True,
        env=environment(gpuplan=" ".join(GPUPLAN), **more),
        check=False,
    )


@pytest.mark.parametrize(("command", "code"), [("cards", 0), ("rule", 0), ("schema", 0), ("check --fleet none", 1)])
def test_a_reader_that_goes_changes_neither_exit_code_nor_log(command: str, code: int) -> None:
    process = subprocess.Popen(
        [*GPUPLAN, *command.split()], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment()
    )
    assert process.stdout is not None
    process.stdout.close()  # before it has begun to write
    assert process.stderr is not None
    assert (process.stderr.read(), process.wait()) == ("", code)


def test_a_log_without_reader_changes_nothing() -> None:
    done = shell("($gpuplan render 2>&1; echo exit $? >&3) 3>&2 | true")
    assert done.stderr == "exit 0\n"
    assert Path("rendered/.gpuplan.json").is_file()


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_closed_outputs_are_no_fault(closed: str) -> None:
    assert shell(f"$gpuplan render {closed}").returncode == 0
    assert shell(f"$gpuplan cards {closed}").returncode == 0


def test_a_result_that_gets_lost_is_said_without_a_traceback() -> None:
    done = shell("$gpuplan cards > /dev/full")
    assert done.stderr == "gpuplan: cannot write to standard output: No space left on device\n"
    assert done.returncode == 2


def test_text_that_a_stream_cannot_hold_is_escaped() -> None:
    Path("fleet/more.yaml").write_text("größe: {}\n", encoding="utf-8")
    done = shell("$gpuplan check --output-format concise", PYTHONIOENCODING="ascii")
    assert "the spec has no key `gr\\xf6\\xdfe`" in done.stdout
    assert done.returncode == 1


def test_ctrl_c_ends_a_render_with_130_and_leaves_nothing_half_done() -> None:
    lock = Path(".rendered.gpuplan-write")
    with lock.open("w", encoding="utf-8") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        process = subprocess.Popen(
            [*GPUPLAN, "render"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment()
        )
        wait_until_it_holds(process.pid, lock.resolve())
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert (out, err.strip(), process.returncode) == ("", "", 130)
    assert not Path("rendered").exists()


def wait_until_it_holds(pid: int, file: Path) -> None:
    """Wait until the process has a file open: it then waits for our lock."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if file in opened_by(pid):
            return
        time.sleep(0.02)
    raise AssertionError("it never came to the lock")


def opened_by(pid: int) -> Iterator[Path]:
    """Yield what a process has open, without what it closes while we look."""
    for descriptor in Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):
            yield descriptor.readlink()


def on_terminal(command: str, stream: str, **environ: str) -> tuple[str, str, int]:
    """Run gpuplan with one stream on a terminal and the other in a pipe; both texts and the exit code."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [*GPUPLAN, *command.split()],
        stdout=theirs if stream == "stdout" else subprocess.PIPE,
        stderr=theirs if stream == "stderr" else subprocess.PIPE,
        env=environment(**{"TERM": "xterm", **environ}),
    )
    os.close(theirs)
    shown = b""
    with contextlib.suppress(OSError):  # how Linux says that nobody holds the other end any more
        while piece := os.read(ours, 65536):
            shown += piece
    os.close(ours)
    pipe = process.stderr if stream == "stdout" else process.stdout
    assert pipe is not None
    return shown.decode(), pipe.read().decode(), process.wait()


def test_progress_is_one_line_on_a_terminal_that_goes_when_it_is_done() -> None:
    log, out, code = on_terminal("render", "stderr")
    assert (out.count("\x1b"), code) == (0, 0)
    assert "\r\x1b[Kcompiling eu (1 of 2)\r\x1b[Kcompiling us (2 of 2)\r\x1b[K" in log
    after = log.rpartition("\x1b[K")[2]
    assert re.fullmatch(r"rendered: \d+ written, 0 removed, 0 unchanged; put in place in one step.\r\n", after)


def test_there_is_no_progress_in_a_pipe_nor_for_one_cluster() -> None:
    assert "compiling" not in shell("$gpuplan render").stderr
    Path("fleet/fleet.yaml").write_text(fleet_of("eu"), encoding="utf-8")
    log, _, code = on_terminal("render --out other", "stderr")
    assert ("\x1b" in log, code) == (False, 0)


@pytest.mark.parametrize(
    ("environ", "terminal", "coloured"),
    [
        ({}, True, True),
        ({}, False, False),
        ({"NO_COLOR": "1"}, True, False),
        ({"TERM": "dumb"}, True, False),
        ({"FORCE_COLOR": "1"}, False, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, True, False),
    ],
)
@pytest.mark.parametrize("command", ["check", "cards l4"])
def test_colour_is_for_terminals_unless_somebody_says_otherwise(
    command: str, environ: dict[str, str], terminal: bool, coloured: bool
) -> None:
    piped = "" if terminal else shell(f"$gpuplan {command}", **environ).stdout
    text = piped or on_terminal(command, "stdout", **environ)[0]
    assert ("\x1b[" in text) is coloured
