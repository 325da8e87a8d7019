"""What the guard rails ask of pods on cards that HAMi shares.

HAMi's webhook would send pods to HAMi's scheduler by itself: all pods of the cluster that ask for `nvidia.com/gpu`, also those
for cards of other pools, which that scheduler does not know. So it stays off (`emit.hami`), and pods say it themselves.
"""

from __future__ import annotations

from collections.abc import Mapping

from gpuplan.catalog import Hami
from gpuplan.emit.guardrails import cel, offers
from gpuplan.manifests.kinds.admission import Validation
from gpuplan.model.fleet import Cluster

SCHEDULER = "schedulerName"


def queues(cluster: Cluster) -> list[str]:
    """Return the queues with cards that HAMi shares, sorted."""
    return sorted(one.local_queue for one in cluster.cohorts_with_queues if offers.shares_by_hami(one.flavors))


def variables(cluster: Cluster, hami: Hami) -> Mapping[str, str]:
    """Return the named parts of the conditions; nothing where HAMi shares no cards."""
    shared = queues(cluster)
    if not shared:
        return {}
    scheduler = f'template.?spec.?{SCHEDULER}.orValue("") != {cel.text(hami.scheduler)}'
    return {
        "shared": f"{cel.strings(shared)}.filter(queue, queue in variables.queues)",
        "parts": f"variables.cards.filter(card, card in {cel.strings(hami.parts)})",
        "astray": f"{cel.templates_with_cards([hami.card])}.filter(template, {scheduler})",
    }


def validations(cluster: Cluster, hami: Hami) -> tuple[Validation, ...]:
    """Refuse pods that kube-scheduler would place without HAMi's knowledge, and parts of a card without the card."""
    if not queues(cluster):
        return ()
    return (
        cel.validation(
            "variables.shared.size() == 0 || variables.astray.size() == 0",
            f"pods with cards in queue '{{queue}}' need {SCHEDULER}: {hami.scheduler}, which knows what is left of each card",
            queue="variables.shared[0]",
        ),
        cel.validation(
            f"variables.parts.size() == 0 || {cel.text(hami.card)} in variables.cards",
            f"this {{kind}} asks for {{part}} without {hami.card}, so that HAMi would give it no card: ask for {hami.card} too",
            kind="request.kind.kind",
            part="variables.parts[0]",
        ),
    )
