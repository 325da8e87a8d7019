"""How to do it without harm, step by step, and who is asked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from gpuplan.manifests.write import yaml_text
from gpuplan.plan import Approval, Effect, Rollout, Step
from gpuplan.plan.parts import ABSENT, Edit
from gpuplan.report.plans.parts import Code, Entries, Entry, Section
from gpuplan.report.plans.words import counted, spec_path

STEPS: Final = ("step", "steps")
APPROVALS: Final = ("approval", "approvals")
APPROVALS_TITLE: Final = "Needs approval"
REASONS: Final = 5
"""Reasons that are named for each who is asked."""
NOT_ONE_COMMIT: Final = (
    "As one commit this harms. Merge these steps one after the other, each when what it waits for is there."
)
MERGED_ONCE: Final = "All of these rollouts end in the same change: merge it once each has come to that step."


def rollouts(of: Sequence[Rollout]) -> tuple[Section, ...]:
    """Return the section of ordered rollouts; none where one commit is safe."""
    blocks = tuple(
        Entries(
            title=f"{f'{rollout.cluster}: ' if rollout.cluster else ''}{rollout.subject}",
            entries=tuple(_step(number, step) for number, step in enumerate(rollout.steps, start=1)),
            before=" ".join(
                [
                    *([f"{rollout.reason.rstrip('.')}."] if rollout.reason else []),
                    NOT_ONE_COMMIT,
                    *([MERGED_ONCE] if len(of) > 1 and rollout is of[0] else []),
                ]
            ),
        )
        for rollout in of
    )
    return (Section(title="Ordered rollout", noun=STEPS, blocks=blocks),) if blocks else ()


def _step(number: int, step: Step) -> Entry:
    codes = [*_edits(step.edits), *([Code(language="sh", text="\n".join(step.commands))] if step.commands else [])]
    details = (step.why, f"then wait until {step.until}" if step.until else "")
    return Entry(
        sign=f"{number}.", text=step.title, details=tuple(line for line in details if line), codes=tuple(codes)
    )


def _edits(edits: Sequence[Edit]) -> Iterator[Code]:
    """Yield the entries of the spec as they are to read, and what is to be taken out."""
    written: dict[str, Any] = {}
    for edit in edits:
        if edit.value is not ABSENT:
            _put(written, [str(part) for part in edit.path], edit.value)
    gone = "".join(f"# take out: {spec_path(edit.path)}\n" for edit in edits if edit.value is ABSENT)
    text = gone + (yaml_text(written) if written else "")
    if text:
        yield Code(language="yaml", text=text.rstrip("\n"))


def _put(into: dict[str, Any], path: Sequence[str], value: object) -> None:
    for key in path[:-1]:
        below = into.get(key)
        if not isinstance(below, dict):
            below = into[key] = {}
        into = below
    into[path[-1]] = value


def approvals(of: Iterable[Approval]) -> tuple[Section, ...]:
    """Return the section of those who are asked, for what and in which clusters; none where nobody is."""
    entries = tuple(
        Entry(
            text=f"{approval.role}{'' if approval.owners else ' (the fleet names no owner)'}",
            asked=approval.owners,
            details=tuple(_reasons(approval.effects)),
        )
        for approval in of
    )
    block = Entries(title="", entries=entries)
    return (Section(title=APPROVALS_TITLE, noun=APPROVALS, blocks=(block,)),) if entries else ()


def _reasons(effects: Iterable[Effect]) -> Iterator[str]:
    """Yield what somebody is asked for, each once with its clusters, and how many more there are."""
    clusters: dict[str, list[str]] = {}
    for effect in effects:
        clusters.setdefault(effect.summary, []).extend([effect.cluster] if effect.cluster else [])
    for reason, where in list(clusters.items())[:REASONS]:
        yield f"{', '.join(dict.fromkeys(where))}: {reason}" if where else reason
    if len(clusters) > REASONS:
        yield f"and {counted(len(clusters) - REASONS, 'more reason')}"
