"""Plans made by hand, of any size and with any names, for tests of how they are shown."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from gpuplan import compare
from gpuplan.catalog import effects
from gpuplan.compare import Change, ChangeKind
from gpuplan.diagnostics import Span
from gpuplan.manifests.set import ObjectKey
from gpuplan.plan.parts import (
    ABSENT,
    Action,
    Approval,
    Balance,
    Edit,
    Effect,
    Holding,
    ObjectChange,
    Plan,
    QuotaRow,
    Risk,
    Rollout,
    SpecChange,
    Step,
    TextChange,
)
from gpuplan.plan.state import Ref

FACT = next(iter(effects.read().values()))
"""Any fact of the catalogue."""


def cause(line: int = 3, file: str = "fleet/teams.yaml", **changes: Any) -> SpecChange:
    said = {"path": ("teams", "nlp", "quotas"), "old": 64, "new": 48, "gone": False}
    return SpecChange(at=Span(file, line, 5, line, 9), **{**said, **changes})


def effect(summary: str, risk: Risk = Risk.LOW, **changes: Any) -> Effect:
    said = {"fact": FACT.id, "cluster": "eu", "subject": summary, "causes": (cause(),), "teams": ("nlp",), "cards": 16}
    return Effect(summary=summary, risk=risk, **{**said, **changes})


def ref(name: str, kind: str = "ClusterQueue", cluster: str | None = "eu") -> Ref:
    return Ref(cluster, ObjectKey("kueue.x-k8s.io/v1beta2", kind, "", name))


def change(name: str, action: Action = Action.UPDATE, **changes: Any) -> ObjectChange:
    fields = (Change(path=("spec", "nominalQuota"), kind=ChangeKind.CHANGED, old=64, new=48),)
    asks = {"metadata": {"annotations": {"argocd.argoproj.io/sync-options": "Prune=confirm"}}}
    said = {
        "ref": ref(name),
        "file": f"clusters/eu/40-queues/{name}.yaml",
        "changes": fields if action in (Action.UPDATE, Action.REPLACE) else (),
        "before": None if action is Action.CREATE else asks,
        "after": None if action is Action.DELETE else {},
        "causes": (cause(),),
    }
    return ObjectChange(action=action, **{**said, **changes})


def row(team: str, old: int = 64, new: int = 48, **changes: Any) -> QuotaRow:
    said = {
        "cluster": "eu",
        "tier": "train",
        "flavor": "train-h100",
        "resource": "nvidia.com/gpu",
        "service": "guaranteed",
        "task_pool": "pretrain",
        "queue": f"{team}-pretrain" if team else "",
        "per_piece": Fraction(1),
    }
    held = {"old": Holding(guaranteed=old, lent=old), "new": Holding(guaranteed=new, lent=new)}
    return QuotaRow(team=team, **{**said, **held, **changes})


def balance(**changes: Any) -> Balance:
    said = {"cluster": "eu", "tier": "train", "flavor": "train-h100", "resource": "nvidia.com/gpu"}
    numbers = {"capacity": (128, 128), "owned": (128, 112), "per_piece": Fraction(1)}
    return Balance(**{**said, **numbers, **changes})


def rollout(subject: str, steps: int = 2) -> Rollout:
    made = tuple(
        Step(
            title=f"step {number} of {subject}",
            edits=(
                Edit(path=("teams", "nlp", "quotas", "pretrain", "train", "guaranteed"), value=48 + number),
                Edit(path=("teams", "old"), value=ABSENT),
            ),
            commands=("kubectl get workloads --all-namespaces",),
            until="no workload is above the new quota",
            why="Kueue evicts nobody",
        )
        for number in range(steps)
    )
    return Rollout(kind="shrink", cluster="eu", subject=subject, reason="The queue is over its quota", steps=made)


def text(path: str) -> TextChange:
    return TextChange(path=path, action=Action.UPDATE, before="a\n", after="b\nc\n", causes=(cause(),))


def approval(role: str, *owners: str, effects: tuple[Effect, ...] = ()) -> Approval:
    return Approval(role=role, owners=owners, effects=effects or (effect("a reason"),))


def plan(**changes: Any) -> Plan:
    """Return a plan in which nothing changes but what is named."""
    said: dict[str, Any] = dict.fromkeys(
        ("spec", "objects", "texts", "quotas", "balances", "effects", "rollouts", "approvals"), ()
    )
    heads = {"old": "main", "new": "work tree", "fleet": "acme", "clusters": ("eu", "us")}
    return Plan(**{**said, **heads, **changes})


def everything(name: str = "nlp") -> Plan:
    """Return a plan with one of everything, in which whatever a spec can name has a name."""
    added = Change(path=("metadata", "labels", name), kind=ChangeKind.ADDED, old=compare.ABSENT, new=name)
    return plan(
        old=name,
        fleet=name,
        spec=(cause(path=("teams", name), old=name, new=name),),
        objects=(
            *tuple(change(name, action, reason=name) for action in Action),
            change(name, changes=(added,), ref=ref(name, cluster=None), was=ref(name)),
        ),
        texts=(text(f"provisioner/{name}"), text(name)),
        quotas=(row(name, task_pool=name, was_team=name),),
        balances=(balance(),),
        effects=tuple(effect(f"{risk.value} {name}", risk, cluster=name, teams=(name,)) for risk in Risk),
        rollouts=(rollout(name),),
        approvals=(approval(f"team {name}", name, "@acme/nlp", effects=(effect(name),)),),
    )
