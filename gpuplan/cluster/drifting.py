"""What a cluster holds of objects that were rendered, and what an apply of them would leave: lists, and dry runs of applies.

Nothing is written. An apply that keeps nothing still needs the right to patch; where it is missing, or the server refuses the
apply, the object is there to be compared without it, and the reason is kept beside it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, TypeVar

from gpuplan.cluster.kube import Fault, Kube, Object
from gpuplan.cluster.served import Served

MANAGER: Final = "gpuplan-drift"
"""Under whose name applies are tried; it owns nothing, so that a forced apply shows each field that is not as rendered."""
ASKERS: Final = 4
"""Requests at a time."""
FORBIDDEN: Final = 403

Kind = tuple[str, str]
"""apiVersion and kind."""
_In = TypeVar("_In")
_Out = TypeVar("_Out")


class Name(NamedTuple):
    """By what an object is known on a server; `namespace` is empty where the kind has none."""

    api_version: str
    kind: str
    namespace: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What is known of one rendered object."""

    live: Object | None = None
    """None where it is not there, or could not be read."""
    unread: str = ""
    """Why it could not be read."""
    applied: Object | None = None
    """What an apply would leave; None where none was tried, or it was refused."""
    refusal: Fault | None = None
    """Why the apply was refused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftSight:
    """What was seen of a cluster."""

    seen: Mapping[Name, Seen]
    """Of each rendered object."""
    others: tuple[Object, ...]
    """All other objects of the kinds that were listed."""
    unserved: frozenset[Kind]
    """Kinds that the server does not serve."""
    unlisted: Mapping[Kind, str]
    """Kinds that may not be listed, and why; of these only rendered objects were looked at, one by one."""


def name_of(made: Object) -> Name:
    """Return by what an object is known."""
    metadata = made["metadata"]
    return Name(made["apiVersion"], made["kind"], metadata.get("namespace") or "", metadata["name"])


def look(
    kube: Kube, rendered: Iterable[Object], more: Iterable[Kind] = (), untried: Collection[str] = ()
) -> DriftSight | Fault:
    """List the kinds of the rendered objects and `more`, and try to apply each object that is there; objects of the kinds named
    in `untried` are only listed. A Fault where the server cannot be reached.
    """
    served = kube.served()
    if isinstance(served, Fault):
        return served
    wanted = {name_of(made): made for made in rendered}
    listing = _list(kube, served, {(one.api_version, one.kind) for one in wanted} | set(more))
    if isinstance(listing, Fault):
        return listing
    found, unlisted = listing
    by_name = {name_of(made): made for made in found}
    seen = {name: Seen(live=by_name.get(name)) for name in wanted}
    alone = [name for name in wanted if (name.api_version, name.kind) in unlisted]
    seen |= dict(zip(alone, _in_parallel(lambda name: _read(kube, served, wanted[name]), alone), strict=True))
    there = [name for name, one in seen.items() if one.live is not None and name.kind not in untried]
    seen |= _tried(kube, served, {name: wanted[name] for name in there}, seen)
    lost = next((one.refusal for one in seen.values() if one.refusal and not one.refusal.status), None)
    if lost is not None:
        return lost
    return DriftSight(
        seen=seen,
        others=tuple(made for name, made in by_name.items() if name not in wanted),
        unserved=frozenset(kind for kind in {name[:2] for name in wanted} if served.of(*kind) is None),
        unlisted=unlisted,
    )


def _list(kube: Kube, served: Served, kinds: Collection[Kind]) -> tuple[list[Object], dict[Kind, str]] | Fault:
    """Return the objects of kinds, and the kinds that may not be listed."""
    places = [(kind, place) for kind in sorted(kinds) if (place := served.of(*kind)) is not None]
    answers = _in_parallel(lambda one: kube.list(one[1].collection()), places)
    found: list[Object] = []
    unlisted: dict[Kind, str] = {}
    for (kind, _), answer in zip(places, answers, strict=True):
        if not isinstance(answer, Fault):
            # In a list the server leaves out what is the same for all.
            found += ({"apiVersion": kind[0], "kind": kind[1], **made} for made in answer)
        elif not answer.status:
            return answer
        else:
            unlisted[kind] = answer.summary
    return found, unlisted


def _read(kube: Kube, served: Served, made: Object) -> Seen:
    """Read one object."""
    answer = kube.get(served.path(made) or "")
    if not isinstance(answer, Fault):
        return Seen(live=answer)
    if answer.absent:
        return Seen()
    return Seen(unread="the account has no right to read it" if answer.status == FORBIDDEN else answer.summary)


def _tried(kube: Kube, served: Served, wanted: Mapping[Name, Object], seen: Mapping[Name, Seen]) -> Mapping[Name, Seen]:
    """Try to apply each object. Rights go by kind and namespace: what is forbidden once is not asked again."""
    groups: defaultdict[tuple[str, ...], list[Name]] = defaultdict(list)
    for name in wanted:
        groups[name[:3]].append(name)

    def of_group(names: Sequence[Name]) -> list[tuple[Name, Seen]]:
        forbidden: Fault | None = None
        tried: list[tuple[Name, Seen]] = []
        for name in names:
            path = served.path(wanted[name]) or ""
            answer: Any = forbidden or kube.apply(path, wanted[name], force=True, dry_run=True)
            if isinstance(answer, Fault):
                forbidden = answer if answer.status == FORBIDDEN else None
                tried.append((name, Seen(live=seen[name].live, refusal=answer)))
            else:
                tried.append((name, Seen(live=seen[name].live, applied=answer)))
        return tried

    return dict(pair for group in _in_parallel(of_group, list(groups.values())) for pair in group)


def _in_parallel(ask: Callable[[_In], _Out], about: Sequence[_In]) -> list[_Out]:
    with ThreadPoolExecutor(ASKERS) as askers:
        return list(askers.map(ask, about))
