"""Quotas against the cards that the cluster can give out now, where somebody looked."""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.model.flavors import Flavor
from gpuplan.model.fleet import Cluster
from gpuplan.plan.comparison import Comparison
from gpuplan.plan.effects import reading
from gpuplan.plan.live import LiveCluster
from gpuplan.plan.parts import Balance, Effect, Risk


def effects(comparison: Comparison) -> Iterator[Effect]:
    """Yield each flavor whose floors and pools together are more than its nodes offer now.

    Kueue admits by quota alone. Beyond the nodes, pods of admitted work wait for the scheduler, which knows no queues.
    """
    balances = {(one.cluster, one.flavor, one.resource): one for one in comparison.balances}
    for cluster in comparison.new.fleet.clusters if comparison.new.fleet else ():
        looked = comparison.live.get(cluster.name)
        if looked is None or looked.pools is None:
            continue
        for flavor in cluster.flavors:
            offered = _offered(flavor, looked)
            for resource in flavor.capacity if offered is not None else ():
                balance = balances.get((cluster.name, flavor.name, resource))
                if balance is not None:
                    yield from _judged(cluster, balance, (offered or {}).get(resource, 0))


def _offered(flavor: Flavor, looked: LiveCluster) -> dict[str, int] | None:
    """Return the pieces that a flavor's schedulable nodes offer; None where none of its pools was looked at."""
    pools = [looked.pools[pool.name] for pool in flavor.pools if looked.pools and pool.name in looked.pools]
    if not pools:
        return None
    return {name: sum(pool.allocatable.get(name, 0) for pool in pools) for name in flavor.capacity}


def _judged(cluster: Cluster, balance: Balance, offered: int) -> Iterator[Effect]:
    before, after = (max(0, owned - offered) for owned in balance.owned)
    if after:
        worse = after > before
        subject = f"flavor {balance.flavor}, {balance.resource}"
        was = "" if worse else f" (before: {before})"
        yield Effect(
            fact="live/quota-above-schedulable",
            risk=Risk.DISRUPTIVE if worse else Risk.LOW,
            cluster=cluster.name,
            subject=subject,
            summary=f"{subject}: floors and pools own {balance.owned[1]}, schedulable nodes offer {offered}: {after} too"
            f" many{was}; Kueue admits them all, and the scheduler, not priority, decides who starts",
            cards=reading.in_cards(after, balance.per_piece),
        )
