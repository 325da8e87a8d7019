"""`gpuplan reclaim`: what is said of each piece of work, and why."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from gpuplan.model.reclaim_policy import ReclaimPolicy
from gpuplan.reclaim import times
from gpuplan.reclaim.decide import Decision
from gpuplan.reclaim.verdicts import Action, Reclamation, Verdict
from gpuplan.report.console import table
from gpuplan.report.terminal import printable

FORMAT_VERSION = "1.0"
DONE = {
    Action.NONE: "",
    Action.REMIND: "",
    Action.NOTIFY: "give notice",
    Action.WITHDRAW: "withdraw the notice",
    Action.SUSPEND: "suspend",
}
"""What is done, in words; nothing that people would notice is nothing."""


def overview(decision: Decision, *, explain: bool, act: bool) -> Iterator[RenderableType]:
    """Yield what would happen, or happens; with `explain`, a line for each piece of work."""
    shown = [one for one in decision.reclamations if explain or DONE[one.action]]
    if shown:
        yield table(
            ("OWNER", "TEAM", "TASK POOL", "CARDS", "VERDICT", "TO DO", "WHY"), _rows(shown), right=frozenset({3})
        )
        yield Text("")
    yield Text(summary(decision, act=act))


def _rows(shown: Iterable[Reclamation]) -> Iterator[tuple[str, ...]]:
    for one in shown:
        yield (
            printable(str(one.owner.reference)),
            one.team,
            printable(one.owner.queue),
            str(one.owner.cards),
            one.verdict.value,
            DONE[one.action],
            printable(one.why),
        )


def summary(decision: Decision, *, act: bool) -> str:
    """Return one line: how much was looked at, and how much of it comes to what.

    Whoever only looks reads that nothing was done.
    """
    counts = Counter(one.verdict for one in decision.reclamations)
    parts = [f"{counts[verdict]} {verdict.value}" for verdict in Verdict if counts[verdict]]
    looked = f"{len(decision.reclamations)} pieces of work with GPUs: {', '.join(parts) or 'none'}."
    circuit = " Too much seems idle at once; nothing is done." if decision.circuit_open else ""
    return looked + circuit + ("" if act else " Dry run: nothing was changed.")


def data(policy: ReclaimPolicy, decision: Decision, now: datetime.datetime, *, act: bool) -> dict[str, Any]:
    """Return the verdicts for programs."""
    return {
        "format_version": FORMAT_VERSION,
        "fleet": policy.fleet,
        "cluster": policy.cluster,
        "at": times.written(now),
        "dryRun": not act,
        "circuitOpen": decision.circuit_open,
        "work": [_work(one) for one in decision.reclamations],
    }


def _work(one: Reclamation) -> dict[str, Any]:
    reference = one.owner.reference
    return {
        "apiVersion": reference.api_version,
        "kind": reference.kind,
        "namespace": reference.namespace,
        "name": reference.name,
        "team": one.team,
        "taskPool": one.owner.queue,
        "pods": len(one.owner.pods),
        "cards": one.owner.cards,
        "verdict": one.verdict.value,
        "action": one.action.value,
        "why": one.why,
        "noticeAt": times.written(one.noticed_at) if one.noticed_at else None,
        "dueAt": times.written(one.due_at) if one.due_at else None,
    }
