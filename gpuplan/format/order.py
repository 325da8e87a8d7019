"""The order of keys: as the spec declares them, but for a few that are read in another order."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from typing import Final

from gpuplan.spec import jsonschema
from gpuplan.spec.jsonschema import JsonSchema

_AHEAD: Final[Mapping[str, str]] = {
    "profiles": "strategy",
    "groups": "strategy",
    "topologyLabels": "selectedBy",
    "nfd": "nvidiaRuntime",
    "releases": "alertmanager",
    "podSecurity": "guardRails",
    "platform": "receivers",
    "officeHours": "receivers",
    "owners": "costCenter",
}
"""Key -> the key it stands before, wherever a place takes both: what a thing is comes before how it is done."""
_ANY: Final = "*"
_AFTER: Final[Mapping[str, str]] = {"defaults": "cardTiers"}
"""Key -> the key it stands behind: defaults are read with the pools that they are mostly for."""


class Place:
    """A place of the spec: the keys that it takes, in the order in which they are written, and the places below.

    Worked out once for each, since a large fleet has the same few places thousands of times.
    """

    __slots__ = ("_below", "_schema", "keys")

    def __init__(self, schema: JsonSchema) -> None:
        self._schema = schema
        self._below: dict[str | int, Place | None] = {}
        self.keys = _ordered(dict.fromkeys(jsonschema.keys(schema)))

    def below(self, key: str | int) -> Place | None:
        """Return the place under a key or in a list, None where the spec knows nothing of it."""
        known = key if key in self.keys else 0 if isinstance(key, int) else _ANY
        if known not in self._below:
            schema = jsonschema.child(self._schema, key)
            self._below[known] = None if schema is None else Place(schema)
        return self._below[known]


@functools.cache
def root() -> Place:
    """Return the place of a whole document."""
    return Place(jsonschema.fleet_schema())


def _ordered(declared: Iterable[str]) -> Mapping[str, int]:
    """Return keys with their rank."""
    keys = [*declared]
    for key, other in _AHEAD.items():
        if key in keys and other in keys and keys.index(key) > keys.index(other):
            keys.remove(key)
            keys.insert(keys.index(other), key)
    for key, other in _AFTER.items():
        if key in keys and other in keys:
            keys.remove(key)
            keys.insert(keys.index(other) + 1, key)
    return {key: number for number, key in enumerate(keys)}


def fixed_keys(place: Place | None) -> Mapping[str, int]:
    """Return the keys that a place of the spec takes with their rank; none for a map of names."""
    return {} if place is None else place.keys


def below(place: Place | None, key: str | int) -> Place | None:
    """Return the place under a key or in a list, None where the spec knows nothing of it."""
    return None if place is None else place.below(key)
