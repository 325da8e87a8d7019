"""Guard rails: which submissions are refused from now on, or no longer."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gpuplan import conventions
from gpuplan.manifests.set import ObjectKey
from gpuplan.plan.comparison import Comparison
from gpuplan.plan.effects import reading
from gpuplan.plan.effects.pruning import fate
from gpuplan.plan.effects.queues import GOES
from gpuplan.plan.parts import Action, Effect, ObjectChange, Risk

POLICY, BINDING = "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"
STRICTNESS = ("off", "warn", "deny")
"""What a violation does, the strictest last."""

RAILS: Mapping[str, str] = {
    conventions.POLICY_PRIORITY_BAND: "jobs with a priority of another band, or none",
    conventions.POLICY_TOPOLOGY: "pods with cards that do not ask for the topology of their queue",
    conventions.POLICY_QUEUE_REQUIRED: "pods with cards outside every queue",
    conventions.POLICY_PRODUCED_RESOURCES: "work that asks for cards which its queue does not have",
    conventions.POLICY_STATEFUL_SERVING: "stateful work without readiness probe or with too little grace",
}
"""What each policy is against, in words."""

_NAMES = re.compile(r"'([^']+)'|\"([^\"]+)\"")


def effects(comparison: Comparison) -> Iterator[Effect]:
    """Yield how each guard rail acts from now on; what merely follows the queues is one effect a cluster."""
    follow: dict[str, list[ObjectChange]] = defaultdict(list)
    policies: dict[tuple[str, str], list[ObjectChange]] = defaultdict(list)
    for change in reading.changes(comparison, POLICY, BINDING):
        policies[reading.new_cluster(comparison, change), change.ref.key.name].append(change)
    for (cluster, name), some in policies.items():
        old, new = (_strictness(comparison, cluster, name, some, side) for side in (0, 1))
        if old != new:
            yield _acts(comparison, cluster, name, (old, new), some)
        else:
            exempt = [one for change in some for one in _exempted(cluster, name, change)]
            yield from exempt
            follow[cluster] += [] if exempt else some
    for cluster, some in follow.items():
        if some:
            yield _follows(cluster, some)


def _strictness(comparison: Comparison, cluster: str, name: str, some: Sequence[ObjectChange], side: int) -> str:
    """Return what a violation does on the old (0) or new (1) side: by its binding, changed or not."""
    for change in some:
        if change.ref.key.kind == BINDING:
            made = (change.before, change.after)[side]
            return _action(made) if made else STRICTNESS[0]
    state = (comparison.old, comparison.new)[side]
    where = comparison.moves.old_name("clusters", cluster) if side == 0 else cluster
    held = state.manifests.get(where, ObjectKey(some[0].ref.key.api_version, BINDING, "", name))
    return _action(held.object) if held else STRICTNESS[0]


def _action(binding: Mapping[str, Any]) -> str:
    return "deny" if "Deny" in reading.spec(binding).get("validationActions", ()) else "warn"


def _acts(
    comparison: Comparison, cluster: str, name: str, steps: tuple[str, str], some: Sequence[ObjectChange]
) -> Effect:
    old, new = steps
    what = RAILS.get(name, "what it is against")
    told = {
        "deny": f"from now on it refuses {what}, also when work that is there is edited; what runs goes on",
        "warn": f"it warns of {what}, and lets it pass",
        "off": f"it lets pass {what}",
    }[new]
    gone = [change for change in some if change.action is Action.DELETE]
    told += f"; {GOES[fate(comparison, gone[0])]}" if gone else ""
    stricter = STRICTNESS.index(new) > STRICTNESS.index(old)
    return Effect(
        fact="guard-rail/stricter" if stricter else "guard-rail/looser",
        risk=Risk.NONE if new == "warn" and stricter else Risk.LOW,
        cluster=cluster,
        subject=f"guard rail {name}",
        summary=f"guard rail {name}: {old} → {new}: {told}",
        objects=reading.refs(some),
        causes=reading.causes(some),
    )


def _exempted(cluster: str, name: str, change: ObjectChange) -> Iterator[Effect]:
    """Yield who is let pass from now on, or no longer."""
    before, after = (_exempt(side) for side in (change.before, change.after))
    told = [
        *([f"{reading.listed(sorted(after - before))} may pass it from now on"] if after - before else []),
        *([f"{reading.listed(sorted(before - after))} may no longer"] if before - after else []),
    ]
    if told:
        yield Effect(
            fact="guard-rail/exempt-changed",
            risk=Risk.LOW,
            cluster=cluster,
            subject=f"guard rail {name}",
            summary=f"guard rail {name}: {', '.join(told)}",
            objects=(change.ref,),
            causes=change.causes,
        )


def _exempt(policy: Mapping[str, object] | None) -> frozenset[str]:
    """Return the users whom a policy does not look at."""
    conditions = reading.spec(policy).get("matchConditions", ())
    text = next((one["expression"] for one in conditions if one["name"] == "made-by-people"), "")
    return frozenset(one or other for one, other in _NAMES.findall(text))


def _follows(cluster: str, some: Sequence[ObjectChange]) -> Effect:
    names = reading.listed(sorted({change.ref.key.name for change in some}))
    return Effect(
        fact="guard-rail/follows",
        risk=Risk.NONE,
        cluster=cluster,
        subject=f"guard rails of {cluster}",
        summary=f"new work is judged by the queues, namespaces and resources as they are from now on: {names}",
        objects=reading.refs(some),
        causes=reading.causes(some),
    )
