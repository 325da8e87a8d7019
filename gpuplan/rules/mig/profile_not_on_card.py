"""A MIG profile that the pool's card does not have.

The gigabytes in a profile's name differ from card to card: `1g.5gb` is a slice of an A100 with 40 GB, `1g.10gb` of one
with 80. A layout copied between tiers fails when the MIG manager applies it, after it has stopped every GPU client of
the node. Some names differ by driver or by a sibling of the card (`7g.189gb` for `7g.186gb` on GB200): those are a
warning.

Source: NVIDIA MIG User Guide, supported profiles; the configuration tables of mig-parted. Reports: NVIDIA/mig-parted
#18, #227, NVIDIA/gpu-operator #2249.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.catalog.geometry import nearest_profile
from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.cuts import Cut, cuts
from gpuplan.rules.walk import graded, listed

DOC = RuleDoc(
    id="mig/profile-not-on-card",
    severity=Severity.ERROR,
    summary="A MIG profile that the card does not have",
    why="Profile names differ from card to card. The MIG manager fails on this one, after it has stopped the node's GPU clients.",
    fix="Write a profile of this card; `gpuplan cards NAME` lists them.",
    bad="nodePools:\n  lab: {card: a100-sxm-80gb, sharing: {mig: {profiles: {1g.5gb: 7}}}}",
    good="nodePools:\n  lab: {card: a100-sxm-80gb, sharing: {mig: {profiles: {1g.10gb: 7}}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each cut that names profiles of another card, at the first of them."""
    for cut in cuts(fleet):
        unknown = [profile for profile in cut.mix if cut.mig_class.find(profile) is None]
        if unknown:
            yield DOC.found(
                f"Pool `{cut.pool.name}`: `{cut.pool.card.name}` has no MIG profile {listed(unknown, 'or')}",
                at=fleet.places.key((*cut.path, _first(fleet, cut, unknown))),
                fix=_fix(cut, unknown),
                severity=graded(known=cut.pool.card.is_checked("mig_class")),
            )
        for profile in cut.mix:
            if profile in cut.mig_class.variants:
                usual = cut.mig_class.variants[profile]
                yield DOC.found(
                    f"Pool `{cut.pool.name}`: `{profile}` is called `{usual}` on most `{cut.pool.card.name}`",
                    at=fleet.places.key((*cut.path, profile)),
                    detail="The name depends on the driver and on the card's memory; the node offers its own.",
                    fix=f"Write `{usual}`, unless `nvidia-smi mig -lgip` on these nodes says `{profile}`.",
                    severity=Severity.WARNING,
                )


def _first(fleet: Fleet, cut: Cut, profiles: list[str]) -> str:
    """Return the profile that stands first in the spec."""
    return min(profiles, key=lambda profile: fleet.places.key((*cut.path, profile)))


def _fix(cut: Cut, unknown: list[str]) -> str:
    meant = {profile: nearest_profile(cut.mig_class, profile) for profile in unknown}
    instead = ", ".join(f"`{guess}` for `{profile}`" for profile, guess in meant.items() if guess)
    known = f"`{cut.pool.card.name}` has {listed(cut.mig_class.profiles)}."
    return f"Write {instead}. {known}" if instead else known
