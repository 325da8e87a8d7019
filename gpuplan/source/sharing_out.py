"""Work on many files, shared out to the cores of the machine."""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection
from typing import Final, Generic, TypeVar

from gpuplan.source.yamltext import collector_paused

Task = TypeVar("Task")
Result = TypeVar("Result")

WORTH_A_PROCESS: Final = 2000
"""Files: with fewer, starting processes and handing results over costs more than it saves."""
_PARTS_A_CORE: Final = 4
"""So that a part with large files does not hold the others up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Carrier(Generic[Result]):
    """How results go from one process to another: `pickle` would take longer for plain data than reading it took."""

    pack: Callable[[Sequence[Result]], bytes]
    unpack: Callable[[bytes], Iterable[Result]]


def shared_out(
    work: Callable[[Task], Result],
    tasks: Sequence[Task],
    carrier: Carrier[Result],
    *,
    cores: int | None = None,
    worth: int = WORTH_A_PROCESS,
) -> Iterator[Result]:
    """Yield `work` of each task in their order; `cores` are all that this process may use.

    Where processes cannot be forked, or there is one core, or little to do, everything is done here.
    """
    cores = cores or usable_cores()
    if cores == 1 or len(tasks) < worth:
        yield from _all(work, tasks)
        return
    size = -(-len(tasks) // (cores * _PARTS_A_CORE))
    parts = [tasks[start : start + size] for start in range(0, len(tasks), size)]
    with ProcessPoolExecutor(cores, mp_context=multiprocessing.get_context("fork")) as pool:
        for done in pool.map(partial(_packed, work, carrier.pack), parts):
            yield from carrier.unpack(done)


def usable_cores() -> int:
    """Return on how many cores processes that are forked may run; 1 where that is not safe."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else 1


def side_by_side(first: Callable[[], Result], second: Callable[[], Result]) -> tuple[Result, Result]:
    """Return what both give; the second runs in a process of its own that sees all that this one holds, as it is now.

    What the second raises is raised here.
    """
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_sent, args=(second, theirs))
    process.start()
    theirs.close()
    try:
        done = first()
        is_result, given = ours.recv()
    finally:
        ours.close()
        process.join()
    if not is_result:
        raise given
    return done, given


def _sent(work: Callable[[], Result], to: Connection) -> None:
    try:
        to.send((True, work()))
    except Exception as error:
        to.send((False, error))
    finally:
        to.close()


def _all(work: Callable[[Task], Result], tasks: Sequence[Task]) -> list[Result]:
    with collector_paused():
        return [work(task) for task in tasks]


def _packed(work: Callable[[Task], Result], pack: Callable[[Sequence[Result]], bytes], tasks: Sequence[Task]) -> bytes:
    return pack(_all(work, tasks))
