"""A key of Kueue's configuration that Kueue does not know.

The configuration is decoded strictly: one key too many, or in the wrong place, and the manager stops at its start. The same holds
for a feature gate that the release does not have. v1beta2 lost some keys of v1beta1: `waitForPodsReady.enable` and
`fairSharing.enable` are gone, since the section itself switches the feature on.

Source: kubernetes-sigs/kueue, pkg/config and apis/config.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.catalog import keys
from gpuplan.catalog.keys import KeyList
from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.scheduling.kueue_settings import VERSIONS, configurations
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.charts import running
from gpuplan.rules.strays import Stray, finding, strays

DOC = RuleDoc(
    id="kueue/unknown-config-key",
    severity=Severity.ERROR,
    summary="A key that Kueue's configuration does not have",
    why="Kueue decodes its configuration strictly: the manager does not start.",
    fix="Write a key that this version of the API has.",
    bad="apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\nwaitForPodsReady: {enable: true, timeout: 10m}",
    good="apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\nwaitForPodsReady: {timeout: 10m}",
)

GONE = {
    "fairSharing.enable": "Remove it: in v1beta2 the section itself switches fair sharing on.",
    "integrations.podOptions": "Write `managedJobsNamespaceSelector` at the top instead; v1beta2 has no options of pods.",
    "queueVisibility": "Remove it: pending workloads are served by the visibility API.",
    "waitForPodsReady.enable": "Remove it: in v1beta2 the section itself switches the feature on.",
}
"""What became of the keys that v1beta2 lost."""


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each key that keeps the manager from starting."""
    for config, api in configurations(inventory):
        known = keys.load(f"kueue-configuration-{api}")
        version = running(config, inventory, known)
        for stray in strays(config.root, known, version):
            fix = GONE.get(stray.where, "") if api == VERSIONS[-1] else ""
            yield finding(DOC, stray, known, version, effect=_elsewhere(stray, api, known), fix=fix)


def _elsewhere(stray: Stray, api: str, known: KeyList) -> str:
    """Tell which other version of the API has the key at the same place."""
    for other in VERSIONS:
        if other != api:
            homes = keys.load(f"kueue-configuration-{other}").homes(stray.name)
            if stray.path in homes and stray.path not in known.homes(stray.name):
                return f"{other} has it."
    return ""
