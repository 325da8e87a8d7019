"""What somebody else installs for the cards of other vendors.

gpuplan governs these cards like any other: node labels, flavors, queues, guard rails, how they are scraped and which
alerts there are. What offers them to Kubernetes is their vendor's own: AMD's GPU Operator, for which gpuplan renders a
DeviceConfig a pool, Intel's device plugin, Gaudi's operator, MindCluster. The finding says what must be there, under
which names, so that the two agree. Where `stack: external` leaves the agents to others, it is not made.

Source: the catalogue of vendors, each row with its own; what nobody has read at a source is called unconfirmed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from gpuplan.catalog import Family
from gpuplan.catalog.cards import Vendor
from gpuplan.diagnostics import Diagnostic, Related, Severity
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.pools import (
    NodePool,
    SelectedBy,
    agent_labels,
    produced_resources,
)
from gpuplan.model.sharing import SharingMode
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import listed, point

DOC = RuleDoc(
    id="card/vendor-agents-expected",
    severity=Severity.INFO,
    summary="Agents of another vendor's cards, which somebody else installs",
    why="Without them these nodes offer nothing, and under other names than these no quota, scrape or alert fits them.",
    fix="Install what is named here, or write `stack: external` where others see to all of it.",
    bad="nodePools:\n  a: {card: gaudi3, stack: manual}",
    good="nodePools:\n  a: {card: gaudi3, stack: external}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each family of devices in each cluster, at its first pool."""
    for cluster in fleet.clusters:
        found: dict[str, list[NodePool]] = {}
        for pool in cluster.pools:
            if _by_the_vendor(pool) and _offers_its_own(pool):
                found.setdefault(fleet.catalog.vendors.of(pool.card).name, []).append(pool)
        for name, pools in found.items():
            yield _expected(fleet, cluster, fleet.catalog.vendors.by_name[name], pools)


def _by_the_vendor(pool: NodePool) -> bool:
    """Tell whether the vendor's own agents serve the pool and gpuplan scrapes them; AMD's only come with an operator."""
    by_amd = pool.card.vendor is Vendor.AMD and pool.stack == "operator"
    return by_amd or (pool.card.vendor in (Vendor.INTEL, Vendor.HUAWEI) and pool.stack != "external")


def _offers_its_own(pool: NodePool) -> bool:
    """Tell whether a pool offers what its vendor's agents can; NVIDIA's ways on another card are a mistake of their own."""
    domain = pool.card.resource.partition("/")[0]
    return all(made.resource.partition("/")[0] == domain for made in produced_resources(pool))


def _expected(fleet: Fleet, cluster: Cluster, family: Family, pools: Sequence[NodePool]) -> Diagnostic:
    resources = sorted({made.resource for pool in pools for made in produced_resources(pool)})
    plugin = family.plugin
    return DOC.found(
        f"Cluster `{cluster.name}` needs {plugin.name} {plugin.version} to offer {listed(resources)} ({family.title})",
        at=point(fleet, (*pools[0].path, "card")),
        detail=" ".join(sentence for sentence in _details(family, pools) if sentence),
        also=tuple(Related("needs it too", point(fleet, (*pool.path, "card"))) for pool in pools[1:]),
    )


def _details(family: Family, pools: Sequence[NodePool]) -> Iterator[str]:
    if family.vendor is Vendor.AMD:
        values = listed(f"{key}={value}" for key, value in family.chart_values.items())
        yield (
            "gpuplan renders its DeviceConfigs; others install the operator, with cert-manager, NFD and KMM, and with "
            f"{values} among the chart's values: its own DeviceConfig would take every node of ours."
        )
        if not all(pool.driver.preinstalled for pool in pools):
            yield (
                f"It builds driver {family.driver} on the cluster and keeps the images in its default registry, unless the nodes "
                "come with a driver (`driver: {preinstalled: true}`)."
            )
        return
    yield _exporter(family)
    theirs = [key for key in family.reads if key not in agent_labels(pools[0])]
    if theirs:
        yield f"Its agents also go by the node labels {listed(theirs)}, which are not ours to set."
    yield from _virtual(pools)
    yield from _labels(pools)


def _exporter(family: Family) -> str:
    """Say how the exporter is found, and what of it is not confirmed."""
    exporter = family.exporter
    labels = [f"`{key}: {value}`" for key, value in exporter.service_labels.items()]
    service = f" with {labels[0]}" if labels else ""
    where = f" in namespace `{exporter.namespace}`" if exporter.namespace else ""
    unsure = sorted(exporter.unchecked & {"port", "portName", "serviceLabels"})
    doubt = " Its labels and port are unconfirmed: compare them." if unsure else ""
    return (
        f"Its exporter `{exporter.name}` {exporter.version} is scraped by its Service{service}{where}, port {exporter.port}; "
        f"leave the chart's own ServiceMonitor off.{doubt}"
    )


def _virtual(pools: Sequence[NodePool]) -> Iterator[str]:
    """Say who cuts cards into virtual NPUs: the plugin offers those that it finds when it starts."""
    cut = [pool.name for pool in pools if pool.sharing.mode is SharingMode.VNPU]
    if cut:
        yield (
            f"Somebody has to cut every card of {listed(cut)} by `npu-smi set -t create-vnpu`, as the spec says, before the "
            "plugin starts: nothing of ours does."
        )


def _labels(pools: Sequence[NodePool]) -> Iterator[str]:
    """Say which labels people must set: NFD cannot write a key without a domain, and gpuplan none on labelled nodes."""
    for pool in pools:
        wanted = {
            key: value
            for key, value in agent_labels(pool).items()
            if "/" not in key and pool.selection.by is not SelectedBy.PROVISIONER
        }
        missing = [f"{key}={value}" for key, value in wanted.items() if (key, value) not in pool.selection.labels]
        if missing:
            yield f"Label the nodes of `{pool.name}` {listed(missing)}, since nothing of ours can.{_unlike(pool, wanted)}"


def _unlike(pool: NodePool, wanted: Mapping[str, str]) -> str:
    """Say which of the pool's own labels have another value than the agents ask for: a node has one value for a key."""
    own = [f"{key}: {value}" for key, value in pool.selection.labels if wanted.get(key, value) != value]
    return f" So it cannot be selected by {listed(own)}: no node has both values." if own else ""
