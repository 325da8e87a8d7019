"""Queues, quotas, flavors and priorities, broken by hand."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from typing import Any

from gpuplan import conventions
from tests.controlplane.client import Object, reference
from tests.controlplane.verifying.bed import Bed, Fault, Undo
from tests.controlplane.verifying.conftest import agents_run
from tests.controlplane.workloads import is_true

KUEUE, RBAC, ADMISSION = "kueue.x-k8s.io/v1beta2", "rbac.authorization.k8s.io/v1", "admissionregistration.k8s.io/v1"
SYSTEM = conventions.SYSTEM_NAMESPACE
Plant = Callable[[Bed], Undo]


def cluster_queue(name: str) -> Object:
    """Name a ClusterQueue."""
    return reference(KUEUE, "ClusterQueue", name)


def works(bed: Bed, which: Object) -> bool:
    """Tell whether Kueue calls a queue active, and all LocalQueues that feed it."""
    feeding = [
        one for one in bed.client.list(KUEUE, "LocalQueue") if one["spec"]["clusterQueue"] == which["metadata"]["name"]
    ]
    return all(is_true(bed.client.find(one), "Active") for one in (which, *feeding))


def mended(bed: Bed, undo: Undo, which: Object) -> Undo:
    """Return an undoing that waits until the queue works again."""

    def both() -> None:
        undo()
        bed.until(lambda: works(bed, which), f"{which['metadata']['name']} to work again")

    return both


def held(which: Object) -> Plant:
    """Hold a queue, as a person does in an emergency."""

    def plant(bed: Bed) -> Undo:
        undo = bed.patched(which, {"spec": {"stopPolicy": "Hold"}})
        bed.until(lambda: not is_true(bed.client.get(which), "Active"), "Kueue to see the hold")
        return mended(bed, undo, which)

    return plant


def without(which: Object) -> Plant:
    """Delete something of Kueue's."""
    return lambda bed: mended(bed, bed.deleted(which), which)


def with_a_check_of_nobodys(bed: Bed) -> Undo:
    """Let a queue wait for an admission check that is not there."""
    which = cluster_queue("vision-explore")
    checks = {"admissionChecksStrategy": {"admissionChecks": [{"name": "nobodys"}]}}
    undo = bed.patched(which, {"spec": checks})
    bed.until(lambda: not is_true(bed.client.get(which), "Active"), "Kueue to miss the check")
    return mended(bed, undo, which)


def edited(which: Object, edit: Callable[[dict[str, Any]], None]) -> Plant:
    """Edit an object in the middle of its lists, as `kubectl edit` does."""

    def plant(bed: Bed) -> Undo:
        before = bed.client.get(which)
        made = copy.deepcopy(dict(before))
        edit(made)
        changed = {key: value for key, value in made.items() if key != "status" and value != before.get(key)}
        return bed.patched(which, changed)

    return plant


def _more_quota(made: dict[str, Any]) -> None:
    made["spec"]["resourceGroups"][0]["flavors"][0]["resources"][0]["nominalQuota"] = "24"


def smuggled(bed: Bed) -> Undo:
    """Put a queue of nobody's into a cohort."""
    resources = [{"name": "nvidia.com/gpu", "nominalQuota": "0"}]
    group = {"coveredResources": ["nvidia.com/gpu"], "flavors": [{"name": "serve-l40s", "resources": resources}]}
    spec = {"cohortName": "nightly", "namespaceSelector": {}, "resourceGroups": [group]}
    return bed.created({**cluster_queue("smuggled"), "spec": spec})


def changed(which: Object, change: Mapping[str, Any]) -> Plant:
    """Merge a change into an object."""
    return lambda bed: bed.patched(which, change)


def made(what: Object) -> Plant:
    """Create an object."""
    return lambda bed: bed.created(what)


def unlabelled(bed: Bed) -> Undo:
    """Take a label that their flavor goes by from all nodes of a pool; its agents leave them."""
    names = [f"t4-{number}" for number in range(4)]
    change = {"metadata": {"labels": {conventions.LABEL_SHARING: None}}}
    undone = [bed.patched(reference("v1", "Node", name), change) for name in names]

    def agents() -> bool:
        return bool(bed.client.list("v1", "Pod", namespace=SYSTEM, labels=f"{conventions.LABEL_POOL}=t4"))

    bed.until(lambda: not agents(), "the agents to leave")

    def undo() -> None:
        for one in undone:
            one()
        bed.until(agents, "the agents to come back")
        agents_run(bed)

    return undo


def namespace(name: str, **labels: str | None) -> Plant:
    """Change labels of a namespace; `_` stands for what no Python name can hold."""
    spelled = {"cost_center": conventions.LABEL_COST_CENTER, "enforce": f"{conventions.POD_SECURITY}/enforce"}
    change = {"metadata": {"labels": {spelled[key]: value for key, value in labels.items()}}}
    return changed(reference("v1", "Namespace", name), change)


FAULTS: tuple[Fault, ...] = (
    Fault(
        name="a ClusterQueue is missing",
        plant=without(cluster_queue("search-nightly")),
        check="queues/present",
        evidence="ClusterQueue search-nightly is not there",
    ),
    Fault(
        name="a LocalQueue is missing",
        plant=without(reference(KUEUE, "LocalQueue", "explore", "vision-train")),
        check="queues/present",
        evidence="LocalQueue vision-train/explore is not there",
    ),
    Fault(
        name="a ClusterQueue is on hold",
        plant=held(cluster_queue("search-scratch")),
        check="queues/active",
        evidence="ClusterQueue search-scratch: stopPolicy Hold, a person holds it",
    ),
    Fault(
        name="a LocalQueue is on hold",
        plant=held(reference(KUEUE, "LocalQueue", "chat", "vision")),
        check="queues/active",
        evidence="LocalQueue vision/chat: stopPolicy Hold",
    ),
    Fault(
        name="a queue waits for a check of nobody's",
        plant=with_a_check_of_nobodys,
        check="queues/active",
        evidence="ClusterQueue vision-explore: Active=False, AdmissionCheckNotFound: .*nobodys",
        also=("queues/quotas",),
    ),
    Fault(
        name="a queue has more quota than rendered",
        plant=edited(cluster_queue("search-pretrain"), _more_quota),
        check="queues/quotas",
        evidence=r"nominalQuota: 24, rendered 16",
    ),
    Fault(
        name="a queue of nobody's is in a cohort",
        plant=smuggled,
        check="queues/quotas",
        evidence="ClusterQueue smuggled is in the cohort",
    ),
    Fault(
        name="no node matches a flavor",
        plant=unlabelled,
        check="queues/flavors",
        evidence="no node has .*gpuplan.dev/sharing=time-slicing-4",
        also=("agents/ready", "nodes/labels"),
        apart=True,  # other faults move agents of the same nodes
    ),
    Fault(
        name="a priority has another value",
        plant=changed(reference(KUEUE, "WorkloadPriorityClass", "shared-high"), {"value": 9000}),
        check="queues/priorities",
        evidence="WorkloadPriorityClass shared-high: value: 9000, rendered 2100",
    ),
    Fault(
        name="a priority class is missing",
        plant=lambda bed: bed.deleted(reference("scheduling.k8s.io/v1", "PriorityClass", "gpuplan-queued")),
        check="queues/priorities",
        evidence="PriorityClass gpuplan-queued is not there",
    ),
    Fault(
        name="another default outranks the bands",
        plant=made(
            {**reference("scheduling.k8s.io/v1", "PriorityClass", "everything"), "value": 5000, "globalDefault": True}
        ),
        check="queues/priorities",
        evidence="PriorityClass everything: globalDefault with value 5000",
        also=("rails/enforced",),  # it is put on plain pods, whose queue does not allow it
    ),
    Fault(
        name="somebody else's priority outranks the bands",
        plant=made({**reference("scheduling.k8s.io/v1", "PriorityClass", "most-important"), "value": 1000000}),
        check="queues/priorities",
        evidence="PriorityClass most-important: value 1000000 outranks the highest band, 4000",
    ),
)
