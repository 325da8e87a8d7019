"""What was seen of a cluster as a file: our own, or what kubectl prints."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from gpuplan.cluster.observing import LISTED, WHO_ASKS, trimmed
from gpuplan.verify.observed import FORMAT_VERSION, Asked, Object, Observed, Tried

KIND = "gpuplan-snapshot"
"""What our own files say they are."""


def text(observed: Observed) -> str:
    """Return a snapshot as JSON; equal snapshots are equal texts."""
    made = {
        "kind": KIND,
        "format_version": FORMAT_VERSION,
        "kubernetes": observed.kubernetes,
        "objects": {kind: list(found) for kind, found in observed.objects.items()},
        "refused": dict(observed.refused),
        "tried": {
            name: {"status": one.status, "message": one.message, "warnings": list(one.warnings)}
            for name, one in observed.tried.items()
        },
        "prometheus": _asked(observed.prometheus),
        "alertmanager": _asked(observed.alertmanager),
    }
    return json.dumps(made, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def _asked(one: Asked | None) -> object:
    return None if one is None else {"answers": dict(one.answers), "problem": one.problem}


def read(written: bytes) -> Observed | str:
    """Return what a file says was seen, or why it is no snapshot."""
    try:
        parsed = json.loads(written)
    except (ValueError, RecursionError):
        return "it is no JSON; write it by --save-snapshot, or by `kubectl get … -A -o json`"
    if isinstance(parsed, dict) and parsed.get("kind") == KIND:
        return _ours(parsed)
    found: dict[str, list[Object]] = {}
    for made in _objects(parsed):
        found.setdefault(made["kind"], []).append(trimmed(made))
    if not found.keys() & LISTED.keys():
        return "it holds no object that is looked at, such as a Node"
    return Observed(
        kubernetes="",
        objects={kind: tuple(some) for kind, some in found.items() if kind in LISTED},
        refused={},
        tried={},
    )


def _ours(parsed: Mapping[str, Any]) -> Observed | str:
    version = str(parsed.get("format_version", ""))
    if version.partition(".")[0] != FORMAT_VERSION.partition(".")[0]:
        return f"its format is {version or 'not said'}, and this gpuplan reads {FORMAT_VERSION}"
    try:
        return Observed(
            kubernetes=str(parsed["kubernetes"]),
            objects={kind: tuple(map(_object, found)) for kind, found in parsed["objects"].items()},
            refused={str(kind): str(why) for kind, why in parsed["refused"].items()},
            tried={name: _tried(one) for name, one in parsed["tried"].items()},
            prometheus=_answered(parsed["prometheus"]),
            alertmanager=_answered(parsed["alertmanager"]),
        )
    except (KeyError, TypeError, ValueError, AttributeError):
        return "it is not whole, or somebody has changed it"


def _object(made: Any) -> Object:
    """Return an object as a check may take it. Raises ValueError for what is none."""
    if not _is_object(made) and made.get("kind") != WHO_ASKS:
        raise ValueError("no object")
    found: Object = made
    return found


def _tried(one: Mapping[str, Any]) -> Tried:
    return Tried(status=int(one["status"]), message=str(one["message"]), warnings=tuple(map(str, one["warnings"])))


def _answered(one: Mapping[str, Any] | None) -> Asked | None:
    return None if one is None else Asked(answers=dict(one["answers"]), problem=str(one["problem"]))


def _objects(parsed: object) -> Iterator[Object]:
    """Yield every object of a list, of several lists, or that stands alone."""
    if isinstance(parsed, list):
        for one in parsed:
            yield from _objects(one)
    elif isinstance(parsed, dict):
        if isinstance(parsed.get("items"), list):
            yield from _objects(parsed["items"])
        elif _is_object(parsed):
            yield parsed


def _is_object(made: Any) -> bool:
    named = isinstance(made, dict) and isinstance(made.get("kind"), str) and isinstance(made.get("metadata"), dict)
    return named and isinstance(made["metadata"].get("name"), str)
