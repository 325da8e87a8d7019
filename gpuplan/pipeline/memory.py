"""What a render remembers of the last one, so that it keeps the parts that would come out the same.

It lies in the user's cache, one file for each tree, and is only ever an excuse for not doing work: the tree on disk decides, and
whatever is odd about the memory counts as having none.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import astuple, dataclass, field
from pathlib import Path
from typing import Any

from gpuplan.diagnostics import KeyPath
from gpuplan.emit.monitoring.alerts import Alert, Group
from gpuplan.manifests.set import ObjectKey
from gpuplan.output.scan import Stamp
from gpuplan.pipeline.clusters import Footprint
from gpuplan.pipeline.parts import Asked

SWITCH = "GPUPLAN_CACHE"
"""Environment variable that switches memory off by the value `off`."""
UNKNOWN: Stamp = (0, 0, 0)
"""The stamp of a file whose age could hide an edit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RememberedPart:
    """What is remembered of a part."""

    inputs: str
    """Digest of the fleet as far as the part depends on it."""
    asked: Asked
    stamps: Mapping[str, Stamp]
    """Of each of its files, by path."""
    footprint: Footprint


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """What is remembered of a tree."""

    program: str
    """Digest of the gpuplan that rendered it."""
    fleet_dir: str
    index: str
    """SHA-256 of the tree's index."""
    parts: Mapping[str, RememberedPart] = field(default_factory=dict)


def place(root: Path, environ: Mapping[str, str]) -> Path | None:
    """Return the file of a tree's memory; None where it is switched off or the user has no home."""
    if environ.get(SWITCH, "").lower() == "off":
        return None
    home = environ.get("XDG_CACHE_HOME") or (f"{environ['HOME']}/.cache" if environ.get("HOME") else "")
    if not Path(home).is_absolute():
        return None
    name = hashlib.sha256(os.fsencode(os.path.realpath(root))).hexdigest()[:32]
    return Path(home, "gpuplan", "renders", f"{name}.json")


def recall(file: Path) -> Memory | None:
    """Return what is remembered, or None where there is nothing, or nothing that could be trusted."""
    try:
        checksum, _, text = file.read_bytes().partition(b"\n")
        if hashlib.sha256(text).hexdigest().encode() != checksum:
            return None
        return _memory(json.loads(text))
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None


def remember(file: Path, memory: Memory) -> None:
    """Write a memory, whole or not at all. A cache that cannot be written is no reason to fail."""
    text = json.dumps(_plain(memory), separators=(",", ":")).encode()
    with contextlib.suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor, name = tempfile.mkstemp(dir=file.parent, prefix=".")
        try:
            with os.fdopen(descriptor, "wb") as written:
                written.write(hashlib.sha256(text).hexdigest().encode() + b"\n" + text)
            Path(name).replace(file)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise


def _plain(memory: Memory) -> dict[str, Any]:
    return {
        "program": memory.program,
        "fleetDir": memory.fleet_dir,
        "index": memory.index,
        "parts": {name: _plain_part(part) for name, part in memory.parts.items()},
    }


def _plain_part(part: RememberedPart) -> dict[str, Any]:
    return {
        "inputs": part.inputs,
        "asked": part.asked,
        "stamps": part.stamps,
        "keys": part.footprint.keys,
        "groups": [(group.name, [astuple(alert)[:-1] for alert in group.alerts]) for group in part.footprint.groups],
    }


def _memory(data: Mapping[str, Any]) -> Memory:
    return Memory(
        program=data["program"],
        fleet_dir=data["fleetDir"],
        index=data["index"],
        parts={name: _part(part) for name, part in data["parts"].items()},
    )


def _part(data: Mapping[str, Any]) -> RememberedPart:
    return RememberedPart(
        inputs=data["inputs"],
        asked={file: tuple(map(_path, paths)) for file, paths in data["asked"].items()},
        stamps={path: (inode, modified, size) for path, (inode, modified, size) in data["stamps"].items()},
        footprint=Footprint(
            keys=tuple(ObjectKey(*key) for key in data["keys"]),
            groups=tuple(Group(name=name, alerts=_alerts(alerts)) for name, alerts in data["groups"]),
        ),
    )


def _path(steps: Iterable[str | int]) -> KeyPath:
    return tuple(steps)


def _alerts(rows: Iterable[Iterable[str]]) -> tuple[Alert, ...]:
    names = ("name", "expr", "severity", "summary", "description", "wait", "hold", "team")
    return tuple(Alert(**dict(zip(names, row, strict=True))) for row in rows)  # type: ignore[arg-type]
