"""How the cards of a pool are exposed: NVIDIA's ways, and those of other vendors."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from gpuplan import conventions
from gpuplan.catalog import Card, Cuts
from gpuplan.catalog.mig import label_safe
from gpuplan.model.sharing import (
    MigGroup,
    MigStrategy,
    Piece,
    Sharing,
    SharingMode,
    Unit,
)
from gpuplan.spec.pools import (
    HamiSpec,
    MigSpec,
    NodePoolSpec,
    PartitionSpec,
    SharesSpec,
    SharingChoiceSpec,
    VnpuSpec,
)


def sharing(spec: NodePoolSpec, card: Card, cuts: Cuts) -> Sharing:
    """Return how the pool's cards are exposed. A cut that the card does not know is for the rules to report."""
    if not isinstance(spec.sharing, SharingChoiceSpec):
        return Sharing(mode=SharingMode.EXCLUSIVE, label="exclusive")
    if spec.sharing.mig is not None:
        return _mig(spec.sharing.mig, spec.cards_per_node or 0)
    if spec.sharing.mps is not None:
        return _shares(SharingMode.MPS, "mps", spec.sharing.mps)
    if spec.sharing.partition is not None:
        return _partition(spec.sharing.partition, card, cuts)
    if spec.sharing.vnpu is not None:
        return _vnpus(spec.sharing.vnpu, card, cuts)
    if spec.sharing.hami is not None:
        return _hami(spec.sharing.hami)
    return _shares(SharingMode.TIME_SLICING, "time-slicing", spec.sharing.time_slicing or SharesSpec(replicas=1))


def _shares(mode: SharingMode, word: str, spec: SharesSpec) -> Sharing:
    label = f"{word}-{spec.replicas}" + ("" if spec.rename_by_default else "-plain")
    return Sharing(mode=mode, label=label, replicas=spec.replicas, renamed=spec.rename_by_default)


def _mig(spec: MigSpec, cards_per_node: int) -> Sharing:
    """Lay the cut out over every card index; cards that no group names stay whole."""
    every = tuple(range(cards_per_node))
    if spec.profiles is not None:
        groups = [MigGroup(indexes=every, profiles=tuple(sorted(spec.profiles.items())))]
    else:
        groups = [
            MigGroup(indexes=tuple(group.cards), profiles=tuple(sorted(group.profiles.items())))
            for group in spec.groups or ()
        ]
        cut = {index for group in groups for index in group.indexes}
        whole = tuple(index for index in every if index not in cut)
        groups += [MigGroup(indexes=whole, profiles=())] if whole else []
    strategy = MigStrategy(spec.strategy)
    name = spec.name or "-".join(_group_label(group, counted=len(groups) > 1) for group in groups)
    single = "single-" if strategy is MigStrategy.SINGLE else ""
    return Sharing(mode=SharingMode.MIG, label=f"mig-{single}{name}", strategy=strategy, groups=tuple(groups))


def _group_label(group: MigGroup, *, counted: bool) -> str:
    cut = "-".join(f"{count}x{label_safe(profile)}" for profile, count in group.profiles) or "whole"
    return f"{len(group.indexes)}of-{cut}" if counted else cut


def _partition(spec: PartitionSpec, card: Card, cuts: Cuts) -> Sharing:
    """AMD: a card in SPX is one device; in CPX each of its compute dies is one, under the card's name or its own."""
    known = cuts.partitions.get(card.name)
    devices = known.devices.get(spec.compute, 1) if known else 1
    config = f"{spec.compute}-{spec.memory}"
    mixed = spec.resource_naming == "mixed"
    domain, _, _ = card.resource.partition("/")
    resource = f"{domain}/{config.lower().replace('-', '_')}" if mixed else card.resource
    share = Fraction(1, devices)
    unit = Unit(part=f"1/{devices} card" if devices > 1 else "card", card_share=share, hidden=devices > 1 and not mixed)
    label = config.lower() + ("" if mixed else "-plain")
    piece = Piece(resource=resource, per_card=devices, unit=unit)
    return Sharing(mode=SharingMode.PARTITION, label=label, pieces=(piece,), config=config)


def _vnpus(spec: VnpuSpec, card: Card, cuts: Cuts) -> Sharing:
    """Huawei: every template is a resource of its own."""
    pieces = sorted(_virtual(spec, card, cuts), key=lambda piece: piece.resource)
    cut = [f"{count}x{name}" for name, count in sorted(spec.templates.items())]
    label = "-".join(["vnpu", *cut]).lower().replace("_", "-")
    return Sharing(mode=SharingMode.VNPU, label=label, pieces=tuple(pieces), config=" ".join(cut))


def _virtual(spec: VnpuSpec, card: Card, cuts: Cuts) -> Iterator[Piece]:
    known = cuts.vnpus.get(card.name)
    for name, count in spec.templates.items():
        template = known.templates.get(name) if known else None
        share = Fraction(template.cores, known.cores) if known and template else Fraction(1, count)
        resource = f"{card.resource}-{template.resource if template else name.replace('_', '.')}"
        yield Piece(resource=resource, per_card=count, unit=Unit(part=name, card_share=share))


def _hami(spec: HamiSpec) -> Sharing:
    """HAMi offers every card so many times under the plain name; how much of it a pod gets is asked for beside that."""
    unit = Unit(part=f"1/{spec.split} card", card_share=Fraction(1, spec.split), hidden=True)
    piece = Piece(resource=conventions.RESOURCE_GPU, per_card=spec.split, unit=unit)
    return Sharing(mode=SharingMode.HAMI, label=f"hami-{spec.split}", pieces=(piece,), config=str(spec.split))
