"""Claims on devices (Dynamic Resource Allocation): the classes of devices, and the templates that a task pool's pods name.

The classes are ours, one a unit, so that Kueue counts each by one resource and whoever installs NVIDIA's driver may keep
or drop its own. They span the cluster: a flavor's node labels tell which card it is, as everywhere else.
Facts: kubernetes-sigs/dra-driver-nvidia-gpu v0.5.0 (attributes, chart values).
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan import conventions
from gpuplan.emit import base
from gpuplan.manifests.kinds import DeviceClass, ResourceClaimTemplate
from gpuplan.manifests.set import Manifest, TextFile
from gpuplan.model.claims import ClaimTemplate, claim_templates, claimable, dra_pools
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.labels import lasting_labels
from gpuplan.model.pools import NodePool, agent_tolerations

Values = dict[str, object]

REQUEST = "devices"
"""Name of the only request in a claim; containers may name it, but need not."""
_DOMAIN = f"device.attributes['{conventions.DRA_DRIVER}']"


def emit(fleet: Fleet, cluster: Cluster) -> Iterator[Manifest]:
    """Yield the device classes of a cluster and, in each team namespace, the claim templates of the team's queues."""
    paths = [pool.path for pool in dra_pools(cluster)]
    for profile in claimable(cluster).values():
        yield base.manifest(fleet, cluster, base.CLAIMS, _device_class(profile), *paths)
    for cohort in cluster.cohorts:
        templates = claim_templates(cohort)
        for queue in cohort.queues:
            for namespace in queue.team.namespaces:
                for template in templates:
                    made = _claim_template(template, namespace)
                    yield base.manifest(fleet, cluster, base.CLAIMS, made, cohort.task_pool.path, queue.path)


def _device_class(profile: str) -> DeviceClass:
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "DeviceClass",
        "metadata": base.metadata(conventions.device_class_name(profile), base.CLAIMS),
        "spec": {"selectors": [{"cel": {"expression": selector(profile)}}]},
    }


def selector(profile: str) -> str:
    """Return the CEL expression for whole cards, or for instances of a MIG profile.

    A card in MIG mode is no device of type `gpu`, only its instances are; CEL looks at `profile` only where there is one.
    """
    ours = f"device.driver == '{conventions.DRA_DRIVER}'"
    if not profile:
        return f"{ours} && {_DOMAIN}.type == 'gpu'"
    return f"{ours} && {_DOMAIN}.type == 'mig' && {_DOMAIN}.profile == '{profile}'"


def _claim_template(template: ClaimTemplate, namespace: str) -> ResourceClaimTemplate:
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaimTemplate",
        "metadata": base.namespaced(template.name, namespace, base.CLAIMS),
        "spec": {
            "metadata": {},
            "spec": {
                "devices": {
                    "requests": [
                        {
                            "name": REQUEST,
                            "exactly": {
                                "deviceClassName": template.device_class,
                                "allocationMode": "ExactCount",
                                "count": template.count,
                            },
                        }
                    ]
                }
            },
        },
    }


def texts(fleet: Fleet, cluster: Cluster) -> Iterator[TextFile]:
    """Yield the Helm values of NVIDIA's DRA driver for the pools whose other agents are ours; others install the chart."""
    pools = [pool for pool in dra_pools(cluster) if pool.stack == "manual"]
    if pools:
        yield base.chart_values(fleet, cluster, "dra-driver", driver_values(fleet, cluster, pools), pools)


def driver_values(fleet: Fleet, cluster: Cluster, pools: list[NodePool]) -> Values:
    """Return the chart's values: the driver runs on just these pools' nodes, and serves cards rather than fabrics.

    The chart refuses cards without the override, since the driver must never share a node with a device plugin.
    """
    driver = cluster.components["draDriver"]
    nodes = fleet.catalog.distributions.get(cluster.distribution)
    return {
        "image": {"repository": driver.repository, "tag": driver.tag},
        "nvidiaDriverRoot": (nodes.driver_folder if nodes else "") or "/",
        "gpuResourcesEnabledOverride": True,
        "resources": {"gpus": {"enabled": True}, "computeDomains": {"enabled": False}},
        "kubeletPlugin": {
            "affinity": {
                "nodeAffinity": {
                    "requiredDuringSchedulingIgnoredDuringExecution": {
                        "nodeSelectorTerms": [_nodes(cluster, pool) for pool in pools]
                    }
                }
            },
            "tolerations": [dict(base.toleration(one)) for one in agent_tolerations(pools)],
        },
    }


def _nodes(cluster: Cluster, pool: NodePool) -> Values:
    """Return the term that selects a pool's nodes; a node needs to match one of all terms.

    Whoever installed the chart has not seen these values anew when the cards of a node are cut in another way.
    """
    labels = sorted(lasting_labels(cluster, pool).items())
    return {"matchExpressions": [{"key": key, "operator": "In", "values": [value]} for key, value in labels]}
