"""Reads a rule's cases: small whole fleets whose comments say which findings stand on which line.

A finding is expected where the line ends in `# <- area/name`. Words in front of the id may name its severity, and commas
separate several findings of one line: `nodes: 16   # <- warning pool/a, quota/b`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gpuplan import rules
from gpuplan.diagnostics import Diagnostics
from tests.build import resolved

HERE = Path(__file__).parent
MARK = re.compile(r"#\s*<-\s*(?P<findings>\S.*)$")
REPOSITORY = """
---
delivery: {argocd: {repoURL: https://git.acme.io/platform/fleet.git}}
"""
"""Joined to cases that do not speak of delivery, each of which would otherwise have to name a repository."""
AMBIENT = {"cluster/cards-open-to-all-pods": "nvidiaRuntime"}
"""Rules that nearly every fleet of several teams sets off, and the key that a case must hold to speak of them."""
FINDING = re.compile(r"(?:(?P<severity>error|warning|info)\s+)?(?P<rule>[a-z]+/[a-z0-9-]+)")


@dataclass(frozen=True, slots=True)
class Case:
    """One fleet of one rule: `rule` is the id of its folder, `fires` whether that rule has something to say."""

    rule: str
    path: Path

    @property
    def fires(self) -> bool:
        return self.path.name.startswith("fires")

    @property
    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    def __str__(self) -> str:
        return f"{self.rule}/{self.path.stem}"


def cases() -> tuple[Case, ...]:
    """Return every case below `tests/rules`, in the order of their rules."""
    paths = (path for path in HERE.glob("*/*/*.yaml") if path.name.startswith(("fires", "quiet")))
    return tuple(Case(f"{path.parts[-3]}/{path.parts[-2]}", path) for path in sorted(paths))


def marks(text: str) -> Counter[tuple[int, str]]:
    """Return (line, `rule` or `severity rule`) of every expected finding."""
    return Counter(_marks(text))


def _marks(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.splitlines(), start=1):
        marked = MARK.search(line)
        for word in marked["findings"].split(",") if marked else ():
            finding = FINDING.fullmatch(word.strip())
            assert finding, f"line {number}: not `severity area/name`: {word.strip()}"
            yield number, finding[0]


def judged(text: str) -> Diagnostics:
    """Take a fleet through source, spec, resolve and rules; the findings of all four."""
    fleet, found = resolved(text if "\ndelivery:" in text else text + REPOSITORY)
    everything = (*found, *(rules.check(fleet) if fleet else ()))
    return tuple(finding for finding in everything if AMBIENT.get(finding.rule, "") in text)


def as_marks(found: Diagnostics, expected: Counter[tuple[int, str]]) -> Counter[tuple[int, str]]:
    """Return the findings as they would be marked: with their severity where a mark of that line names it."""
    written = Counter[tuple[int, str]]()
    for finding in found:
        full = (finding.at.line, f"{finding.severity.value} {finding.rule}")
        written[full if full in expected else (finding.at.line, finding.rule)] += 1
    return written
