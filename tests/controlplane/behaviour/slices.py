"""What NVIDIA's DRA driver would publish: a ResourceSlice a node, with the attributes by which classes select devices."""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan import conventions
from gpuplan.model.claims import dra_pools
from gpuplan.model.fleet import Cluster
from gpuplan.model.pools import NodePool
from tests.controlplane.client import Object


def resource_slices(cluster: Cluster) -> Iterator[Object]:
    """Yield the slices of every node of the pools whose cards pods claim; nodes are named as `stage.nodes` does it."""
    for pool in dra_pools(cluster):
        for number in range(pool.nodes):
            node = f"{pool.name}-{number}"
            yield {
                "apiVersion": "resource.k8s.io/v1",
                "kind": "ResourceSlice",
                "metadata": {"name": f"{node}-{conventions.DRA_DRIVER}"},
                "spec": {
                    "driver": conventions.DRA_DRIVER,
                    "nodeName": node,
                    "pool": {"name": node, "generation": 1, "resourceSliceCount": 1},
                    "devices": list(_devices(pool)),
                },
            }


def _devices(pool: NodePool) -> Iterator[Object]:
    """Yield every whole card and every MIG instance of a node; a card in MIG mode is no device itself."""
    groups = pool.sharing.groups or ()
    cut = {index: dict(group.profiles) for group in groups for index in group.indexes}
    for index in range(pool.cards_per_node):
        if not cut.get(index):
            yield _device(f"gpu-{index}", pool, type="gpu")
        for profile, count in cut.get(index, {}).items():
            for instance in range(count):
                name = f"gpu-{index}-mig-{profile.replace('.', '-').replace('+', '-')}-{instance}"
                yield _device(name, pool, type="mig", profile=profile)


def _device(name: str, pool: NodePool, **attributes: str) -> Object:
    said = {"productName": pool.card.product_name, **attributes}
    return {
        "name": name,
        "attributes": {key: {"string": value} for key, value in said.items()},
        "capacity": {"memory": {"value": f"{pool.card.memory_gib}Gi"}},
    }
