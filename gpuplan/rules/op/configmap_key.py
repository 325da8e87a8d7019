"""A ConfigMap of the operator under whose key nobody looks.

The operator mounts one key of the ConfigMap: `config.yaml` for MIG tables, `dcgm-metrics.csv` for counters, `clients.yaml` for
the clients of the MIG manager. Without it the pod cannot start.

Source: NVIDIA/gpu-operator, `controllers/object_controls.go`. Reports: NVIDIA/gpu-operator #1616, #648, #414, #400, #322.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity, Span
from gpuplan.inventory.cards.operator import KEYS, ConfigRef, operators
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.view import View
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import listed

DOC = RuleDoc(
    id="op/configmap-key",
    severity=Severity.ERROR,
    summary="A ConfigMap of the GPU Operator has another key than the one it reads",
    why="The operator mounts that one key; without it the pods of the component cannot start.",
    fix="Rename the key to the one that the message says.",
    bad="data:\n  my-counters.csv: |\n    DCGM_FI_DEV_GPU_TEMP, gauge, Temperature",
    good="data:\n  dcgm-metrics.csv: |\n    DCGM_FI_DEV_GPU_TEMP, gauge, Temperature",
)


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each ConfigMap that a component names, and each data for one, without the component's key."""
    found: dict[tuple[Span, str], Diagnostic] = {}
    for operator in operators(inventory):
        for ref in operator.configs():
            key = KEYS.get(ref.component)
            for data in _data(inventory, ref) if key else ():
                keys = [view for _, view in data.entries()]
                names = [name for name, _ in data.entries()]
                at = keys[0].key_span if keys else data.key_span
                summary = (
                    f"`{ref.component}` reads `{key}` of ConfigMap `{ref.name}`, which has {listed(names) or 'no data'}"
                )
                if key and key not in names:
                    found[at, key] = DOC.found(summary, at=at, fix=f"Rename the key to `{key}`.")
    yield from found.values()


def _data(inventory: Inventory, ref: ConfigRef) -> list[View]:
    """Return the data that the chart makes, or that of the ConfigMaps of the name, unless one of them will do."""
    if ref.created:
        return [ref.view["data"]] if ref.view["data"].value else []
    maps = [one for one in inventory.of("ConfigMap") if ref.name and one.name == ref.name]
    key = KEYS.get(ref.component, "")
    if any(key in one.root["data"] or one.root["binaryData"].exists for one in maps):
        return []
    return [one.root["data"] for one in maps]
