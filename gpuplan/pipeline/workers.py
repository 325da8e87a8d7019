"""Work on many items in several processes, with the results of one.

Workers are forked, so that they have the fleet without it being sent to them, and get numbers of items. Where a system cannot
fork safely, one process does it all.
"""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import Any, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

CAN_FORK = sys.platform == "linux"
"""macOS's own libraries do not survive a fork, and Windows has none."""
_PR_SET_PDEATHSIG = 1
"""Linux, prctl(2): which signal a process gets when its parent has gone."""

_work: Callable[[int], Any]
"""In a worker, and nowhere else: what it does with the number of an item."""


def usable_cpus() -> int:
    """Return how many processors this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def each(work: Callable[[Item], Result], items: Sequence[Item], jobs: int) -> Iterator[Result]:
    """Yield the result of each item in their order, whatever process made it and when.

    An exception of the work comes out as it would without workers, its traceback among its causes. Whatever ends the loop early,
    Ctrl-C among it, ends the workers, too.
    """
    if jobs < 2 or not CAN_FORK:
        yield from map(work, items)
        return
    before = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(
        min(jobs, len(items)),
        mp_context=multiprocessing.get_context("fork"),
        initializer=_become_worker,
        initargs=(lambda number: work(items[number]), os.getpid()),
    )
    try:
        for future in [pool.submit(_do, number) for number in range(len(items))]:
            yield future.result()
    except BaseException:
        for worker in set(multiprocessing.active_children()) - before:
            worker.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _become_worker(work: Callable[[int], Any], parent: int) -> None:
    """Take the work over, leave Ctrl-C to the parent, and go when it goes."""
    global _work  # noqa: PLW0603 - a task that is sent to a worker can name no closure, so the worker keeps it
    _work = work
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # gone before we asked to be told
        os._exit(1)


def _do(number: int) -> Any:
    return _work(number)
