"""The guards: what spares an owner, one function each, asked in the order of `GUARDS`.

Proof that work is active comes before doubts about the data: one busy card says enough, whatever is missing of the others.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from gpuplan.model.reclaim_policy import PoolPolicy
from gpuplan.reclaim.observed import CardUse, Owner, Pod, PodUse
from gpuplan.reclaim.verdicts import Verdict

STALE_SECONDS = 180
"""Age beyond which the newest sample is old: three evaluations of Prometheus' usual minute."""
FUTURE_SECONDS = 60
"""By how much clocks may differ."""

Spared = tuple[Verdict, str]
"""A verdict, and why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """An owner with all that is judged about it."""

    owner: Owner
    policy: PoolPolicy
    uses: tuple[tuple[Pod, PodUse], ...]
    """Each pod with cards, and what its cards did."""
    busy_watts: Mapping[str, int]
    shared_pools: tuple[str, ...]
    now: datetime.datetime

    @property
    def cards(self) -> Iterator[tuple[Pod, CardUse]]:
        """Every card of every pod."""
        return ((pod, card) for pod, use in self.uses for card in use.cards)

    @property
    def threshold(self) -> float:
        """Utilisation from which a card is at work, 0 to 1."""
        return self.policy.threshold_percent / 100


def spared(case: Case) -> Spared | None:
    """Return what spares the owner first; None for one that is idle beyond doubt."""
    return next((found for guard in GUARDS if (found := guard(case))), None)


def _protected(case: Case) -> Spared | None:
    if not case.policy.enabled:
        return Verdict.PROTECTED, f"task pool {case.owner.queue} is never reclaimed"
    return None


def _exempt(case: Case) -> Spared | None:
    """An end that cannot be read spares: whoever wrote it wanted to be spared."""
    if not case.owner.exempt:
        return None
    until = case.owner.exempt_until
    if not until:
        return Verdict.EXEMPT, "exempt, without an end"
    try:
        last = datetime.date.fromisoformat(until)
    except ValueError:
        return Verdict.EXEMPT, f"exempt until {until!r}, which is no date such as 2026-12-24"
    return (Verdict.EXEMPT, f"exempt until {last}") if case.now.astimezone(datetime.UTC).date() <= last else None


def _stopped(case: Case) -> Spared | None:
    target = case.owner.target
    return (Verdict.SUSPENDED, f"{target.reference.kind} is stopped") if target and target.stopped else None


def _starting(case: Case) -> Spared | None:
    for pod in case.owner.pods:
        if not pod.running or not pod.node or pod.started is None:
            return Verdict.STARTING, f"pod {pod.name} does not run, or not all of it"
    return None


def _young(case: Case) -> Spared | None:
    """Samples of an earlier pod of the same name on the same card would cover what this one has not lived through."""
    begun = [pod.started for pod in case.owner.pods if pod.started]
    minutes = int((case.now - max(begun)).total_seconds() // 60)
    covered = -(-case.policy.idle_minutes * case.policy.coverage_percent // 100)
    least = max(case.policy.minimum_age_minutes, covered)
    return (Verdict.YOUNG, f"its youngest container runs for {minutes} of {least} min") if minutes < least else None


def _active(case: Case) -> Spared | None:
    for pod, card in case.cards:
        if card.peak is not None and card.peak >= case.threshold:
            return Verdict.ACTIVE, f"pod {pod.name}: {card.device} reached {card.peak:.0%}"
    for pod, use in case.uses:
        if use.memory_peak is not None and use.memory_peak >= case.threshold:
            return Verdict.ACTIVE, f"pod {pod.name}: its cards moved data in {use.memory_peak:.0%} of the time"
    return None


def _shared(case: Case) -> Spared | None:
    for pod, _ in case.uses:
        if pod.shared:
            return Verdict.SHARED_CARD, f"pod {pod.name} holds a part of a shared card"
    for pod, card in case.cards:
        if case.shared_pools and card.pool in (*case.shared_pools, ""):
            where = f"in pool {card.pool}, whose cards are shared" if card.pool else "in no pool that is known"
            return Verdict.SHARED_CARD, f"pod {pod.name}: {card.device} is {where}"
        if card.holders > 1:
            return Verdict.SHARED_CARD, f"pod {pod.name}: {card.holders} pods hold {card.device}"
    return None


def _unknown_devices(case: Case) -> Spared | None:
    for pod, _ in case.uses:
        if pod.claims:
            return Verdict.DEVICES_UNKNOWN, f"pod {pod.name} claims devices; how many is not written in it"
    return None


def _no_data(case: Case) -> Spared | None:
    for pod, use in case.uses:
        if not use.cards:
            return Verdict.NO_DATA, f"pod {pod.name} holds cards, and Prometheus knows none of them"
    return None


def _stale(case: Case) -> Spared | None:
    for pod, card in case.cards:
        if card.age_seconds > STALE_SECONDS:
            return Verdict.STALE, f"pod {pod.name}: the newest sample of {card.device} is {card.age_seconds:.0f} s old"
        if card.age_seconds < -FUTURE_SECONDS:
            return Verdict.STALE, f"pod {pod.name}: a sample of {card.device} comes from the future"
    return None


def _implausible(case: Case) -> Spared | None:
    for pod, card in case.cards:
        if card.peak is None:
            return Verdict.IMPLAUSIBLE, f"pod {pod.name}: {card.device} reports what no card has"
        busy = case.busy_watts.get(card.pool)
        if busy and card.watts is not None and card.watts > busy:
            return Verdict.IMPLAUSIBLE, f"pod {pod.name}: {card.device} draws {card.watts:.0f} W and reports no work"
    return None


def _not_covered(case: Case) -> Spared | None:
    least = case.policy.idle_minutes * case.policy.coverage_percent / 100
    for pod, use in case.uses:
        away = next((card for card in use.cards if card.node != pod.node), None)
        if away:
            # An earlier pod of that name, or that of another cluster: its idleness says nothing of this one.
            return Verdict.NOT_COVERED, f"pod {pod.name} runs on {pod.node}, and {away.device} reports for it"
        if len(use.cards) != pod.devices:
            return Verdict.NOT_COVERED, f"pod {pod.name} holds {pod.devices} cards and {len(use.cards)} report"
        for card in use.cards:
            if card.minutes < least:
                looked = case.policy.idle_minutes
                return Verdict.NOT_COVERED, f"pod {pod.name}: {card.device} reported {card.minutes} of {looked} min"
    return None


GUARDS: tuple[Callable[[Case], Spared | None], ...] = (
    _protected,
    _exempt,
    _stopped,
    _starting,
    _young,
    _active,
    _shared,
    _unknown_devices,
    _no_data,
    _stale,
    _implausible,
    _not_covered,
)
