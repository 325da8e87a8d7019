"""The guard rails act: what must be refused is refused, what must be warned of is warned of, and good work is taken.

Only an answer that names the rail counts. Work that something else refuses first says nothing about the rail, and neither
does the answer to a user whom the rail lets pass.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from gpuplan.verify.observed import Tried
from gpuplan.verify.probe_work import NAME
from gpuplan.verify.probes import Expected, Probe, exempt_users, planned
from gpuplan.verify.scene import Scene
from gpuplan.verify.verdicts import CheckDoc, Outcome, Verdict

WHO = "SelfSubjectReview"
DOC = CheckDoc(
    id="rails/enforced",
    title="The server refuses, for a trial, work that breaks a guard rail, and takes good work",
    reads=(WHO,),
    why="That a policy is there does not say that it acts; teams find out when somebody's job takes cards of a floor.",
)
_MADE_UP = re.compile(rf"\b{NAME}[a-z0-9]{{5}}\b")
OURS = "ValidatingAdmissionPolicy 'gpuplan-"
IN_THE_WAY = (OURS, "failed calling webhook", "kueue", "could not find the requested resource", "the server serves no")
"""Words of a refusal of good work for which the platform answers. Somebody else's policy is theirs to explain."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Said:
    """What an answer means."""

    outcome: Outcome
    summary: str
    fix: str = ""


def check(scene: Scene) -> Iterator[Verdict]:
    """Yield a verdict for each trial."""
    user, trials = _user(scene), planned(scene.fleet, scene.cluster)
    exempt = {
        rail
        for rail in {probe.rail for probe in trials}
        if rail and user in exempt_users(scene.fleet, scene.cluster, rail)
    }
    for probe in trials:
        tried = scene.observed.tried.get(probe.name)
        if tried is None:
            said = _unknown("it was not tried", "Verify live, or save the snapshot anew with gpuplan verify.")
            evidence = "the snapshot holds no answer to this trial"
        elif probe.rail in exempt:
            said = _unknown("the rail lets pass who asks", "Verify as a user whom no guard rail exempts.")
            evidence = f"asked as {user}, whom {probe.rail} exempts"
        else:
            said, evidence = _judged(probe, tried), _line(tried)
        yield Verdict(
            check=DOC.id,
            subject=probe.what,
            outcome=said.outcome,
            summary=said.summary,
            evidence=(evidence, *tried.warnings) if tried else (evidence,),
            fix=said.fix,
            at=scene.place(probe.at),
        )


def _user(scene: Scene) -> str:
    for review in scene.seen(WHO):
        return str(((review.get("status") or {}).get("userInfo") or {}).get("username", ""))
    return ""


def _line(tried: Tried) -> str:
    """Return the answer in a line, the same each time: the server makes a name for each object."""
    message = _MADE_UP.sub(rf"{NAME}*", tried.message)
    return f"status {tried.status}: {message}" if message else f"status {tried.status}"


def _unknown(summary: str, fix: str = "") -> _Said:
    return _Said(outcome=Outcome.UNKNOWN, summary=summary, fix=fix)


def _judged(probe: Probe, tried: Tried) -> _Said:
    """Tell what an answer means for what was expected."""
    if tried.status in {0, 429, 503}:
        return _unknown("the server did not answer", "Try again.")
    if tried.status == 403 and "cannot create" in tried.message:
        return _unknown(
            "who asks may not create it, not even for a trial", "Grant the rights that gpuplan verify needs."
        )
    if probe.expected is Expected.TAKEN:
        return _good(tried)
    if tried.taken:
        return _broken_and_taken(probe, tried)
    if f"'{probe.rail}'" not in tried.message:
        return _unknown("something else refuses it before the rail could", "See what refuses it, and verify again.")
    if probe.expected is Expected.REFUSED:
        return _Said(outcome=Outcome.PASS, summary="it is refused")
    return _Said(
        outcome=Outcome.FAIL,
        summary=f"it is refused, and should be {probe.expected.value}",
        fix="Let Argo CD sync the guard rails: the cluster is stricter than fleet/ says.",
    )


def _broken_and_taken(probe: Probe, tried: Tried) -> _Said:
    """Tell what it means that work which breaks a rail is taken."""
    warned = any(f"'{probe.rail}'" in line for line in tried.warnings)
    if probe.expected is Expected.SILENT and not warned:
        return _Said(outcome=Outcome.PASS, summary="it is taken, since the rail is off")
    if probe.expected is Expected.WARNED and warned:
        return _Said(outcome=Outcome.PASS, summary="it is taken with a warning")
    return _Said(
        outcome=Outcome.FAIL,
        summary=f"it is {'taken with a warning' if warned else 'taken'}, and should be {probe.expected.value}",
        fix=f"See policy {probe.rail} and its binding: whether they are there, whom they exempt, which namespaces they select.",
    )


def _good(tried: Tried) -> _Said:
    """Tell what the answer to good work means."""
    warned = any(OURS in line for line in tried.warnings)
    if tried.taken:
        return (
            _Said(outcome=Outcome.FAIL, summary="it is taken with a guard rail's warning", fix=_STALE)
            if warned
            else _Said(outcome=Outcome.PASS, summary="it is taken")
        )
    if any(words in tried.message for words in IN_THE_WAY) or tried.status in {404, 500}:
        return _Said(outcome=Outcome.FAIL, summary="good work is refused", fix=_STALE)
    return _unknown("somebody else's rule refuses it", "See whether that rule is meant for work like this.")


_STALE = (
    "The message says who refuses: let Argo CD sync the guard rails where they are older than fleet/, and see whether Kueue "
    "and the operators of the kinds run."
)
