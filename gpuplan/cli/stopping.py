"""Be stopped in an orderly way: a signal ends no step, but says that what was begun has to be taken back."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import FrameType

from gpuplan.cli.options import log

SIGNALS = {signal.SIGINT: "Ctrl-C", signal.SIGTERM: "SIGTERM", signal.SIGHUP: "its terminal was closed"}


@dataclass(slots=True)
class Stop:
    """Whether a signal has come: `why` says which, `code` is what shells give a program that it ended."""

    why: str = ""
    code: int = 0
    _come: threading.Event = field(default_factory=threading.Event)

    def sleep(self, seconds: float) -> None:
        """Sleep; the first signal ends the sleep that it comes in."""
        if self.why:
            threading.Event().wait(seconds)
        else:
            self._come.wait(seconds)

    def come(self, number: int, _frame: FrameType | None) -> None:
        """Take note of a signal; what comes after the first changes nothing."""
        if not self.why:
            self.why, self.code = f"stopped by {SIGNALS[signal.Signals(number)]}", 128 + number
            log("gpuplan: stopping; what was changed is taken back")
        self._come.set()


@contextlib.contextmanager
def stoppable() -> Iterator[Stop]:
    """Give what knows of signals, and leave them to others afterwards."""
    stop = Stop()
    # `nohup` has a program ignore that its terminal is closed.
    heard = [number for number in SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]
    before = {number: signal.signal(number, stop.come) for number in heard}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
