"""`python -m bench [NAME]...`: print the figures of some benchmarks (example, growth, …) or of all, measured in one run."""

from __future__ import annotations

import os
import platform
import sys

from bench import change, diff, example, growth, lint, rules, startup
from bench.report import show

BENCHMARKS = {
    "example": ("(a) the example fleet", example.lines),
    "growth": ("(b) a large fleet", growth.lines),
    "startup": ("(c) start-up", startup.lines),
    "rules": ("(d) rules for Prometheus", rules.lines),
    "diff": ("(e) what differs between two renders", diff.lines),
    "change": ("(f) a change of one line", change.lines),
    "lint": ("(g) lint of many manifests", lint.lines),
}


def main(names: list[str]) -> None:
    """Run the named benchmarks, all without names."""
    unknown = set(names) - set(BENCHMARKS)
    if unknown:
        sys.exit(f"no such benchmark: {', '.join(sorted(unknown))}; there are {', '.join(BENCHMARKS)}")
    load = ", ".join(f"{number:.1f}" for number in os.getloadavg())
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores, load {load}. CPU is user and system time.")
    for name in names or BENCHMARKS:
        title, lines = BENCHMARKS[name]
        show(title, lines())


if __name__ == "__main__":
    main(sys.argv[1:])
