"""What is seen of work at one moment: whole owners with their pods, and what their cards did.

An owner is what people made: a Job, JobSet or Deployment, not its pods. Times are aware datetimes.
"""

from __future__ import annotations

import datetime
import enum
from collections.abc import Mapping
from dataclasses import dataclass, field

from gpuplan.model.reclaim_kinds import Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """An object by all that names it."""

    api_version: str
    kind: str
    namespace: str
    name: str
    uid: str

    def __str__(self) -> str:
        return f"{self.kind} {self.namespace}/{self.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pod:
    """A pod that has not ended."""

    name: str
    node: str
    """Empty before it has one."""
    running: bool
    """Whether all its containers run and nobody has asked it to end."""
    started: datetime.datetime | None
    """When the youngest of its containers began; None where none has."""
    devices: int
    """Cards, or instances, that it holds for itself."""
    shared: bool
    """Whether it holds a part of a card that others may hold parts of."""
    claims: bool
    """Whether it claims devices (DRA); how many is not written in it."""

    @property
    def has_cards(self) -> bool:
        """Whether it holds anything of a card."""
        return self.devices > 0 or self.shared or self.claims


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """The object by which an owner is stopped: itself, or its Workload in Kueue. What is told of it is noted on it."""

    reference: Reference
    kind: Kind
    resource_version: str
    replicas: int
    """Replicas that it asks for; 0 for kinds that have none."""
    stopped: bool
    annotations: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """One piece of work, with all its pods that have not ended."""

    reference: Reference
    target: Target | None
    """None where there is no safe way to stop it: pods of their own, and owners of kinds that we do not know."""
    queue: str
    """Name of its LocalQueue; empty where it names none."""
    exempt: bool
    exempt_until: str
    """Last day of the exemption as written; empty where none is."""
    pods: tuple[Pod, ...]

    @property
    def cards(self) -> int:
        """Cards and instances that it holds for itself."""
        return sum(pod.devices for pod in self.pods)


@dataclass(frozen=True, slots=True, kw_only=True)
class CardUse:
    """What one card, or one instance, did in a window while a pod held it."""

    device: str
    node: str
    """Where it is by its own account, which need not be where the pod of that name runs."""
    peak: float | None
    """Highest utilisation, 0 to 1; None where no sample was plausible."""
    minutes: int
    """Minutes of the window of which there is a sample."""
    age_seconds: float
    """Age of the newest sample; below 0 it comes from the future."""
    holders: int
    """Pods that hold it now."""
    watts: float | None
    """Average power of its card; None where nobody reports it."""
    pool: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PodUse:
    """What the cards of one pod did in a window."""

    cards: tuple[CardUse, ...] = ()
    memory_peak: float | None = None
    """Highest part of the time in which device memory moved data, 0 to 1; None where it is not exported."""


class Distrust(enum.Enum):
    """Why nothing that Prometheus says can be acted on."""

    UNREACHABLE = "prometheus_unreachable"
    PARTIAL = "prometheus_partial"


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspended:
    """Work that was suspended by us and still stands."""

    owner: Reference
    target: Target
    at: datetime.datetime
    untold: bool
    """Whether its people have not been told yet: we were stopped in between."""


PodWindow = tuple[str, str, int]
"""(namespace, pod, minutes of the window)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Observations:
    """What is seen of a cluster."""

    owners: tuple[Owner, ...]
    suspended: tuple[Suspended, ...] = ()
    use: Mapping[PodWindow, PodUse] = field(default_factory=dict)
    distrust: Distrust | None = None
    distrust_reason: str = ""
    """Why, in words; empty where Prometheus is trusted."""
