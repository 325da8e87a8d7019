"""Who runs the agents of each pool of a rendered cluster, and whether its other nodes are kept off the GPU Operator."""

from __future__ import annotations

from gpuplan import conventions
from gpuplan.catalog.cards import Vendor
from gpuplan.importer.own.agents import agent_of
from gpuplan.importer.own.flavors import flavors, kind
from gpuplan.importer.own.selection import selected_by
from gpuplan.importer.own.series import PoolSaid, said
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.items import Object
from gpuplan.inventory.view import View

_PREFIXES = {"amd_": Vendor.AMD, "huawei_": Vendor.HUAWEI, "gpu_intel_": Vendor.INTEL, "habana_": Vendor.INTEL}
"""How resources of other vendors than NVIDIA begin in series."""


def stack_of(inventory: Inventory) -> str:
    """Return who runs most of the agents of a cluster that gpuplan has rendered."""
    if any(conventions.LABEL_POOL in one.labels for one in inventory.of("DaemonSet")):
        return "manual"
    installed = any(one.name.startswith("gpu-operator-") for one in inventory.of("Application"))
    return "operator" if installed or any(inventory.of("ClusterPolicy", "DeviceConfig", "NVIDIADriver")) else "external"


def stack_of_pool(inventory: Inventory, pool: PoolSaid, flavor: Object | None, agent: Object | None) -> str:
    """Return who runs the agents of a pool: we do where it has agents of its own, else an operator that has been told of it."""
    if agent is not None:
        return "manual"
    match vendor_of_pool(inventory, pool):
        case Vendor.NVIDIA:
            return "operator" if _is_operated(inventory, pool, flavor) else "external"
        case Vendor.AMD:
            name = conventions.device_config_name(pool.name)
            return "operator" if any(one.name == name for one in inventory.of("DeviceConfig")) else "external"
        case _:
            installed = stack_of(inventory)
            return installed if installed != "manual" else "operator"


def is_guess(inventory: Inventory, pool: PoolSaid, flavor: Object | None) -> bool:
    """Tell whether it is a guess that the GPU Operator serves a pool: a provisioner makes its nodes, with their driver."""
    return not _has_driver(inventory, pool) and "provisioner" in selected_by(inventory, pool.name, flavor, None)


def standby(inventory: Inventory) -> str:
    """Return `operatorStandby` of a cluster; empty where none of its objects asks for it.

    The operator is there and serves nobody, or nodes that are not its own bear the label that keeps it off them before it comes.
    Where it serves pools, the word is for others' nodes that only people can label.
    """
    known = said(inventory)
    made = flavors(inventory, known)
    ours = [pool for pool in known.pools if vendor_of_pool(inventory, pool) is Vendor.NVIDIA]
    others = [
        (pool, flavor, agent)
        for pool in ours
        for flavor, agent in [(made.get(kind(pool)), agent_of(inventory, pool.name))]
        if stack_of_pool(inventory, pool, flavor, agent) != "operator"
    ]
    if not _has_operator(inventory):
        return "labels" if any(_rule_label(inventory, pool.name) == "false" for pool, *_ in others) else ""
    if len(others) == len(ours):
        return "installed"
    for pool, flavor, agent in others:
        labels = selected_by(inventory, pool.name, flavor, agent).get("labels")
        if isinstance(labels, dict) and conventions.LABEL_OPERANDS not in labels:
            return "labels"
    return ""


def vendor_of_pool(inventory: Inventory, pool: PoolSaid) -> Vendor:
    """Return whose cards a pool has; a card of the fleet's own is told by the resources that stand for it."""
    known = inventory.catalog.cards.get(pool.card)
    if known is not None:
        return known.vendor
    for prefix, vendor in _PREFIXES.items():
        if any(name.startswith(prefix) for name in pool.devices):
            return vendor
    return Vendor.NVIDIA


def _has_operator(inventory: Inventory) -> bool:
    """Tell whether the GPU Operator is there: its exporter's counters are, which gpuplan always renders for it."""
    return any(one.name.startswith(conventions.OPERATOR_COUNTERS) for one in inventory.of("ConfigMap"))


def _is_operated(inventory: Inventory, pool: PoolSaid, flavor: Object | None) -> bool:
    """Tell whether the GPU Operator serves a pool: it has its driver, its exporter knows it, or nothing keeps it off."""
    if not _has_operator(inventory):
        return False
    if _has_driver(inventory, pool):
        return True
    if "labels" in selected_by(inventory, pool.name, flavor, None):
        return any(step["replacement"].text() == pool.name for step in _exporter_steps(inventory))
    return _rule_label(inventory, pool.name) != "false"


def _has_driver(inventory: Inventory, pool: PoolSaid) -> bool:
    return inventory.find("NVIDIADriver", conventions.nvidia_driver_name(pool.name)) is not None


def _exporter_steps(inventory: Inventory) -> list[View]:
    monitors = (one for one in inventory.of("ServiceMonitor") if one.name == conventions.OPERATOR_EXPORTER)
    return [step for one in monitors for end in one.spec["endpoints"].items() for step in end["relabelings"].items()]


def _rule_label(inventory: Inventory, pool: str) -> str:
    """Return the value that NFD gives a pool's nodes of the label by which the operator leaves nodes alone."""
    rule = inventory.find("NodeFeatureRule", conventions.node_feature_rule_name(pool))
    rules = rule.spec["rules"].items() if rule is not None else iter(())
    return next((value for one in rules if (value := one["labels"].texts().get(conventions.LABEL_OPERANDS))), "")
