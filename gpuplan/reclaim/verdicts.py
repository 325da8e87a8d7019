"""What is said of each owner: a verdict of a closed list, why in words, and what is to be done."""

from __future__ import annotations

import datetime
import enum
from dataclasses import dataclass

from gpuplan.reclaim.observed import Owner


class Verdict(enum.Enum):
    """What is said of an owner; the value is what tables, JSON and metrics hold."""

    IDLE = "idle"
    """It is taken: idle, told, and the grace is over."""
    NOTICE = "notice"
    """Idle: its people are told now."""
    IN_GRACE = "in_grace"
    """Idle and told; the grace runs."""
    NOTICE_ONLY = "notice_only"
    """Idle, but nothing can stop it so that it can be started again."""
    UNWATCHED = "unwatched"
    """In no queue of the policy."""
    PROTECTED = "protected"
    """Its task pool is never taken."""
    EXEMPT = "exempt"
    SUSPENDED = "suspended"
    """Stopped already; its pods are on their way out."""
    STARTING = "starting"
    """A pod waits, starts or ends."""
    YOUNG = "young"
    ACTIVE = "active"
    SHARED_CARD = "shared_card"
    """Several pods hold a card: its utilisation says nothing of one of them."""
    DEVICES_UNKNOWN = "devices_unknown"
    """How many cards a pod holds is not written in it."""
    NO_DATA = "no_data"
    STALE = "stale"
    """The newest sample is old, or comes from the future."""
    IMPLAUSIBLE = "implausible"
    """A value that no card has, or no utilisation at full power."""
    NOT_COVERED = "not_covered"
    """Samples of some card, or of too many minutes, are missing."""
    RATE_LIMITED = "rate_limited"
    CIRCUIT_OPEN = "circuit_open"
    """Too much is idle at once to believe it."""
    PROMETHEUS_UNREACHABLE = "prometheus_unreachable"
    PROMETHEUS_PARTIAL = "prometheus_partial"

    @property
    def is_idle(self) -> bool:
        """Whether it says that the work is idle."""
        return self in IDLE


IDLE = (
    Verdict.IDLE,
    Verdict.NOTICE,
    Verdict.IN_GRACE,
    Verdict.NOTICE_ONLY,
    Verdict.RATE_LIMITED,
    Verdict.CIRCUIT_OPEN,
)


class Action(enum.Enum):
    """What is to be done about an owner."""

    NONE = "none"
    NOTIFY = "notify"
    REMIND = "remind"
    """Keep the notice standing in Alertmanager, which forgets what nobody repeats."""
    WITHDRAW = "withdraw"
    SUSPEND = "suspend"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reclamation:
    """The verdict on one owner."""

    owner: Owner
    team: str
    verdict: Verdict
    why: str
    """One line without a period, with the numbers that decided."""
    action: Action = Action.NONE
    noticed_at: datetime.datetime | None = None
    """When its people were told; None where no notice stands."""
    due_at: datetime.datetime | None = None
    """When the grace ends; None where none runs."""
