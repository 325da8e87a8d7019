"""A plan in few lines, for expected outputs: what it is, not how a report words it."""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.compare import path_text
from gpuplan.plan import Plan, Rollout
from gpuplan.plan.parts import ABSENT, Balance, Holding, ObjectChange, QuotaRow, SpecChange
from gpuplan.plan.state import Ref

SHOWN = 4
"""Changed paths of an object that are shown."""


def dumped(plan: Plan) -> str:
    """Return everything that a reviewer has to know, a line each."""
    return "".join(f"{line}\n" for line in _lines(plan))


def _lines(plan: Plan) -> Iterator[str]:
    yield f"risk {plan.risk.value}"
    for effect in plan.effects:
        touched = [f"{effect.nodes} nodes"] * bool(effect.nodes) + [f"{effect.cards} cards"] * bool(effect.cards)
        who = ", ".join([*touched, *(f"team {team}" for team in effect.teams)])
        yield f"! {effect.risk.value:11} {effect.fact}: {effect.summary}{f' [{who}]' if who else ''}"
    yield from (_quota(row) for row in plan.quotas if row.changed)
    yield from (_balance(balance) for balance in plan.balances if balance.owned[0] != balance.owned[1])
    yield from (line for change in plan.objects if not _monitors(change) for line in _object(change))
    yield from _monitoring(plan)
    yield from (
        f"{change.action.value} {change.path}" for change in plan.texts if not change.path.startswith("prometheus/")
    )
    yield from (line for rollout in plan.rollouts for line in _rollout(rollout))
    for approval in plan.approvals:
        yield f"ask {approval.role} ({', '.join(approval.owners) or 'nobody named'}): {len(approval.reasons)} reasons"


def _monitors(change: ObjectChange) -> bool:
    """Tell whether an object is one of monitoring, whose content has expected outputs of its own."""
    return change.ref.key.kind == "PrometheusRule" or "gpuplan-dashboard-" in change.ref.key.name


def _monitoring(plan: Plan) -> Iterator[str]:
    found = sorted({(change.ref.cluster or "", change.action.value) for change in plan.objects if _monitors(change)})
    yield from (f"{action} {cluster} rules or dashboards" for cluster, action in found)


def _quota(row: QuotaRow) -> str:
    return f"quota {row.cluster} {row.flavor} {row.resource}, {row.team or 'all'} in {row.task_pool} ({row.service}): {_held(row.old)} -> {_held(row.new)}"


def _held(holding: Holding) -> str:
    def text(amount: int | None) -> str:
        return "any" if amount is None else str(amount)

    return f"{holding.guaranteed}+{text(holding.borrowable)}/{text(holding.reclaimable)} lends {holding.lent} weighs {holding.weight}"


def _balance(balance: Balance) -> str:
    (old, new), (before, after) = balance.owned, balance.capacity
    return f"owned {balance.cluster} {balance.flavor} {balance.resource}: {old} of {before} -> {new} of {after}"


def _object(change: ObjectChange) -> Iterator[str]:
    because = f" ({change.reason})" if change.reason else ""
    was = f", was {_ref(change.was)}" if change.was else ""
    confirmed = ", a person confirms" if change.confirmed and change.action.value == "-" else ""
    yield f"{change.action.value} {_ref(change.ref)}{was}{because}{confirmed}{_places(change.causes)}"
    for inner in change.changes[:SHOWN]:
        yield f"    {path_text(inner.path)}: {_value(inner.old)} -> {_value(inner.new)}"
    if len(change.changes) > SHOWN:
        yield f"    and {len(change.changes) - SHOWN} more"


def _ref(ref: Ref) -> str:
    place = f"{ref.key.namespace}/{ref.key.name}" if ref.key.namespace else ref.key.name
    return f"{ref.cluster or 'hub'} {ref.key.kind} {place}"


def _value(value: object) -> str:
    text = "-" if value is ABSENT else " ".join(str(value).split())
    return text if len(text) <= 60 else f"{text[:57]}..."


def _places(causes: tuple[SpecChange, ...]) -> str:
    lines = sorted({cause.at.line for cause in causes})
    return f" <- line {', '.join(map(str, lines[:3]))}{', …' if len(lines) > 3 else ''}" if lines else " <- ?"


def _rollout(rollout: Rollout) -> Iterator[str]:
    yield f"rollout {rollout.kind} of {rollout.subject}"
    for step in rollout.steps:
        edits = "; ".join(f"{'.'.join(map(str, edit.path))} = {_value(edit.value)}" for edit in step.edits)
        yield f"    {'merge' if step.merges else 'commit' if step.edits else 'do'}: {step.title}{f' [{edits}]' if edits else ''}"
