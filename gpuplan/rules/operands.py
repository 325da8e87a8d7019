"""How operands of the GPU Operator are kept off nodes and tolerate taints: by labels and one list, by no field of their own."""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.catalog import keys
from gpuplan.catalog.keys import KeyList
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.items import Object
from gpuplan.rules import written
from gpuplan.rules.strays import Stray

KINDS = {("nvidia.com/v1", "ClusterPolicy"): "clusterpolicy", ("nvidia.com/v1alpha1", "NVIDIADriver"): "nvidiadriver"}
"""The key lists of the custom resources, by API version and kind."""
DEPLOY = "nvidia.com/gpu.deploy."
LABELS = {
    "ccManager": "cc-manager",
    "daemonsets": "operands",
    "dcgm": "dcgm",
    "dcgmExporter": "dcgm-exporter",
    "devicePlugin": "device-plugin",
    "driver": "driver",
    "gfd": "gpu-feature-discovery",
    "migManager": "mig-manager",
    "nodeStatusExporter": "node-status-exporter",
    "sandboxDevicePlugin": "sandbox-device-plugin",
    "toolkit": "container-toolkit",
    "validator": "operator-validator",
    "vfioManager": "vfio-manager",
    "vgpuDeviceManager": "vgpu-device-manager",
    "vgpuManager": "vgpu-manager",
}
"""Ends of the labels `nvidia.com/gpu.deploy.…` by the section of the operand."""
DELETIONS = {"gpuPodDeletion": "podDeletion", "podDeletion": "gpuPodDeletion"}
"""The one section that the chart's values and the custom resources call differently."""
OF_A_RESOURCE = "The resource only names a ConfigMap: make it yourself, in the operator's namespace."
REPLACED = {
    "migStrategy": "Write `mig.strategy`.",
    "defaultRuntime": "Remove it: the operator detects the runtime of each node.",
    "useOpenKernelModules": "Write `kernelModuleType: open` or `proprietary`, which came with 25.3.",
}
"""What took the place of keys that are gone."""


def resources(inventory: Inventory) -> Iterator[tuple[Object, KeyList]]:
    """Yield the operator's custom resources, each with the keys that its definition has."""
    if any(inventory.of(*(kind for _, kind in KINDS))):
        for one in written.whole(inventory):
            if name := KINDS.get((one.api_version, one.kind)):
                yield one, keys.load(name)


def goes_without_saying(stray: Stray) -> bool:
    """Tell whether an operand's node selector is the operator's own, which it sets whatever is written."""
    names = [name for name, _ in stray.view.entries()]
    return stray.name == "nodeSelector" and bool(names) and all(name.startswith(DEPLOY) for name in names)


def advice(stray: Stray) -> str:
    """Return the supported way to what a key was meant for; nothing where there is none."""
    operand = stray.path.removeprefix("spec.").removeprefix("spec")
    in_resource = stray.path.startswith("spec")
    if stray.name in ("affinity", "nodeSelector") and operand in LABELS:
        return f'Label the nodes where it must not run: `{DEPLOY}{LABELS[operand]}: "false"`.'
    if stray.name == "tolerations" and operand in LABELS:
        return "List them in `daemonsets.tolerations`, which counts for every operand."
    if stray.name in ("affinity", "nodeSelector", "tolerations") and not operand and not in_resource:
        return f"Write `operator.{stray.name}` for the operator itself; operands have `daemonsets.tolerations` and node labels."
    if operand.endswith(".config") and stray.name in ("create", "data", "map"):
        return OF_A_RESOURCE if in_resource else "Write `data`, with `create: true` and a `name`."
    if operand == "nfd":
        return f"Write `node-feature-discovery.{stray.name}`: that is where the values of NFD's own chart stand."
    if stray.name == "valueFrom" and operand.endswith("env[]"):
        return "The resource takes `name` and `value` alone; the driver's secrets go into the Secret that `secretEnv` names."
    if stray.name in REPLACED:
        return REPLACED[stray.name]
    if stray.name in DELETIONS and operand.endswith("upgradePolicy"):
        return f"Here it is called `{DELETIONS[stray.name]}`."
    return ""
