"""What Prometheus' rules read of the cards: each metric with its place, and what is known of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from gpuplan.catalog import Catalog, Metric, dcgm_fields
from gpuplan.diagnostics import Span
from gpuplan.inventory.cards.nodes import nodes
from gpuplan.inventory.cards.operator import operators
from gpuplan.inventory.inventory import Inventory, once
from gpuplan.inventory.items import Format
from gpuplan.inventory.metrics.alerting import Rule, rules
from gpuplan.inventory.metrics.exported import exported
from gpuplan.inventory.metrics.promql import Selector
from gpuplan.inventory.scheduling.queues import holders
from gpuplan.quantity import Quantity

DCGM = re.compile(r"DCGM_(FI|EXP)_\w+")
NVIDIA = "nvidia.com"
MEMORY_PARTS = "(DCGM_FI_DEV_FB_USED + DCGM_FI_DEV_FB_FREE + DCGM_FI_DEV_FB_RESERVED)"
"""What the whole memory of a card is as a sum of fields that the exporter's own list has, in MiB."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """A metric in a rule."""

    rule: Rule
    selector: Selector

    @property
    def name(self) -> str:
        """The metric's name."""
        return self.selector.name

    @property
    def at(self) -> Span:
        """Where its name stands."""
        return self.rule.inside(self.selector.at)


def uses(inventory: Inventory) -> Iterator[Use]:
    """Yield every metric of every rule, also of rules that do not parse."""
    for rule in rules(inventory):
        for selector in rule.expression.selectors:
            yield Use(rule=rule, selector=selector)


@once
def dcgm_uses(inventory: Inventory) -> tuple[Use, ...]:
    """Return the metrics of rules that only dcgm-exporter can give, each once a line; nothing where no card is NVIDIA's."""
    return tuple(_dcgm_uses(inventory))


def _dcgm_uses(inventory: Inventory) -> Iterator[Use]:
    made = recorded(inventory)
    if lacks_vendor(inventory, NVIDIA):
        return
    seen: set[tuple[str, Span]] = set()
    for use in uses(inventory):
        place = (use.name, use.at) if DCGM.fullmatch(use.name) else None
        if place is not None and place not in seen and use.name not in made:
            seen.add(place)
            yield use


@once
def recorded(inventory: Inventory) -> frozenset[str]:
    """Return the names that rules record."""
    return frozenset(rule.record for rule in rules(inventory) if rule.record)


def field(name: str, catalog: Catalog) -> Metric | None:
    """Return what is known of a field of DCGM by any of its names."""
    return dcgm_fields.described(name, catalog.metrics)


def surely_missing(name: str, inventory: Inventory) -> bool:
    """Tell whether a field surely does not come out."""
    given = exported(inventory)
    return not dcgm_fields.load().knows(name) or (given is not None and name not in given.names)


def lacks_vendor(inventory: Inventory, domain: str) -> bool:
    """Tell whether all cards are surely of other vendors: nodes, or what is assumed, tell of cards, and nothing of this one's."""
    there = _domains(inventory)
    return bool(there) and domain not in there and not inventory.assumed.partial and not _mentions(inventory, domain)


@once
def _domains(inventory: Inventory) -> frozenset[str]:
    """Return the domains of the devices that nodes offer; empty where nobody tells."""
    known = inventory.catalog.accelerators
    found = {
        name
        for one in nodes(inventory)
        for name, amount in one.offers.items()
        if name in known and amount > Quantity(0)
    }
    if not found and inventory.assumed.card is not None:
        found = {inventory.assumed.card.resource}
    return frozenset(name.partition("/")[0] for name in found)


def _mentions(inventory: Inventory, domain: str) -> bool:
    """Tell whether something else speaks of a vendor's devices: its agents, or queues with a quota of them."""
    if domain == NVIDIA and (any(operators(inventory)) or any(inventory.configs_of(Format.PLUGIN, Format.MIG_PARTED))):
        return True
    quotas = (quota for holder in holders(inventory) for quota in holder.quotas())
    return any(one.resource.startswith(f"{domain}/") and one.nominal != Quantity(0) for one in quotas)
