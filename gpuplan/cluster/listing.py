"""How the objects of a kind are asked for: whole lists, in the newest of our versions that a server serves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from gpuplan.cluster.kube import Fault, Kube, Object


class Listed(NamedTuple):
    """A kind: its group (empty for the core), its plural name, its versions by preference, and its own name."""

    group: str
    plural: str
    versions: tuple[str, ...]
    kind: str


def listed(kube: Kube, kind: Listed) -> list[Object] | Fault:
    """Return the objects of a kind, of all namespaces. A Fault that is `absent` says that the server does not serve it."""
    answer: Any = Fault(summary="", status=404)
    for version in kind.versions:
        api = f"{kind.group}/{version}" if kind.group else version
        answer = kube.list(f"/{'apis' if kind.group else 'api'}/{api}/{kind.plural}")
        if not isinstance(answer, Fault):
            # In a list the server leaves out what is the same for all.
            return [{"apiVersion": api, "kind": kind.kind, **made} for made in answer]
        if not answer.absent:
            break
    assert isinstance(answer, Fault)  # noqa: S101 - an answer has returned
    return answer


@dataclass(frozen=True, slots=True, kw_only=True)
class Lists:
    """All objects of some kinds, none of a kind that is not served, and the kinds that were refused, with why."""

    kubernetes: str
    """The server's `gitVersion`; empty where it does not say."""
    objects: Mapping[str, tuple[Object, ...]]
    refused: Mapping[str, str]


def lists(kube: Kube, kinds: Iterable[str], ask: Callable[[str], list[Object] | Fault]) -> Lists | Fault:
    """Ask for each kind, in order. A Fault where the server cannot be reached at all."""
    version = kube.get("/version")
    if isinstance(version, Fault) and version.unreachable:
        return version
    objects: dict[str, tuple[Object, ...]] = {}
    refused: dict[str, str] = {}
    for kind in kinds:
        answer = ask(kind)
        if not isinstance(answer, Fault):
            objects[kind] = tuple(answer)
        elif answer.absent:
            objects[kind] = ()
        else:
            refused[kind] = answer.summary
    said = "" if isinstance(version, Fault) else str(version.get("gitVersion", ""))
    return Lists(kubernetes=said, objects=objects, refused=refused)
