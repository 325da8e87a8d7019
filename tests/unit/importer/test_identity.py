"""A rendered fleet comes back as the fleet that it was made from: import after render is the identity on the quota model.

Compared is what manifests hold: pools, flavors, the quota tree, task pools, teams and their queues. What no object holds is left
out by name in `forgotten`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from gpuplan import catalog, pipeline
from gpuplan.catalog.cards import Vendor
from gpuplan.importer.lifting import lift
from gpuplan.inventory.assumed import Assumed
from gpuplan.inventory.reading.of_manifests import inventory_of
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.pools import SelectedBy
from gpuplan.model.sharing import SharingMode
from gpuplan.pipeline.clusters import compiled, shared
from gpuplan.resolve import resolve
from gpuplan.source.yamltext import parse_text
from gpuplan.spec.load import load
from tests.build import TODAY, resolved
from tests.generated import fleets, plain_text, specs


def imported(fleet: Fleet) -> Fleet:
    """Render a fleet, import what came out, and resolve that."""
    parts = {cluster.name: compiled(fleet, cluster, pipeline.NO_TEXTS) for cluster in fleet.clusters}
    hub = shared(fleet, {name: part.footprint for name, part in parts.items()}, pipeline.NO_TEXTS)
    inventories = {}
    for cluster in fleet.clusters:
        own = [made for made in hub if made.key.kind == "Application" and made.key.name.endswith(f"-{cluster.name}")]
        facts = Assumed(versions={"kubernetes": cluster.kubernetes})
        inventories[cluster.name] = inventory_of((*parts[cluster.name].manifests, *own), facts)
    shared_by_all = (made for made in hub if made.key.kind != "Application")
    inventories["hub"] = inventory_of(shared_by_all, Assumed())
    draft = lift(inventories, "unnamed", TODAY).draft
    parsed = parse_text("imported.yaml", draft.text())
    assert not parsed.findings, parsed.findings
    loaded, shape = load(parsed.documents)
    assert loaded is not None, [one.summary for one in shape]
    again, found = resolve(loaded, catalog.load(), TODAY)
    assert again is not None, [f"{one.at} {one.summary}" for one in (*shape, *found)]
    return again


def unknowable(fleet: Fleet) -> bool:
    """Tell whether others cut cards of the fleet in a layout with a name of its own: then no object says how."""
    return any(
        pool.stack == "external" and pool.sharing.mode is SharingMode.MIG
        for cluster in fleet.clusters
        for pool in cluster.pools
    )


def mixed(cluster: Cluster) -> set[tuple[str, str]]:
    """Return the companions of flavors of several pools, of which the objects hold the sum alone."""
    return {(flavor.name, name) for flavor in cluster.flavors if len(flavor.pools) > 1 for name in flavor.companions}


def stacks(cluster: Cluster) -> dict[str, Any]:
    """Return who runs the agents of each pool, and what becomes of the GPU Operator, as far as manifests hold it.

    They don't of nodes that a provisioner makes and for which the operator has no driver, of other vendors' agents than NVIDIA's and AMD's, and of whose
    make a card of the fleet's own is. That nodes are kept off an operator which is not there shows in what NFD is told.
    """
    cards = catalog.load().cards
    known = (pool for pool in cluster.pools if pool.card.name in cards)
    told = [pool for pool in known if pool.card.vendor in (Vendor.NVIDIA, Vendor.AMD)]
    by_driver = {pool.name for pool in cluster.operator_driver_pools}
    silent = {
        pool.name
        for pool in told
        if pool.selection.by is SelectedBy.PROVISIONER and pool.stack != "manual" and pool.name not in by_driver
    }
    by_rules = any(
        pool.card.vendor is Vendor.NVIDIA and pool.selection.by is SelectedBy.NFD and pool.stack != "operator"
        for pool in told
    )
    return {
        "stacks": {pool.name: pool.stack for pool in told if pool.name not in silent},
        "drivers": by_driver & {pool.name for pool in told},
        "operator": cluster.has_operator,
        "kept off": cluster.keeps_operator_off and (by_rules or cluster.has_operator),
    }


def known(cluster: Cluster) -> dict[str, Any]:
    """Return what manifests hold of a cluster, without the places in the spec."""
    return {
        "pools": sorted(
            (pool.name, pool.tier.name, pool.card.name, pool.nodes, pool.cards_per_node, pool.sharing.label)
            for pool in cluster.pools
        ),
        "flavors": {
            flavor.name: (
                flavor.node_labels,
                flavor.tolerations,
                dict(flavor.capacity),
                dict(flavor.units),
                {} if len(flavor.pools) > 1 else dict(flavor.companions),
                (flavor.topology if flavor.levels else "", flavor.levels),
            )
            for flavor in cluster.flavors
        },
        "cohorts": {
            cohort.task_pool.name: (
                cohort.task_pool.service,
                cohort.task_pool.strict,
                (cohort.name, cohort.local_queue, cohort.task_pool.pod_priority_class),
                dict(cohort.task_pool.priority_classes),
                {item: (share.nominal, share.borrow) for item, share in cohort.shares.items() if share.most},
                {queue.name: (queue.team.name, queue.weight) for queue in cohort.queues},
            )
            for cohort in cluster.cohorts
            if cohort.queues
        },
        "limits": {
            node.name: (
                node.parent,
                {item: limit for item, limit in node.limits.items() if item not in mixed(cluster)},
                node.weight,
            )
            for node in cluster.quota.nodes()
            if node.limits
        },
        "teams": {team.name: (set(team.namespaces), set(team.groups), team.cost_center) for team in cluster.teams},
    }


@settings(max_examples=200, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
@given(fleets())
def test_import_after_render_is_the_identity(text: str) -> None:
    fleet, _ = resolved(text)
    assert fleet is not None
    assume(not unknowable(fleet))
    again = imported(fleet)
    assert [cluster.name for cluster in again.clusters] == [cluster.name for cluster in fleet.clusters]
    for before, after in zip(fleet.clusters, again.clusters, strict=True):
        assert known(after) == known(before)


@settings(max_examples=200, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
@given(specs(), st.data())
def test_who_runs_the_agents_comes_back(spec: dict[str, Any], data: st.DataObject) -> None:
    for cluster in spec["clusters"].values():
        waits = data.draw(st.sampled_from((None, "labels", "installed")))
        if waits:
            cluster["operatorStandby"] = waits
    fleet, _ = resolved(plain_text(spec))
    assert fleet is not None
    assume(not unknowable(fleet))
    again = imported(fleet)
    for before, after in zip(fleet.clusters, again.clusters, strict=True):
        assert stacks(after) == stacks(before)


def test_the_example_comes_back() -> None:
    checked = pipeline.check(Path("fleet"), TODAY)
    assert checked.fleet is not None
    again = {cluster.name: cluster for cluster in imported(checked.fleet).clusters}
    for cluster in checked.fleet.clusters:
        assert known(again[cluster.name]) == known(cluster)


def renamed(text: str) -> str:
    """Return a fleet with names in use for all that `names:` can name, none of them like the scheme's."""
    fleet, _ = resolved(text)
    assert fleet is not None
    cohorts = [cohort for cluster in fleet.clusters for cohort in cluster.cohorts]
    flavors = [flavor for cluster in fleet.clusters for flavor in cluster.flavors]
    of_scheme = {
        "clusterQueues": [queue.name for cohort in cohorts for queue in cohort.queues],
        "cohorts": [cohort.task_pool.name for cohort in cohorts if cohort.queues],
        "flavors": [flavor.name for flavor in flavors],
        "topologies": [flavor.topology for flavor in flavors if flavor.topology],
        "localQueues": [cohort.task_pool.name for cohort in cohorts if cohort.queues],
        "workloadPriorityClasses": [name for cohort in cohorts for name in cohort.task_pool.priority_classes],
        "priorityClasses": [cohort.task_pool.pod_priority_class for cohort in cohorts],
    }
    names = {
        key: {name: f"{key[:2].lower()}{number}" for number, name in enumerate(dict.fromkeys(found))}
        for key, found in of_scheme.items()
    }
    return text + "\n" + json.dumps({"names": {"rootCohort": "everything", **names}})[1:-1] + "\n"


@settings(max_examples=60, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
@given(specs())
def test_names_in_use_come_back(spec: dict[str, Any]) -> None:
    assume(not spec.get("names"))
    fleet, found = resolved(renamed(plain_text(spec)))
    assert fleet is not None, [f"{one.at} {one.summary}" for one in found]
    assume(not unknowable(fleet))
    assume(not any(pool.revision for cluster in fleet.clusters for pool in cluster.pools))  # names of others hide them
    again = imported(fleet)
    assert again.name == fleet.name
    for before, after in zip(fleet.clusters, again.clusters, strict=True):
        assert known(after) == known(before)


LAYOUTS = """
apiVersion: gpuplan.dev/v1alpha1
metadata: {name: acme}
clusters: {eu: {kubernetes: "1.36", stack: operator}}
cardTiers: {slices: {cards: [h100-sxm-80gb]}}
nodePools:
  a: {cluster: eu, tier: slices, nodes: 1, cardsPerNode: 8, sharing: {mig: {strategy: mixed, profiles: {1g.10gb: 1}, name: small}},
    selectedBy: {labels: {pool: a, group: x, nvidia.com/mig.config: small}}}
  b: {cluster: eu, tier: slices, nodes: 1, cardsPerNode: 8, sharing: {mig: {strategy: mixed, profiles: {1g.10gb: 1}, name: small}},
    selectedBy: {labels: {pool: b, group: x, nvidia.com/mig.config: small}}}
  "1e3":
    cluster: eu
    tier: slices
    nodes: 1
    cardsPerNode: 2
    sharing: {mig: {strategy: mixed, groups: [{cards: [0], profiles: {1g.10gb: 1, 1g.10gb+me: 1}}], name: mixed}}
    selectedBy: {labels: {pool: "1e3", group: y, nvidia.com/mig.config: mixed}}
"""


def test_flavors_under_other_names_are_told_apart_by_the_layout_that_their_nodes_have() -> None:
    fleet, _ = resolved(renamed(LAYOUTS))
    assert fleet is not None
    assert known(imported(fleet).clusters[0]) == known(fleet.clusters[0])
