"""Cohorts that are each other's parents.

Kueue takes every one of them, and no queue below the circle admits anything: there is no root whose quota could be counted.
Nothing but that silence tells of it.

Source: Kueue PR #13774.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.scheduling.queues import QuotaHolder, cohorts
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="kueue/cohort-cycle",
    severity=Severity.ERROR,
    summary="Cohorts that are each other's parents",
    why="Kueue takes the objects, and no queue below them admits anything.",
    fix="Let one of the cohorts have no parent.",
    bad="kind: Cohort\nmetadata: {name: a}\nspec: {parentName: b}\n---\nkind: Cohort\nmetadata: {name: b}\nspec: {parentName: a}",
    good="kind: Cohort\nmetadata: {name: a}\nspec: {parentName: b}\n---\nkind: Cohort\nmetadata: {name: b}",
)


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each cohort that is above itself."""
    named = {cohort.name: cohort for cohort in reversed(cohorts(inventory))}
    for cohort in named.values():
        circle = _circle(named, cohort)
        if circle:
            yield DOC.found(f"{cohort} is above itself: {' -> '.join(circle)}", at=cohort.parent.key_span)


def _circle(named: Mapping[str, QuotaHolder], start: QuotaHolder) -> list[str]:
    """Return the way up from a cohort to itself; nothing where there is none."""
    way, here = [start.name], start
    while here.cohort in named and here.cohort not in way:
        here = named[here.cohort]
        way.append(here.name)
    return [*way, start.name] if here.cohort == start.name else []
