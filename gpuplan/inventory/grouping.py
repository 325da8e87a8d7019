"""Which of the things that were read belong to one cluster.

A tree of ours holds a folder for each cluster, told by the index beside `clusters/`. Elsewhere everything is taken for one
cluster; an object that stands in several files counts once, and files that contradict each other are judged apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from gpuplan.inventory.alternatives import TELLING, Choice, alternatives
from gpuplan.inventory.assumed import Assumed
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.items import Config, Item, Object
from gpuplan.manifests.set import HUB_AREA

_OF_CLUSTERS = ("clusters", "provisioner", "prometheus")
"""Folders of a rendered tree that hold a folder for each cluster."""
_COUNTED = TELLING | {
    "Node",
    "NodePool",
    "MachineSet",
    "Namespace",
    "PriorityClass",
    "WorkloadPriorityClass",
    "CustomResourceDefinition",
}
"""Kinds of which a cluster has one object of a name, whose numbers would otherwise be counted twice."""
INDEX_FILE = ".gpuplan.json"
"""The index of a rendered tree, as `gpuplan.output` writes it."""


def inventories(objects: Iterable[Object], configs: Iterable[Config], assumed: Assumed) -> dict[str, Inventory]:
    """Return an inventory for each cluster by its name; what is in no cluster's folder is under the empty name."""
    return {name: _inventory(choice, assumed) for name, choice in _by_cluster(objects, configs)}


def inventories_apart(
    objects: Iterable[Object], configs: Iterable[Config], assumed: Assumed
) -> Iterator[list[tuple[Choice, Inventory]]]:
    """Yield for each cluster the inventories of the files that can be right together."""
    for _, (mine, of_mine) in _by_cluster(objects, configs):
        yield [(choice, _inventory(choice, assumed)) for choice in alternatives(mine, of_mine)]


def _by_cluster(objects: Iterable[Object], configs: Iterable[Config]) -> list[tuple[str, Choice]]:
    trees: dict[Path, frozenset[str]] = {}
    bags: dict[str, tuple[list[Object], list[Config]]] = {}
    for one in objects:
        bags.setdefault(_cluster(one, trees), ([], []))[0].append(one)
    for config in configs:
        bags.setdefault(_cluster(config, trees), ([], []))[1].append(config)
    return [(name, (tuple(mine), tuple(of_mine))) for name, (mine, of_mine) in sorted(bags.items())]


def _inventory(choice: Choice, assumed: Assumed) -> Inventory:
    """Return an inventory in which an object that counts stands once, the first; of others, each that says something else."""
    objects, configs = choice
    first: dict[tuple[str, ...], Object] = {}
    kept, repeated = [], []
    for one in objects:
        known = first.setdefault((one.group, one.kind, one.namespace, one.name), one) if one.name else one
        if known is one or not (one.kind in _COUNTED or one.data == known.data):
            kept.append(one)
        elif one.data != known.data:
            repeated.append(one)
    return Inventory(objects=tuple(kept), configs=configs, assumed=assumed, repeated=tuple(repeated))


def _cluster(item: Item, trees: dict[Path, frozenset[str]]) -> str:
    """Return the cluster that an item of a rendered tree is for: by its folder, or as the end of an Application's name."""
    parts = item.file.split("/")
    for folder in _OF_CLUSTERS:
        if folder in parts[:-2] and parts[parts.index(folder) + 1] in _clusters(parts[: parts.index(folder)], trees):
            return parts[parts.index(folder) + 1]
    if isinstance(item, Object) and item.kind == "Application" and HUB_AREA in parts[:-1]:
        known = _clusters(parts[: parts.index(HUB_AREA)], trees)
        return max((name for name in known if item.name.endswith(f"-{name}")), key=len, default="")
    return ""


def _clusters(parts: list[str], trees: dict[Path, frozenset[str]]) -> frozenset[str]:
    """Return the clusters of the rendered tree in a folder; none where it is no such tree."""
    root = Path("/".join(parts) or ".")
    if root not in trees:
        is_tree = (root / INDEX_FILE).is_file() and (root / "clusters").is_dir()
        trees[root] = frozenset(one.name for one in (root / "clusters").iterdir()) if is_tree else frozenset()
    return trees[root]
