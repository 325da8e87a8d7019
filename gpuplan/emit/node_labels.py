"""Labels on the nodes of pools that are found by Node Feature Discovery: one NodeFeatureRule a pool.

Facts: NFD v0.19. A rule sees PCI devices and the node's name, not labels that the node has. NFD puts its own domain
before a label key that has none, so such labels (MindCluster reads some) are for people to set. Pools found by
existing labels or set up by a provisioner need nothing here, and a `Node` object is never rendered.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from gpuplan import conventions
from gpuplan.catalog import Card, Catalog
from gpuplan.emit import base
from gpuplan.manifests.kinds import NodeFeatureRule
from gpuplan.manifests.kinds.nfd import FeatureMatcherTerm, FeatureRule, MatchExpression, NodeTaint
from gpuplan.manifests.set import Manifest
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.labels import all_labels
from gpuplan.model.pools import NodePool, SelectedBy

_PLAIN_NAME = re.compile(r"[a-z0-9]([-a-z0-9.]*[a-z0-9])?")


def emit(fleet: Fleet, cluster: Cluster) -> Iterator[Manifest]:
    """Yield the NodeFeatureRule of each pool that NFD finds."""
    for pool in cluster.pools:
        if pool.selection.by is SelectedBy.NFD:
            made = _node_feature_rule(fleet.catalog, cluster, pool)
            yield base.manifest(fleet, cluster, base.NODES, made, pool.path)


def _node_feature_rule(catalog: Catalog, cluster: Cluster, pool: NodePool) -> NodeFeatureRule:
    rule: FeatureRule = {
        "name": pool.name,
        "labels": {key: value for key, value in all_labels(cluster, pool).items() if "/" in key},
        "matchFeatures": list(_terms(catalog, pool)),
    }
    if cluster.nfd_taints and pool.taints:
        rule["taints"] = list(_taints(pool))
    return {
        "apiVersion": "nfd.k8s-sigs.io/v1alpha1",
        "kind": "NodeFeatureRule",
        "metadata": base.metadata(conventions.node_feature_rule_name(pool.name), base.NODES),
        "spec": {"rules": [rule]},
    }


def _terms(catalog: Catalog, pool: NodePool) -> Iterator[FeatureMatcherTerm]:
    yield {"feature": "pci.device", "matchExpressions": _pci(catalog, pool.card)}
    if pool.selection.node_names:
        yield {"feature": "system.name", "matchExpressions": {"nodename": _names(pool.selection.node_names)}}


def _pci(catalog: Catalog, card: Card) -> dict[str, MatchExpression]:
    """Match a device of the card; one whose ids nobody knows is matched by its maker and class."""
    family = catalog.vendors.of(card)
    known: dict[str, MatchExpression] = {"device": {"op": "In", "value": list(card.pci_ids)}} if card.pci_ids else {}
    return {
        "vendor": {"op": "In", "value": list(family.pci_vendors)},
        "class": {"op": "In", "value": list(family.pci_classes)},
        **known,
    }


def _names(names: tuple[str, ...]) -> MatchExpression:
    """Match node names. NFD finds a regular expression anywhere in a name, so ours are tied to both ends."""
    if all(_PLAIN_NAME.fullmatch(name) for name in names):
        return {"op": "In", "value": list(names)}
    return {"op": "InRegexp", "value": [f"^({name})$" for name in names]}


def _taints(pool: NodePool) -> Iterator[NodeTaint]:
    for taint in pool.taints:
        made: NodeTaint = {"key": taint.key, "effect": taint.effect}
        if taint.value:
            made["value"] = taint.value
        yield made
