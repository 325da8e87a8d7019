"""Each loaded group of ours was evaluated a short while ago, and none of its rules failed."""

from __future__ import annotations

import datetime
from collections.abc import Iterator

from gpuplan.verify.loaded import Group, clock, loaded, rules_of
from gpuplan.verify.saying import Words, verdict
from gpuplan.verify.scene import Scene
from gpuplan.verify.verdicts import CheckDoc, Verdict

DOC = CheckDoc(
    id="monitoring/evaluated",
    title="Each rule group is evaluated in time, and no rule of it fails",
    reads=("prometheus",),
    why="A rule that fails gives no series and no alert, and says so only on a page of Prometheus that nobody opens.",
)
MISSED = 5
"""Intervals without an evaluation after which a group stands still."""
SHORTEST = 60.0
"""Seconds that are no delay, however short the interval."""


def check(scene: Scene) -> Iterator[Verdict]:
    """Yield a verdict for each rendered group that is loaded; one that is not is another check's matter."""
    found = loaded(scene)
    words = Words(
        at=scene.place(scene.fleet.monitoring.path),
        good="evaluated in time, without a failure",
        bad="it fails, or stands still",
        fix="Prometheus' own words say which series the rule trips over; where several match on one side, two exporters give the "
        "same one. If the group stands still, look for rules that take longer than the interval.",
        look="Ask again after the group's next evaluation.",
    )
    names = {group.name for group in rules_of(scene.manifests)}
    if isinstance(found, str):
        if names:
            yield verdict(DOC, f"cluster {scene.cluster.name}", words, wrong=(), unseen=[found])
        return
    for group in found:
        if group.name in names:
            wrong, unseen = [f"{rule}: {rule.error}" for rule in group.rules if rule.health == "err"], []
            age = _age(scene, group)
            if age is None:
                unseen.append("it has not been evaluated yet")
            elif age > max(MISSED * group.interval, SHORTEST):
                wrong.append(f"last evaluated {age:.0f} s ago, at an interval of {group.interval:g} s")
            yield verdict(
                DOC, f"group {group.name}", words, wrong=wrong, unseen=unseen, right=[f"every {group.interval:g} s"]
            )


def _age(scene: Scene, group: Group) -> float | None:
    """Return the seconds since the last evaluation by Prometheus' own clock; None where there was none."""
    try:
        at = datetime.datetime.fromisoformat(group.evaluated)
    except ValueError:
        return None
    return clock(scene) - at.timestamp() if at.tzinfo and at.year > 1 else None
