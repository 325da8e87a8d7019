"""The kinds of objects that the reclaimer reads, and how it stops those that hold work. Its rights follow from this table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

Object = Mapping[str, Any]
"""A Kubernetes object as the API server sends it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind: where it is served, and how it is stopped.

    `stop` is merged into the object; empty for kinds that are only read. `stopped` tells whether that has been done.
    `framework` is the task pools' word for kinds that are served only where somebody installed them; empty otherwise.
    """

    kind: str
    group: str
    version: str
    resource: str
    """Plural name."""
    stop: Mapping[str, Any]
    stopped: Callable[[Object], bool]
    framework: str = ""

    @property
    def api_version(self) -> str:
        """`group/version`, or the version alone for the core group."""
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def scaled(self) -> bool:
        """Whether it is stopped by taking its replicas away, so that their number has to be kept."""
        return "replicas" in self.stop.get("spec", {})


def _never(_: Object) -> bool:
    return False


def _inactive(made: Object) -> bool:
    return made.get("spec", {}).get("active", True) is False


def _suspended(made: Object) -> bool:
    return bool(made.get("spec", {}).get("suspend"))


def _run_policy_suspended(made: Object) -> bool:
    return bool(made.get("spec", {}).get("runPolicy", {}).get("suspend"))


def _scaled_away(made: Object) -> bool:
    return bool(made.get("spec", {}).get("replicas", 1) == 0)


INACTIVE = {"spec": {"active": False}}
SUSPENDED = {"spec": {"suspend": True}}
NO_REPLICAS = {"spec": {"replicas": 0}}


def _kind(
    name: str, served: str, stop: Mapping[str, Any], stopped: Callable[[Object], bool], framework: str = ""
) -> Kind:
    """Make a row. `served` is `group/version/resource`, or `version/resource` for the core group."""
    *group, version, resource = served.split("/")
    return Kind(
        kind=name,
        group="".join(group),
        version=version,
        resource=resource,
        stop=stop,
        stopped=stopped,
        framework=framework,
    )


POD = _kind("Pod", "v1/pods", {}, _never)
WORKLOAD = _kind("Workload", "kueue.x-k8s.io/v1beta2/workloads", INACTIVE, _inactive)
KINDS: tuple[Kind, ...] = (
    POD,
    WORKLOAD,
    _kind("ReplicaSet", "apps/v1/replicasets", {}, _never),
    _kind("Job", "batch/v1/jobs", SUSPENDED, _suspended),
    _kind("Deployment", "apps/v1/deployments", NO_REPLICAS, _scaled_away),
    _kind("StatefulSet", "apps/v1/statefulsets", NO_REPLICAS, _scaled_away),
    _kind(
        "LeaderWorkerSet",
        "leaderworkerset.x-k8s.io/v1/leaderworkersets",
        NO_REPLICAS,
        _scaled_away,
        "leaderworkerset",
    ),
    _kind("JobSet", "jobset.x-k8s.io/v1alpha2/jobsets", SUSPENDED, _suspended, "jobset"),
    _kind(
        "MPIJob",
        "kubeflow.org/v2beta1/mpijobs",
        {"spec": {"runPolicy": {"suspend": True}}},
        _run_policy_suspended,
        "mpijob",
    ),
)
"""Every kind, in the order in which they are read."""


def kinds(frameworks: tuple[str, ...]) -> tuple[Kind, ...]:
    """Return the kinds that are read in a cluster whose task pools run these frameworks."""
    return tuple(kind for kind in KINDS if not kind.framework or kind.framework in frameworks)
