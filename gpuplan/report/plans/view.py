"""A plan prepared for reading: the order of its parts, their words, and what is left for `--full`."""

from __future__ import annotations

from collections.abc import Mapping

from gpuplan.catalog import effects as catalogue
from gpuplan.catalog.effects import EffectFact
from gpuplan.plan import Plan, Risk
from gpuplan.plan.parts import Action
from gpuplan.report.plans import effects, objects, promises, quotas, rollouts, spec
from gpuplan.report.plans.parts import Counts, Section, View
from gpuplan.report.plans.words import counted

NO_CHANGES = "No changes."


def view(plan: Plan, *, full: bool = False, notes: tuple[str, ...] = ()) -> View:
    """Prepare a plan; `full` names every object with the fields that change, and every unchanged quota beside a changed one."""
    counts = counted_objects(plan)
    return View(
        plan=plan,
        title=f"{plan.old} → {plan.new}",
        fleet=_fleet(plan),
        headline=_headline(plan, counts),
        counts=counts,
        sections=_sections(plan, catalogue.read(), full=full),
        notes=notes,
    )


def _sections(plan: Plan, facts: Mapping[str, EffectFact], *, full: bool) -> tuple[Section, ...]:
    by_risk = effects.sections(plan.effects, facts)
    harms = tuple(part for part in by_risk if part.risk is not None and part.risk.rank >= Risk.DISRUPTIVE.rank)
    return (
        *harms,
        *quotas.sections(plan, full=full),
        *promises.sections(plan.promises),
        *(part for part in by_risk if part not in harms),
        *rollouts.rollouts(plan.rollouts),
        *rollouts.approvals(plan.approvals),
        *objects.objects(plan.objects, full=full),
        *objects.files(plan.texts),
        *(spec.sections(plan.spec) if full or plan.empty else ()),
    )


def counted_objects(plan: Plan) -> Counts:
    """Count what becomes of objects and files."""

    def of(action: Action) -> int:
        return sum(change.action is action for change in plan.objects)

    return Counts(
        add=of(Action.CREATE),
        change=of(Action.UPDATE),
        destroy=of(Action.DELETE),
        replace=of(Action.REPLACE),
        files=len(plan.texts),
    )


def _headline(plan: Plan, counts: Counts) -> str:
    if plan.empty and not plan.effects:
        return NO_CHANGES
    files = f", and {counted(counts.files, 'file')} beside them" if counts.files else ""
    return (
        f"Plan: {counts.add:,} to add, {counts.change:,} to change, {counts.destroy:,} to destroy, "
        f"{counts.replace:,} to replace{files}. Risk: {plan.risk.value}."
    )


def _fleet(plan: Plan) -> str:
    name = f"fleet {plan.fleet}: " if plan.fleet else ""
    changed = plan.changed_clusters
    listed = f" ({', '.join(changed)})" if 0 < len(changed) <= 5 else ""
    return f"{name}{counted(len(plan.clusters), 'cluster')}, {len(changed):,} changed{listed}"
