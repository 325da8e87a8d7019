"""dcgm-exporter where it does not tolerate the taints of the nodes with cards.

The exporter's own chart tolerates nothing but what its values say, which is the control plane's taint in many copies; nodes with
cards are tainted in most clusters. The GPU Operator's agents have one list for all, of which
`op/daemonset-does-not-tolerate-pool` tells.

Source: NVIDIA/dcgm-exporter 731 and its chart's values.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gpuplan.diagnostics import Diagnostic, Severity, Span
from gpuplan.inventory.cards.nodes import Nodes, nodes
from gpuplan.inventory.cards.tolerating import Taint, untolerated
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.items import Format
from gpuplan.inventory.metrics.uses import NVIDIA
from gpuplan.inventory.view import View
from gpuplan.quantity import Quantity
from gpuplan.rulebook import RuleDoc
from gpuplan.words import in_a_row

DOC = RuleDoc(
    id="mon/exporter-does-not-tolerate-pool",
    severity=Severity.ERROR,
    summary="An exporter that stays off the nodes with cards",
    why="No pod of the exporter comes onto these nodes: their cards give no metrics, and alerts on them never fire.",
    fix="Tolerate the taints of every pool.",
    bad="tolerations: [{key: node-role.kubernetes.io/control-plane, effect: NoSchedule}]   # nodes are tainted nvidia.com/gpu",
    good="tolerations: [{key: nvidia.com/gpu, operator: Exists, effect: NoSchedule}]",
)
_IMAGE = "dcgm-exporter"
_PRESENT = "nvidia.com/gpu.present"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Exporter:
    """Something that runs the exporter: what it tolerates, and where that stands."""

    tolerations: View
    at: Span
    selector: View

    def goes_to(self, one: Nodes) -> bool:
        """Tell whether its selector lets it onto nodes."""
        return one.has(self.selector.texts())


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each exporter that is kept off nodes which no other exporter serves."""
    exporters = tuple(_exporters(inventory))
    tainted = [one for one in nodes(inventory) if one.taints and _has_cards(one)] if exporters else []
    missed = [one for one in tainted if not any(run.goes_to(one) and not _kept_off(run, one) for run in exporters)]
    for run in exporters:
        wrong = [one for one in missed if run.goes_to(one)]
        taints = sorted({taint for one in wrong for taint in _kept_off(run, one)})
        if taints:
            shown = in_a_row([f"`{taint}`" for taint in taints])
            names = in_a_row(sorted({f"`{one.object.name}`" for one in wrong})[:5])
            yield DOC.found(f"The exporter does not tolerate {shown} of {names}", at=run.at, fix=_fix(taints))


def _has_cards(one: Nodes) -> bool:
    offers = any(name.startswith(f"{NVIDIA}/") and amount > Quantity(0) for name, amount in one.offers.items())
    return (
        offers or one.labels.get(_PRESENT) == "true" or any(taint.key.startswith(f"{NVIDIA}/") for taint in one.taints)
    )


def _kept_off(run: _Exporter, one: Nodes) -> list[Taint]:
    return untolerated(one.taints, run.tolerations)


def _fix(taints: list[Taint]) -> str:
    entries = ", ".join(f"{{key: {taint.key}, operator: Exists, effect: {taint.effect}}}" for taint in taints)
    return f"Write `tolerations: [{entries}]`, beside what stands there."


def _exporters(inventory: Inventory) -> Iterator[_Exporter]:
    for config in inventory.configs_of(Format.EXPORTER_VALUES):
        yield _of(config.root["tolerations"], config.root["nodeSelector"], config.root.span)
    for daemon in inventory.of("DaemonSet"):
        pod = daemon.spec["template"]["spec"]
        if any(_IMAGE in one["image"].text() for one in pod["containers"].items()):
            yield _of(pod["tolerations"], pod["nodeSelector"], daemon.at_name)


def _of(tolerations: View, selector: View, otherwise: Span) -> _Exporter:
    first = next(tolerations.items(), None)
    at = first.span if first is not None else tolerations.key_span if tolerations.exists else otherwise
    return _Exporter(tolerations=tolerations, at=at, selector=selector)
