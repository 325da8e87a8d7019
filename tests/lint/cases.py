"""Reads the cases of manifest rules: files as people have them, whose comments say which lines the rule finds.

A finding is expected where the line ends in `# <- error`, `# <- warning` or `# <- info`. Where a comment cannot stand (a list of
counters), a line at the top says it: `# expect: 9 error, 12 warning`. Facts are given by `# assume: card=gb200`, a format by
`# as: dcgm-counters`.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from gpuplan import catalog
from gpuplan.diagnostics import Diagnostics
from gpuplan.inventory.assuming import assumed
from gpuplan.inventory.items import Format
from gpuplan.lint import lint

HERE = Path(__file__).parent
MARK = re.compile(r"#\s*<-\s*(error|warning|info)\b")
EXPECT = re.compile(r"^# expect: (.+)$", re.MULTILINE)
ASSUME = re.compile(r"^# assume: (.+)$", re.MULTILINE)
AS = re.compile(r"^# as: (.+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Case:
    """One file of one rule."""

    rule: str
    path: Path

    @property
    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    @property
    def fires(self) -> bool:
        return self.path.name.startswith("fires")

    def expected(self) -> Counter[tuple[int, str]]:
        """Return (line, severity) of every finding of the rule."""
        text = self.text
        found = [(number, word) for number, line in enumerate(text.splitlines(), 1) for word in MARK.findall(line)]
        for listed in EXPECT.findall(text):
            for one in listed.split(","):
                number, word = one.split()
                found.append((int(number), word))
        return Counter(found)

    def judged(self) -> Diagnostics:
        """Lint the file."""
        words = [word for listed in ASSUME.findall(self.text) for word in listed.split(",")]
        formats = AS.findall(self.text)
        facts = assumed(words, catalog.load().cards)
        return lint([self.path], facts, Format(formats[0]) if formats else None).findings

    def __str__(self) -> str:
        return f"{self.rule}/{self.path.stem}"


def cases() -> tuple[Case, ...]:
    """Return every case below `tests/lint`, in the order of their rules."""
    paths = [path for path in HERE.glob("*/*/*") if path.name.startswith(("fires", "quiet"))]
    return tuple(Case(f"{path.parts[-3]}/{path.parts[-2]}", path) for path in sorted(paths))
