"""A pool selected by labels that gpuplan or its own agents write.

`selectedBy.labels` names labels that the nodes have already. Labels under `gpuplan.dev/` come from gpuplan itself, by
`nfd` or a `provisioner`; and with `stack: manual` most labels under `nvidia.com/` come from GPU Feature Discovery,
which gpuplan runs on the nodes that the pool's labels select. It would wait for labels that it alone can set, and no
node would ever be found. So it is with AMD's node labeller, which a DeviceConfig runs on the nodes of its pool.

Source: NVIDIA GPU Feature Discovery, list of labels; ROCm/k8s-device-plugin, node labeller.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan import conventions
from gpuplan.catalog.cards import Vendor
from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.model.pools import NodePool
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import pools

DOC = RuleDoc(
    id="pool/label-reserved",
    severity=Severity.ERROR,
    summary="A pool selected by a label that gpuplan's own agents write",
    why="The agents run where the pool's labels are, and this label is there only once they run: no node is ever found.",
    fix="Select the pool by a label that the provider sets, by `nfd`, or by a `provisioner`.",
    bad="nodePools:\n  a: {selectedBy: {labels: {nvidia.com/gpu.product: NVIDIA-L40S}}}",
    good="nodePools:\n  a: {selectedBy: {labels: {node.kubernetes.io/instance-type: g6e.12xlarge}}}",
)

NVIDIA, AMD = "nvidia.com/", "amd.com/gpu."
SET_BY_OTHERS = (
    "nvidia.com/gpu.present",
    conventions.LABEL_MIG_CONFIG,
    conventions.LABEL_DEVICE_PLUGIN_CONFIG,
    conventions.LABEL_DEPLOY + ".",
)
"""Labels of NVIDIA's domain that an administrator or a provider sets, as prefixes."""


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each reserved label that a pool is selected by."""
    for _, pool in pools(fleet):
        for key, _ in pool.selection.labels:
            who = _writer(pool, key)
            if who:
                yield DOC.found(
                    f"Pool `{pool.name}` is selected by `{key}`, which {who} writes",
                    at=fleet.places.key((*pool.path, "selectedBy", "labels", key)),
                )


def _writer(pool: NodePool, key: str) -> str:
    """Return who of ours writes the label; empty where nobody of ours does."""
    if key.startswith(conventions.LABEL_DOMAIN + "/"):
        return "gpuplan itself"
    if pool.card.vendor is Vendor.AMD:
        return "AMD's node labeller on that pool" if key.startswith(AMD) and pool.stack == "operator" else ""
    discovered = key.startswith(NVIDIA) and not key.startswith(SET_BY_OTHERS)
    return "GPU Feature Discovery of that pool" if discovered and pool.stack != "external" else ""
