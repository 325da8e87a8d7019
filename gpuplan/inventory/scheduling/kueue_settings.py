"""What Kueue's configuration makes of the requests of work, and which work it takes without being asked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from gpuplan.inventory.inventory import Inventory, once
from gpuplan.inventory.items import Config, Format
from gpuplan.inventory.reading.recognise import KUEUE_CONFIGURATION
from gpuplan.inventory.view import View

VERSIONS = ("v1beta1", "v1beta2")
"""Versions of the configuration's own API, the newest last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The part of a Kueue configuration that decides what is counted. Without a configuration, Kueue's defaults."""

    excluded: tuple[str, ...] = ()
    """Prefixes of resources that are not counted at all."""
    ignores_undeclared: bool = False
    """Whether a resource that a queue does not cover is let through."""
    replaced: Mapping[str, tuple[str, ...]]
    """Resource -> those that are counted in its place, itself among them where it is kept."""

    def counted(self, resource: str) -> Iterator[str]:
        """Yield what is counted where work asks for a resource."""
        for one in self.replaced.get(resource, (resource,)):
            if not one.startswith(self.excluded):
                yield one

    def missing(self, resource: str, covered: Iterable[str]) -> bool:
        """Tell whether a request for a resource keeps work out of a queue that covers others."""
        return not self.ignores_undeclared and any(one not in covered for one in self.counted(resource))


def configurations(inventory: Inventory) -> Iterator[tuple[Config, str]]:
    """Yield the configurations whose version we know, each with that version."""
    for config in inventory.configs_of(Format.KUEUE):
        version = config.root["apiVersion"].text().removeprefix(KUEUE_CONFIGURATION)
        if version in VERSIONS:
            yield config, version


@once
def settings(inventory: Inventory) -> Settings:
    """Return what the configurations of an inventory say, taken together. The last answer is kept: several rules ask for it."""
    excluded: list[str] = []
    replaced: dict[str, tuple[str, ...]] = {}
    ignores = False
    for config in inventory.configs_of(Format.KUEUE):
        resources = config.root["resources"]
        excluded += [prefix for prefix in resources["excludeResourcePrefixes"].strings() if prefix]
        ignores = ignores or resources["quotaCheckStrategy"].text() == "IgnoreUndeclared"
        replaced |= dict(_transformed(one) for one in resources["transformations"].items())
    return Settings(excluded=tuple(excluded), ignores_undeclared=ignores, replaced=replaced)


def _transformed(view: View) -> tuple[str, tuple[str, ...]]:
    name = view["input"].text()
    outputs = tuple(key for key, _ in view["outputs"].entries())
    return name, outputs if view["strategy"].text() == "Replace" else (name, *outputs)
