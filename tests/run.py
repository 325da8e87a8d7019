"""All tests in the order that wastes no time: the Go tools are built while the unit tests run.

`python -m tests.run [pytest arguments]`
"""

from __future__ import annotations

import subprocess
import sys
import time


def main(arguments: list[str]) -> int:
    """Return pytest's worst exit code, or the build's."""
    begun = time.monotonic()
    build = subprocess.Popen([sys.executable, "-m", "tests.controlplane.toolchain"])
    unit = _pytest("-m", "not controlplane", *arguments)
    built = build.wait()
    print(f"tools: exit {built} after {time.monotonic() - begun:.0f} s", flush=True)
    control_plane = _pytest("-m", "controlplane", *arguments)
    print(f"all tests took {time.monotonic() - begun:.0f} s", flush=True)
    return unit or built or control_plane


def _pytest(*arguments: str) -> int:
    return subprocess.run([sys.executable, "-m", "pytest", "-q", *arguments], check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
