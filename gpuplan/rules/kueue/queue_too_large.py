"""A queue with more flavors or resources than Kueue takes.

A ClusterQueue or Cohort has at most 16 resource groups; a group at most 64 flavors, 64 resource names and 512 pairs of the
two; all groups together at most 256 flavors and 256 names. The pairs and the totals are checked by Kueue's webhook, not by
the schema. A queue also lists the cards of the cluster's other tiers, with quota 0; the root cohort holds every flavor of
its cluster, also of pools that no task pool uses.

Source: Kueue v1beta2 schema and webhook of ClusterQueue and Cohort; #6007, #6891, #7063, #15500.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.items import Object
from gpuplan.inventory.view import View
from gpuplan.model.fleet import Fleet
from gpuplan.model.queues import ResourceGroup, fenced, resource_groups
from gpuplan.rulebook import RuleDoc
from gpuplan.rules import written
from gpuplan.rules.amounts import cohorts
from gpuplan.versions import required

DOC = RuleDoc(
    id="kueue/queue-too-large",
    severity=Severity.ERROR,
    summary="A queue with more flavors or resources than Kueue takes",
    why="The API server or Kueue's webhook refuses the ClusterQueue or Cohort.",
    fix="Give the task pool fewer tiers, or join pools into one flavor by equal cards, sharing and revision.",
    bad="taskPools:\n  scratch: {tiers: [t01, t02, t03]}   # and so on up to t65",
    good="taskPools:\n  scratch: {tiers: [t01, t02]}\n  scratch-more: {tiers: [t03]}",
)

MAX_GROUPS = 16
MAX_IN_GROUP = 64
MAX_PAIRS_IN_GROUP = 512
MAX_IN_QUEUE = 256
MORE_FLAVORS_SINCE = required("0.14")
MAX_IN_GROUP_BEFORE = 16
OBJECT_FIX = "Split the queue, or give one flavor to nodes that need not be told apart."


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each limit that the queues of a task pool exceed, or the root cohort of a cluster."""
    for cluster, cohort in cohorts(fleet):
        at = fleet.places.value((*cohort.task_pool.path, "tiers"))
        for excess in _excesses(fenced(cohort.groups, cluster.flavors)):
            yield DOC.found(f"Queues of `{cohort.task_pool.name}` in cluster `{cluster.name}` have {excess}", at=at)
    for cluster in fleet.clusters:
        for excess in _excesses(resource_groups(cluster.flavors)):
            summary = f"The root cohort of cluster `{cluster.name}` has {excess}"
            fix = "Join pools into one flavor by equal cards, sharing and revision, or move some to another cluster."
            yield DOC.found(summary, at=fleet.places.key(cluster.path), fix=fix)


def _excesses(groups: Sequence[ResourceGroup]) -> Iterator[str]:
    """Yield in words each number that is past its limit."""
    for what, number, limit in _sizes(groups):
        if number > limit:
            yield f"{number} {what}; Kueue takes {limit}"


def _sizes(groups: Sequence[ResourceGroup]) -> Iterator[tuple[str, int, int]]:
    """Yield (what, how many, how many at most)."""
    yield "resource groups", len(groups), MAX_GROUPS
    for group in groups:
        flavors, resources = len(group.flavors), len(group.resources)
        yield "flavors in a resource group", flavors, MAX_IN_GROUP
        yield "resource names in a resource group", resources, MAX_IN_GROUP
        yield "pairs of flavor and resource name in a resource group", flavors * resources, MAX_PAIRS_IN_GROUP
    yield "flavors", sum(len(group.flavors) for group in groups), MAX_IN_QUEUE
    yield "resource names", sum(len(group.resources) for group in groups), MAX_IN_QUEUE


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each limit that a ClusterQueue or Cohort exceeds; older versions of Kueue take fewer flavors."""
    kueue = inventory.assumed.versions.get("kueue")
    in_group = MAX_IN_GROUP_BEFORE if kueue is not None and kueue < MORE_FLAVORS_SINCE else MAX_IN_GROUP
    for one in written.kueue(inventory, "ClusterQueue", "Cohort"):
        for place, what, number, limit in _listed(one, in_group):
            if number > limit:
                yield DOC.found(f"{one} has {number} {what}; Kueue takes {limit}", at=place.key_span, fix=OBJECT_FIX)


def _listed(one: Object, in_group: int) -> Iterator[tuple[View, str, int, int]]:
    """Yield (where, what, how many, how many at most). Totals and pairs are checked for ClusterQueues only."""
    groups = list(written.groups(one))
    top = one.spec["resourceGroups"]
    yield top, "resource groups", len(groups), MAX_GROUPS
    flavors = resources = 0
    for group in groups:
        listed, covered = list(group["flavors"].items()), list(group["coveredResources"].items())
        yield group["flavors"], "flavors in a resource group", len(listed), in_group
        yield group["coveredResources"], "resource names in a resource group", len(covered), in_group
        flavors, resources = flavors + len(listed), resources + len(covered)
        pairs = sum(len(list(flavor["resources"].items())) for flavor in listed)
        if one.kind == "ClusterQueue":
            yield group["flavors"], "pairs of flavor and resource name in a resource group", pairs, MAX_PAIRS_IN_GROUP
        for flavor in listed:
            yield flavor["resources"], "resources in a flavor", len(list(flavor["resources"].items())), in_group
    if one.kind == "ClusterQueue":
        yield top, "flavors", flavors, MAX_IN_QUEUE
        yield top, "resource names", resources, MAX_IN_QUEUE
