"""What `gpuplan fmt` and `gpuplan migrate` can find."""

from __future__ import annotations

from typing import Final

from gpuplan.diagnostics import Severity
from gpuplan.rulebook import RuleDoc

UNPROVED: Final = RuleDoc(
    id="fmt/not-proved",
    severity=Severity.ERROR,
    summary="A file that is left as it is, since its new text was not proved to say the same",
    why="Before a file is written, its new text is read back: values, the order of names and lists, and comments must be "
    "those of the old one. Here they were not, which is a fault of gpuplan.",
    fix="Please report it with the file, and write the part that the message names in a simpler way.",
)
FINDINGS = (UNPROVED,)
