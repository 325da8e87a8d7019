"""What acts on the nodes of a pool knows what no other object says of it: gpuplan's agents, and the operators' drivers."""

from __future__ import annotations

from gpuplan import conventions
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.items import Object


def agent_of(inventory: Inventory, pool: str) -> Object | None:
    """Return a node agent of the pool: it knows the labels and the taints of its nodes."""
    agents = inventory.of("DaemonSet")
    return next((one for one in agents if one.labels.get(conventions.LABEL_POOL) == pool), None)


def driver_of(inventory: Inventory, pool: str, *, operated: bool) -> dict[str, object]:
    """Return what is sure of a pool's driver: its branch where an operator installs it, or that it is there.

    The GPU Operator has an object for each pool that it serves and whose nodes come without. `operated` tells that it serves
    this one.
    """
    made = inventory.find("NVIDIADriver", conventions.nvidia_driver_name(pool))
    if made is not None:
        branch = made.spec["version"].text().partition(".")[0]
        precompiled = {"precompiled": True} if made.spec["usePrecompiled"].flag() else {}
        return {**({"branch": branch} if branch.isascii() and branch.isdigit() else {}), **precompiled}
    for one in inventory.of("DeviceConfig"):
        if one.name == conventions.device_config_name(pool) and not one.spec["driver"]["enable"].flag():
            return {"preinstalled": True}
    return {"preinstalled": True} if operated else {}
