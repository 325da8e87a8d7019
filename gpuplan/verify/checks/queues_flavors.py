"""Flavors say what the hardware is, and nodes of it are there."""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.manifests.set import Manifest
from gpuplan.model.flavors import Flavor
from gpuplan.model.pools import SelectedBy
from gpuplan.verify.comparing import by_name, differences, name_of, rendered
from gpuplan.verify.observed import Object
from gpuplan.verify.saying import Words, verdict
from gpuplan.verify.scene import Scene
from gpuplan.verify.verdicts import CheckDoc, Verdict

DOC = CheckDoc(
    id="queues/flavors",
    title="Every flavor is as rendered and matches nodes of the cluster, and topologies have their levels",
    reads=("Node", "ResourceFlavor", "Topology"),
    why="Kueue admits work to a flavor that no node matches, and its pods then stay Pending while they hold quota.",
)
REPLACE = "It cannot be changed where it has a topology: let Argo CD replace it, or raise the revision in fleet/."
LABELS = "See why the labels are not on the nodes: NFD, the provisioner, or the pool's selectedBy in fleet/."
SOME = 5
"""Nodes that a line of evidence names."""


def check(scene: Scene) -> Iterator[Verdict]:
    """Yield a verdict for each topology and flavor that is there."""
    topologies, flavors = (by_name(scene.seen(kind)) for kind in ("Topology", "ResourceFlavor"))
    for one in rendered(scene, "Topology"):
        live = topologies.get(("", one.key.name))
        if live is not None:
            words = Words(at=one.origin.span, good="it has its levels", bad="it is not as rendered", fix=REPLACE)
            wrong = differences(one.object, live, ("spec",))
            yield verdict(DOC, f"Topology {one.key.name}", words, wrong=wrong)
    known = {flavor.name: flavor for flavor in scene.cluster.flavors}
    for one in rendered(scene, "ResourceFlavor"):
        live = flavors.get(("", one.key.name))
        if live is not None:
            yield _flavor(scene, one, live, known.get(one.key.name))


def _flavor(scene: Scene, one: Manifest, live: Object, flavor: Flavor | None) -> Verdict:
    wrong = differences(one.object, live, ("spec",))
    labels = (live.get("spec") or {}).get("nodeLabels") or {}
    selector = ", ".join(f"{key}={value}" for key, value in sorted(labels.items()))
    nodes = sorted(name_of(node)[1] for node in scene.seen("Node") if labels.items() <= _labels(node).items())
    none = [] if nodes else [f"no node has {selector}"]
    may_be_none = flavor is not None and (not flavor.counted or _comes_and_goes(flavor))
    words = Words(
        at=one.origin.span,
        good=f"{len(nodes)} nodes match",
        bad="it is not as rendered" if wrong else "no node matches it",
        fix=REPLACE if wrong else LABELS,
        unknown="no node is there now; its provisioner may make some",
        look=LABELS,
    )
    return verdict(
        DOC,
        f"ResourceFlavor {one.key.name}",
        words,
        wrong=wrong or ([] if may_be_none else none),
        unseen=none if may_be_none else [],
        right=[f"{selector}: {', '.join(nodes[:SOME])}"],
    )


def _comes_and_goes(flavor: Flavor) -> bool:
    """Tell whether a provisioner makes its nodes when they are needed."""
    return all(pool.selection.by is SelectedBy.PROVISIONER for pool in flavor.pools)


def _labels(node: Object) -> dict[str, str]:
    return dict((node.get("metadata") or {}).get("labels") or {})
