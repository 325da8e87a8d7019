"""A mix of MIG instances that does not fit on a card, though each count is allowed.

An instance occupies a run of the card's memory slices, and each profile may start at certain slices only. That decides,
and not the sum of compute slices or of the gigabytes in the names: 4 x 1g.10gb + 3 x 1g.5gb add up to 7 compute slices
on an A100 with 40 GB and do not fit, while 2 x 1g.12gb + 1 x 2g.24gb + 1 x 3g.47gb add up to 95 GB on an H100 NVL with
94 and do. gpuplan searches all placements; mig-parted finds out on the node, after it has stopped every GPU client.

Source: placements as `nvidia-smi mig -lgipp` prints them on A100, H100 NVL and A30. Reports: NVIDIA/k8s-test-infra
#886, NVIDIA/mig-parted #100.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.catalog.geometry import Misfit, Mix, Obstacle, nearest, why_not
from gpuplan.catalog.mig import MigClass
from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.cards.mig_cuts import TableCut, table_cuts
from gpuplan.inventory.inventory import Inventory
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.cuts import cuts, said, spelled
from gpuplan.rules.walk import graded

DOC = RuleDoc(
    id="mig/unplaceable",
    severity=Severity.ERROR,
    summary="A mix of MIG instances that does not fit on a card",
    why="No arrangement of these instances on the card exists. The MIG manager would fail after it has stopped the GPU clients.",
    fix="Ask for a mix that fits.",
    bad="nodePools:\n  lab: {card: a100-sxm-40gb, sharing: {mig: {profiles: {1g.10gb: 4, 1g.5gb: 3}}}}",
    good="nodePools:\n  lab: {card: a100-sxm-40gb, sharing: {mig: {profiles: {1g.10gb: 3, 1g.5gb: 1}}}}",
)

OTHER_RULES = (Obstacle.UNKNOWN_PROFILE, Obstacle.COUNT, Obstacle.TOO_MANY)
"""Obstacles that mig/profile-not-on-card, the spec's types and mig/too-many-instances report."""


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each mix that cannot be placed, with the nearest mixes that can."""
    for cut in cuts(fleet):
        misfit = _misfit(cut.mig_class, cut.mix)
        if misfit is not None:
            yield DOC.found(
                f"Pool `{cut.pool.name}`: {_unfit(cut.mix, cut.pool.card.name, misfit)}",
                at=fleet.places.value(cut.path),
                fix=_fix(cut.mig_class, cut.mix),
                severity=graded(known=cut.known),
            )


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each entry of a table that cannot be placed: on its card, or on any card that has its profiles."""
    for cut in table_cuts(inventory):
        mix = cut.entry.mix
        classes = _classes(inventory, cut)
        misfits = [_misfit(mig_class, mix) for mig_class in classes]
        if misfits and (first := misfits[0]) is not None and None not in misfits:
            yield DOC.found(
                f"{cut.who}: {_unfit(mix, cut.card.name if cut.card else 'any card that has these profiles', first)}",
                at=cut.entry.counts[0][2].key_span,
                fix=_fix(classes[0], mix),
                severity=graded(known=all(mig_class.confirmed for mig_class in classes) and cut.known),
            )


def _classes(inventory: Inventory, cut: TableCut) -> tuple[MigClass, ...]:
    """Return the class of the card, or each that has all the profiles."""
    if cut.mig_class is not None:
        return (cut.mig_class,)
    return tuple(one for one in inventory.catalog.mig.values() if all(one.find(name) for name in cut.entry.mix))


def _misfit(mig_class: MigClass, mix: Mix) -> Misfit | None:
    misfit = why_not(mig_class, mix)
    return None if misfit is None or misfit.obstacle in OTHER_RULES else misfit


def _unfit(mix: Mix, card: str, misfit: Misfit) -> str:
    return f"{said(mix)} does not fit on {card if ' ' in card else f'`{card}`'}: {_reason(misfit)}"


def _reason(misfit: Misfit) -> str:
    """Say what is short, or that nothing is and the mix still does not fit."""
    where = ", since each profile may start at certain slices only" if misfit.obstacle is Obstacle.PLACEMENT else ""
    return f"{misfit}{where}"


def _fix(mig_class: MigClass, mix: Mix) -> str:
    mixes = [f"`{spelled(near)}`" for near in nearest(mig_class, mix)]
    if not mixes:
        return DOC.fix
    return f"The nearest that fits: {' or '.join(mixes)}."
