"""A plan for programs: `plan.json`. The same plan gives the same bytes; `schemas/plan.schema.json` describes it."""

from __future__ import annotations

import dataclasses
from typing import Any, Final

from gpuplan import compare
from gpuplan.catalog import effects as catalogue
from gpuplan.compare import Change, path_text
from gpuplan.diagnostics import Span
from gpuplan.plan.parts import (
    ABSENT,
    Approval,
    Balance,
    Effect,
    Holding,
    ObjectChange,
    QuotaRow,
    Rollout,
    SpecChange,
    Step,
    TextChange,
)
from gpuplan.plan.promise import Promise
from gpuplan.plan.state import Ref
from gpuplan.report.changes import HIDDEN, is_secret
from gpuplan.report.machine import json_text
from gpuplan.report.plans.parts import View
from gpuplan.report.plans.words import spec_path

FORMAT_VERSION: Final = "1.0"
"""A reader may rely on every key under one major number and refuses another one; the minor one grows when keys are added."""

Data = dict[str, Any]


def as_json(view: View) -> str:
    """Return the plan as one JSON object."""
    return json_text(data(view))


def data(view: View) -> Data:
    """Return the plan for programs; amounts are in pieces, and null is without end."""
    plan, counts = view.plan, view.counts
    return {
        "format_version": FORMAT_VERSION,
        "fleet": plan.fleet,
        "old": plan.old,
        "new": plan.new,
        "notes": list(view.notes),
        "no_changes": plan.empty,
        "risk": plan.risk.value,
        "headline": view.headline,
        "summary": {
            "add": counts.add,
            "change": counts.change,
            "destroy": counts.destroy,
            "replace": counts.replace,
            "files": counts.files,
        },
        "clusters": list(plan.clusters),
        "changed_clusters": list(plan.changed_clusters),
        "effects": [_effect(effect) for effect in plan.effects],
        "facts": _facts(plan.effects),
        "quotas": [_quota(row) for row in plan.quotas],
        "balances": [_balance(balance) for balance in plan.balances],
        "promises": [_promise(promise) for promise in plan.promises],
        "rollouts": [_rollout(rollout) for rollout in plan.rollouts],
        "approvals": [_approval(approval) for approval in plan.approvals],
        "objects": [_object(change) for change in plan.objects],
        "files": [_text(change) for change in plan.texts],
        "spec": [_spec(change) for change in plan.spec],
    }


def _facts(effects: tuple[Effect, ...]) -> Data:
    """Return what is known of the facts behind the effects, by id."""
    known = catalogue.read()
    names = sorted({effect.fact for effect in effects if effect.fact in known})
    return {
        name: {
            "title": known[name].title,
            "does": known[name].does,
            "source": known[name].source,
            "checked": known[name].checked.isoformat(),
        }
        for name in names
    }


def _effect(effect: Effect) -> Data:
    return {
        "fact": effect.fact,
        "risk": effect.risk.value,
        "cluster": effect.cluster,
        "subject": effect.subject,
        "summary": effect.summary,
        "teams": list(effect.teams),
        "nodes": effect.nodes,
        "cards": effect.cards,
        "objects": [_ref(ref) for ref in effect.objects],
        "causes": [_cause(cause) for cause in effect.causes],
    }


def _ref(ref: Ref) -> Data:
    return {
        "cluster": ref.cluster,
        "api_version": ref.key.api_version,
        "kind": ref.key.kind,
        "namespace": ref.key.namespace,
        "name": ref.key.name,
    }


def _cause(change: SpecChange) -> Data:
    return {"path": spec_path(change.path), "at": _span(change.at), "gone": change.gone}


def _span(span: Span) -> Data:
    return {"file": span.file, "line": span.line, "column": span.column}


def _spec(change: SpecChange) -> Data:
    """Return a change of the spec; a side that has no value has no key."""
    sides = {name: value for name, value in (("old", change.old), ("new", change.new)) if value is not ABSENT}
    return {**_cause(change), "keys": list(change.path), **sides}


def _quota(row: QuotaRow) -> Data:
    return {
        "cluster": row.cluster,
        "tier": row.tier,
        "flavor": row.flavor,
        "resource": row.resource,
        "service": row.service,
        "task_pool": row.task_pool,
        "team": row.team,
        "was_team": row.was_team or None,
        "changed": row.changed,
        "cards_per_piece": None if row.per_piece is None else str(row.per_piece),
        "old": _holding(row.old),
        "new": _holding(row.new),
        "causes": [_cause(cause) for cause in row.causes],
    }


def _holding(holding: Holding) -> Data:
    return {
        "guaranteed": holding.guaranteed,
        "borrowable": holding.borrowable,
        "reclaimable": holding.reclaimable,
        "lent": holding.lent,
        "weight": holding.weight,
    }


def _balance(balance: Balance) -> Data:
    sides = {
        name: {"capacity": balance.capacity[side], "owned": balance.owned[side], "rest": balance.rest[side]}
        for side, name in enumerate(("old", "new"))
    }
    return {
        "cluster": balance.cluster,
        "tier": balance.tier,
        "flavor": balance.flavor,
        "resource": balance.resource,
        "cards_per_piece": None if balance.per_piece is None else str(balance.per_piece),
        **sides,
    }


def _promise(promise: Promise) -> Data:
    return {
        "cluster": promise.cluster,
        "queue": promise.queue,
        "team": promise.team,
        "task_pool": promise.task_pool,
        "service": promise.service,
        "flavor": promise.flavor,
        "resource": promise.resource,
        "old": dataclasses.asdict(promise.old),
        "new": dataclasses.asdict(promise.new),
    }


def _rollout(rollout: Rollout) -> Data:
    return {
        "kind": rollout.kind,
        "cluster": rollout.cluster,
        "subject": rollout.subject,
        "reason": rollout.reason,
        "steps": [_step(step) for step in rollout.steps],
    }


def _step(step: Step) -> Data:
    return {
        "title": step.title,
        "why": step.why,
        "until": step.until,
        "commands": list(step.commands),
        "edits": [
            {"path": spec_path(edit.path), "keys": list(edit.path)}
            | ({} if edit.value is ABSENT else {"value": edit.value})
            for edit in step.edits
        ],
    }


def _approval(approval: Approval) -> Data:
    reasons = dict.fromkeys((effect.cluster, effect.summary) for effect in approval.effects)
    return {
        "role": approval.role,
        "owners": list(approval.owners),
        "reasons": [{"cluster": cluster, "summary": summary} for cluster, summary in reasons],
    }


def _object(change: ObjectChange) -> Data:
    return {
        "action": change.action.value,
        **_ref(change.ref),
        "file": change.file,
        "was": _ref(change.was) if change.was else None,
        "reason": change.reason,
        "confirmed": change.confirmed,
        "by_tool": change.by_tool,
        "changes": [_change(one, hidden=is_secret(one, change.after or change.before or {})) for one in change.changes],
        "causes": [_cause(cause) for cause in change.causes],
    }


def _change(change: Change, *, hidden: bool = False) -> Data:
    """Return a difference; a side that has no value has no key, and the content of a Secret is not in it."""
    if hidden:
        return {"path": path_text(change.path), "kind": change.kind.value, "old": HIDDEN, "new": HIDDEN}
    kept = (("old", change.old), ("new", change.new))
    sides = {name: _plain(value) for name, value in kept if value is not compare.ABSENT}
    within = {"within": [_change(inner) for inner in change.within]} if change.within else {}
    return {"path": path_text(change.path), "kind": change.kind.value, **sides, **within}


def _plain(value: object) -> object:
    """Return a value as JSON takes it: items of a list that changed its order are their keys."""
    if isinstance(value, compare.Item):
        return dict(value.keys)
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    return value


def _text(change: TextChange) -> Data:
    return {"action": change.action.value, "path": change.path, "causes": [_cause(cause) for cause in change.causes]}
