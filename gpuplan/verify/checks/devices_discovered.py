"""Feature discovery says of each node what the spec says of its pool."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gpuplan import conventions
from gpuplan.catalog.cards import Vendor
from gpuplan.model.pools import Exposure, NodePool
from gpuplan.model.sharing import MigStrategy, SharingMode
from gpuplan.verify.nodes import Node, members
from gpuplan.verify.saying import Words, verdict
from gpuplan.verify.scene import Scene
from gpuplan.verify.verdicts import CheckDoc, Verdict

DOC = CheckDoc(
    id="devices/discovered",
    title="Feature discovery finds the card, the number of cards and the sharing of the spec",
    reads=("Node",),
    why="Another card, or one cut or shared otherwise than the spec says, does not do what its users have been promised.",
)
LABEL_REPLICAS = "nvidia.com/gpu.replicas"
LABEL_SHARING_STRATEGY = "nvidia.com/gpu.sharing-strategy"
_STRATEGIES = {SharingMode.TIME_SLICING: "time-slicing", SharingMode.MPS: "mps"}


def check(scene: Scene) -> Iterator[Verdict]:
    """Yield a verdict for each pool with NVIDIA cards that has nodes. Where others run the agents, silence is no fault."""
    for pool in scene.cluster.pools:
        found = members(scene, pool)
        if not found or pool.card.vendor is not Vendor.NVIDIA:
            continue
        silent = [node for node in found if not node.labels.get(conventions.LABEL_PRODUCT)]
        if pool.stack == "external" and len(silent) == len(found):
            continue
        wanted = discovered(pool)
        words = Words(
            at=scene.place((*pool.path, "sharing")),
            good=", ".join(f"{key.removeprefix('nvidia.com/')}={value}" for key, value in wanted.items()),
            bad="some nodes are not what the spec says",
            fix="Correct the spec where the hardware is right; else see the plugin's configuration on these nodes, and restart "
            "gpu-feature-discovery.",
            unknown="Feature discovery says nothing of some nodes",
            look="See `agents/ready`, and the log of gpu-feature-discovery on these nodes.",
        )
        yield verdict(
            DOC,
            f"pool {pool.name}",
            words,
            wrong=[line for node in found if node not in silent for line in _wrong(node, wanted)],
            unseen=[f"{node.name}: has no label {conventions.LABEL_PRODUCT}" for node in silent],
        )


def discovered(pool: NodePool) -> Mapping[str, str]:
    """Return the labels that feature discovery sets on a node that is as the spec says (NVIDIA/k8s-device-plugin, internal/lm).

    MIG of one strategy `single` renames the card and counts its instances; of `mixed` it leaves the card's own labels.
    Where HAMi or a DRA driver offers the cards, feature discovery knows of no sharing.
    """
    sharing, labels = pool.sharing, {conventions.LABEL_PRODUCT: pool.card.product_name}
    if pool.cards_per_node and sharing.strategy is not MigStrategy.SINGLE:
        labels[conventions.LABEL_CARD_COUNT] = str(pool.cards_per_node)
    if sharing.mode is SharingMode.MIG and pool.exposure is Exposure.DEVICE_PLUGIN:
        labels[conventions.LABEL_MIG_STRATEGY] = sharing.strategy.value
        profiles = {profile for group in sharing.groups for profile, _ in group.profiles}
        if sharing.strategy is MigStrategy.SINGLE:
            labels[conventions.LABEL_PRODUCT] += "-MIG-" + "".join(profiles).replace("+", ".")
    elif sharing.mode is not SharingMode.MIG:
        labels[LABEL_SHARING_STRATEGY] = _STRATEGIES.get(sharing.mode, "none")
        labels[LABEL_REPLICAS] = str(sharing.replicas if sharing.shared else 1)
        if sharing.shared and not sharing.renamed:
            labels[conventions.LABEL_PRODUCT] += "-SHARED"
    return labels


def _wrong(node: Node, wanted: Mapping[str, str]) -> Iterator[str]:
    for key, value in wanted.items():
        seen = node.labels.get(key, "(absent)")
        if seen != value:
            yield f"{node.name}: {key}={seen}, expected {value}"
