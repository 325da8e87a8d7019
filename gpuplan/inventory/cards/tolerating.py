"""Taints and tolerations, as the scheduler matches them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from gpuplan.inventory.view import View

REPELLING = ("NoSchedule", "NoExecute")
"""Effects that keep pods off; `PreferNoSchedule` is a wish."""
LIFECYCLE = (
    "node.kubernetes.io/",
    "node.cloudprovider.kubernetes.io/",
    "karpenter.sh/",
    "readiness.k8s.io/",
    "ToBeDeletedBy",
    "DeletionCandidate",
)
"""How the keys of taints begin that controllers set and take away again as nodes come, go and fail."""


@dataclass(frozen=True, slots=True, order=True)
class Taint:
    """A taint of a node."""

    key: str
    value: str
    effect: str

    def __str__(self) -> str:
        return f"{self.key}{'=' if self.value else ''}{self.value}:{self.effect}"


def repelling(taints: View) -> Iterator[Taint]:
    """Yield the taints of a list that keep pods off for good."""
    for one in taints.items():
        found = Taint(one["key"].scalar(), one["value"].scalar(), one["effect"].text())
        if found.key and found.effect in REPELLING and not found.key.startswith(LIFECYCLE):
            yield found


def tolerates(toleration: View, taint: Taint) -> bool:
    """Tell whether a toleration lets a pod onto a node with a taint."""
    key, effect = toleration["key"].scalar(), toleration["effect"].text()
    operator = toleration["operator"].text("Equal")
    if effect and effect != taint.effect:
        return False
    if not key:
        return operator == "Exists"
    if key != taint.key:
        return False
    return operator == "Exists" or (operator == "Equal" and toleration["value"].scalar() == taint.value)


def untolerated(taints: Iterable[Taint], *tolerations: View) -> list[Taint]:
    """Return the taints that no toleration of the lists lets a pod past."""
    lists = [tuple(one.items()) for one in tolerations]
    return [taint for taint in taints if not any(tolerates(one, taint) for listed in lists for one in listed)]
