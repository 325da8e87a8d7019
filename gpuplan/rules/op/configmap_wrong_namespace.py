"""A ConfigMap of the operator in a namespace where the operator does not look.

The agents run in the operator's namespace and mount ConfigMaps from there. One of the same name elsewhere changes nothing.

Source: Kubernetes, volumes of ConfigMaps. Reports: NVIDIA/gpu-operator #412, #281, #249, #648.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.cards.operator import namespace, operators
from gpuplan.inventory.inventory import Inventory
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="op/configmap-wrong-namespace",
    severity=Severity.ERROR,
    summary="A ConfigMap of the GPU Operator is in another namespace",
    why="Pods mount ConfigMaps of their own namespace alone: the operator's agents never see this one.",
    fix="Put it into the operator's namespace.",
    bad="kind: ConfigMap\nmetadata: {name: plugin-profiles, namespace: kube-system}",
    good="kind: ConfigMap\nmetadata: {name: plugin-profiles, namespace: gpu-operator}",
)


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each ConfigMap that a component names and that is only elsewhere, if the namespace is known."""
    home = namespace(inventory)
    names = (
        {ref.name for one in operators(inventory) for ref in one.configs() if ref.name and not ref.created}
        if home
        else ()
    )
    for name in sorted(names):
        maps = [one for one in inventory.of("ConfigMap") if one.name == name]
        if any(one.namespace in ("", home) for one in maps):
            continue
        for one in maps:
            summary = f"ConfigMap `{name}` is in namespace `{one.namespace}`, the operator in `{home}`"
            yield DOC.found(summary, at=one.root["metadata"]["namespace"].key_span, fix=f"Write `namespace: {home}`.")
