"""Work as Kueue takes it: its groups of equal pods, with what each pod asks for.

A pod asks for what its containers ask for together, or one of its init containers alone if that is more; limits stand in for
requests that are left out; overhead comes on top (Kubernetes, effective requests of a pod). Defaults of a LimitRange are not
looked up: what they add is not written in the workload.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from gpuplan import conventions
from gpuplan.inventory.inventory import Inventory, once
from gpuplan.inventory.items import Object
from gpuplan.inventory.view import View
from gpuplan.quantity import Quantity, whole_number

MIN_PARALLELISM = "kueue.x-k8s.io/job-min-parallelism"
"""Annotation of a Job that may start with fewer pods."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What one pod asks for of one resource."""

    amount: Quantity
    view: View
    """Where it is first written: the request, or the limit that stands in for it."""


@dataclass(frozen=True, eq=False, kw_only=True)
class PodSet:
    """Equal pods of a workload."""

    name: str
    template: View
    """What holds `metadata` and `spec` of the pods."""
    count: int
    """Pods that must be admitted together."""
    at_count: View | None
    """Where that number stands; None where it is Kubernetes' default."""

    @property
    def spec(self) -> View:
        """The pods' spec."""
        return self.template["spec"]

    @cached_property
    def requests(self) -> Mapping[str, Request]:
        """What each pod asks for, without what is asked for as zero."""
        return {name: one for name, one in _requests(self.spec).items() if one.amount.nanos > 0}

    @property
    def containers(self) -> tuple[View, ...]:
        """The containers of a pod, those that run first before the others."""
        return (*self.spec["initContainers"].items(), *self.spec["containers"].items())

    @property
    def tolerations(self) -> View:
        """The pods' tolerations."""
        return self.spec["tolerations"]

    @property
    def node_selector(self) -> Mapping[str, str]:
        """Labels that the pods' nodes must have."""
        return {key: view.scalar() for key, view in self.spec["nodeSelector"].entries()}


@dataclass(frozen=True, eq=False, kw_only=True)
class Workload:
    """An object that makes pods."""

    object: Object
    queue: View
    """Label that names its LocalQueue, or the annotation by which early versions of Kueue went."""

    @cached_property
    def pod_sets(self) -> tuple[PodSet, ...]:
        """Its groups of equal pods."""
        return tuple(KINDS[self.object.kind](self.object.root))

    @property
    def namespace(self) -> str:
        """Its namespace, empty where none is written."""
        return self.object.namespace

    def __str__(self) -> str:
        return f"{self.object.kind} `{self.object.name}`"


Sets = Iterator[PodSet]


@once
def workloads(inventory: Inventory) -> tuple[Workload, ...]:
    """Return everything that makes pods, kind by kind. The last reading is kept: all rules ask for the same."""
    objects = (one for one in inventory.of(*KINDS) if one.group in _GROUPS)
    return tuple(Workload(object=one, queue=_queue(one)) for one in objects)


def queued(inventory: Inventory) -> Iterator[Workload]:
    """Yield the workloads that name a queue."""
    return (one for one in workloads(inventory) if one.queue.scalar())


def _queue(one: Object) -> View:
    """Return what names the queue, labels first. Kueue gives a CronJob's Jobs their labels from `jobTemplate`."""
    holders = [one.root["metadata"], one.spec["jobTemplate"]["metadata"]]
    if one.kind in _POD_BASED:
        holders.append(one.spec["template"]["metadata"])
    views = [holder[part][conventions.LABEL_QUEUE_NAME] for holder in holders for part in ("labels", "annotations")]
    return next((view for view in views if view.scalar()), views[0])


def _pod(root: View) -> Sets:
    yield PodSet(name="main", template=root, count=1, at_count=None)


def _each(root: View) -> Sets:
    """Read a controller each of whose pods is admitted alone."""
    yield PodSet(name="main", template=root["spec"]["template"], count=1, at_count=None)


def _stateful(root: View) -> Sets:
    yield _set("main", root["spec"]["template"], root["spec"]["replicas"])


def _job(root: View) -> Sets:
    view = root["metadata"]["annotations"][MIN_PARALLELISM]
    least = whole_number(view.scalar())
    made = _job_set("main", root["spec"])
    if least is not None and least < made.count:
        made = PodSet(name=made.name, template=made.template, count=least, at_count=view)
    yield made


def _cron_job(root: View) -> Sets:
    yield _job_set("main", root["spec"]["jobTemplate"]["spec"])


def _job_set(name: str, spec: View) -> PodSet:
    """Read a Job: as many pods as run at once, or as are to end at all where those are fewer."""
    parallel, completions = spec["parallelism"], spec["completions"]
    at_once, ends = _whole(parallel, 1), _whole(completions, None)
    fewer = ends is not None and at_once is not None and ends <= at_once
    if fewer and parallel.exists:
        return PodSet(name=name, template=spec["template"], count=ends or 0, at_count=completions)
    return PodSet(
        name=name, template=spec["template"], count=at_once or 0, at_count=parallel if parallel.exists else None
    )


def _replicated(root: View) -> Sets:
    for one in root["spec"]["replicatedJobs"].items():
        times, inner = one["replicas"], _job_set(one["name"].scalar(), one["template"]["spec"])
        at = inner.at_count if inner.count > 1 or not times.exists else times
        yield PodSet(name=inner.name, template=inner.template, count=inner.count * (_whole(times, 1) or 0), at_count=at)


def _replica_specs(key: str) -> Callable[[View], Sets]:
    def read(root: View) -> Sets:
        for name, one in root["spec"][key].entries():
            yield _set(name, one["template"], one["replicas"])

    return read


def _leader_worker(root: View) -> Sets:
    """Read one group of a LeaderWorkerSet; each is a workload of its own."""
    group = root["spec"]["leaderWorkerTemplate"]
    size, leader = _whole(group["size"], 1) or 0, group["leaderTemplate"]
    if leader.is_mapping:
        yield PodSet(name="leader", template=leader, count=1, at_count=None)
        size -= 1
    if size > 0:
        yield PodSet(name="workers", template=group["workerTemplate"], count=size, at_count=group["size"])


def _ray(*path: str) -> Callable[[View], Sets]:
    def read(root: View) -> Sets:
        spec = root.walk(*path)
        if spec["headGroupSpec"].is_mapping:
            yield PodSet(name="head", template=spec["headGroupSpec"]["template"], count=1, at_count=None)
        for one in spec["workerGroupSpecs"].items():
            hosts, times = _whole(one["numOfHosts"], 1) or 0, one["replicas"]
            count = hosts * (_whole(times, 1) or 0)
            yield PodSet(
                name=one["groupName"].scalar(),
                template=one["template"],
                count=count,
                at_count=times if times.exists else None,
            )

    return read


def _set(name: str, template: View, times: View) -> PodSet:
    return PodSet(name=name, template=template, count=_whole(times, 1) or 0, at_count=times if times.exists else None)


_DIGITS = 10


def _whole(view: View, otherwise: int | None) -> int | None:
    """Return a number of pods; 0 of what is no such number, so that nothing is concluded from it."""
    number = view.number()
    if not view.exists:
        return otherwise
    return number if number is not None and 0 <= number < 10**_DIGITS else 0


KINDS: Mapping[str, Callable[[View], Sets]] = {
    "Job": _job,
    "CronJob": _cron_job,
    "Pod": _pod,
    "Deployment": _each,
    "DaemonSet": _each,
    "ReplicaSet": _each,
    "StatefulSet": _stateful,
    "JobSet": _replicated,
    "MPIJob": _replica_specs("mpiReplicaSpecs"),
    "PyTorchJob": _replica_specs("pytorchReplicaSpecs"),
    "TFJob": _replica_specs("tfReplicaSpecs"),
    "XGBoostJob": _replica_specs("xgbReplicaSpecs"),
    "PaddleJob": _replica_specs("paddleReplicaSpecs"),
    "JAXJob": _replica_specs("jaxReplicaSpecs"),
    "LeaderWorkerSet": _leader_worker,
    "RayCluster": _ray("spec"),
    "RayJob": _ray("spec", "rayClusterSpec"),
    "RayService": _ray("spec", "rayClusterConfig"),
}
"""Kind -> how its pod sets are read."""
_POD_BASED = ("Deployment", "StatefulSet", "ReplicaSet")
_GROUPS = ("", "apps", "batch", "jobset.x-k8s.io", "kubeflow.org", "leaderworkerset.x-k8s.io", "ray.io")


def _requests(spec: View) -> dict[str, Request]:
    running: dict[str, Request] = {}
    peak: dict[str, Request] = {}
    for one in spec["initContainers"].items():
        asked = _asked(one)
        if one["restartPolicy"].text() == "Always":
            running = _sum(running, asked)
            peak = _most(peak, running)
        else:
            peak = _most(peak, _sum(running, asked))
    for one in spec["containers"].items():
        running = _sum(running, _asked(one))
    return _sum(_most(running, peak), _amounts(spec["overhead"]))


def _asked(container: View) -> dict[str, Request]:
    resources = container["resources"]
    return {**_amounts(resources["limits"]), **_amounts(resources["requests"])}


def _amounts(view: View) -> dict[str, Request]:
    found = {}
    for name, one in view.entries():
        amount = one.quantity()
        if amount is not None:
            found[name] = Request(amount=amount, view=one)
    return found


def _sum(first: Mapping[str, Request], second: Mapping[str, Request]) -> dict[str, Request]:
    both = dict(first)
    for name, one in second.items():
        here = both.get(name)
        both[name] = Request(amount=here.amount + one.amount, view=here.view) if here else one
    return both


def _most(first: Mapping[str, Request], second: Mapping[str, Request]) -> dict[str, Request]:
    both = dict(first)
    for name, one in second.items():
        here = both.get(name)
        if here is None or one.amount > here.amount:
            both[name] = one
    return both
