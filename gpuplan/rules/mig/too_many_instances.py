"""More instances of a MIG profile than fit on a card.

Each profile has a most: seven `1g.10gb` on a card of 80 GB, but four `1g.20gb` and one `7g.80gb`. The name alone does
not tell: `1g.10gb` is the smallest slice of an 80 GB card and the double-memory slice of a 40 GB one.

Source: NVIDIA MIG User Guide, supported profiles.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.cuts import cuts
from gpuplan.rules.walk import graded

DOC = RuleDoc(
    id="mig/too-many-instances",
    severity=Severity.ERROR,
    summary="More instances of a MIG profile than a card holds",
    why="The MIG manager fails to create them, after it has stopped the node's GPU clients.",
    fix="Ask for at most as many as the message says.",
    bad="nodePools:\n  lab: {card: a100-sxm-40gb, sharing: {mig: {profiles: {1g.10gb: 7}}}}",
    good="nodePools:\n  lab: {card: a100-sxm-40gb, sharing: {mig: {profiles: {1g.10gb: 4}}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each profile that is asked for too often, at its count."""
    for cut in cuts(fleet):
        for profile, count in cut.mix.items():
            known = cut.mig_class.find(profile)
            if known is not None and count > known.max_count:
                yield DOC.found(
                    f"Pool `{cut.pool.name}` asks for {count} x {profile} on a card; "
                    f"`{cut.pool.card.name}` holds at most {known.max_count}",
                    at=fleet.places.value((*cut.path, profile)),
                    fix=f"Write `{profile}: {known.max_count}` or less.",
                    severity=graded(known=cut.known),
                )
