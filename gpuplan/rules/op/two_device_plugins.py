"""The GPU Operator's device plugin and another one on the same nodes.

Both register `nvidia.com/gpu` with the kubelet. The one that comes last wins, and each restart changes what the node offers:
shares by the one, whole cards by the other.

Source: Kubernetes, device plugins (the kubelet keeps the last one that registers a name). Report: NVIDIA/k8s-device-plugin #255.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Related, Severity, Span
from gpuplan.inventory.cards.operator import PLUGIN, operators
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.items import Format, Object
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="op/two-device-plugins",
    severity=Severity.WARNING,
    summary="A second device plugin beside the GPU Operator's",
    why="Both register the same resource with the kubelet; the later one wins, until the other restarts.",
    fix="Write `devicePlugin.enabled: false` for the operator, or take the other one away.",
    bad="kind: DaemonSet  # of k8s-device-plugin, beside a ClusterPolicy",
    good="kind: ClusterPolicy\nspec: {devicePlugin: {enabled: false}}",
)
IMAGE = "k8s-device-plugin"


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each plugin that is not bound to nodes of its own, where an operator brings one too."""
    stated = [one for one in operators(inventory) if one.root[PLUGIN]["enabled"].flag(otherwise=one.is_policy)]
    for name, at in _plugins(inventory) if stated else ():
        summary = f"{name} runs a device plugin beside that of {stated[0]}"
        yield DOC.found(summary, at=at, also=(Related("the operator's settings", stated[0].at),))


def _plugins(inventory: Inventory) -> Iterator[tuple[str, Span]]:
    for daemon in inventory.of("DaemonSet"):
        pod = daemon.spec["template"]["spec"]
        bound = pod["nodeSelector"].value or pod["affinity"].value
        made_by_operator = daemon.root["metadata"]["ownerReferences"].value
        if (
            any(IMAGE in one["image"].text() for one in pod["containers"].items())
            and not bound
            and not made_by_operator
        ):
            yield str(daemon), daemon.at_name
    for values in inventory.configs_of(Format.PLUGIN_VALUES):
        release, root = values.holder, values.root
        bound = root["nodeSelector"].value or root["affinity"].value
        if isinstance(release, Object) and release.kind == "HelmRelease" and not bound:
            yield str(release), release.at_name
