"""What gpuplan expects to find where others run the agents of a pool (`stack: external`), for whoever does."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gpuplan import conventions
from gpuplan.catalog import Family, ProvidedStack
from gpuplan.catalog.cards import Vendor
from gpuplan.emit import agents, counters, device_plugin
from gpuplan.manifests.write import yaml_text
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.lifecycle import CardCut, card_cuts
from gpuplan.model.pools import (
    Exposure,
    NodePool,
    Produced,
    SelectedBy,
    Taint,
    node_labels,
    offered_by_plugin,
    produced_resources,
)
from gpuplan.model.sharing import MigStrategy, SharingMode
from gpuplan.report.kubectl import allocatable_path, awaited, selector

LIMIT_SECONDS = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """What the nodes of one pool must be like."""

    pool: NodePool
    offers: tuple[Produced, ...]
    labels: tuple[tuple[str, str], ...]
    """Labels that the nodes must carry, whoever sets them."""
    taints: tuple[str, ...]
    provided_labels: tuple[str, ...]
    """What the distribution's own stack says on a node that is set up so."""
    giver: str
    """What gives the cards to pods."""
    plugin_config: str
    """Settings of NVIDIA's device plugin that give this, as YAML; empty where they are the default or not for it."""
    cuts: tuple[CardCut, ...]
    exporter_settings: tuple[str, ...]
    checks: tuple[str, ...]

    @property
    def labels_by(self) -> str:
        """What sets the labels; empty where they are there already."""
        return {
            SelectedBy.LABELS: "",
            SelectedBy.NFD: "the NodeFeatureRule that gpuplan renders",
            SelectedBy.PROVISIONER: f"`rendered/provisioner/{self.pool.cluster}/{self.pool.name}.yaml`",
        }[self.pool.selection.by]


def expects(fleet: Fleet, cluster: Cluster) -> str:
    """Return the page of a cluster, as Markdown."""
    from gpuplan.report.templating import filled  # noqa: PLC0415 - jinja2 costs fleets that have no use for it

    pools = tuple(sorted(cluster.pools_on("external"), key=lambda pool: pool.name))
    provided = fleet.catalog.provided.get(cluster.distribution)
    nodes = fleet.catalog.distributions[cluster.distribution]
    keys = sorted({key for pool in pools for key in node_labels(pool)})
    nvidia = any(pool.card.vendor is Vendor.NVIDIA for pool in pools)
    return filled(
        "expects.md.j2",
        cluster=cluster,
        provided=provided,
        nodes=nodes,
        runtime_class=nodes.runtime_class or conventions.RUNTIME_CLASS,
        needs_runtime_class=agents.needs_runtime_class(cluster) and not nodes.plugin_on_nodes and nvidia,
        expected=[_expected(fleet, pool, provided) for pool in pools],
        families=[family for _, family in sorted(_families(fleet, pools).items())],
        counters=_asked(fleet, cluster) if nvidia else (),
        interval_seconds=fleet.monitoring.interval_seconds,
        label_keys=",".join(keys),
        unhealthy=f"{conventions.TAINT_UNHEALTHY}:{conventions.TAINT_UNHEALTHY_EFFECT}",
    )


def _asked(fleet: Fleet, cluster: Cluster) -> list[str]:
    """Return the fields that others' exporters are asked for: those of the spec alone where it names them all."""
    said = fleet.monitoring
    return sorted({*(said.counters or counters.required(fleet, cluster)), *said.extra_counters})


def _families(fleet: Fleet, pools: tuple[NodePool, ...]) -> dict[str, Family]:
    """Return the families of other vendors' cards."""
    others = (pool.card for pool in pools if pool.card.vendor is not Vendor.NVIDIA)
    return {family.name: family for family in map(fleet.catalog.vendors.of, others)}


def _expected(fleet: Fleet, pool: NodePool, provided: ProvidedStack | None) -> Expected:
    by_plugin = pool.card.vendor is Vendor.NVIDIA and offered_by_plugin(pool)
    return Expected(
        pool=pool,
        offers=produced_resources(pool),
        labels=tuple(sorted(node_labels(pool).items())),
        taints=tuple(map(_said, pool.taints)),
        provided_labels=tuple(_provided_labels(pool, provided)) if provided else (),
        giver=_giver(fleet, pool),
        plugin_config=_plugin_config(pool) if by_plugin else "",
        cuts=tuple(card_cuts(pool)),
        exporter_settings=tuple(_exporter_settings(pool)),
        checks=tuple(_checks(pool)),
    )


def _giver(fleet: Fleet, pool: NodePool) -> str:
    if pool.exposure is Exposure.DRA:
        return "the vendor's DRA driver, and no device plugin beside it"
    if pool.sharing.mode is SharingMode.HAMI:
        return "HAMi, and no other device plugin beside it"
    if pool.card.vendor is Vendor.NVIDIA:
        return "NVIDIA's device plugin, or the distribution's own"
    return fleet.catalog.vendors.of(pool.card).plugin.name


def _said(taint: Taint) -> str:
    return f"{taint.key}={taint.value}:{taint.effect}" if taint.value else f"{taint.key}:{taint.effect}"


def _provided_labels(pool: NodePool, provided: ProvidedStack) -> Iterator[str]:
    """Yield the distribution's labels for the pool's way of sharing; a mixed layout has none there."""
    profiles = {profile for group in pool.sharing.groups for profile, _ in group.profiles}
    wanted = provided.labels.get(pool.sharing.mode.value, "")
    if "{profile}" in wanted and len(profiles) != 1:
        return
    said = wanted.format(replicas=pool.sharing.replicas, profile="".join(profiles))
    yield from filter(None, said.split(","))


def _plugin_config(pool: NodePool) -> str:
    whole = device_plugin.plugin_config(pool)
    wanted: dict[str, object] = {"version": "v1"}
    if pool.sharing.strategy is not MigStrategy.NONE:
        wanted["flags"] = {"migStrategy": pool.sharing.strategy.value}
    if "sharing" in whole:
        wanted["sharing"] = whole["sharing"]
    return yaml_text(wanted) if len(wanted) > 1 else ""


def _exporter_settings(pool: NodePool) -> Iterator[str]:
    if pool.card.vendor is not Vendor.NVIDIA:
        return
    if pool.sharing.shared:
        yield "KUBERNETES_VIRTUAL_GPUS=true"
    if pool.sharing.renamed:
        yield f"NVIDIA_RESOURCE_NAMES={conventions.RESOURCE_GPU_SHARED}"
    if pool.exposure is Exposure.DRA:
        yield "KUBERNETES_ENABLE_DRA=true"
    if pool.sharing.mode is SharingMode.MIG:
        yield "NVIDIA_MIG_MONITOR_DEVICES=all"


def _checks(pool: NodePool) -> Iterator[str]:
    chosen = f"nodes -l {selector(sorted(node_labels(pool).items()))}"
    yield f"kubectl get {chosen}"
    if pool.exposure is Exposure.DRA:
        yield "kubectl get resourceslices"
        return
    for made in produced_resources(pool) if pool.cards_per_node else ():
        yield awaited(chosen, allocatable_path(made.resource), made.per_node, LIMIT_SECONDS)
