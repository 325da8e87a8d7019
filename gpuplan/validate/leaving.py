"""What keeps running although the spec no longer names it: a GPU Operator whose last pool has moved to another stack.

Its Application leaves with its pools, and no Application takes along what it made. The operator then serves every node with
an NVIDIA card, since the label by which others' nodes are kept off it leaves, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from gpuplan import conventions
from gpuplan.catalog import Vendor
from gpuplan.diagnostics import Diagnostic
from gpuplan.manifests.set import ManifestSet
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.validate.findings import OPERATOR_STAYS

Object = Mapping[str, Any]


def left_behind(fleet: Fleet, manifests: ManifestSet, old: Callable[[str], Object | None]) -> Iterator[Diagnostic]:
    """Yield a finding for each cluster that had the operator and neither has nor keeps it off, but NVIDIA cards on another stack.

    That it had some is told by the fleet's project in the old tree: it let Argo CD write into the operator's namespace.
    """
    clusters = [cluster for cluster in fleet.clusters if _has_cards_of_others_only(cluster)]
    for path, made in manifests.placed.items() if clusters else ():
        if (made.key.kind, made.key.name) != ("AppProject", fleet.delivery.project):
            continue
        before: Object = old(path) or {}
        places = [_place(one) for one in before.get("spec", {}).get("destinations", ())]
        for cluster in clusters:
            if (cluster.destination.name, cluster.destination.server, cluster.gpu_operator.namespace) in places:
                yield OPERATOR_STAYS.found(
                    f"No pool of cluster `{cluster.name}` is on the GPU Operator any more, which runs on and serves its nodes",
                    at=fleet.places.key(cluster.path),
                    fix=f"Before this is merged, take the operator away: delete Application "
                    f"`{conventions.gpu_operator_application_name(cluster.name)}` with its resources, or uninstall it as it was "
                    "installed.",
                )


def _has_cards_of_others_only(cluster: Cluster) -> bool:
    stacks = {pool.stack for pool in cluster.pools if pool.card.vendor is Vendor.NVIDIA}
    return bool(stacks) and not cluster.keeps_operator_off


def _place(destination: Object) -> tuple[str, str, str]:
    return destination.get("name", ""), destination.get("server", ""), destination.get("namespace", "")
