"""A MIG mix that leaves room for another instance.

The slices that a cut does not use belong to no instance, and no pod ever gets them. Where the card would hold one more
instance beside the mix, the message says which.

Source: NVIDIA MIG User Guide, supported profiles and their placements.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gpuplan.catalog.geometry import fits
from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.cuts import Cut, cuts, said, spelled

DOC = RuleDoc(
    id="mig/slices-left-over",
    severity=Severity.INFO,
    summary="A MIG mix that leaves room for another instance",
    why="Slices outside every instance are used by nobody.",
    fix="Add an instance, or keep the room on purpose.",
    bad="nodePools:\n  lab: {card: a100-sxm-40gb, sharing: {mig: {profiles: {1g.5gb: 5}}}}",
    good="nodePools:\n  lab: {card: a100-sxm-40gb, sharing: {mig: {profiles: {1g.5gb: 7}}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each mix that another plain instance could join."""
    found: dict[tuple[str, tuple[tuple[str, int], ...]], Mapping[str, int]] = {}
    for cut in cuts(fleet):
        key = (cut.mig_class.name, tuple(cut.mix.items()))
        if key not in found:
            found[key] = _larger(cut) if fits(cut.mig_class, cut.mix) else {}
        larger = found[key]
        if larger:
            yield DOC.found(
                f"Pool `{cut.pool.name}`: {said(cut.mix)} leaves room for more on each `{cut.pool.card.name}`",
                at=fleet.places.value(cut.path),
                fix=f"`{spelled(larger)}` would use it.",
            )


def _larger(cut: Cut) -> dict[str, int]:
    """Return the mix filled up: the largest instance that fits is added, again and again; empty where none does."""
    plain = [profile for profile in cut.mig_class.profiles.values() if not profile.attribute]
    mix = dict(cut.mix)
    for profile in sorted(plain, key=lambda profile: (profile.memory_slices, profile.compute_slices), reverse=True):
        while fits(cut.mig_class, wider := {**mix, profile.name: mix.get(profile.name, 0) + 1}):
            mix = wider
    return mix if mix != dict(cut.mix) else {}
