"""A ConfigMap that the operator is told to use and that is not there.

Another component, or a person, was to make it. Until then the pods that mount it do not start.

Source: Kubernetes, volumes of ConfigMaps. Report: a catalogue's policy names the counters of a console plugin that another
catalogue brings.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.cards.operator import (
    COUNTERS,
    KEYS,
    MADE_BY_OPERATOR,
    MIG,
    MIG_CLIENTS,
    PLUGIN,
    Operator,
    operators,
)
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.items import Format
from gpuplan.inventory.view import View
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="op/missing-configmap",
    severity=Severity.ERROR,
    summary="The GPU Operator is to use a ConfigMap that is not there",
    why="The component's pods cannot mount it and do not start.",
    fix="Add the ConfigMap in the operator's namespace, or drop the reference.",
    bad="spec:\n  dcgmExporter:\n    config: {name: counters-of-somebody-else}",
    good="spec:\n  dcgmExporter: {enabled: true}",
)
_DRIVER = (
    ("repoConfig", "configMapName"),
    ("licensingConfig", "configMapName"),
    ("kernelModuleConfig", "name"),
    ("certConfig", "name"),
    ("virtualTopology", "config"),
)
"""Below `driver`: where further ConfigMaps are named."""
_CONTENT = {PLUGIN: Format.PLUGIN, MIG: Format.MIG_PARTED, COUNTERS: Format.COUNTERS}


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each name; silent for a partial set, and for values in a set without any ConfigMap."""
    if inventory.assumed.partial:
        return
    maps = {one.name for one in inventory.of("ConfigMap")}
    for operator in operators(inventory):
        if not operator.is_policy and not maps:
            continue
        for component, view in _named(operator):
            if _in_a_file(inventory, component):
                continue
            name = view.text()
            if name and name not in maps | MADE_BY_OPERATOR:
                fix = f"Add ConfigMap `{name}`{_with(component)} in the operator's namespace, or drop the reference."
                yield DOC.found(f"`{component}` uses ConfigMap `{name}`, which is not there", at=view.key_span, fix=fix)


def _named(operator: Operator) -> Iterator[tuple[str, View]]:
    """Yield the components that run, and where each names a ConfigMap that nobody makes for it."""
    for component in (PLUGIN, MIG, COUNTERS, MIG_CLIENTS):
        ref = operator.config(component)
        if not ref.created and _enabled(operator, component.partition(".")[0]):
            yield component, ref.view["name"]
    for path in _DRIVER if _enabled(operator, "driver") else ():
        yield "driver", operator.root["driver"].walk(*path)


def _in_a_file(inventory: Inventory, component: str) -> bool:
    """Tell whether what belongs into the ConfigMap lies here as a file, from which Kustomize or a script makes it."""
    kind = _CONTENT.get(component)
    return kind is not None and any(config.holder is None for config in inventory.configs_of(kind))


def _enabled(operator: Operator, component: str) -> bool:
    return operator.root[component]["enabled"].flag(otherwise=True)


def _with(component: str) -> str:
    return f" with key `{KEYS[component]}`" if component in KEYS else ""
