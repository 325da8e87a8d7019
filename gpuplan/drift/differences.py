"""What differs between an object as rendered and as it is on the server, and whose differences those are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from gpuplan.cluster.drifting import Seen
from gpuplan.compare import ABSENT, Change, ChangeKind, compare, path_text
from gpuplan.compare.change import Plain
from gpuplan.conventions import LABEL_MANAGED_BY, SERVER_ADDITIONS, ServerAddition, ServerValue
from gpuplan.drift.owners import Owner, owners
from gpuplan.drift.parts import Difference

STOP_POLICY: Final = ("spec", "stopPolicy")
NOTED: Final[Mapping[tuple[str, ...], str]] = {
    STOP_POLICY: "a person stopped this queue; gpuplan leaves the field out, so that a sync does not open it again",
    (
        "spec",
        "template",
        "metadata",
        "annotations",
        "kubectl.kubernetes.io/restartedAt",
    ): "its pods were restarted by hand",
}
"""Differences that are meant to be possible."""
SPEAKING: Final = ("gpuplan.dev", "kueue.x-k8s.io", "nvidia.com", "pod-security.kubernetes.io", "argocd.argoproj.io")
"""Domains of labels and annotations by which somebody acts; what others write under other domains changes nothing for us."""
TRACKING: Final = (
    "argocd.argoproj.io/tracking-id",
    "argocd.argoproj.io/instance",
    "argocd.argoproj.io/installation-id",
)
"""What Argo CD writes on all that it syncs."""
_MARKS: Final = (("metadata", "labels"), ("metadata", "annotations"))
_SPLIT: Final = (*_MARKS, *(("spec", "template", *marks) for marks in _MARKS))
"""Maps that are told key by key, also where a side has none of them."""
_MARK_LENGTH: Final = 3
"""Steps to one label or annotation of the object itself."""
_BEING_DELETED: Final = ("deletionTimestamp", "deletionGracePeriodSeconds")
_APPLIER: Final = ("metadata", "labels", LABEL_MANAGED_BY)
"""A label that all objects of ours have: who owns it has written the object as it was rendered."""


def differences(rendered: Mapping[str, Any], seen: Seen) -> tuple[Difference, ...]:
    """Return what differs between an object and its live self, with what is only noted.

    With a dry run it is what an apply would change, and what somebody added that an apply leaves alone. Without one it is
    all that differs, except for what nobody set: those are defaults of the server.
    """
    live = _without_additions(seen.live or {})
    written = _without_additions(rendered)
    all_changes = tuple(_single(compare(written, live)))
    if seen.applied is None:
        direct: tuple[Change, ...] = tuple(change for change in all_changes if change.kind is not ChangeKind.ADDED)
    else:
        direct = tuple(_single(compare(_without_additions(seen.applied), live)))
    known = {change.path for change in direct}
    added = [change for change in all_changes if change.kind is ChangeKind.ADDED and change.path not in known]
    appliers = owners(seen.live or {}, _APPLIER)
    more = [change for change in added if _is_set(owners(seen.live or {}, change.path), appliers)]
    found = [one for one in (*direct, *more) if not one.only_form and not _is_mark_of_others(one)]
    found.sort(key=lambda change: path_text(change.path))
    return tuple(Difference(change=one, owners=owners(seen.live or {}, one.path)) for one in found)


def _is_mark_of_others(one: Change) -> bool:
    """Tell whether a change is a label or annotation that somebody added and that says nothing to us."""
    if one.kind is not ChangeKind.ADDED or one.path[:2] not in _MARKS or len(one.path) != _MARK_LENGTH:
        return False
    key = str(one.path[-1])
    domain = key.partition("/")[0]
    spoken = any(domain == speaking or domain.endswith(f".{speaking}") for speaking in SPEAKING)
    return key in TRACKING or not spoken


def _is_set(some: Sequence[Owner], appliers: Sequence[Owner]) -> bool:
    """Tell whether somebody set an additional field. An applier that does not apply on the server owns its defaults, too."""
    usual = {owner.manager for owner in appliers if not owner.applies}
    return any(owner.applies or owner.manager not in usual for owner in some)


def _single(changes: Iterable[Change]) -> Iterator[Change]:
    """Yield changes, those of all labels or annotations at once label by label."""
    for change in changes:
        old, new = ({} if side is ABSENT else side for side in (change.old, change.new))
        if change.path not in _SPLIT or not isinstance(old, Mapping) or not isinstance(new, Mapping):
            yield change
            continue
        for key in sorted({*old, *new}):
            sides = old.get(key, ABSENT), new.get(key, ABSENT)
            yield replace(change, path=(*change.path, key), old=sides[0], new=sides[1])


def _without_additions(made: Mapping[str, Any]) -> Mapping[str, Plain]:
    """Return an object without what servers and controllers add to all of its kind."""
    metadata = {key: value for key, value in made.get("metadata", {}).items() if key not in _BEING_DELETED}
    found: Mapping[str, Any] = {**made, "metadata": metadata}
    for addition in SERVER_ADDITIONS:
        if addition.kind in ("*", made.get("kind")) and _is_added(addition, made, metadata.get("name")):
            found = _without(found, addition.path)
    return found


def _is_added(addition: ServerAddition, made: Mapping[str, Any], name: object) -> bool:
    value: Any = made
    for key in addition.path:
        if not isinstance(value, Mapping) or key not in value:
            return False
        value = value[key]
    wanted = name if addition.value is ServerValue.OWN_NAME else addition.value
    return wanted is ServerValue.ANY or bool(value == wanted)


def _without(made: Mapping[str, Any], path: Sequence[str]) -> Mapping[str, Any]:
    head, *rest = path
    if not rest:
        return {key: value for key, value in made.items() if key != head}
    below = _without(made[head], rest)
    return {key: below if key == head else value for key, value in made.items() if key != head or below}
