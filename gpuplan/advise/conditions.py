"""What has to be done or known before a pool goes the advised way."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpuplan.advise.case import Case
from gpuplan.advise.decide import Direction
from gpuplan.advise.dimensions import against_operator
from gpuplan.advise.settings import Settings
from gpuplan.rules.judgement import Verdict

KEEP_OFF: Final = (
    'The label `nvidia.com/gpu.deploy.operands: "false"` on its nodes, set by whoever labels them: the operator serves every'
    " node with an NVIDIA card that it is not kept off (rule `operator/labelled-by-others`)."
)


def conditions(case: Case, made: Direction, advised: str, settings: Settings, *, beside: bool) -> Iterator[str]:
    """Yield them for a pool; none where all stays as it is and nothing is in doubt.

    `beside` tells whether the operator serves other pools of the cluster once all have gone where they are advised to.
    """
    if made.stuck:
        yield "Both ways are ruled out. Decide which of the reasons gives way; until then nothing moves."
    if advised == "manual" and beside and not case.kept_off:
        yield KEEP_OFF
    if advised == "operator":
        yield from _on_operator(case, settings)
    elif advised == "manual" and case.now == "operator":
        yield "Node images with driver and container toolkit, since the operator takes its own away."
    elif advised == "external":
        yield "Node pools made anew with the distribution's own GPU stack; then `stack: external` in `fleet/`."


def _on_operator(case: Case, settings: Settings) -> Iterator[str]:
    need = settings.of("thresholds.controllerPeople")
    if case.controllers is not None and case.controllers < need:
        people = settings.shown("thresholds.controllerPeople")
        yield f"{people} people who can debug a controller: the team has {case.controllers}."
    if case.now == "manual" and case.driver == "operator":
        yield (
            "The nodes hold a driver today, and two drivers do not go together: move the agents first, with"
            " `driver: {preinstalled: true}`, and hand the driver over when a node is made anew."
        )
    for cell in against_operator(case):
        if cell.verdict is Verdict.WARN:
            yield f"The pilot must show what nobody has tried: {cell.here} ({cell.known})."
    if case.privileged == "reviewed":
        yield "A review of the operator's privileged pods, and its namespace closed to everybody else."
    if case.air_gapped:
        yield "A mirror of the operator's images and driver packages inside."
    if case.drain_seconds:
        yield f"Driver upgrades one node at a time, with {case.drain_seconds} s to drain; `drainSeconds` sees to it."
