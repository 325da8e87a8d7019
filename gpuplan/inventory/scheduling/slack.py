"""A queue that stands in for nodes that are out: teams keep their quotas, and it lends less by as many cards.

Source: project-codeflare/mlbatch, QUOTA_MAINTENANCE.
"""

from __future__ import annotations

from dataclasses import dataclass

from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.scheduling.capacity import Balance, slack_lending
from gpuplan.inventory.scheduling.queues import Quota
from gpuplan.quantity import Quantity

NAMES = ("slack", "slack-cluster-queue")
"""What the queue is called where nobody says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Slack:
    """The slack queue of a flavor's cards, in cards."""

    name: str
    entry: Quota
    quota: int
    installed: int
    schedulable: int

    @property
    def out(self) -> int:
        """Cards that do not work, or on nodes where no pod may go."""
        return max(0, self.installed - self.schedulable)

    @property
    def lending(self) -> int:
        """What the queue may lend: its quota less the cards that are out."""
        return slack_lending(self.quota, self.installed, self.schedulable)


def slack_of(inventory: Inventory, balance: Balance) -> Slack | None:
    """Return the slack queue of a flavor's resource, None where there is none, or the nodes are not listed one by one."""
    name = balance.resource
    if not balance.offer.listed or name not in inventory.catalog.accelerators:
        return None
    wanted = (inventory.assumed.slack_queue,) if inventory.assumed.slack_queue else NAMES
    for holder, quota, amount in balance.given.parts:
        if holder.object.kind == "ClusterQueue" and holder.name in wanted:
            return Slack(
                name=holder.name,
                entry=quota,
                quota=amount.whole,
                installed=balance.offer.installed.get(name, Quantity(0)).whole,
                schedulable=balance.offer.schedulable.get(name, Quantity(0)).whole,
            )
    return None
