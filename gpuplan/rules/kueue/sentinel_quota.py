"""A quota that stands for "without end".

A number such as 99999 is written where somebody wants no limit. Plans and shares count it as if it were there, and dashboards of
use against quota show nothing.

Source: lcpu-club/hpcgame-ops-2nd.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.scheduling.queues import holders
from gpuplan.inventory.scheduling.sentinels import is_sentinel
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="kueue/sentinel-quota",
    severity=Severity.INFO,
    summary="A quota that stands for no limit",
    why="The number is no capacity. It is left out where quotas are weighed against nodes.",
    fix="Nothing has to change. What is not to be counted can be excluded in Kueue's configuration instead.",
    bad="{name: contest.example/gpu-count, nominalQuota: 99999}",
    good="{name: contest.example/gpu-count, nominalQuota: 512}",
)


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a note for each quota of nothing but nines, or beyond what any cluster has."""
    for holder in holders(inventory):
        for quota in holder.quotas():
            if is_sentinel(quota):
                written = quota.view["nominalQuota"].scalar()
                yield DOC.found(f"`{quota.resource}` of {holder} has a quota of {written}", at=quota.at.key_span)
