"""Small works, cards and clusters for the tests of the reclaimer's decisions."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from typing import Any

from gpuplan import conventions
from gpuplan.model.reclaim import ReclaimMode
from gpuplan.model.reclaim_kinds import KINDS
from gpuplan.model.reclaim_policy import PoolPolicy, ReclaimPolicy
from gpuplan.reclaim.observed import CardUse, Distrust, Observations, Owner, Pod, PodUse, Reference, Suspended, Target

NOW = datetime.datetime(2026, 11, 30, 14, 0, tzinfo=datetime.UTC)
KIND = {kind.kind: kind for kind in KINDS}
POOL = PoolPolicy(
    enabled=True, threshold_percent=2, idle_minutes=60, coverage_percent=80, minimum_age_minutes=90, grace_minutes=30
)


def ago(minutes: float) -> datetime.datetime:
    return NOW - datetime.timedelta(minutes=minutes)


def policy(**changed: Any) -> ReclaimPolicy:
    usual: dict[str, Any] = {
        "fleet": "acme",
        "cluster": "eu",
        "mode": ReclaimMode.SUSPEND,
        "teams": {"vision": "vision"},
        "pools": {"notebooks": POOL},
        "frameworks": ("job",),
        "resources": ("nvidia.com/gpu",),
        "shared_resources": (),
        "shared_pools": (),
        "busy_watts": {"h100": 350},
        "alertmanager_url": "http://alertmanager:9093",
        "notice": ("event", "alertmanager"),
        "every_minutes": 5,
        "max_per_hour": 10,
        "max_share_percent": 50,
    }
    return ReclaimPolicy(**{**usual, **changed})


def pod(name: str = "a-0", **changed: Any) -> Pod:
    usual: dict[str, Any] = {
        "name": name,
        "node": "h100-0",
        "running": True,
        "started": ago(300),
        "devices": 1,
        "shared": False,
        "claims": False,
    }
    return Pod(**{**usual, **changed})


def card(**changed: Any) -> CardUse:
    usual: dict[str, Any] = {
        "device": "card 0 on h100-0",
        "node": "h100-0",
        "peak": 0.0,
        "minutes": 60,
        "age_seconds": 30.0,
        "holders": 1,
        "watts": 80.0,
        "pool": "h100",
    }
    return CardUse(**{**usual, **changed})


def reference(kind: str = "Job", name: str = "a", namespace: str = "vision") -> Reference:
    version = KIND[kind].api_version if kind in KIND else "example.com/v1"
    return Reference(api_version=version, kind=kind, namespace=namespace, name=name, uid=f"uid-{kind}-{name}")


def owner(
    name: str = "a",
    *,
    kind: str = "Job",
    by: str = "Workload",
    pods: Sequence[Pod] = (),
    stopped: bool = False,
    replicas: int = 0,
    notes: Mapping[str, str] | None = None,
    **changed: Any,
) -> Owner:
    """An owner that is stopped by an object of the kind `by`; by nothing where that is empty."""
    target = (
        Target(
            reference=reference(by, f"{kind.lower()}-{name}"),
            kind=KIND[by],
            resource_version="7",
            replicas=replicas,
            stopped=stopped,
            annotations=notes or {},
        )
        if by
        else None
    )
    usual: dict[str, Any] = {
        "reference": reference(kind, name),
        "target": target,
        "queue": "notebooks",
        "exempt": False,
        "exempt_until": "",
        "pods": tuple(pods) or (pod(f"{name}-0"),),
    }
    return Owner(**{**usual, **changed})


def told(minutes: float) -> dict[str, str]:
    """The note of a notice that was given so many minutes ago."""
    return {conventions.ANNOTATION_RECLAIM_NOTICE_AT: ago(minutes).strftime("%Y-%m-%dT%H:%M:%SZ")}


def seen(
    *owners: Owner,
    use: Mapping[str, PodUse] | None = None,
    suspended: Sequence[Suspended] = (),
    distrust: Distrust | None = None,
) -> Observations:
    """What is seen of the owners; pods that `use` does not name have one idle card for each of their devices."""
    usual = {p.name: PodUse(cards=(card(),) * p.devices) for one in owners for p in one.pods}
    uses = {("vision", name, 60): found for name, found in {**usual, **(use or {})}.items()}
    return Observations(
        owners=owners,
        suspended=tuple(suspended),
        use=uses,
        distrust=distrust,
        distrust_reason="away" if distrust else "",
    )


def busy(name: str = "busy") -> tuple[Owner, Mapping[str, PodUse]]:
    """Work that is active, and its use."""
    return owner(name), {f"{name}-0": PodUse(cards=(card(peak=0.9),))}
