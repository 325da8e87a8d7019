"""The way of a pool to another stack as a runbook, and as data."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from typing import Any, Final

from gpuplan.model.sharing import SharingMode
from gpuplan.moving.stack import Road, RoadStep
from gpuplan.moving.stack_steps import Passage
from gpuplan.plan.parts import ABSENT, Action, Edit, ObjectChange, Step
from gpuplan.report.templating import filled

FORMAT_VERSION: Final = 1
"""Of the JSON; it grows when a field changes its meaning or goes."""
PEOPLE: Final = ("provisioner/", "bootstrap/")
"""Folders of files that nothing of ours brings to a cluster."""
VERBS: Final = {Action.CREATE: "new", Action.UPDATE: "changed", Action.DELETE: "gone", Action.REPLACE: "replaced"}


def runbook(road: Road, fleet_dir: str) -> str:
    """Return the Markdown that people follow."""
    return filled(
        "migrate-stack.md.j2",
        move=road.move,
        total=len(road.steps),
        done=road.here,
        cuts=_is_cut(road),
        verify=f"gpuplan verify --cluster {road.move.cluster}{_fleet(fleet_dir)}",
        steps=[_step(road, step, fleet_dir) for step in road.steps],
    )


def _is_cut(road: Road) -> bool:
    fleet = road.steps[0].comparison.new.fleet
    pools = [pool for cluster in fleet.clusters for pool in cluster.pools] if fleet else []
    return any(pool.name == road.move.pool and pool.sharing.mode is SharingMode.MIG for pool in pools)


def _step(road: Road, step: RoadStep, fleet_dir: str) -> dict[str, object]:
    return {
        "number": step.number,
        "done": step.done,
        "forth": step.forth,
        "back": step.back,
        "spec": list(_written(step.forth.commit.edits)),
        "apply": command(road, f"--apply-step {step.number}", fleet_dir),
        "rollback": command(road, f"--rollback-step {step.number}", fleet_dir),
        "objects": list(_by_kind(step.comparison.objects)),
        "files": ", ".join(f"`rendered/{path}`" for path in _files(step)),
    }


def command(road: Road, option: str, fleet_dir: str) -> str:
    """Return how the command is called for a step."""
    return f"gpuplan migrate-stack --pool {road.move.pool} --to {road.move.target} {option}{_fleet(fleet_dir)}"


def _fleet(fleet_dir: str) -> str:
    return "" if fleet_dir == "fleet" else f" --fleet {shlex.quote(fleet_dir)}"


def _written(edits: Sequence[Edit]) -> Iterator[str]:
    for edit in edits:
        path = ".".join(map(str, edit.path))
        yield f"{path}: {edit.value}" if edit.value is not ABSENT else f"{path} is taken out"


def _by_kind(changes: Sequence[ObjectChange]) -> Iterator[tuple[str, str]]:
    """Yield (what becomes of which kind, the names), sorted."""
    found: dict[str, list[str]] = {}
    for change in changes:
        key = change.ref.key
        name = f"`{key.namespace}/{key.name}`" if key.namespace else f"`{key.name}`"
        found.setdefault(f"{key.kind} {VERBS[change.action]}", []).append(name)
    for kind, names in sorted(found.items()):
        yield kind, ", ".join(sorted(names))


def _files(step: RoadStep) -> list[str]:
    return sorted(text.path for text in step.comparison.texts if text.path.startswith(PEOPLE))


def data(road: Road) -> dict[str, Any]:
    """Return the way as plain data."""
    return {
        "format_version": FORMAT_VERSION,
        "cluster": road.move.cluster,
        "pool": road.move.pool,
        "from": road.move.origin,
        "to": road.move.target,
        "done": road.here,
        "steps": [
            {
                "step": step.number,
                "done": step.done,
                "title": step.forth.commit.title,
                "why": step.forth.commit.why,
                "forward": _passage(step.forth),
                "rollback": _passage(step.back),
                "objects": [_object(change) for change in step.comparison.objects],
                "files": _files(step),
            }
            for step in road.steps
        ],
    }


def _passage(passage: Passage) -> dict[str, Any]:
    return {
        "before": [_by_hand(step) for step in passage.before],
        "edits": [
            {"path": list(edit.path), "value": None if edit.value is ABSENT else edit.value}
            for edit in passage.commit.edits
        ],
        "commands": list(passage.commit.commands),
        "until": passage.commit.until,
        "after": [_by_hand(step) for step in passage.after],
    }


def _by_hand(step: Step) -> dict[str, Any]:
    return {"title": step.title, "commands": list(step.commands), "until": step.until, "why": step.why}


def _object(change: ObjectChange) -> dict[str, Any]:
    key = change.ref.key
    return {
        "cluster": change.ref.cluster,
        "kind": key.kind,
        "namespace": key.namespace or None,
        "name": key.name,
        "action": VERBS[change.action],
        "file": change.file,
    }
