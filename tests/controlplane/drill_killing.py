"""Drills are killed at a step: a door to the API server sees each request, and knows what the drill does with it."""

from __future__ import annotations

import os
import signal
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gpuplan import conventions
from gpuplan.drill import marks
from tests.controlplane.drilled import Play, ended


def step_of(method: str, path: str, body: Any) -> str:
    """Name what a drill does with a request, in a word; empty for what changes nothing."""
    if method == "POST" and path.endswith("/eviction"):
        return "evict"
    if method != "PATCH":
        return ""
    if path.endswith("/status"):
        return "break" if marks.REASON in str(body) else "mend"
    if "spec" in body:
        return "cordon" if body["spec"]["unschedulable"] else "open"
    return "mark" if body["metadata"]["annotations"][conventions.ANNOTATION_DRILL] else "unmark"


@dataclass(slots=True)
class Killer:
    """Kills a drill with SIGKILL at a step, before it reaches the server (`drop-before`) or after it was taken.

    With `guardian` the guardian goes first, so that it cannot help.
    """

    step: str
    how: str
    guardian: bool = False
    drill: subprocess.Popen[str] | None = None
    killed: list[str] = field(default_factory=list)

    def __call__(self, method: str, path: str, body: Any) -> str:
        if self.killed or self.drill is None or step_of(method, path, body) != self.step:
            return ""
        self.killed.append(self.step)
        if self.guardian:
            kill_guardian(self.drill)
        self.drill.kill()
        return self.how


def children(pid: int) -> list[int]:
    """Return the processes that a process has started."""
    return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()]


def kill_guardian(drill: subprocess.Popen[str]) -> None:
    """Kill the process that a drill has started."""
    for child in children(drill.pid):
        os.kill(child, signal.SIGKILL)


def kill_at(played: Play, kind: str, killer: Killer, *words: str) -> int:
    """Start a drill that is killed at a step; return its exit code when its guardian is done, too."""
    door = played.door(fault=killer)
    with door.open() as server:
        killer.drill = played.start(kind, "--yes", *words, kubeconfig=played.behind(server))
        return ended(killer.drill).code
