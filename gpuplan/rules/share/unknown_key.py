"""A key of the device plugin's configuration that the plugin does not know.

The plugin reads YAML into structures and drops what no field takes, without a word in its log. The usual case is a switch of
`sharing.timeSlicing` written under `flags`: the resource keeps its plain name, and requests for several shares are accepted.

Source: NVIDIA/k8s-device-plugin, api/config/v1. Reports: NVIDIA/k8s-device-plugin #1433.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.catalog import keys
from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.items import Format
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.charts import running
from gpuplan.rules.strays import finding, is_empty, strays

DOC = RuleDoc(
    id="share/unknown-key",
    severity=Severity.ERROR,
    summary="A key that the device plugin does not know",
    why="The plugin drops the key without a word, and runs as if it were not there.",
    fix="Write the key where the plugin looks for it.",
    bad="version: v1\nflags: {renameByDefault: true}\nsharing: {timeSlicing: {resources: [{name: nvidia.com/gpu, replicas: 4}]}}",
    good="version: v1\nsharing: {timeSlicing: {renameByDefault: true, resources: [{name: nvidia.com/gpu, replicas: 4}]}}",
)

EFFECTS = {
    "failrequestsgreaterthanone": "Requests for several shares are accepted.",
    "mps": "The cards are not shared.",
    "migstrategy": "MIG instances are published as the command line or the environment say, by default not at all.",
    "renamebydefault": "The resource stays nvidia.com/gpu.",
    "replicas": "The cards are not shared.",
    "resources": "The cards are not shared.",
    "sharing": "The cards are not shared.",
    "timeslicing": "The cards are not shared.",
}
"""What follows on the cluster, by the key in lower case."""


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each key that the plugin would drop."""
    known = keys.load("device-plugin-config")
    for config in inventory.configs_of(Format.PLUGIN):
        version = running(config, inventory, known)
        for stray in strays(config.root, known, version):
            if not is_empty(stray.view):
                effect = EFFECTS.get(stray.name.replace("-", "").replace("_", "").casefold(), "")
                yield finding(DOC, stray, known, version, effect=effect)
