"""What a cluster's objects are found to be: as rendered, changed, missing, foreign, on their way out, or not seen."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from gpuplan.cluster.drifting import FORBIDDEN, DriftSight, Name, Seen, name_of
from gpuplan.compare import ChangeKind
from gpuplan.drift.differences import NOTED, differences
from gpuplan.drift.foreign import Ours, why_foreign
from gpuplan.drift.owners import writers
from gpuplan.drift.parts import Difference, Fate, Finding, Note, Report, Unseen

_NO_DRY_RUN: Final = "compared without a dry run, so what the server makes of an apply is not known"
_NO_RIGHT: Final = "the account has no right to patch"
_NOT_LISTED: Final = "not listed, so foreign ones are not seen"


class Rendered(NamedTuple):
    """A rendered object and its file below the tree."""

    file: str
    object: Mapping[str, Any]


def judge(rendered: Iterable[Rendered], ours: Ours, sight: DriftSight, known: Collection[Name] = ()) -> Report:
    """Judge what was seen. `known` are objects that somebody else keeps in the tree: not foreign."""
    findings: list[Finding] = []
    notes: list[Note] = []
    unseen = list(_unlisted(sight))
    everything = list(rendered)
    for one in everything:
        name = name_of(one.object)
        seen = sight.seen[name]
        different = differences(one.object, seen) if seen.live is not None else ()
        unseen += _unseen(name, seen, changed=bool(different))
        noted = [difference for difference in different if _is_noted(difference)]
        notes += (Note(object=name, difference=difference, why=NOTED[_path(difference)]) for difference in noted)
        rest = tuple(difference for difference in different if difference not in noted)
        findings += _of(one.file, name, seen, rest, served=name[:2] not in sight.unserved)
    findings += _foreign(sight, ours, set(known))
    return Report(
        looked=sum(not sight.seen[name_of(one.object)].unread for one in everything),
        tried=sum(seen.applied is not None for seen in sight.seen.values()),
        findings=tuple(sorted(findings, key=lambda one: (one.object.kind, one.object, one.fate.value))),
        notes=tuple(notes),
        unseen=tuple(unseen),
    )


def _path(difference: Difference) -> tuple[str, ...]:
    return tuple(map(str, difference.change.path))


def _is_noted(difference: Difference) -> bool:
    return difference.change.kind is ChangeKind.ADDED and _path(difference) in NOTED


def _of(file: str, name: Name, seen: Seen, different: tuple[Difference, ...], *, served: bool) -> Iterator[Finding]:
    """Yield what is wrong with one rendered object."""
    if seen.unread:
        return
    if seen.live is None:
        why = "" if served else f"the server serves no {name.kind} of {name.api_version}"
        yield Finding(object=name, fate=Fate.MISSING, file=file, why=why)
        return
    deleted = seen.live["metadata"].get("deletionTimestamp")
    if deleted:
        held = ", ".join(seen.live["metadata"].get("finalizers") or ()) or "nothing that it names"
        why = f"it was deleted at {deleted}, and is held by {held}"
        yield Finding(object=name, fate=Fate.DELETING, file=file, why=why)
    if different:
        yield Finding(object=name, fate=Fate.CHANGED, file=file, why=_refused(seen), differences=different)


def _refused(seen: Seen) -> str:
    """Return why an apply of the object as rendered fails; a missing right says nothing of it."""
    refusal = seen.refusal
    if refusal is None or refusal.status == FORBIDDEN:
        return ""
    return f"an apply would fail: {refusal.summary}"


def _unseen(name: Name, seen: Seen, *, changed: bool) -> Iterator[Unseen]:
    """Yield what is not known of an object. A refused apply of one that was changed is part of the finding."""
    if seen.unread:
        yield Unseen(object=name, what="not read", why=seen.unread)
    elif seen.refusal is not None and not (changed and _refused(seen)):
        forbidden = seen.refusal.status == FORBIDDEN
        yield Unseen(object=name, what=_NO_DRY_RUN, why=_NO_RIGHT if forbidden else seen.refusal.summary)


def _unlisted(sight: DriftSight) -> Iterator[Unseen]:
    for (api_version, kind), why in sorted(sight.unlisted.items()):
        yield Unseen(object=Name(api_version, kind, "", ""), what=_NOT_LISTED, why=why)


def _foreign(sight: DriftSight, ours: Ours, known: Collection[Name]) -> Iterator[Finding]:
    for made in sight.others:
        why = why_foreign(made, ours) if name_of(made) not in known else ""
        if why:
            yield Finding(object=name_of(made), fate=Fate.FOREIGN, why=why, by=writers(made))
