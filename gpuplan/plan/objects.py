"""Objects and files of two states, paired: made, changed, taken away, replaced, renamed."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from gpuplan.compare import compare
from gpuplan.diagnostics import KeyPath
from gpuplan.manifests.set import Manifest, ManifestSet, TextFile
from gpuplan.plan.moves import Moves
from gpuplan.plan.parts import Action, ObjectChange, TextChange
from gpuplan.plan.spec_changes import Causes
from gpuplan.plan.state import Ref, State
from gpuplan.validate.immutable import fixed_fields

RENAMED = "renamed: the object ends under its old name and begins anew under the other"
Held = Mapping[Ref, Manifest]


def object_changes(old: State, new: State, moves: Moves, spec: Causes) -> tuple[ObjectChange, ...]:
    """Return every object that differs, by cluster and file, those of the hub first."""
    before, after = old.objects, new.objects
    pairs = dict(_pairs(before, after, moves))
    files = {**_files(old.manifests), **_files(new.manifests)}
    gone = before.keys() - after.keys() - set(pairs.values())
    found = [
        *(_made(ref, pairs.get(ref, ref), before, made, files) for ref, made in after.items()),
        *(_gone(ref, before[ref], files) for ref in gone),
    ]
    homes = _homes(old, new)
    changes = [_explained(change, before, after, spec, homes, old.again) for change in found if change is not None]
    return tuple(sorted(changes, key=lambda change: (change.ref.cluster or "", change.file, change.ref.key)))


def _files(manifests: ManifestSet) -> dict[Ref, str]:
    return {Ref(manifest.cluster, manifest.key): path for path, manifest in manifests.placed.items()}


def _pairs(before: Held, after: Held, moves: Moves) -> Iterator[tuple[Ref, Ref]]:
    """Yield (new identity, old identity) of each object that has another name because its entry has."""
    if not moves.names:
        return
    new = after.keys() - before.keys()
    for ref in before.keys() - after.keys():
        paths = [origin.path for origin in (before[ref].origin, *before[ref].also)]
        for candidate in _candidates(ref, paths, moves):
            if candidate in new:
                yield candidate, ref
                break


def _candidates(ref: Ref, paths: Sequence[KeyPath], moves: Moves) -> Iterator[Ref]:
    """Yield the identities that an object may have after the renames of the entries that it comes from."""
    cluster = None if ref.cluster is None else moves.new_name("clusters", ref.cluster)
    yield Ref(cluster, ref.key)
    for path in paths:
        for section, name in itertools.pairwise(path):
            new = moves.new_name(str(section), str(name))
            if new != name:
                yield Ref(cluster, ref.key._replace(name=ref.key.name.replace(str(name), new)))


def _made(ref: Ref, was: Ref, before: Held, made: Manifest, files: Mapping[Ref, str]) -> ObjectChange | None:
    """Return what becomes of an object of the new side, or None where it stays as it is."""
    held = before.get(was)
    if held is None:
        return ObjectChange(ref=ref, action=Action.CREATE, file=files[ref], changes=(), before=None, after=made.object)
    if held.object == made.object:
        return None
    changes = compare(held.object, made.object)
    if not changes:
        return None
    renamed = was.key != ref.key
    fixed = () if renamed else fixed_fields(held.object, made.object)
    reason = RENAMED if renamed else f"{', '.join(f'`{field}`' for field in fixed)} can never change" if fixed else ""
    return ObjectChange(
        ref=ref,
        action=Action.REPLACE if reason else Action.UPDATE,
        file=files[ref],
        changes=changes,
        before=held.object,
        after=made.object,
        was=was if was != ref else None,
        reason=reason,
    )


def _gone(ref: Ref, held: Manifest, files: Mapping[Ref, str]) -> ObjectChange:
    return ObjectChange(ref=ref, action=Action.DELETE, file=files[ref], changes=(), before=held.object, after=None)


def _homes(old: State, new: State) -> dict[str, list[KeyPath]]:
    """Return the entries of each cluster and of its pools, on both sides: what shapes an object that names none of them."""
    homes: dict[str, list[KeyPath]] = {}
    for cluster in (one for side in (old, new) if side.fleet for one in side.fleet.clusters):
        homes.setdefault(cluster.name, []).extend([cluster.path, *(pool.path for pool in cluster.pools)])
    return homes


def _explained(
    change: ObjectChange,
    before: Held,
    after: Held,
    spec: Causes,
    homes: Mapping[str, Sequence[KeyPath]],
    again: ManifestSet | None,
) -> ObjectChange:
    """Say what in the spec led to a change, or that the version of gpuplan did.

    That is what touches the entries that the object comes from, else its cluster or the pools there, else anything.
    """
    if again is not None:
        today = again.get(change.ref.cluster, change.ref.key)
        if (today.object if today else None) == change.after:
            return replace(change, by_tool=True)
    sides = (after.get(change.ref), before.get(change.was or change.ref))
    paths = [origin.path for side in sides if side is not None for origin in (side.origin, *side.also)]
    near = spec.related(paths) or spec.related(homes.get(change.ref.cluster or "", ()))
    return replace(change, causes=near or spec.changes)


def text_changes(old: State, new: State, spec: Causes) -> tuple[TextChange, ...]:
    """Return every file that is no object and differs, by path."""
    before, after = ({text.path: text for text in side.manifests.texts} for side in (old, new))
    return tuple(
        _text(path, before.get(path), after.get(path), spec)
        for path in sorted({*before, *after})
        if _content(before.get(path)) != _content(after.get(path))
    )


def _text(path: str, was: TextFile | None, will: TextFile | None, spec: Causes) -> TextChange:
    action = Action.CREATE if was is None else Action.DELETE if will is None else Action.UPDATE
    paths = [origin.path for side in (was, will) if side is not None for origin in (side.origin, *side.also)]
    return TextChange(
        path=path,
        action=action,
        before=_content(was) or "",
        after=_content(will) or "",
        causes=spec.related(paths) or spec.changes,
    )


def _content(text: TextFile | None) -> str | None:
    return text.text if text else None
