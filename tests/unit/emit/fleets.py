"""Small fleets for the emitters of the node side, and ways to look into what they make."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gpuplan.emit.emitters import RuleEmitter
from gpuplan.emit.monitoring import publish
from gpuplan.manifests.set import Manifest
from gpuplan.manifests.write import object_text
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.pools import NodePool
from tests.build import fleet

Object = Mapping[str, Any]
Emitter = Callable[[Fleet, Cluster], Iterator[Manifest]]
GOLDEN = Path(__file__).parent / "golden"

HEAD = """
apiVersion: gpuplan.dev/v1alpha1
metadata: {name: acme}
cardTiers:
  big: {cards: [h100-sxm-80gb]}
  lab: {cards: [a100-sxm-40gb]}
  desk: {cards: [t4]}
  amd: {cards: [mi300x]}
  gaudi: {cards: [gaudi3]}
  ascend: {cards: [ascend-310p3]}
defaults:
  nodePool: {cluster: eu, tier: lab, nodes: 2, cardsPerNode: 8, selectedBy: {nfd: {}}, driver: {branch: "580"}}
"""


@dataclass(frozen=True, slots=True)
class Place:
    """A fleet with one cluster."""

    fleet: Fleet

    @property
    def cluster(self) -> Cluster:
        return self.fleet.clusters[0]

    @property
    def pool(self) -> NodePool:
        return self.cluster.pools[0]

    def objects(self, *emitters: Emitter) -> tuple[Object, ...]:
        return tuple(made.object for emit in emitters for made in emit(self.fleet, self.cluster))

    def of_rules(self, *emitters: RuleEmitter) -> tuple[Object, ...]:
        groups = tuple(publish.groups(self.fleet, self.cluster))
        return tuple(made.object for emit in emitters for made in emit(self.fleet, self.cluster, groups))


def place(pools: str, cluster: str = "", more: str = "") -> Place:
    """Resolve a fleet: `pools` is the inside of `nodePools`, `cluster` more keys of its one cluster `eu`."""
    keys = ", ".join(['kubernetes: "1.36"', *([cluster] if cluster else [])])
    return Place(fleet(f"{HEAD}clusters: {{eu: {{{keys}}}}}\nnodePools: {{{pools}}}\n{more}"))


def one(objects: Iterable[Object], kind: str, prefix: str = "") -> Any:
    """Return the only object of a kind whose name begins with the prefix."""
    found = [made for made in objects if made["kind"] == kind and made["metadata"]["name"].startswith(prefix)]
    assert len(found) == 1, [made["metadata"]["name"] for made in found]
    return found[0]


def pod(daemon_set: Object) -> Any:
    """Return the pod spec of a DaemonSet."""
    return daemon_set["spec"]["template"]["spec"]


def environment(container: Object) -> dict[str, str]:
    """Return the variables of a container that have fixed values."""
    return {entry["name"]: entry["value"] for entry in container.get("env", ()) if "value" in entry}


def assert_golden(name: str, objects: Iterable[Object]) -> None:
    """Compare with the committed text; `GPUPLAN_WRITE_GOLDEN=1` writes it anew, for the eyes of a reviewer."""
    assert_golden_text(name, "---\n".join(map(object_text, objects)))


def assert_golden_text(name: str, text: str) -> None:
    """Compare a text with `golden/<name>.yaml`."""
    file = GOLDEN / f"{name}.yaml"
    if os.environ.get("GPUPLAN_WRITE_GOLDEN"):
        file.write_text(text, encoding="utf-8")
    assert text == file.read_text(encoding="utf-8")
