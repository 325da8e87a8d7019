"""Everything that was found, by kind and by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, wraps
from typing import TypeVar, cast

from gpuplan import catalog
from gpuplan.catalog import Catalog
from gpuplan.inventory.assumed import Assumed
from gpuplan.inventory.items import Config, Format, Object


@dataclass(frozen=True, eq=False, kw_only=True)
class Inventory:
    """The objects and configurations of one cluster, in the order in which they were found."""

    objects: tuple[Object, ...] = ()
    configs: tuple[Config, ...] = ()
    assumed: Assumed = field(default_factory=Assumed)
    catalog: Catalog = field(default_factory=catalog.load)
    repeated: tuple[Object, ...] = ()
    """Objects set aside, since another of the same name says something else; the first one counts."""
    derived: dict[object, object] = field(default_factory=dict, repr=False)
    """What `once` has read off it."""

    @cached_property
    def _kinds(self) -> Mapping[str, tuple[Object, ...]]:
        return _grouped((one.kind, one) for one in self.objects)

    @cached_property
    def _names(self) -> Mapping[tuple[str, str, str], Object]:
        return {(one.kind, one.namespace, one.name): one for one in reversed(self.objects)}

    @cached_property
    def _formats(self) -> Mapping[Format, tuple[Config, ...]]:
        grouped: dict[Format, list[Config]] = {}
        for one in self.configs:
            grouped.setdefault(one.format, []).append(one)
        return {key: tuple(found) for key, found in grouped.items()}

    def of(self, *kinds: str) -> Iterator[Object]:
        """Yield the objects of some kinds, kind by kind."""
        for kind in kinds:
            yield from self._kinds.get(kind, ())

    def find(self, kind: str, name: str, namespace: str = "") -> Object | None:
        """Return the first object of a kind by its name."""
        return self._names.get((kind, namespace, name))

    def configs_of(self, *formats: Format) -> Iterator[Config]:
        """Yield the configurations of some formats, format by format."""
        for one in formats:
            yield from self._formats.get(one, ())


T = TypeVar("T")


def once(read: Callable[[Inventory], T]) -> Callable[[Inventory], T]:
    """Read something off an inventory the first time that a rule asks for it; it is kept with the inventory and goes with it."""

    @wraps(read)
    def known(inventory: Inventory) -> T:
        if known not in inventory.derived:
            inventory.derived[known] = read(inventory)
        return cast("T", inventory.derived[known])

    return known


def _grouped(pairs: Iterable[tuple[str, Object]]) -> Mapping[str, tuple[Object, ...]]:
    grouped: dict[str, list[Object]] = {}
    for key, one in pairs:
        grouped.setdefault(key, []).append(one)
    return {key: tuple(found) for key, found in grouped.items()}
