"""Each team's alerts reach the receiver that the spec names for it."""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.inventory.metrics.routing import Routing
from gpuplan.verify.saying import Words, verdict
from gpuplan.verify.scene import Scene
from gpuplan.verify.told import Audience, audiences, loaded_routing
from gpuplan.verify.verdicts import CheckDoc, Verdict

DOC = CheckDoc(
    id="monitoring/routes",
    title="Alertmanager sends each team's alerts to the receiver that the spec names",
    reads=("alertmanager",),
    why="An alert without a route of its own goes to whoever is last, and the team hears of its broken card from its users.",
)
NAMED = 3
"""Alerts that are named in a line; of more the number is told."""


def check(scene: Scene) -> Iterator[Verdict]:
    """Yield a verdict for each team that alerts can be for, and for the platform, where a receiver is named."""
    made = loaded_routing(scene)
    for one in audiences(scene):
        words = Words(
            at=scene.place(one.path),
            good=f"all its alerts reach {one.receiver}",
            bad=f"alerts do not reach {one.receiver}",
            fix="Load the configuration in rendered/prometheus/, or put the team's route into your own, before those that take "
            "its alerts.",
            unknown="It cannot be told whom its alerts reach",
            look="Read the routes with `amtool config routes test`.",
        )
        if one.receiver:
            wrong = () if made.problems else tuple(_wrong(made, one))
            right = [f"{len(one.alerts)} alerts by {', '.join(_ways(made, one.receiver))}"]
            yield verdict(DOC, one.name, words, wrong=wrong, unseen=made.problems, right=right)


def _wrong(made: Routing, one: Audience) -> Iterator[str]:
    names = [name for name in made.receivers if is_receiver(name, one.receiver)]
    if not names:
        yield f"there is no receiver {one.receiver}; there are {', '.join(sorted(made.receivers)) or 'none'}"
    elif not _ways(made, one.receiver):
        yield f"receiver {names[0]} tells nobody: it has no way to"
    astray: dict[str, list[str]] = {}
    for labels in one.alerts:
        reached = made.receivers_of(labels)
        if not any(is_receiver(name, one.receiver) for name in reached):
            astray.setdefault(" and ".join(dict.fromkeys(reached)) or "nobody", []).append(labels["alertname"])
    for receiver, alerts in sorted(astray.items()):
        shown = ", ".join(alerts[:NAMED]) + (f" and {len(alerts) - NAMED} more" if len(alerts) > NAMED else "")
        yield f"{shown}: to {receiver}, expected {one.receiver}"


def _ways(made: Routing, receiver: str) -> tuple[str, ...]:
    return tuple(way for name, ways in made.receivers.items() if is_receiver(name, receiver) for way in ways)


def is_receiver(name: str, wanted: str) -> bool:
    """Tell whether a receiver is the one that the spec names: the Prometheus operator puts namespace and object before it."""
    return name == wanted or name.endswith(f"/{wanted}")
