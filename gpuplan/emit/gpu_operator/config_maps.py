"""What the operator's agents read: ConfigMaps in its namespace, under the keys that it looks for.

A name ends in a hash of the content, and the ClusterPolicy names it, so that a change rolls the agents: the device
plugin's config manager and the exporter look at their files once (docs/decisions/0008).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from gpuplan import conventions
from gpuplan.emit import agents, base, counters
from gpuplan.emit.device_plugin import plugin_config
from gpuplan.emit.mig import ALL_DISABLED, mig_parted_config
from gpuplan.manifests.kinds import ConfigMap
from gpuplan.manifests.write import yaml_text
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.pools import NodePool, offered_by_plugin
from gpuplan.model.sharing import SharingMode, plugin_config_name

DEFAULT_PLUGIN_CONFIG = "default"
"""Entry for nodes without the label `nvidia.com/device-plugin.config`; the operator is told so."""
SAID_ELSEWHERE = ("migStrategy", "useNodeFeatureAPI")
"""Flags of the plugin that its file leaves out."""
WHOLE_CARDS: Mapping[str, object] = {"version": "v1", "flags": {"failOnInitError": True, "gfd": {"noTimestamp": True}}}
"""The configuration of nodes that share no card."""
MIG_FILE = "config.yaml"
COUNTERS_FILE = "dcgm-metrics.csv"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigMaps:
    """The ConfigMaps of one cluster."""

    plugin: ConfigMap
    counters: ConfigMap
    mig: ConfigMap | None
    """None where no pool of the operator is cut."""


def config_maps(fleet: Fleet, cluster: Cluster) -> ConfigMaps:
    """Return the ConfigMaps of a cluster with the operator."""
    pools = cluster.operator_pools
    cut = [pool for pool in pools if pool.sharing.mode is SharingMode.MIG]

    def made(name: str, data: dict[str, str]) -> ConfigMap:
        return agents.config_map(name, base.GPU_OPERATOR, data, cluster.gpu_operator.namespace)

    return ConfigMaps(
        plugin=made(conventions.OPERATOR_PLUGIN_CONFIG, plugin_data(pools)),
        counters=made(conventions.OPERATOR_COUNTERS, {COUNTERS_FILE: counters.csv(fleet, cluster)}),
        mig=made(conventions.OPERATOR_MIG_LAYOUTS, {MIG_FILE: yaml_text(layouts(cut))}) if cut else None,
    )


def plugin_data(pools: Iterable[NodePool]) -> dict[str, str]:
    """Return the device plugin's configurations: one for each way of sharing, and the one for all other nodes.

    Where all pools share alike, nodes need no label: the default serves.
    """
    served = tuple(pools)
    offered = [pool for pool in served if offered_by_plugin(pool)]
    shared = {plugin_config_name(pool.sharing): pool for pool in offered if pool.sharing.shared}
    texts = {name: yaml_text(operator_plugin_config(pool)) for name, pool in sorted(shared.items())}
    alike = len(texts) == 1 and all(pool.sharing.shared for pool in served)
    default = next(iter(texts.values())) if alike else yaml_text(WHOLE_CARDS)
    return {DEFAULT_PLUGIN_CONFIG: default, **texts}


def operator_plugin_config(pool: NodePool) -> dict[str, object]:
    """Return a pool's configuration as our own agents read it, but for what the operator says or chooses.

    The MIG strategy is said in the ClusterPolicy alone: it becomes an environment variable, which beats the file. How labels go
    out is the operator's choice: its GPU Feature Discovery has no right to write NodeFeatures before 25.10.
    """
    config = plugin_config(pool)
    flags = config["flags"]
    assert isinstance(flags, dict)  # noqa: S101 - plugin_config makes a map
    return {**config, "flags": {key: value for key, value in flags.items() if key not in SAID_ELSEWHERE}}


def layouts(pools: Iterable[NodePool]) -> dict[str, object]:
    """Return mig-parted's file with the layouts of all pools, and MIG off. Pools of one layout name it alike."""
    named: dict[str, object] = {}
    for pool in pools:
        configs = mig_parted_config(pool.sharing)["mig-configs"]
        assert isinstance(configs, dict)  # noqa: S101 - mig_parted_config makes a map
        named |= configs
    off = named.pop(ALL_DISABLED)
    return {"version": "v1", "mig-configs": {ALL_DISABLED: off, **dict(sorted(named.items()))}}
