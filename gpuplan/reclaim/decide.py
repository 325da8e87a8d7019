"""Policy, observations and now → what is said of every owner, and what is to be done. Nothing here looks at a clock."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass, replace

from gpuplan import conventions
from gpuplan.model.reclaim_policy import PoolPolicy, ReclaimPolicy
from gpuplan.reclaim import times
from gpuplan.reclaim.guards import Case, spared
from gpuplan.reclaim.observed import Distrust, Observations, Owner, PodUse
from gpuplan.reclaim.verdicts import Action, Reclamation, Verdict

HOUR = datetime.timedelta(hours=1)
FEW = 2
"""Idle owners that are never too many, however few are watched: of one or two works half or all may well be idle."""
KNOWN_WHATEVER_PROMETHEUS_SAYS = (
    Verdict.UNWATCHED,
    Verdict.PROTECTED,
    Verdict.EXEMPT,
    Verdict.SUSPENDED,
    Verdict.STARTING,
    Verdict.YOUNG,
)
WITHDRAWS = (Verdict.UNWATCHED, Verdict.PROTECTED, Verdict.EXEMPT, Verdict.ACTIVE, Verdict.STARTING, Verdict.YOUNG)
"""Verdicts that end a notice. What is only unknown leaves it standing, and nothing happens meanwhile."""
UNSEEN = (Verdict.NO_DATA, Verdict.STALE)
"""Verdicts on work of whose cards there is no sample, or none of today."""
UNBROKEN = (Verdict.IDLE, Verdict.NOTICE, Verdict.IN_GRACE, Verdict.NOTICE_ONLY)
"""Idle owners that the breaker can still spare."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What is said of all owners, and whether too much was idle at once to believe it."""

    reclamations: tuple[Reclamation, ...]
    circuit_open: bool

    @property
    def blind(self) -> bool:
        """Whether nothing is known now of any work that should be known: then it is not the work that is odd."""
        found = {one.verdict for one in self.reclamations}
        return not found.isdisjoint(UNSEEN) and not any(one.is_idle or one is Verdict.ACTIVE for one in found)


def decide(policy: ReclaimPolicy, seen: Observations, now: datetime.datetime) -> Decision:
    """Return the verdict on every owner, in the order in which owners were seen."""
    judged = [_judged(policy, seen, owner, now) for owner in seen.owners]
    is_open = _circuit_open(policy, judged)
    if is_open:
        return Decision(reclamations=tuple(_spared_by_breaker(policy, one) for one in judged), circuit_open=True)
    room = policy.max_per_hour - sum(1 for one in seen.suspended if now - HOUR < one.at <= now)
    return Decision(reclamations=tuple(_rationed(policy, judged, max(room, 0))), circuit_open=False)


def _judged(policy: ReclaimPolicy, seen: Observations, owner: Owner, now: datetime.datetime) -> Reclamation:
    """Judge one owner by itself; how many may be taken is judged later."""
    team = policy.teams.get(owner.reference.namespace, "")
    pool = policy.pools.get(owner.queue)
    if pool is None or not team:
        why = f"queue {owner.queue} is none of the policy's" if owner.queue else "it is in no queue"
        return _spare(owner, team, Verdict.UNWATCHED, why)
    found_uses = ((pod, seen.use.get(_key(owner, pod.name, pool), PodUse())) for pod in owner.pods)
    # A pod may use cards that it has not asked for by a name that we know.
    uses = tuple((pod, use) for pod, use in found_uses if pod.has_cards or use.cards)
    case = Case(
        owner=owner, policy=pool, uses=uses, busy_watts=policy.busy_watts, shared_pools=policy.shared_pools, now=now
    )
    found = spared(case)
    if seen.distrust and not (found and found[0] in KNOWN_WHATEVER_PROMETHEUS_SAYS):
        found = _DISTRUST[seen.distrust], seen.distrust_reason
    if found:
        return _spare(owner, team, *found)
    return _idle(owner, team, pool, now)


_DISTRUST = {Distrust.UNREACHABLE: Verdict.PROMETHEUS_UNREACHABLE, Distrust.PARTIAL: Verdict.PROMETHEUS_PARTIAL}


def _key(owner: Owner, pod: str, pool: PoolPolicy) -> tuple[str, str, int]:
    return owner.reference.namespace, pod, pool.idle_minutes


def noticed_at(owner: Owner) -> datetime.datetime | None:
    """Return when the people of an owner were told, by what was noted on it; None where no notice stands."""
    annotations = owner.target.annotations if owner.target else {}
    return times.read(annotations.get(conventions.ANNOTATION_RECLAIM_NOTICE_AT, ""))


def _noted(owner: Owner) -> bool:
    """Tell whether anything is noted as a notice, readable or not."""
    return bool(owner.target and conventions.ANNOTATION_RECLAIM_NOTICE_AT in owner.target.annotations)


def _spare(owner: Owner, team: str, verdict: Verdict, why: str) -> Reclamation:
    withdrawn = _noted(owner) and verdict in WITHDRAWS
    return Reclamation(
        owner=owner,
        team=team,
        verdict=verdict,
        why=why,
        action=Action.WITHDRAW if withdrawn else Action.NONE,
        noticed_at=noticed_at(owner),
    )


def _idle(owner: Owner, team: str, pool: PoolPolicy, now: datetime.datetime) -> Reclamation:
    """Say how far an idle owner has come: told, waited for, taken.

    A notice counts for the grace and one window more. An older one, which nobody may remember, or one from the future is
    given anew.
    """
    made = Reclamation(
        owner=owner,
        team=team,
        verdict=Verdict.NOTICE,
        why=f"no card above {pool.threshold_percent}% for {pool.idle_minutes} min",
        action=Action.NOTIFY,
    )
    if owner.target is None:
        return replace(made, verdict=Verdict.NOTICE_ONLY, why=f"{made.why}; {owner.reference.kind} cannot be paused")
    told = noticed_at(owner)
    grace = datetime.timedelta(minutes=pool.grace_minutes)
    if told is None or told > now or now - told > grace + datetime.timedelta(minutes=pool.idle_minutes):
        return made
    due = told + grace
    if now < due:
        why = f"{made.why}; told at {times.written(told)}, due at {times.written(due)}"
        return replace(made, verdict=Verdict.IN_GRACE, why=why, action=Action.REMIND, noticed_at=told, due_at=due)
    why = f"{made.why}; told at {times.written(told)}, the grace is over"
    return replace(made, verdict=Verdict.IDLE, why=why, action=Action.SUSPEND, noticed_at=told, due_at=due)


def _circuit_open(policy: ReclaimPolicy, judged: Sequence[Reclamation]) -> bool:
    """Tell whether more is idle than can be believed, out of all whose utilisation is known."""
    idle = sum(1 for one in judged if one.verdict.is_idle)
    known = idle + sum(1 for one in judged if one.verdict is Verdict.ACTIVE)
    return idle > FEW and idle * 100 > policy.max_share_percent * known


def _spared_by_breaker(policy: ReclaimPolicy, one: Reclamation) -> Reclamation:
    if one.verdict not in UNBROKEN:
        return one
    why = f"more than {policy.max_share_percent}% of all work seems idle at once; measurement is not trusted"
    return replace(one, verdict=Verdict.CIRCUIT_OPEN, why=why, action=Action.NONE)


def _rationed(policy: ReclaimPolicy, judged: Sequence[Reclamation], room: int) -> list[Reclamation]:
    """Take no more than there is room for in this hour: first who has been told longest, then who holds most."""
    due = [one for one in judged if one.action is Action.SUSPEND]
    due.sort(key=lambda one: (one.noticed_at is None, one.noticed_at, -one.owner.cards, str(one.owner.reference)))
    late = {id(one) for one in due[room:]}
    why = f"{policy.max_per_hour} were taken within the hour already"
    return [
        replace(one, verdict=Verdict.RATE_LIMITED, why=f"{one.why}; {why}", action=Action.REMIND)
        if id(one) in late
        else one
        for one in judged
    ]
