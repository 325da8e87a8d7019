"""Our own output as an inventory: the manifest rules look at it as at anybody's files."""

from __future__ import annotations

from collections.abc import Iterable

from gpuplan.inventory.assumed import Assumed
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.items import Object
from gpuplan.inventory.places import OnePlace
from gpuplan.inventory.reading.embedded import configs_in
from gpuplan.manifests.set import Manifest


def inventory_of(manifests: Iterable[Manifest], assumed: Assumed) -> Inventory:
    """Return the objects of one cluster; every place is that of the spec's entry that an object came from."""
    objects = tuple(Object(made.object, OnePlace(made.origin.span)) for made in manifests)
    configs = tuple(config for one in objects for config in configs_in(one))
    return Inventory(objects=objects, configs=configs, assumed=assumed)
