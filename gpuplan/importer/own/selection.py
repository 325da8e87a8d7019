"""How the nodes of a pool are found in a cluster that gpuplan has rendered."""

from __future__ import annotations

from gpuplan import conventions
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.items import Object

Plain = object


def selected_by(inventory: Inventory, pool: str, flavor: Object | None, agent: Object | None) -> dict[str, Plain]:
    """Return `selectedBy` of a pool: what NFD is told of it, else the labels that its agents or the work on it ask for."""
    rule = inventory.find("NodeFeatureRule", conventions.node_feature_rule_name(pool))
    if rule is not None:
        return {"nfd": _node_names(rule)}
    chosen = agent.spec.walk("template", "spec")["nodeSelector"].texts() if agent is not None else {}
    labels = chosen or (flavor.spec["nodeLabels"].texts() if flavor is not None else {})
    ours = {key for key in labels if key.startswith(f"{conventions.LABEL_DOMAIN}/")}
    if ours or not labels:
        return {"provisioner": "kubelet"}
    return {"labels": dict(sorted(labels.items()))}


def _node_names(rule: Object) -> dict[str, Plain]:
    names = [
        name
        for one in rule.spec["rules"].items()
        for term in one["matchFeatures"].items()
        for name in term.walk("matchExpressions", "nodename")["value"].strings()
    ]
    return {"nodeNames": names} if names else {}
