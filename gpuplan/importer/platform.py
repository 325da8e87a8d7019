"""What the files tell of a cluster as a whole: who made its Kubernetes, which version, and who runs the node agents."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from gpuplan.importer.draft import Entry
from gpuplan.importer.own.settings import settings
from gpuplan.importer.own.stacks import stack_of, standby
from gpuplan.importer.spoken import has_kueue
from gpuplan.inventory.cards.operator import namespace, operators
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.items import Format
from gpuplan.versions import parse

Plain = object


class Sign(NamedTuple):
    """By what a distribution is known: a piece of a node's label key, of its provider, or of its kubelet's version."""

    distribution: str
    label: str
    kubelet: str


SIGNS = (
    Sign("eks", "eks.amazonaws.com/", "-eks-"),
    Sign("gke", "cloud.google.com/gke-", "-gke."),
    Sign("aks", "kubernetes.azure.com/", "-aks"),
    Sign("openshift", "node.openshift.io/", "-openshift"),
    Sign("rke2", "rke2.io/", "+rke2"),
    Sign("k3s", "k3s.io/", "+k3s"),
    Sign("talos", "talos.dev/", "-talos"),
)
OPENSHIFT_KINDS = ("MachineSet",)
_VERSION = re.compile(r"v?(1\.\d{2})\b")
NOT_TOLD = "The files do not tell the {what}: {value} is taken."
NO_AGENTS = "The files hold no node agents"
AGENTS_BESIDE = "Nodes are told apart by labels that the node agents there write"
DISCOVERED = "nvidia.com/"
"""How labels begin that node agents write."""
NEWEST_KUBERNETES = "1.36"
OPERATOR_FORMATS = (Format.OPERATOR_VALUES,)


def cluster(name: str, inventory: Inventory, *, divides: bool, discovered: bool) -> Entry:
    """Return the cluster's entry.

    `divides` tells whether cards of it are cut or shared, `discovered` whether its pools are told apart by labels that node
    agents write: agents of gpuplan would wait for their own labels.
    """
    notes: list[str] = []
    value: dict[str, Plain] = {}
    version = _kubernetes(inventory)
    if not version:
        version = NEWEST_KUBERNETES
        notes.append(NOT_TOLD.format(what="version of Kubernetes", value=version))
    value["kubernetes"] = version
    distribution = _distribution(inventory)
    if not distribution:
        distribution = "kubeadm"
        notes.append(NOT_TOLD.format(what="distribution", value=distribution))
    value["distribution"] = distribution
    value.update(_stack(inventory, notes, divides=divides, discovered=discovered))
    if has_kueue(inventory):
        value["kueue"] = "external"
        notes.append("Kueue is there already: `kueue: managed` would let gpuplan render its installation.")
    return Entry(section=("clusters",), name=name, value=value, notes=tuple(notes))


def rendered(name: str, inventory: Inventory, hubs: Iterable[Inventory]) -> Entry:
    """Return the entry of a cluster that gpuplan has rendered: its agents tell who runs them.

    `hubs` hold what is Argo CD's alone.
    """
    entry = cluster(name, inventory, divides=False, discovered=False)
    value = dict(entry.value) if isinstance(entry.value, dict) else {}
    value["stack"] = stack_of(inventory)
    value.pop("kueue", None)
    value.pop("gpuOperator", None)
    value |= settings(name, inventory, hubs)
    waits = standby(inventory)
    if waits:
        value["operatorStandby"] = waits
    notes = tuple(note for note in entry.notes if note.startswith(NOT_TOLD[:22]))
    return Entry(section=entry.section, name=name, value=value, notes=notes)


def _kubernetes(inventory: Inventory) -> str:
    said = inventory.assumed.versions.get("kubernetes")
    if said is not None:
        return ".".join(map(str, said.release[:2]))
    texts = (node.root.walk("status", "nodeInfo")["kubeletVersion"].text() for node in inventory.of("Node"))
    found = [match[1] for text in texts if (match := _VERSION.match(text))]
    return min(found, key=lambda text: parse(text).release if parse(text) else ()) if found else ""  # type: ignore[union-attr]  # just parsed


def _distribution(inventory: Inventory) -> str:
    for sign in SIGNS:
        for node in inventory.of("Node"):
            kubelet = node.root.walk("status", "nodeInfo")["kubeletVersion"].text()
            if sign.kubelet in kubelet or any(key.startswith(sign.label) for key in node.labels):
                return sign.distribution
    return "openshift" if any(inventory.of(*OPENSHIFT_KINDS)) else ""


def _stack(inventory: Inventory, notes: list[str], *, divides: bool, discovered: bool) -> Iterator[tuple[str, Plain]]:
    policy = next(iter(inventory.of("ClusterPolicy")), None)
    values = next(iter(inventory.configs_of(*OPERATOR_FORMATS)), None)
    plugin = next(iter(inventory.configs_of(Format.PLUGIN_VALUES, Format.PLUGIN)), None)
    by_operator = policy is not None or values is not None
    if by_operator and divides:
        yield "stack", "external"
        notes.append(
            "The GPU Operator cuts and shares cards by profiles and labels of its own, and goes on to: gpuplan governs. "
            "`stack: operator` would take gpuplan's profiles, by labels that `gpuplan check` names."
        )
    elif by_operator:
        yield "stack", "operator"
        notes.append(
            "The GPU Operator is there already: `gpuOperator: managed` would let gpuplan render its installation."
        )
        space = _operator_namespace(inventory)
        yield "gpuOperator", {"install": "external", **({"namespace": space} if space else {})}
    elif plugin is not None and not discovered:
        yield "stack", "manual"
        notes.append(
            "The device plugin's set-up becomes gpuplan's own node agents: take the old ones out when these come."
        )
    else:
        yield "stack", "external"
        notes.append(f"{AGENTS_BESIDE if plugin else NO_AGENTS}: others run them, and gpuplan governs.")


def _operator_namespace(inventory: Inventory) -> str:
    """Return the operator's namespace: as it is said, else that of the ConfigMaps that it reads."""
    named = {ref.name for operator in operators(inventory) for ref in operator.configs()}
    spaces = {one.namespace for one in inventory.of("ConfigMap") if one.name in named and one.namespace}
    return namespace(inventory) or (spaces.pop() if len(spaces) == 1 else "")
