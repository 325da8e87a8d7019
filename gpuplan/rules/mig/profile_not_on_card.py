"""A MIG profile that the pool's card does not have.

The gigabytes in a profile's name differ from card to card: `1g.5gb` is a slice of an A100 with 40 GB, `1g.10gb` of one
with 80. A layout copied between tiers fails when the MIG manager applies it, after it has stopped every GPU client of
the node. Some names differ by driver or by a sibling of the card (`7g.189gb` for `7g.186gb` on GB200): those are a
warning.

Source: NVIDIA MIG User Guide, supported profiles; the configuration tables of mig-parted. Reports: NVIDIA/mig-parted
#18, #227, NVIDIA/gpu-operator #2249.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from gpuplan.catalog.cards import Card
from gpuplan.catalog.geometry import nearest_profile
from gpuplan.catalog.mig import RESOURCE_PREFIX, MigClass, label_safe
from gpuplan.diagnostics import Diagnostic, Severity, Span
from gpuplan.inventory.cards.mig_cuts import ALL, TableCut, brings_own_layouts, instance, table_cuts, uses
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.scheduling.asked import Asked, asked
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


_SHAPE = re.compile(r"\d+g\.\d+gb([+-][a-z][a-z.,]*)?", re.ASCII)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each cut that names profiles of another card, at the first of them."""
    for cut in cuts(fleet):
        who, card = f"Pool `{cut.pool.name}`", cut.pool.card
        unknown = [profile for profile in cut.mix if cut.mig_class.find(profile) is None]
        if unknown:
            at = fleet.places.key((*cut.path, _first(fleet, cut, unknown)))
            yield _not_on_card(who, card, cut.mig_class, unknown, at)
        for profile in cut.mix:
            if profile in cut.mig_class.variants:
                yield _other_name(who, card, cut.mig_class, profile, fleet.places.key((*cut.path, profile)))


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each entry of a table at its first wrong profile, and for names in quotas and pods."""
    for cut in table_cuts(inventory):
        yield from _of_entry(cut)
    if brings_own_layouts(inventory):
        yield from _of_own_layouts(inventory)
    for one in asked(inventory):
        if one.resource.startswith(RESOURCE_PREFIX) and one.card is not None:
            yield from _of_resource(inventory, one, one.card)


def _of_entry(cut: TableCut) -> Iterator[Diagnostic]:
    places = {instance(profile): view.key_span for profile, _, view in reversed(cut.entry.counts)}
    names = list(reversed(places))
    if cut.mig_class is None or cut.card is None:
        shapeless = [name for name in names if not _SHAPE.fullmatch(name)]
        if shapeless:
            summary = f"{cut.who}: {listed(shapeless, 'or')} is no MIG profile"
            yield DOC.found(
                summary, at=places[shapeless[0]], fix="Write a profile as `nvidia-smi mig -lgip` lists it: `1g.10gb`."
            )
        return
    unknown = [name for name in names if cut.mig_class.find(name) is None]
    if unknown:
        yield _not_on_card(cut.who, cut.card, cut.mig_class, unknown, places[unknown[0]])
    for name in names:
        if name in cut.mig_class.variants:
            yield _other_name(cut.who, cut.card, cut.mig_class, name, places[name])


def _of_own_layouts(inventory: Inventory) -> Iterator[Diagnostic]:
    """Judge the name of one of the operator's own layouts: `all-1g.5gb` cuts cards that have `1g.5gb`."""
    defaults = set()
    for use in uses(inventory):
        if use.by_default and use.layout in defaults:
            continue
        mig_class = inventory.catalog.mig.get(use.card.mig_class or "") if use.card else None
        profile = use.layout.removeprefix(ALL).replace(".me", "+me")
        named = use.layout.startswith(ALL) and _SHAPE.fullmatch(profile)
        if use.card and mig_class and named and mig_class.find(profile) is None:
            if use.by_default:
                defaults.add(use.layout)
            who = f"{use.subject} is given MIG layout `{use.layout}`"
            yield _not_on_card(who, use.card, mig_class, [profile], use.view.span)


def _of_resource(inventory: Inventory, one: Asked, card: Card) -> Iterator[Diagnostic]:
    """Judge the name of a resource, which only warns: it may be a quota kept for cards that are yet to come."""
    mig_class = inventory.catalog.mig.get(card.mig_class or "")
    if mig_class is None:
        return
    written = one.resource.removeprefix(RESOURCE_PREFIX).removesuffix(".shared")
    profiles = {label_safe(name): name for name in (*mig_class.profiles, *mig_class.variants)}
    profile = profiles.get(written, written.replace(".me", "+me"))
    if profile in mig_class.variants:
        yield _other_name(one.who, card, mig_class, profile, one.at)
    elif mig_class.find(profile) is None:
        found = _not_on_card(one.who, card, mig_class, [profile], one.at)
        detail = "The device plugin offers no resource of that name on this card, so nothing that asks for it is ever placed."
        yield DOC.found(found.summary, at=found.at, detail=detail, fix=found.fix, severity=Severity.WARNING)


def _first(fleet: Fleet, cut: Cut, profiles: list[str]) -> str:
    """Return the profile that stands first in the spec."""
    return min(profiles, key=lambda profile: fleet.places.key((*cut.path, profile)))


def _not_on_card(who: str, card: Card, mig_class: MigClass, unknown: list[str], at: Span) -> Diagnostic:
    meant = {profile: nearest_profile(mig_class, profile) for profile in unknown}
    instead = ", ".join(f"`{guess}` for `{profile}`" for profile, guess in meant.items() if guess)
    known = f"`{card.name}` has {listed(mig_class.profiles)}."
    return DOC.found(
        f"{who}: `{card.name}` has no MIG profile {listed(unknown, 'or')}",
        at=at,
        fix=f"Write {instead}. {known}" if instead else known,
        severity=graded(known=card.is_checked("mig_class")),
    )


def _other_name(who: str, card: Card, mig_class: MigClass, profile: str, at: Span) -> Diagnostic:
    usual = mig_class.variants[profile]
    return DOC.found(
        f"{who}: `{profile}` is called `{usual}` on most `{card.name}`",
        at=at,
        detail="The name depends on the driver and on the card's memory; the node offers its own.",
        fix=f"Write `{usual}`, unless `nvidia-smi mig -lgip` on these nodes says `{profile}`.",
        severity=Severity.WARNING,
    )
