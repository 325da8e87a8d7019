"""Alertmanager's configuration as Alertmanager reads it: whom an alert goes to, and which alerts keep others quiet.

    made = read(text)
    made.receivers_of({"alertname": "GpuThrottled", "team": "vision", "severity": "warning"})

Facts: Alertmanager 0.25 to 0.34 (dispatch.Route, config.Route, config.InhibitRule); tried against `amtool config routes test`.
Its own API gives the configuration as text, with every secret blotted out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from gpuplan.inventory.items import Item
from gpuplan.inventory.metrics import matchers
from gpuplan.inventory.metrics.matchers import Matcher, Matchers
from gpuplan.inventory.view import View
from gpuplan.source.pieces import values_of

WAYS: Final = "_configs"
"""How the keys of a receiver end that say how it tells somebody."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """A route with those below it. `goes_on` is `continue`: the routes after it are looked at as well."""

    receiver: str
    """Its own, or that of the route above."""
    matchers: Matchers
    goes_on: bool
    routes: tuple[Route, ...]

    def chosen(self, labels: Mapping[str, str]) -> tuple[Route, ...]:
        """Return the routes that an alert takes, from here on; none where it does not belong here."""
        if not matchers.all_match(self.matchers, labels):
            return ()
        found: list[Route] = []
        for route in self.routes:
            taken = route.chosen(labels)
            found += taken
            if taken and not route.goes_on:
                break
        return tuple(found) or (self,)


@dataclass(frozen=True, slots=True)
class Inhibition:
    """Alerts that keep others quiet while both agree in some labels."""

    source: frozenset[Matcher]
    target: frozenset[Matcher]
    equal: frozenset[str]

    def __str__(self) -> str:
        source, target = (", ".join(map(str, sorted(side))) for side in (self.source, self.target))
        return f"{{{source}}} over {{{target}}}" + (f" of equal {', '.join(sorted(self.equal))}" if self.equal else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Routing:
    """What a configuration says. `problems` are what could not be read, a line each: then it is not known whom alerts reach."""

    root: Route | None
    receivers: Mapping[str, tuple[str, ...]]
    """Each receiver with the ways by which it tells somebody (`slack`); none where it tells nobody."""
    inhibitions: frozenset[Inhibition]
    problems: tuple[str, ...]

    def receivers_of(self, labels: Mapping[str, str]) -> tuple[str, ...]:
        """Return the receivers of an alert, in order; one may stand there twice."""
        return tuple(route.receiver for route in self.root.chosen(labels)) if self.root else ()


def read(text: str) -> Routing:
    """Read the text of a configuration.

    >>> made = read("route: {receiver: a, routes: [{matchers: [team=x], receiver: b}]}")
    >>> made.receivers_of({"team": "x"}), made.receivers_of({})
    (('b',), ('a',))
    """
    return routing(outline(text))


def outline(text: str) -> dict[str, Any]:
    """Return what decides whom alerts reach, as plain data without addresses and keys; empty for what is no configuration."""
    given = values_of("alertmanager.yaml", text)
    root = given.values[0] if given.values and not given.broken else None
    if not isinstance(root, dict):
        return {}
    kept = {key: root[key] for key in ("route", "inhibit_rules") if key in root}
    return {**kept, "receivers": [_hollow(one) for one in Item.plain(root).root["receivers"].items()]}


def _hollow(receiver: View) -> dict[str, Any]:
    """Return a receiver with its name and the ways by which it tells somebody, without what they hold."""
    ways: dict[str, Any] = {f"{kind}{WAYS}": [{}] for kind in receiver_kinds(receiver)}
    return {"name": receiver["name"].scalar(), **ways}


def routing(outlined: Mapping[str, Any]) -> Routing:
    """Read what `outline` gives."""
    if not outlined:
        return Routing(root=None, receivers={}, inhibitions=frozenset(), problems=("it is no YAML with a mapping",))
    return _Reader().routing(Item.plain(dict(outlined)).root)


def receiver_kinds(view: View) -> tuple[str, ...]:
    """Return the ways by which a receiver tells somebody."""
    return tuple(
        sorted(key.removesuffix(WAYS) for key, said in view.entries() if key.endswith(WAYS) and any(said.items()))
    )


class _Reader:
    """Reads, and keeps what it could not read."""

    def __init__(self) -> None:
        self.problems: list[str] = []

    def routing(self, root: View) -> Routing:
        """Read a whole configuration."""
        there = root["route"].is_mapping
        route = self._route(root["route"], "") if there else None
        inhibitions = frozenset(map(self._inhibition, root["inhibit_rules"].items()))
        return Routing(
            root=route,
            receivers={one["name"].scalar(): receiver_kinds(one) for one in root["receivers"].items()},
            inhibitions=inhibitions,
            problems=tuple(self.problems) if there else ("it has no route",),
        )

    def _route(self, view: View, above: str) -> Route:
        receiver = view["receiver"].scalar() or above
        return Route(
            receiver=receiver,
            matchers=tuple(self._matchers(view, "match", "match_re", "matchers")),
            goes_on=view["continue"].flag(),
            routes=tuple(self._route(one, receiver) for one in view["routes"].items()),
        )

    def _inhibition(self, view: View) -> Inhibition:
        source, target = (
            frozenset(self._matchers(view, f"{side}_match", f"{side}_match_re", f"{side}_matchers"))
            for side in ("source", "target")
        )
        return Inhibition(source, target, frozenset(one.scalar() for one in view["equal"].items()))

    def _matchers(self, view: View, equal: str, like: str, new: str) -> Iterator[Matcher]:
        """Yield the matchers of all three ways to write them."""
        yield from (Matcher(label, "=", value.scalar()) for label, value in view[equal].entries())
        for label, value in view[like].entries():
            made = Matcher(label, "=~", value.scalar())
            if not made.readable:
                self.problems.append(f"{made}: its expression is not understood here")
            yield made
        for text in view[new].items():
            found = matchers.read(text.scalar())
            if isinstance(found, str):
                self.problems.append(found)
            else:
                yield from found
