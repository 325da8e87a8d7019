"""What was seen of a cluster, as plain data: it can be written to a file, and judged again from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Object = Mapping[str, Any]
FORMAT_VERSION = "1.0"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """What the server said to a dry run. `status` is HTTP's, 0 where there was no answer; 200 to 299 is a yes."""

    status: int
    message: str
    warnings: tuple[str, ...] = ()

    @property
    def taken(self) -> bool:
        """Whether the server would have taken the object."""
        return 200 <= self.status < 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What another server (Prometheus, Alertmanager) answered, by question; `problem` says why there is no answer."""

    answers: Mapping[str, Any] = field(default_factory=dict)
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """A cluster as it was seen."""

    kubernetes: str
    """The server's own `gitVersion`; empty where it was not asked."""
    objects: Mapping[str, tuple[Object, ...]]
    """By kind. A kind that was asked for and has no object is there, empty; one that the cluster does not serve, too."""
    refused: Mapping[str, str]
    """Kinds that could not be listed, with why."""
    tried: Mapping[str, Tried]
    """Dry runs, by the name of their probe."""
    prometheus: Asked | None = None
    """None where nobody named a Prometheus."""
    alertmanager: Asked | None = None

    def of(self, kind: str) -> tuple[Object, ...] | str:
        """Return the objects of a kind, or why they are not known."""
        if kind in self.refused:
            return self.refused[kind]
        return self.objects.get(kind, f"{kind} is not in the snapshot")
