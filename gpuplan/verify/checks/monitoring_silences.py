"""No silence in force mutes all alerts of a team or of the platform."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gpuplan.verify.saying import Words, verdict
from gpuplan.verify.scene import Scene
from gpuplan.verify.told import Audience, Silence, audiences, silences
from gpuplan.verify.verdicts import CheckDoc, Verdict

DOC = CheckDoc(
    id="monitoring/silences",
    title="No silence mutes all alerts of a team or of the platform",
    reads=("alertmanager",),
    why="A silence from a maintenance that nobody ended looks like a healthy fleet.",
)


def check(scene: Scene) -> Iterator[Verdict]:
    """Yield a verdict for each team that alerts can be for, and for the platform."""
    found = silences(scene)
    for one in audiences(scene):
        words = Words(
            at=scene.place(one.path),
            good="its alerts are heard",
            bad="all its alerts are muted",
            fix="End the silence (`amtool silence expire ID`), or narrow it to the nodes that are worked on.",
            look="See with `amtool silence query` what is muted.",
        )
        if isinstance(found, str):
            yield verdict(DOC, one.name, words, wrong=(), unseen=[found])
            continue
        its = [silence for silence in found if any(map(silence.mutes, one.alerts))]
        odd = [str(silence) for silence in found if not all(part.readable for part in silence.matchers)]
        wrong = list(map(str, its)) if _all_muted(its, one) else []
        unseen = [f"its expression is not understood here: {silence}" for silence in odd]
        yield verdict(
            DOC, one.name, words, wrong=wrong, unseen=unseen, right=[f"some of them are muted: {said}" for said in its]
        )


def _all_muted(its: Sequence[Silence], one: Audience) -> bool:
    return all(any(silence.mutes(labels) for silence in its) for labels in one.alerts)
