"""The runbook of a partitioned pool of AMD's cards: what a person does so that the device config manager can work."""

from __future__ import annotations

from gpuplan import conventions
from gpuplan.emit import amd
from gpuplan.model.fleet import Cluster
from gpuplan.model.lifecycle import stable_labels
from gpuplan.model.pools import (
    NodePool,
    SelectedBy,
    partition_profile,
    produced_resources,
)
from gpuplan.report.kubectl import allocatable_path, awaited, selector

TAINT = "amd-dcm=up:NoExecute"
"""What the device config manager's own pods tolerate, and nothing else of AMD's operator."""
OFFER_LIMIT_SECONDS = 600


def partition_text(cluster: Cluster, pool: NodePool) -> str:
    """Return how the nodes of a pool on AMD's operator come to the pool's partition profile."""
    from gpuplan.report.templating import filled  # noqa: PLC0415 - jinja2 costs fleets that have no use for it

    offers = produced_resources(pool)
    waits = [
        awaited('node/"$NODE"', allocatable_path(made.resource), made.per_node, OFFER_LIMIT_SECONDS)
        for made in offers
        if made.per_node
    ]
    return filled(
        "partition.md.j2",
        pool=pool.name,
        cluster=cluster.name,
        nodes=pool.nodes,
        card=pool.card.name,
        cards=pool.cards_per_node,
        profile=partition_profile(pool),
        offers=offers,
        devices=sum(made.per_node for made in offers),
        selector=selector(stable_labels(pool)),
        label=conventions.LABEL_AMD_PARTITION,
        taint=TAINT,
        application=conventions.application_name(cluster.name),
        by_labels=pool.selection.by is SelectedBy.LABELS,
        drain_seconds=amd.drain_seconds(cluster, pool),
        namespace=amd.namespace(cluster),
        manager=amd.agent_name(pool, amd.CONFIG_MANAGER),
        config_map=conventions.AMD_PARTITIONS,
        waits=waits,
    )
