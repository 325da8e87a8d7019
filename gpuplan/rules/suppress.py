"""Accepted findings: `suppress:` takes warnings and notes away, never errors, and reports what it no longer needs."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Iterator

from gpuplan.diagnostics import Diagnostic, Diagnostics, KeyPath, Severity, Span, ordered
from gpuplan.model.fleet import Places, Suppression
from gpuplan.rulebook import RuleDoc
from gpuplan.rules import RULES
from gpuplan.suggest import nearest

UNUSED = RuleDoc(
    id="suppress/unused",
    severity=Severity.WARNING,
    summary="A suppression that nothing answers to",
    why="The finding it accepted is gone, or its path or rule is misspelt. It would hide the next finding of that kind unseen.",
    fix="Remove the entry.",
    bad="suppress:\n- {rule: tier/no-price, at: cardTiers.lab, reason: the lab is written off}   # lab has a price",
    good="suppress: []",
)
EXPIRED = RuleDoc(
    id="suppress/expired",
    severity=Severity.WARNING,
    summary="A suppression past its last day",
    why="It was accepted until a date that has gone by, so the finding is shown again.",
    fix="Mend what it hid, or give it a new date and a reason that still holds.",
    bad="suppress:\n- {rule: driver/branch-ended, reason: waiting for the new image, until: 2026-01-31}",
    good="suppress:\n- {rule: driver/branch-ended, reason: waiting for the new image, until: 2027-01-31}",
)
NOT_AN_ERROR = RuleDoc(
    id="suppress/error",
    severity=Severity.ERROR,
    summary="A suppression of an error",
    why="An error means that a cluster would refuse the output or not do what the spec says. Accepting it changes neither.",
    fix="Mend what the error names.",
    bad="suppress:\n- {rule: quota/over-capacity, reason: we buy cards soon}",
    good="suppress: []",
)
FINDINGS = (UNUSED, EXPIRED, NOT_AN_ERROR)


def apply(
    found: Iterable[Diagnostic], suppressions: Iterable[Suppression], places: Places, today: datetime.date
) -> Diagnostics:
    """Return the findings that remain, with what is to be said of the suppressions themselves."""
    left = tuple(found)
    said: list[Diagnostic] = []
    for suppression in suppressions:
        at = places.value(suppression.path)
        if suppression.until < today:
            said.append(EXPIRED.found(f"The suppression of `{suppression.rule}` ended on {suppression.until}", at=at))
            continue
        hit = set(_answering(left, suppression, places))
        errors = [finding for finding in hit if finding.severity is Severity.ERROR]
        if errors:
            said.append(NOT_AN_ERROR.found(f"`{suppression.rule}` is an error and cannot be accepted", at=at))
        elif not hit:
            said.append(_unused(suppression.rule, at))
        left = tuple(finding for finding in left if finding not in hit or finding.severity is Severity.ERROR)
    return ordered((*left, *said))


def _unused(rule: str, at: Span) -> Diagnostic:
    known = {one.doc.id for one in RULES}
    meant = None if rule in known else nearest(rule, known)
    fix = f"Write `{meant}` if that is meant, or remove the entry." if meant else None
    return UNUSED.found(f"Nothing answers to the suppression of `{rule}`", at=at, fix=fix)


def _answering(found: Iterable[Diagnostic], suppression: Suppression, places: Places) -> Iterator[Diagnostic]:
    """Yield the findings of its rule that stand at or below its path; none where the spec has no such path."""
    path = _existing(suppression.at, places)
    if path is None:
        return
    key, value = places.key(path), places.value(path)
    for finding in found:
        at = finding.at
        inside = not path or (
            at.file == key.file and (key.line, key.column) <= (at.line, at.column) <= (value.end_line, value.end_column)
        )
        if finding.rule == suppression.rule and inside:
            yield finding


def _existing(place: str, places: Places) -> KeyPath | None:
    """Return the path that `nodePools.a.taints.0` stands for, or None where the spec does not hold it.

    Dots and slashes part names, and a name may hold some itself (`lab/1g.5gb`): the shortest that exists is meant.
    """
    held: KeyPath = ()
    parts = re.split("([./])", place) if place else []  # a name, a sign, a name…
    while parts:
        names = ((end, "".join(parts[:end])) for end in range(1, len(parts) + 1, 2))
        found = next(((end, below) for end, name in names if (below := _below(held, name, places))), None)
        if found is None:
            return None
        held, parts = found[1], parts[found[0] + 1 :]
    return held


def _below(held: KeyPath, name: str, places: Places) -> KeyPath | None:
    """Return the path one key, or one position in a list, further down; None where the spec has no such thing.

    Places answer for a missing path with what would hold it, which would accept far more than was written.
    """
    keys: tuple[str | int, ...] = (name, int(name)) if name.isdecimal() else (name,)
    return next(((*held, key) for key in keys if places.value((*held, key)) != places.value(held)), None)
