"""Who may evict whom to have back what it owns: the meaning of a service class to Kueue (`emit.kueue.queues.EVICTS`)."""

from __future__ import annotations

from gpuplan.model.queues import Service


def may_evict(service: str, victim: str) -> bool:
    """Tell whether the owner of a floor or pool may evict work of another service class to have it back.

    Queued work evicts lower priorities only: other queued work of a lower level, shared and reclaimable work.
    """
    if service == Service.QUEUED.value:
        return victim != Service.GUARANTEED.value
    return service != Service.RECLAIMABLE.value
