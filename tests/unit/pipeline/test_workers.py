"""Several processes do what one would: same results, same order, and nothing is left behind when something ends them."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gpuplan.pipeline import tree, weights
from gpuplan.pipeline.parts import Render
from gpuplan.pipeline.workers import CAN_FORK, each
from gpuplan.report import runbooks
from tests.build import fleet
from tests.unit.pipeline.test_shards import SPEC

ROOT = Path(__file__).parents[3]

pytestmark = pytest.mark.skipif(not CAN_FORK, reason="this system cannot fork safely")


@pytest.mark.parametrize("jobs", [1, 2, 5, 40])
def test_results_come_in_the_order_of_the_items(jobs: int) -> None:
    def slow_at_first(number: int) -> int:
        time.sleep(0.05 if number == 0 else 0)
        return number * number

    assert list(each(slow_at_first, range(12), jobs)) == [number * number for number in range(12)]


def test_a_worker_s_exception_comes_out_with_the_place_where_it_happened() -> None:
    def fails_at_three(number: int) -> int:
        if number == 3:
            raise LookupError("three")
        return number

    with pytest.raises(LookupError, match="three") as caught:
        list(each(fails_at_three, range(6), 2))
    assert "fails_at_three" in str(caught.value.__cause__)
    assert multiprocessing.active_children() == []


def test_any_number_of_processes_makes_the_same_parts_and_tells_of_them_in_the_same_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(weights, "LEAST_FOR_A_WORKER", 1)  # clusters of a test are too small to be worth a process
    render = Render(fleet=fleet(SPEC), fleet_dir="fleet", root=tmp_path / "rendered", texts=runbooks.texts)

    def made(jobs: int) -> tuple[object, list[tuple[str, int, int]]]:
        told: list[tuple[str, int, int]] = []
        whole = tree.whole(render, None, jobs, lambda *words: told.append(words))
        return dict(whole.parts), told

    assert weights.workers_for(render.fleet.clusters, 3) == 3
    assert made(1) == made(3)


SLEEPERS = """
import os, sys, time
from gpuplan.pipeline.workers import each
def sleep(number):
    os.write(1, b"%d\\n" % os.getpid())
    time.sleep(60)
try:
    list(each(sleep, range(2), 2))
except KeyboardInterrupt:
    sys.exit(130)
"""


@pytest.mark.parametrize(("stop", "code"), [(signal.SIGINT, 130), (signal.SIGKILL, -signal.SIGKILL)])
def test_workers_end_with_the_process_that_has_them(stop: signal.Signals, code: int) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", SLEEPERS],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert process.stdout is not None
    workers = [int(process.stdout.readline()) for _ in range(2)]
    process.send_signal(stop)
    assert process.wait(timeout=30) == code
    deadline = time.monotonic() + 30
    while any(_runs(worker) for worker in workers):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def _runs(pid: int) -> bool:
    """Tell whether a process is there and no mere entry that nobody has collected."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False
