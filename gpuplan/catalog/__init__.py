"""What gpuplan knows about hardware and software: facts as data, each with its source and date.

`load()` reads everything once; nothing here looks at a fleet. Where a fact was not read at its source, the row says so
(`unchecked`, `confirmed`), and a rule may then warn but never fail.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from gpuplan.catalog import (
    accelerators,
    apis,
    cards,
    compat,
    conditions,
    cuts,
    distributions,
    drivers,
    hami,
    metrics,
    mig,
    operator,
    provided,
    releases,
    schedulers,
    serving,
    spellings,
    timezones,
    upgrades,
    vendors,
    xids,
)
from gpuplan.catalog.accelerators import Accelerators
from gpuplan.catalog.apis import Served
from gpuplan.catalog.cards import Card, Vendor
from gpuplan.catalog.compat import Compatibility, KubernetesRange
from gpuplan.catalog.conditions import NodeCondition
from gpuplan.catalog.cuts import Cuts, Partitions, Vnpus
from gpuplan.catalog.distributions import DistributionNodes
from gpuplan.catalog.drivers import DriverBranch, DriverLimits, Drivers, KernelModules
from gpuplan.catalog.hami import Hami
from gpuplan.catalog.metrics import Exporter, Metric
from gpuplan.catalog.mig import MigClass, MigProfile, Placement
from gpuplan.catalog.operator import OperatorField, OperatorLine, OperatorReleases
from gpuplan.catalog.provided import ProvidedStack
from gpuplan.catalog.releases import Component, Release
from gpuplan.catalog.schedulers import Scheduler
from gpuplan.catalog.serving import Bounds, Controller, Engine, ServingMetric, Servings
from gpuplan.catalog.spellings import Spelling
from gpuplan.catalog.timezones import TimeZone
from gpuplan.catalog.upgrades import Stop
from gpuplan.catalog.vendors import Families, Family, VendorExporter
from gpuplan.catalog.xids import XidClass

__all__ = [
    "Accelerators",
    "Bounds",
    "Card",
    "Catalog",
    "Compatibility",
    "Component",
    "Controller",
    "Cuts",
    "DistributionNodes",
    "DriverBranch",
    "DriverLimits",
    "Drivers",
    "Engine",
    "Exporter",
    "Families",
    "Family",
    "Hami",
    "KernelModules",
    "KubernetesRange",
    "Metric",
    "MigClass",
    "MigProfile",
    "NodeCondition",
    "OperatorField",
    "OperatorLine",
    "OperatorReleases",
    "Partitions",
    "Placement",
    "ProvidedStack",
    "Release",
    "Scheduler",
    "Served",
    "ServingMetric",
    "Servings",
    "Spelling",
    "Stop",
    "TimeZone",
    "Vendor",
    "VendorExporter",
    "Vnpus",
    "XidClass",
    "load",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalog:
    """Every table, by the name of its rows."""

    accelerators: Accelerators
    """Which resource names are devices."""
    apis: Mapping[str, Served]
    """API versions that are served no more, or not yet, by their names."""
    cards: Mapping[str, Card]
    mig: Mapping[str, MigClass]
    cuts: Cuts
    distributions: Mapping[str, DistributionNodes]
    provided: Mapping[str, ProvidedStack]
    """What comes with a distribution, where others run the agents; a distribution without a row brings nothing."""
    drivers: Drivers
    operator: OperatorReleases
    releases: Mapping[str, Release]
    schedulers: Mapping[str, Scheduler]
    """Other batch schedulers, by API group."""
    upgrades: Mapping[str, Stop]
    compat: Compatibility
    metrics: Mapping[str, Metric]
    serving: Servings
    spellings: Mapping[str, Spelling]
    """How node labels name cards, by the label."""
    time_zones: Mapping[str, TimeZone]
    vendors: Families
    xids: Mapping[str, XidClass]
    conditions: Mapping[str, NodeCondition]
    """What others' agents say of the cards of a node, by the type of the condition."""
    hami: Hami

    def with_cards(self, extra: Iterable[Card]) -> Catalog:
        """Return a catalogue that also knows a fleet's own cards; one of the same name replaces ours."""
        return replace(self, cards=MappingProxyType({**self.cards, **{card.name: card for card in extra}}))

    def mig_of(self, card: Card) -> MigClass | None:
        """Return the card's MIG class, None where it cannot be cut, or names a class that is not here (a fleet's own card)."""
        return self.mig.get(card.mig_class) if card.mig_class is not None else None

    def driver_limits(self, card: Card) -> DriverLimits | None:
        """Return what the card accepts as a driver: its architecture's limits, narrowed by its own.

        None for a card whose architecture has no row: another vendor's, or a fleet's own card of unknown architecture.
        """
        limits = self.drivers.limits.get(card.architecture)
        if limits is None:
            return None
        own = frozenset(name for name in ("min_driver", "kernel_modules") if getattr(card, name) is not None)
        return replace(
            limits,
            min_driver=card.min_driver or limits.min_driver,
            kernel_modules=card.kernel_modules or limits.kernel_modules,
            unchecked=(limits.unchecked - own) | (card.unchecked & own),
        )


@functools.cache
def load() -> Catalog:
    """Read all data files; the second call returns the same object."""
    return Catalog(
        accelerators=accelerators.read(),
        apis=apis.read(),
        cards=cards.read(),
        mig=mig.read(),
        cuts=cuts.read(),
        distributions=distributions.read(),
        provided=provided.read(),
        drivers=drivers.read(),
        operator=operator.read(),
        releases=releases.read(),
        schedulers=schedulers.read(),
        upgrades=upgrades.read(),
        compat=compat.read(),
        metrics=metrics.read(),
        serving=serving.read(),
        spellings=spellings.read(),
        time_zones=timezones.read(),
        vendors=vendors.read(),
        xids=xids.read(),
        conditions=conditions.read(),
        hami=hami.read(),
    )
