"""All tests in the order that wastes no time: the Go tools are built while the unit tests run.

`python -m tests.run [pytest arguments]`

Tests run in two processes. Those of the control plane wait most of the time, for a real scheduler, a real Kueue, a real Argo CD; each
process has servers of its own, which is why a machine with little memory gets one.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

PROCESSES = 2
GIB_A_PROCESS = 6
"""Memory of the servers that one process starts at the most: two API servers with Kueue, and Argo CD."""


def main(arguments: list[str]) -> int:
    """Return pytest's worst exit code, or the build's."""
    begun = time.monotonic()
    build = subprocess.Popen([sys.executable, "-m", "tests.controlplane.toolchain"])
    unit = _pytest(PROCESSES, "-m", "not controlplane", *arguments)
    print(f"unit tests: exit {unit} after {time.monotonic() - begun:.0f} s", flush=True)
    built = build.wait()
    print(f"tools: exit {built} after {time.monotonic() - begun:.0f} s", flush=True)
    control_plane = _pytest(_planes(), "-m", "controlplane", *arguments)
    print(f"all tests took {time.monotonic() - begun:.0f} s", flush=True)
    return unit or built or control_plane


def _planes() -> int:
    """Return in how many processes the memory of this machine lets control planes run; two where nobody says."""
    meminfo = Path("/proc/meminfo")
    lines = meminfo.read_text(encoding="ascii").splitlines() if meminfo.exists() else []
    available = next((int(line.split()[1]) // 2**20 for line in lines if line.startswith("MemAvailable:")), None)
    return PROCESSES if available is None else max(1, min(PROCESSES, available // GIB_A_PROCESS))


def _pytest(processes: int, *arguments: str) -> int:
    """Run pytest; the tests of a file stay together, since they share what takes long to make."""
    spread = ("-n", str(processes), "--dist", "loadfile") if processes > 1 else ()
    return subprocess.run([sys.executable, "-m", "pytest", "-q", *spread, *arguments], check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
