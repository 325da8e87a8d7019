"""Wait for something to become true, never without a limit, and say at the end what was seen instead."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")

SHORTEST_PAUSE_SECONDS = 0.02
LONGEST_PAUSE_SECONDS = 0.25


class WaitTimeoutError(AssertionError):
    """The awaited thing did not come; an assertion, since in a test that is the finding."""


def wait_for(
    predicate: Callable[[], Result],
    timeout: float,
    *,
    what: str,
    alive: Callable[[], None] = lambda: None,
    evidence: Callable[[], str] = lambda: "",
) -> Result:
    """Call `predicate` until it returns something truthy, and return that.

    `alive` may raise when waiting has become pointless, such as when a process has died; `evidence` is added to the
    message of `WaitTimeoutError`. Pauses grow from 20 ms to 250 ms. The predicate is always tried once more at the end.
    """
    end = time.monotonic() + timeout
    pause = SHORTEST_PAUSE_SECONDS
    while True:
        last_try = time.monotonic() >= end
        result = predicate()
        if result:
            return result
        alive()
        if last_try:
            raise WaitTimeoutError(f"waited {timeout:g} s for {what}; last seen: {result!r}\n{evidence()}".rstrip())
        time.sleep(min(pause, max(0.0, end - time.monotonic())))
        pause = min(pause * 1.5, LONGEST_PAUSE_SECONDS)
