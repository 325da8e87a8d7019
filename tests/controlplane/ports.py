"""Free TCP ports that stay ours between the choice and the program's bind.

Asking the kernel for a free port and closing it again lets another program take it before ours binds. Here a port is
leased by a lock file that every control plane of this user honours, from a range below the kernel's own ephemeral
ports, so that no outgoing connection takes it either. The lease ends with the process that holds it, however it dies.
"""

from __future__ import annotations

import fcntl
import os
import random
import socket
import tempfile
from pathlib import Path
from typing import IO

RANGE = range(20000, 31000)


class PortLease:
    """A set of leased ports; `close` gives them back."""

    def __init__(self) -> None:
        self._held: list[IO[str]] = []
        self._folder = Path(tempfile.gettempdir()) / f"gpuplan-ports-{os.getuid()}"
        self._folder.mkdir(mode=0o700, exist_ok=True)

    def take(self) -> int:
        """Lease one free port of 127.0.0.1. Raises `RuntimeError` when the whole range is taken."""
        for port in random.sample(RANGE, len(RANGE)):
            handle = (self._folder / str(port)).open("w")
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                handle.close()
                continue
            if is_free(port):
                self._held.append(handle)
                return port
            handle.close()
        raise RuntimeError(f"no free port between {RANGE.start} and {RANGE.stop}")

    def close(self) -> None:
        """Give all ports back."""
        while self._held:
            self._held.pop().close()


def is_free(port: int) -> bool:
    """Tell whether a program could listen on this port of 127.0.0.1 now."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
