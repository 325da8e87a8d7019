"""Fleets to upgrade, and a step's edit done to a spec as data, for tests."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from gpuplan.catalog import load
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.moving.upgrade import Upgrade, upgrade
from gpuplan.moving.upgrade_edits import Edit
from gpuplan.moving.upgrade_target import Target
from gpuplan.versions import required
from tests.build import resolved
from tests.generated import plain_text

Spec = dict[str, Any]
RELEASES = load().releases


def spec(cluster: Mapping[str, Any], pools: Mapping[str, Mapping[str, Any]] | None = None, **sections: Any) -> Spec:
    """Return a fleet of one cluster `eu`, by default with two nodes of A100."""
    usual = {"cluster": "eu", "tier": "lab", "nodes": 2, "cardsPerNode": 8, "selectedBy": {"nfd": {}}}
    chosen = {"a": {}} if pools is None else pools
    return {
        "metadata": {"name": "tiny"},
        "clusters": {"eu": {"kubernetes": "1.34", "release": "2026.05", **cluster}},
        "cardTiers": {"lab": {"cards": ["a100-sxm-40gb"]}},
        "nodePools": {name: {**usual, **pool} for name, pool in chosen.items()},
        "delivery": {"argocd": {"repoURL": "https://git.acme.example/fleet.git"}},
        **sections,
    }


def fleet(data: Spec) -> Fleet:
    """Resolve a spec that has no errors in its shape."""
    made, found = resolved(plain_text(data))
    assert made is not None, [f"{finding.at} {finding.summary}" for finding in found]
    return made


def target(release: str = "", kubernetes: str = "", **components: str) -> Target:
    """Return what is asked for."""
    return Target(
        release=RELEASES[release] if release else None,
        kubernetes=required(kubernetes) if kubernetes else None,
        components={name: required(version) for name, version in components.items()},
    )


def upgraded(data: Spec, wanted: Target) -> Upgrade:
    """Upgrade the only cluster of a spec."""
    made = fleet(data)
    return upgrade(made, made.clusters[0], wanted)


def done(data: Spec, edit: Edit) -> Spec:
    """Do an edit to a spec, as a person would who reads it."""
    made: Spec = json.loads(json.dumps(data))  # not deepcopy: parts that a strategy shares must not be changed together
    _merge(made, edit.write)
    for path in edit.remove:
        _remove(made, path.split("."))
    return made


def _merge(into: Spec, what: Mapping[str, Any]) -> None:
    for key, value in what.items():
        if isinstance(value, dict) and isinstance(into.get(key), dict):
            _merge(into[key], value)
        else:
            into[key] = value


def _remove(data: Spec, path: list[str]) -> None:
    """Take out what is there; a release or a name with a point in it stands for no key of these paths."""
    head, *rest = path
    if not rest:
        data.pop(head, None)
    elif isinstance(data.get(head), dict):
        _remove(data[head], rest)


def versions(cluster: Cluster) -> dict[str, str]:
    """Return everything of a cluster that an upgrade changes."""
    return {
        "release": cluster.release.name,
        "kubernetes": str(cluster.kubernetes),
        "kueue": str(cluster.kueue.version),
        "operator": str(cluster.gpu_operator.version),
        **{f"components.{name}": f"{one.version} {one.image}" for name, one in cluster.components.items()},
        **{f"drivers.{pool.name}": pool.driver.branch for pool in cluster.pools},
    }
