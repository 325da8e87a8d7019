"""The hours that people work in a month on each way: a base, upgrades of all nodes, and faults of cards (`FORMULA`)."""

from __future__ import annotations

from fractions import Fraction

from gpuplan.advise.case import Way
from gpuplan.advise.settings import Settings


def upkeep(way: Way, nodes: int, driver_nodes: int, settings: Settings) -> Fraction:
    """Return the hours of a month. Where the driver comes with the nodes, people upgrade it on either way."""
    base = settings.of("hours.baseManual" if way == "manual" else "hours.baseOperator")
    return base + upgrades(way, nodes, driver_nodes, settings) + faults(nodes, settings)


def upgrades(way: Way, nodes: int, driver_nodes: int, settings: Settings) -> Fraction:
    """Return the hours of a month for driver upgrades."""
    watched = driver_nodes if way == "operator" else 0
    once = watched * settings.of("hours.upgradeOperator") + (nodes - watched) * settings.of("hours.upgradeManual")
    return once * settings.of("hours.upgradesPerYear") / 12


def faults(nodes: int, settings: Settings) -> Fraction:
    """Return the hours of a month for faults of cards, which no stack prevents."""
    return nodes * settings.of("hours.faultsPerNodeMonth") * settings.of("hours.perFault")


def saved(nodes: int, driver_nodes: int, settings: Settings) -> Fraction:
    """Return the hours of a month that the operator saves; below 0 where it costs more than it saves."""
    return upkeep("manual", nodes, driver_nodes, settings) - upkeep("operator", nodes, driver_nodes, settings)


def available(people: float, settings: Settings) -> Fraction:
    """Return the hours of a month that people have for operations."""
    return Fraction(str(people)) * settings.of("hours.perPersonMonth")
