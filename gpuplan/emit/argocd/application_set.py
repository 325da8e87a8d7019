"""One ApplicationSet instead of an Application for each cluster (docs/decisions/0016).

The clusters are listed, as gpuplan knows them: a generator that walks folders would take an Application away with its folder.
Three guards keep what runs: an Application that the list no longer names stays, one that is deleted leaves its resources,
and the project stands in the template as it is, so that no list can move a cluster into another project.

With a rollout the controller switches automated sync off in each Application and starts every sync itself; whether it prunes
it reads from `automated.prune` of the template all the same (Argo CD 3.6, RollingSync).
"""

from __future__ import annotations

from collections.abc import Sequence

from gpuplan import conventions
from gpuplan.emit.argocd.shared import metadata
from gpuplan.manifests.kinds import Application, ApplicationSet
from gpuplan.manifests.kinds.argocd import ApplicationDestination, ApplicationSetSpec, RolloutStep
from gpuplan.model.fleet import Cluster, Fleet

CLUSTER = "{{.cluster}}"
DESTINATION: ApplicationDestination = {
    "name": "{{.name}}",
    "server": "{{.server}}",
    "namespace": conventions.SYSTEM_NAMESPACE,
}
"""A cluster as the template names it, and where it lies. One of name and server is empty, which is as if it were not given."""


def application_set(fleet: Fleet, clusters: Sequence[Cluster], template: Application) -> ApplicationSet:
    """Return the set that makes the Applications of the clusters, in their order.

    `template` is the Application of a cluster that is called `CLUSTER` and lies at `DESTINATION`.
    """
    spec: ApplicationSetSpec = {
        "goTemplate": True,
        "goTemplateOptions": ["missingkey=error"],
        "generators": [{"list": {"elements": [_element(cluster) for cluster in clusters]}}],
        "syncPolicy": {"applicationsSync": "create-update", "preserveResourcesOnDeletion": True},
        "template": {
            "metadata": {
                "name": template["metadata"]["name"],
                "labels": {conventions.LABEL_CLUSTER: CLUSTER, **template["metadata"]["labels"]},
                "annotations": template["metadata"]["annotations"],
            },
            "spec": template["spec"],
        },
    }
    if fleet.delivery.rollout:
        spec["strategy"] = {"type": "RollingSync", "rollingSync": {"steps": [*map(_step, fleet.delivery.rollout)]}}
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "ApplicationSet",
        "metadata": metadata(fleet, fleet.delivery.project),
        "spec": spec,
    }


def _element(cluster: Cluster) -> dict[str, str]:
    """Return what the template takes of a cluster."""
    return {"cluster": cluster.name, "name": cluster.destination.name, "server": cluster.destination.server}


def _step(names: Sequence[str]) -> RolloutStep:
    return {"matchExpressions": [{"key": conventions.LABEL_CLUSTER, "operator": "In", "values": list(names)}]}
