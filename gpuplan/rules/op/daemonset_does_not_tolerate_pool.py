"""Agents that do not tolerate the taint of the nodes that they are for.

The operator's `daemonsets.tolerations` take the place of the one that its agents have of their own, for the key `nvidia.com/gpu`.
A taint that the list leaves out keeps driver, plugin and exporter off the nodes, which then offer no GPU.

Source: NVIDIA/gpu-operator, `controllers/object_controls.go`. Reports: NVIDIA/gpu-operator #26, #270, NVIDIA/k8s-device-plugin
#734.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gpuplan.diagnostics import Diagnostic, Related, Severity, Span
from gpuplan.inventory.cards.labelled import Labelled
from gpuplan.inventory.cards.operator import operators
from gpuplan.inventory.cards.profiles_in_use import with_nvidia
from gpuplan.inventory.cards.tolerating import Taint, repelling, untolerated
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.items import Format
from gpuplan.inventory.view import View
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import listed
from gpuplan.words import in_a_row

DOC = RuleDoc(
    id="op/daemonset-does-not-tolerate-pool",
    severity=Severity.ERROR,
    summary="Agents do not tolerate the taint of the nodes that they are for",
    why="Driver, device plugin and exporter get no pod on these nodes, which then offer no GPU.",
    fix="Add a toleration for each taint.",
    bad="daemonsets:\n  tolerations: [{key: gpu-only, operator: Exists}]  # the pool's taint is nvidia.com/gpu",
    good="daemonsets:\n  tolerations: [{key: nvidia.com/gpu, operator: Exists, effect: NoSchedule}]",
)
OPERANDS = "nvidia.com/gpu.deploy.operands"
OWN = Taint("nvidia.com/gpu", "", "NoSchedule")
"""What the agents tolerate of their own, with any value."""
_NFD = ("node-feature-discovery", "worker", "tolerations")


@dataclass(frozen=True, slots=True, kw_only=True)
class _List:
    """A list of tolerations, and whose it is."""

    who: str
    view: View
    otherwise: Span
    """Where to point at if the list is empty."""


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each list that leaves out a taint of nodes with NVIDIA's cards, at its first item."""
    lists = tuple(_lists(inventory))
    if not lists:
        return
    pools = [(one, tuple(repelling(one.taints))) for one in with_nvidia(inventory) if one.label(OPERANDS) != "false"]
    for tolerations in lists:
        missed = [(one, left) for one, taints in pools if (left := _left(taints, tolerations.view))]
        if missed:
            yield _found(tolerations, missed)


def _lists(inventory: Inventory) -> Iterator[_List]:
    """Yield the lists, and where none is written the place that lacks one: values may be spread over several files."""
    stated = list(operators(inventory))
    written = [one for one in stated if one.tolerations.value]
    for operator in written or stated:
        yield _List(who="The operator's agents do", view=operator.tolerations, otherwise=operator.at)
    plugins = list(inventory.configs_of(Format.PLUGIN_VALUES))
    for values in [one for one in plugins if one.root["tolerations"].value] or plugins:
        yield _List(who="The device plugin does", view=values.root["tolerations"], otherwise=values.root.span)
    workers = [one.root.walk(*_NFD) for one in stated]
    workers += [values.root["worker"]["tolerations"] for values in inventory.configs_of(Format.NFD_VALUES)]
    workers += [one.spec["workerTolerations"] for one in inventory.of("NodeFeatureDiscovery")]
    for worker in workers:
        if worker.value:
            yield _List(who="NFD's worker does", view=worker, otherwise=worker.key_span)


def _left(taints: tuple[Taint, ...], tolerations: View) -> list[Taint]:
    if not any(True for _ in tolerations.items()):
        return [taint for taint in taints if (taint.key, taint.effect) != (OWN.key, OWN.effect)]
    return untolerated(taints, tolerations)


def _found(tolerations: _List, missed: list[tuple[Labelled, list[Taint]]]) -> Diagnostic:
    first = next((one.span for one in tolerations.view.items()), tolerations.otherwise)
    taints = sorted({taint for _, left in missed for taint in left})
    pools = in_a_row([str(one) for one, _ in missed][:3])
    wanted = ", ".join(f"{{key: {taint.key}, operator: Exists, effect: {taint.effect}}}" for taint in taints)
    return DOC.found(
        f"{tolerations.who} not tolerate {listed(taints)} of {pools}",
        at=first,
        also=tuple(Related(f"taint of {one}", one.taints.key_span) for one, _ in missed[:3]),
        fix=f"Add {wanted}.",
    )
