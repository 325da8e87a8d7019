"""What a render remembers of the last one, so that it keeps the parts that would come out the same.

It lies in the user's cache, one file for each tree, and is only ever an excuse for not doing work: the tree on disk decides, and
whatever is odd about the memory counts as having none.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import json
import os
import tempfile
import time
from array import array
from base64 import b64decode, b64encode
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
KEPT_SECONDS = 30 * 24 * 3600
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
    footprint: str
    """As text: it is read only where something changed (see `footprint_of`)."""


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
    with contextlib.suppress(OSError, OverflowError):  # a file can be dated before 1970
        text = json.dumps(_plain(memory), separators=(",", ":")).encode()
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor, name = tempfile.mkstemp(dir=file.parent, prefix=".")
        try:
            with os.fdopen(descriptor, "wb") as written:
                written.write(hashlib.sha256(text).hexdigest().encode() + b"\n" + text)
            Path(name).replace(file)
            _forget_old(file.parent)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise


def _forget_old(folder: Path) -> None:
    """Remove what is remembered of trees that nobody has rendered for long, and what a killed run left."""
    for file in folder.iterdir():
        if file.stat().st_mtime < time.time() - KEPT_SECONDS:
            file.unlink(missing_ok=True)


def _plain(memory: Memory) -> dict[str, Any]:
    return {
        "program": memory.program,
        "fleetDir": memory.fleet_dir,
        "index": memory.index,
        "parts": {name: _plain_part(part) for name, part in memory.parts.items()},
    }


def _plain_part(part: RememberedPart) -> dict[str, Any]:
    numbers = array("Q", itertools.chain.from_iterable(part.stamps.values()))
    return {
        "inputs": part.inputs,
        "asked": part.asked,
        "paths": list(part.stamps),
        "stamps": b64encode(numbers.tobytes()).decode(),
        "footprint": part.footprint,
    }


def text_of(footprint: Footprint) -> str:
    """Return a footprint as text."""
    groups = [(group.name, [astuple(alert)[:-1] for alert in group.alerts]) for group in footprint.groups]
    return json.dumps([footprint.keys, groups], separators=(",", ":"))


def footprint_of(text: str) -> Footprint:
    """Return the footprint of a text that `text_of` has made."""
    keys, groups = json.loads(text)
    return Footprint(
        keys=tuple(ObjectKey(*key) for key in keys),
        groups=tuple(Group(name=name, alerts=_alerts(alerts)) for name, alerts in groups),
    )


def _memory(data: Mapping[str, Any]) -> Memory:
    return Memory(
        program=data["program"],
        fleet_dir=data["fleetDir"],
        index=data["index"],
        parts={name: _part(part) for name, part in data["parts"].items()},
    )


def _part(data: Mapping[str, Any]) -> RememberedPart:
    numbers = array("Q", b64decode(data["stamps"]))
    stamps = zip(numbers[::3], numbers[1::3], numbers[2::3], strict=True)
    return RememberedPart(
        inputs=data["inputs"],
        asked={file: tuple(map(_path, paths)) for file, paths in data["asked"].items()},
        stamps=dict(zip(data["paths"], stamps, strict=True)),
        footprint=data["footprint"],
    )


def _path(steps: Iterable[str | int]) -> KeyPath:
    return tuple(steps)


def _alerts(rows: Iterable[Iterable[str]]) -> tuple[Alert, ...]:
    names = ("name", "expr", "severity", "summary", "description", "wait", "hold", "team")
    return tuple(Alert(**dict(zip(names, row, strict=True))) for row in rows)  # type: ignore[arg-type]
