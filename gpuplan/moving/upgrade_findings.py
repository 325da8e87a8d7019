"""What `gpuplan upgrade` says where there is no way; what render says too stands in validate/findings."""

from __future__ import annotations

from gpuplan.diagnostics import Severity
from gpuplan.rulebook import RuleDoc

NO_WAY = RuleDoc(
    id="upgrade/no-way",
    severity=Severity.ERROR,
    summary="An upgrade of which every step would leave something that does not work",
    why="Each step is a commit that clusters run for a while, so each must work by itself.",
    fix="Change what the finding names first, or ask for other versions.",
    bad="clusters:\n  eu: {kubernetes: '1.33', release: '2026.05'}   # and `gpuplan upgrade --component kueue=v0.19.0`",
    good="clusters:\n  eu: {kubernetes: '1.33', release: '2026.05'}   # and `gpuplan upgrade --component kueue=v0.19.2`",
)
FINDINGS = (NO_WAY,)
"""What this module says, for the rulebook."""
