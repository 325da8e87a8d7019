"""`--assume` to facts: `card=h100-sxm-80gb,cardsPerNode=8,nodes=4,nodes.gpu=2,kubernetes=1.36,kueue=0.19.2`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from gpuplan.catalog.cards import Card
from gpuplan.inventory.assumed import Assumed
from gpuplan.quantity import whole_number
from gpuplan.suggest import meant
from gpuplan.versions import parse

VERSIONED = ("kubernetes", "kueue", "gpuOperator", "devicePlugin", "dcgmExporter", "nfd", "migManager")
"""Components whose version can be assumed."""
NODES_OF = "nodes."


class NotAssumableError(ValueError):
    """A word of `--assume` that says nothing. The message says which, and what would."""


def assumed(words: Iterable[str], cards: Mapping[str, Card]) -> Assumed:
    """Read the words of all `--assume`, each `key=value`. Raises NotAssumableError for the first that cannot be read."""
    facts = Assumed()
    given: dict[str, str] = {}
    for word in words:
        key, sign, value = (part.strip() for part in word.partition("="))
        if not sign or not value:
            raise NotAssumableError(f"{word!r} is no `key=value`.")
        if given.setdefault(key, value) != value:
            raise NotAssumableError(f"{key} is {given[key]!r} and {value!r}: which one?")
        facts = _with(facts, key, value, cards)
    return facts


def find_card(word: str, cards: Mapping[str, Card]) -> Card | None:
    """Return a card by its catalogue name, by the value of its product label, or by the one name that is meant.

    >>> from gpuplan import catalog
    >>> [find_card(word, catalog.load().cards).name for word in ("gb200", "NVIDIA-A100-SXM4-40GB", "NVIDIA-GB200")]
    ['gb200', 'a100-sxm-40gb', 'gb200']
    """
    wanted = word.casefold()
    for card in cards.values():
        if wanted in (card.name.casefold(), card.product_name.casefold()):
            return card
    return None


def _with(facts: Assumed, key: str, value: str, cards: Mapping[str, Card]) -> Assumed:
    if key.startswith(NODES_OF):
        return replace(facts, nodes_of={**facts.nodes_of, key.removeprefix(NODES_OF): _whole(key, value)})
    if key in VERSIONED:
        version = parse(value)
        if version is None:
            raise NotAssumableError(f"{key}={value}: not a version such as 1.36.")
        return replace(facts, versions={**facts.versions, key: version})
    if key == "card":
        return replace(facts, card=_card(value, cards))
    reader = READERS.get(key)
    if reader is None:
        known = ("card", *READERS, *VERSIONED, NODES_OF + "NAME")
        hint = meant(key, known, f"Known are {', '.join(known)}.")
        raise NotAssumableError(f"nothing is called {key!r} here. {hint}")
    return reader(facts, key, value)


def _card(value: str, cards: Mapping[str, Card]) -> Card:
    card = find_card(value, cards)
    if card is None:
        by_product = meant(value, [card.product_name for card in cards.values()], "`gpuplan cards` lists them.")
        hint = meant(value, cards, by_product)
        raise NotAssumableError(f"no card is called {value!r}. {hint}")
    return card


def _whole(key: str, value: str) -> int:
    number = whole_number(value)
    if number is None:
        raise NotAssumableError(f"{key}={value}: not a whole number.")
    return number


def _flag(key: str, value: str) -> bool:
    words = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
    if value.casefold() not in words:
        raise NotAssumableError(f"{key}={value}: neither true nor false.")
    return words[value.casefold()]


def _one_of(key: str, value: str, words: tuple[str, ...]) -> str:
    if value not in words:
        raise NotAssumableError(f"{key}={value}: one of {', '.join(words)}.")
    return value


Reader = Callable[[Assumed, str, str], Assumed]

READERS: Mapping[str, Reader] = {
    "cardsPerNode": lambda facts, key, value: replace(facts, cards_per_node=_whole(key, value)),
    "nodes": lambda facts, key, value: replace(facts, nodes=_whole(key, value)),
    "mig": lambda facts, key, value: replace(facts, mig=_flag(key, value)),
    "migStrategy": lambda facts, key, value: replace(
        facts, mig_strategy=_one_of(key, value, ("none", "single", "mixed"))
    ),
    "counters": lambda facts, key, value: replace(facts, counters=_one_of(key, value, ("default",))),
    "operatorNamespace": lambda facts, _, value: replace(facts, operator_namespace=value),
    "slackQueue": lambda facts, _, value: replace(facts, slack_queue=value),
    "partial": lambda facts, key, value: replace(facts, partial=_flag(key, value)),
}
"""How each fact is read; versions, `card` and `nodes.NAME` have their own form."""
