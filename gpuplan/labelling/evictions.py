"""Which pods a new taint with effect NoExecute evicts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from gpuplan.labelling.change import Change
from gpuplan.model.pools import Taint

NO_EXECUTE: Final = "NoExecute"
_ENDED: Final = ("Succeeded", "Failed")


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Eviction:
    """A pod that goes, and the taint that it does not tolerate; `after_seconds` is how long it tolerates it."""

    node: str
    namespace: str
    pod: str
    taint: Taint
    after_seconds: int = 0


def needs_pods(changes: Iterable[Change]) -> bool:
    """Tell whether anything can be evicted at all."""
    return any(taint.effect == NO_EXECUTE for one in changes for taint in one.added_taints)


def evictions(changes: Iterable[Change], pods: Iterable[Mapping[str, Any]]) -> Iterator[Eviction]:
    """Yield the pods that the changes evict, in the order of the pods; a pod goes by the first taint that it must."""
    new = {one.node: [taint for taint in one.added_taints if taint.effect == NO_EXECUTE] for one in changes}
    for pod in pods:
        spec = pod.get("spec") or {}
        node = spec.get("nodeName", "")
        if (pod.get("status") or {}).get("phase") in _ENDED:
            continue
        for taint in new.get(node, ()):
            stays = _stays(spec.get("tolerations") or (), taint)
            if stays is not None:
                metadata = pod["metadata"]
                yield Eviction(
                    node=node, namespace=metadata["namespace"], pod=metadata["name"], taint=taint, after_seconds=stays
                )
                break


def _stays(tolerations: Iterable[Mapping[str, Any]], taint: Taint) -> int | None:
    """Return for how many seconds a pod stays, 0 where it tolerates nothing; None where it stays for good."""
    fitting = [one.get("tolerationSeconds") for one in tolerations if tolerates(one, taint)]
    if not fitting:
        return 0
    limits = [seconds for seconds in fitting if seconds is not None]
    return max(0, min(limits)) if limits else None


def tolerates(toleration: Mapping[str, Any], taint: Taint) -> bool:
    """Tell whether a toleration is one of a taint, as Kubernetes matches them (comparisons of numbers are taken for none)."""
    if toleration.get("effect") not in (None, "", taint.effect):
        return False
    key, operator = toleration.get("key") or "", toleration.get("operator") or "Equal"
    if operator == "Exists":
        return key in ("", taint.key)
    return operator == "Equal" and key == taint.key and (toleration.get("value") or "") == taint.value
