"""The values of the operator's chart, which always renders a ClusterPolicy: ours, spelt as the chart wants it.

A value keeps the name and place of its field in the ClusterPolicy but for those in `MOVED`; the chart does not render what
`UNKNOWN_TO_CHART` names.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from gpuplan.emit.gpu_operator.drivers import operand_image
from gpuplan.manifests.kinds.gpu_operator import ClusterPolicySpec
from gpuplan.model.fleet import Cluster

Path = tuple[str, ...]

MOVED: Mapping[Path, Path] = {
    ("driver", "upgradePolicy", "podDeletion"): ("driver", "upgradePolicy", "gpuPodDeletion"),
    ("driver", "useNvidiaDriverCRD"): ("driver", "nvidiaDriverCRD", "enabled"),
}
"""A field of the ClusterPolicy → the value that the chart makes it from."""

UNKNOWN_TO_CHART: tuple[Path, ...] = (("operator", "defaultRuntime"),)
"""Fields that no value becomes: the operator ignores them."""

INSTALLATION: Mapping[Path, object] = {
    ("driver", "nvidiaDriverCRD", "deployDefaultCR"): False,
    ("nfd", "enabled"): False,
    ("nfd", "nodefeaturerules"): False,
    ("operator", "cleanupCRD"): False,
    ("operator", "upgradeCRD"): False,
    ("validator", "plugin", "env"): [{"name": "WITH_WORKLOAD", "value": "false"}],
}
"""What is the installation's own. Drivers are our NVIDIADrivers: the chart's default one would match all their nodes. Node
Feature Discovery is the cluster's own, as everywhere else here. Argo CD updates CRDs as it does the rest of a chart, so
the chart's own job for that is off, and no job deletes them. The validator's setting is its default: without any the chart
makes `plugin: null`, which a server-side apply refuses. With `true` its pod would ask for a card on each restart, and where
all are taken the node is never called ready again."""


def values(cluster: Cluster, spec: ClusterPolicySpec) -> dict[str, object]:
    """Return the values that make the chart render the policy, and nothing that others own."""
    made: dict[str, Any] = copy.deepcopy({**spec})
    for path in UNKNOWN_TO_CHART:
        _take(made, path)
    for field, value in MOVED.items():
        found = _take(made, field)
        if found is not None:
            _put(made, value, found)
    for path, fixed in INSTALLATION.items():
        _put(made, path, fixed)
    for key, part in operand_image(cluster.components["gpuOperator"]).items():
        _put(made, ("operator", key), part)
    return _sorted(made)


def _take(tree: dict[str, Any], path: Path) -> Any:
    """Remove a value and return it; None where there is none."""
    *folders, last = path
    for folder in folders:
        tree = tree.get(folder, {})
    return tree.pop(last, None)


def _put(tree: dict[str, Any], path: Path, value: Any) -> None:
    *folders, last = path
    for folder in folders:
        tree = tree.setdefault(folder, {})
    tree[last] = value


def _sorted(tree: dict[str, Any]) -> dict[str, object]:
    return {key: _sorted(value) if isinstance(value, dict) else value for key, value in sorted(tree.items())}
