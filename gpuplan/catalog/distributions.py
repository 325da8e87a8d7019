"""What a Kubernetes distribution brings to its GPU nodes, and what the GPU Operator must be told (data/distributions.yaml)."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from gpuplan.catalog._load import Row, Table

OPERATOR_NAMESPACE = "gpu-operator"


@dataclass(frozen=True, slots=True, kw_only=True)
class DistributionNodes:
    """The GPU nodes of one distribution, as they usually are. An empty text means: nothing unusual, or not known.

    `without_driver` says in words how nodes without the driver are had, where the usual ones come with it.
    `unchecked` names fields of this class.
    """

    name: str
    driver_on_nodes: bool
    toolkit_on_nodes: bool
    plugin_on_nodes: bool
    """Whether the provider runs a device plugin of its own."""
    plugin_off_label: str
    """Node label that keeps the provider's device plugin off a node when it is `true`."""
    makes_runtime_class: bool
    runtime_class: str
    """RuntimeClass of the toolkit that comes with the nodes, where it is not `nvidia`."""
    containerd_config: str
    toolkit_env: Mapping[str, str]
    """Environment of the operator's toolkit, sorted by name."""
    driver_folder: str
    """Where a driver that comes with the nodes lies, where the operator does not look by itself."""
    toolkit_folder: str
    """Where the operator's toolkit may write, where its default is read-only."""
    operator_install: str
    """`helm` or `olm`."""
    operator_namespace: str
    """Namespace that the operator usually runs in."""
    without_driver: str
    unchecked: frozenset[str]
    source: str
    checked: dt.date


def read() -> Mapping[str, DistributionNodes]:
    """Read the distributions, by the name that the spec uses."""
    return MappingProxyType({row.key: _distribution(row) for row in Table("distributions.yaml").rows("distributions")})


def _distribution(row: Row) -> DistributionNodes:
    provenance = row.provenance
    return DistributionNodes(
        name=row.key,
        driver_on_nodes=row.flag("driverOnNodes"),
        toolkit_on_nodes=row.flag("toolkitOnNodes"),
        plugin_on_nodes=row.flag("pluginOnNodes"),
        plugin_off_label=row.text("pluginOffLabel", ""),
        makes_runtime_class=row.flag("makesRuntimeClass"),
        runtime_class=row.text("runtimeClass", ""),
        containerd_config=row.text("containerdConfig", ""),
        toolkit_env=MappingProxyType(dict(sorted(row.mapping("toolkitEnv").items()))),
        driver_folder=row.text("driverFolder", ""),
        toolkit_folder=row.text("toolkitFolder", ""),
        operator_install=row.text("operatorInstall", "helm"),
        operator_namespace=row.text("operatorNamespace", OPERATOR_NAMESPACE),
        without_driver=row.text("withoutDriver", ""),
        unchecked=frozenset(_FIELDS[key] for key in row.unchecked),
        source=provenance.source,
        checked=provenance.checked,
    )


_FIELDS = {"containerdConfig": "containerd_config", "makesRuntimeClass": "makes_runtime_class"}
"""The spelling of a key in the data file → the field of `DistributionNodes` that it fills."""
