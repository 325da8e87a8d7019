"""The MIG cuts of an inventory, as rules look at them: each entry of each table against the cards that it is for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gpuplan.catalog.cards import Card
from gpuplan.catalog.geometry import fits
from gpuplan.catalog.mig import MigClass
from gpuplan.conventions import LABEL_MIG_STRATEGY
from gpuplan.inventory.cards.exposure import holder_name, profiles
from gpuplan.inventory.cards.labelled import labelled, mig_config
from gpuplan.inventory.cards.mig_tables import Entry, Layout, MigTable, tables
from gpuplan.inventory.cards.operator import MADE_BY_OPERATOR, MIG, mig_strategy, operators
from gpuplan.inventory.inventory import Inventory, once
from gpuplan.inventory.items import Object
from gpuplan.inventory.view import View
from gpuplan.words import in_a_row

_COMPUTE_INSTANCE = re.compile(r"\d+c\.")
"""Begins the name of a part of an instance: `1c.3g.20gb`."""
ALL = "all-"
"""How the names of the operator's own layouts begin, before the profile."""
_SHOWN = 3
"""Nodes that a message names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """A layout that nodes are given, by their label or by the operator's default."""

    layout: str
    view: View
    """Where it is named."""
    who: str
    """What is given it: node `a`."""
    card: Card | None
    cards: int | None
    """Cards of the node, where they were counted."""
    by_default: bool = False
    strategy: str = ""
    """The MIG strategy that the node says it has."""

    @property
    def subject(self) -> str:
        """What is given it, as a sentence begins."""
        return self.who[:1].upper() + self.who[1:]


@dataclass(frozen=True, slots=True, kw_only=True)
class TableCut:
    """An entry of a table, and one way of cutting cards that it has to fit; none where no card is known."""

    layout: Layout
    entry: Entry
    card: Card | None
    mig_class: MigClass | None
    users: tuple[str, ...]

    @property
    def who(self) -> str:
        """The layout, and who uses it, as a message begins."""
        shown, more = list(self.users[:_SHOWN]), len(self.users) - _SHOWN
        used = in_a_row([*shown, f"{more} more"] if more > 0 else shown)
        return f"MIG layout `{self.layout.name}` of {used}" if used else f"MIG layout `{self.layout.name}`"

    @property
    def known(self) -> bool:
        """Whether profiles and places of this card were read at a source, so that a rule may fail on them."""
        return self.mig_class is None or (
            self.mig_class.confirmed and (self.card is None or self.card.is_checked("mig_class"))
        )


def instance(profile: str) -> str:
    """Return the instance that a part belongs to: `3g.20gb` of `1c.3g.20gb`."""
    return _COMPUTE_INSTANCE.sub("", profile, count=1)


@once
def uses(inventory: Inventory) -> tuple[Use, ...]:
    """Return each layout that a label or the operator's default gives to nodes. The last reading is kept: many rules ask."""
    return tuple(_uses(inventory))


def _uses(inventory: Inventory) -> Iterator[Use]:
    waiting: list[tuple[str, Card | None, int | None]] = []
    nodes = False
    for one in labelled(inventory):
        view, card, cards = mig_config(one), one.card(inventory), one.cards(inventory)
        nodes = nodes or one.is_node
        if view.text():
            strategy = one.label(LABEL_MIG_STRATEGY)
            yield Use(layout=view.text(), view=view, who=str(one), card=card, cards=cards, strategy=strategy)
        elif one.is_node and card is not None and card.mig_class:
            waiting.append((str(one), card, cards))
    if not nodes:
        waiting.append(("", inventory.assumed.card, inventory.assumed.cards_per_node))
    for operator in operators(inventory):
        default = operator.config(MIG).default
        for who, card, cards in waiting if default.text() else ():
            name = who or f"{operator} by default"
            yield Use(layout=default.text(), view=default, who=name, card=card, cards=cards, by_default=True)


def tables_in_use(inventory: Inventory) -> tuple[MigTable, ...]:
    """Return the tables that the MIG manager may read: with an operator, of the ConfigMaps the one that it names."""
    stated = list(operators(inventory))
    names = {operator.config(MIG).name for operator in stated} | MADE_BY_OPERATOR
    return tuple(
        table
        for table in tables(inventory)
        if not stated or not isinstance(table.config.holder, Object) or holder_name(table.config) in names
    )


def brings_own_layouts(inventory: Inventory) -> bool:
    """Tell whether nodes can only have the operator's own layouts: nobody names a table, and none is here."""
    named = {operator.config(MIG).name for operator in operators(inventory)} - MADE_BY_OPERATOR - {""}
    return not named and not tables(inventory)


def layouts_in_use(inventory: Inventory) -> Mapping[str, Layout]:
    """Return the layouts of those tables by their names."""
    return {name: layout for table in reversed(tables_in_use(inventory)) for name, layout in table.layouts.items()}


@once
def table_cuts(inventory: Inventory) -> tuple[TableCut, ...]:
    """Return each entry that cuts cards, once for each way of cutting the cards of those who use it."""
    return tuple(_table_cuts(inventory))


def _table_cuts(inventory: Inventory) -> Iterator[TableCut]:
    in_use = {id(table.config) for table in tables_in_use(inventory)}
    users: dict[str, list[Use]] = {}
    for use in uses(inventory):
        users.setdefault(use.layout, []).append(use)
    for table in tables(inventory):
        for layout in table.layouts.values():
            own = users.get(layout.name, []) if id(table.config) in in_use else []
            for entry in layout.entries:
                if entry.mix and (own or not _for_another_card(inventory, table, entry)):
                    yield from _judged(inventory, layout, entry, own)


def _judged(inventory: Inventory, layout: Layout, entry: Entry, used: list[Use]) -> Iterator[TableCut]:
    names: dict[str, tuple[Card, list[str]]] = {}
    for card, who in _cards(inventory, entry, used):
        if entry.takes(card) and card.mig_class in inventory.catalog.mig:
            names.setdefault(card.mig_class or "", (card, []))[1].extend(who)
    for name, (card, found) in names.items():
        mig_class = inventory.catalog.mig[name]
        yield TableCut(layout=layout, entry=entry, card=card, mig_class=mig_class, users=tuple(dict.fromkeys(found)))
    if not names and all(use.card is None for use in used) and inventory.assumed.card is None:
        yield TableCut(layout=layout, entry=entry, card=None, mig_class=None, users=())


def _for_another_card(inventory: Inventory, table: MigTable, entry: Entry) -> bool:
    """Tell whether an entry that nobody uses is rather for another card than the assumed one, in a table for several."""
    card = inventory.assumed.card
    own = inventory.catalog.mig.get(card.mig_class or "") if card is not None else None
    if own is not None and _is_sibling(table, entry, own):
        return True
    if card is None or not table.for_several_cards or entry.pci_ids:
        return False
    return (own is None or not fits(own, entry.mix)) and any(
        fits(one, entry.mix) for one in inventory.catalog.mig.values()
    )


def _cards(inventory: Inventory, entry: Entry, used: list[Use]) -> Iterator[tuple[Card, list[str]]]:
    """Yield the cards that an entry is for: of who uses it, or assumed, or those of its filter."""
    known = [(use.card, [use.who]) for use in used if use.card is not None]
    if known:
        yield from known
    elif not used and inventory.assumed.card is not None:
        yield inventory.assumed.card, []
    elif entry.pci_ids:
        for card in inventory.catalog.cards.values():
            if entry.takes(card):
                yield card, []


def strategy(inventory: Inventory) -> str:
    """Return the MIG strategy that the device plugin runs with: the operator's, the one that all profiles have, or assumed."""
    stated = mig_strategy(inventory)
    if stated is not None:
        return stated.text()
    flags = {profile.strategy.text() for profile in profiles(inventory)}
    return flags.pop() if len(flags) == 1 and flags != {""} else inventory.assumed.mig_strategy


def _is_sibling(table: MigTable, entry: Entry, own: MigClass) -> bool:
    """Tell whether a table says the names of a card's sibling beside the card's own: `3g.95gb` and `3g.93gb`."""
    usual = {own.variants[profile] for profile in entry.mix if profile in own.variants}
    written = {profile for layout in table.layouts.values() for one in layout.entries for profile in one.mix}
    return bool(usual) and usual <= written
