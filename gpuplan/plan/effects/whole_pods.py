"""Floors that keep their cards and lose the room for whole pods: others may hold more on the same nodes by right."""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.plan.comparison import Comparison
from gpuplan.plan.effects import reading
from gpuplan.plan.parts import Effect, Risk
from gpuplan.plan.promises import promises
from gpuplan.words import counted


def effects(comparison: Comparison) -> Iterator[Effect]:
    """Yield each floor whose own size and pods stay, and that has sure room for fewer of them."""
    stay = reading.staying(comparison)
    for one in promises(comparison):
        old, new = one.old, one.new
        same = old.pod == new.pod and old.pieces <= new.pieces
        if one.cluster in stay and same and new.pods < old.pods:
            size = counted(new.pod, "piece")
            yield Effect(
                fact="quota/room-cut",
                risk=Risk.LOW,
                cluster=one.cluster,
                subject=f"queue {one.queue}, {one.flavor}",
                summary=f"queue {one.queue}: its {new.pieces} guaranteed of {one.flavor} are sure of room for {new.pods} pods of"
                f" {size}, not for {old.pods}: others may hold more on the same nodes",
                causes=comparison.spec,
                teams=(one.team,),
            )
