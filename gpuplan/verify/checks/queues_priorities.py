"""Priorities are those of the bands, and nobody else's class stands above them.

Classes of Kubernetes and OpenShift themselves (`system-`, `openshift-`) are meant to outrank all work. A class that a fleet
adopts is rendered, and so known.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.verify.comparing import by_name, differences, rendered
from gpuplan.verify.observed import Object
from gpuplan.verify.saying import Words, verdict
from gpuplan.verify.scene import Scene
from gpuplan.verify.verdicts import CheckDoc, Verdict

KINDS = ("PriorityClass", "WorkloadPriorityClass")
DOC = CheckDoc(
    id="queues/priorities",
    title="Priority classes have the values of their bands, and no other class outranks them",
    reads=KINDS,
    why="Who waits and who is evicted follows from these numbers alone; a higher class of others pushes guaranteed work out.",
)
PARTS = ("value", "preemptionPolicy", "globalDefault")
THE_PLATFORM = ("system-", "openshift-")
ANEW = "A PriorityClass cannot be changed: delete it, and let Argo CD make it anew; other classes are synced."
LOWER = "Lower its value, set preemptionPolicy: Never, or adopt the class in fleet/ where it is meant."


def check(scene: Scene) -> Iterator[Verdict]:
    """Yield a verdict for each rendered class, and one for all others of each kind."""
    for kind in KINDS:
        wanted = rendered(scene, kind)
        live = by_name(scene.seen(kind))
        for one in wanted:
            words = Words(at=one.origin.span, good="it has its value", bad="it is not as rendered", fix=ANEW)
            wrong = _problems(one.object, live.get(("", one.key.name)))
            yield verdict(DOC, f"{kind} {one.key.name}", words, wrong=wrong)
        if wanted:
            own = {one.key.name for one in wanted}
            values = [int(str(one.object["value"])) for one in wanted]
            others = [made for (_, name), made in sorted(live.items()) if not name.startswith(THE_PLATFORM)]
            lines = [
                line for made in others if _name(made) not in own for line in _above(made, min(values), max(values))
            ]
            words = Words(at=None, good="none outranks the bands", bad=f"{len(lines)} outrank the bands", fix=LOWER)
            yield verdict(DOC, f"{kind} objects of others", words, wrong=lines)


def _problems(written: Object, live: Object | None) -> tuple[str, ...]:
    name = f"{written['kind']} {_name(written)}"
    if live is None:
        return (f"{name} is not there",)
    return tuple(f"{name}: {line}" for line in differences(written, live, PARTS))


def _above(made: Object, lowest: int, highest: int) -> Iterator[str]:
    """Yield how a class of others outranks ours. One that never preempts only waits less."""
    value = int(made.get("value") or 0)
    kind = made.get("kind", "")
    if made.get("globalDefault") and value > lowest:
        yield f"{kind} {_name(made)}: globalDefault with value {value}: every pod without a class outranks {lowest}"
    elif value > highest and made.get("preemptionPolicy") != "Never":
        yield f"{kind} {_name(made)}: value {value} outranks the highest band, {highest}"


def _name(made: Object) -> str:
    return str((made.get("metadata") or {}).get("name", ""))
