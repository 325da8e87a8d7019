"""Rendered objects beside those of the cluster: which is which, and what differs, as lines of evidence."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from gpuplan.compare import ABSENT, compare, path_text
from gpuplan.manifests.set import Manifest
from gpuplan.verify.observed import Object
from gpuplan.verify.scene import Scene

Name = tuple[str, str]
"""Namespace, empty for what has none, and name."""
LONGEST_VALUE = 120
"""Characters of a value that a line of evidence shows."""


def name_of(made: Object) -> Name:
    """Return the namespace and the name of an object."""
    metadata = made.get("metadata") or {}
    return metadata.get("namespace", ""), metadata.get("name", "")


def shown(name: Name) -> str:
    """Return a name as people write it: `vision/chat`, or `gpuplan-team-member`."""
    return "/".join(part for part in name if part)


def rendered(scene: Scene, kind: str) -> Sequence[Manifest]:
    """Return the manifests of a kind."""
    return [one for one in scene.manifests if one.key.kind == kind]


def by_name(objects: Iterable[Object]) -> dict[Name, Object]:
    """Return objects by namespace and name."""
    return {name_of(one): one for one in objects}


def differences(written: Object, live: Object, parts: Iterable[str], ignored: Iterable[str] = ()) -> tuple[str, ...]:
    """Return where parts of a live object (`spec`, `rules`) say something else than what was rendered, a line each.

    `ignored` are paths, such as `spec.stopPolicy`, that are not looked at.
    """
    known = {"apiVersion": written["apiVersion"], "kind": written["kind"]}
    sides = ({**known, **{part: side.get(part) for part in parts}} for side in (written, live))
    changes = ((path_text(change.path), change) for change in compare(*sides))
    return tuple(
        f"{path}: {said(change.new)}, rendered {said(change.old)}"
        for path, change in changes
        if path not in set(ignored)
    )


def said(value: object) -> str:
    """Return a value in one line; long ones are cut."""
    if value is ABSENT:
        return "nothing"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    flat = " ".join(text.split())
    return flat if len(flat) <= LONGEST_VALUE else f"{flat[: LONGEST_VALUE - 1]}…"
