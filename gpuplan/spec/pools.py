"""`cards:`, `cardTiers:` and `nodePools:`: the hardware and how it is exposed."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Discriminator, Field, StringConstraints, Tag, model_validator
from pydantic_core import PydanticCustomError

from gpuplan.quantity import canonical
from gpuplan.spec.base import (
    DNS_LABEL,
    Count,
    LabelKey,
    Labels,
    LabelValue,
    Name,
    Positive,
    SpecModel,
    Stack,
    Text,
    exactly_one,
    text_or_mapping,
)

MigProfileName = Annotated[str, StringConstraints(pattern=r"^[1-9]g\.\d+gb([+-][a-z.]+)?$")]
CardName = Annotated[str, StringConstraints(pattern=DNS_LABEL, max_length=63)]
TaskKindName = Literal["training", "batchInference", "onlineInference", "experiment"]
TierName = Name


class CardSpec(SpecModel):
    """A card that the catalogue does not know."""

    vendor: Literal["nvidia", "amd", "intel", "huawei"]
    """Who makes the card."""
    product_name: LabelValue
    """Value of the node label `nvidia.com/gpu.product`, or the vendor's own name."""
    memory_gib: Annotated[Positive, Field(alias="memoryGiB")]
    """Memory in GiB."""
    mig_class: Text | None = None
    """MIG class of the catalogue whose cuts the card knows; none by default."""
    resource: LabelKey | None = None
    """Extended resource of a whole card; by default the vendor's usual one."""


class TopologySpec(SpecModel):
    """Levels from the widest to `kubernetes.io/hostname`."""

    levels: Annotated[list[LabelKey], Field(min_length=1, max_length=16)]
    """Node labels from the widest domain to `kubernetes.io/hostname`."""


TopologyChoice = Annotated[
    Annotated[Literal["off"], Tag("word")] | Annotated[TopologySpec, Tag("choice")], Discriminator(text_or_mapping)
]

Price = Annotated[str, StringConstraints(pattern=r"^\d+(\.\d+)? [A-Z]{3}$")]
"""A decimal number and an ISO 4217 currency: `2.40 USD`."""


class CardTierSpec(SpecModel):
    """A class of cards that task pools ask for by name."""

    cards: Annotated[list[CardName], Field(min_length=1)]
    """Card models in the tier, by their catalogue names (`gpuplan cards`)."""
    suits: list[TaskKindName] = ["training", "batchInference", "onlineInference", "experiment"]
    """Task kinds that the tier is meant for; all by default."""
    topology: TopologyChoice | None = None
    """Levels of nearness, or `off`; hostname alone by default, so that a floor in cards holds on whole nodes."""
    cost_per_card_hour: Price | None = None
    """Price of a card for an hour: `2.40 USD`."""
    revision: Count = 0
    """Number that ends the names of the tier's immutable objects; raise it when one of them has to change."""


class SharesSpec(SpecModel):
    """Time slicing or MPS: how many pods share a card."""

    replicas: Positive
    """Pods that share a card, at least 2."""
    rename_by_default: bool = True
    """Offer shares as `nvidia.com/gpu.shared`, so that nobody takes a share for a card."""


class MigGroupSpec(SpecModel):
    """Cards of each node that are cut alike; without profiles they stay whole."""

    cards: Annotated[list[Count], Field(min_length=1)]
    """Card indexes on each node, from 0."""
    profiles: dict[MigProfileName, Positive] = {}
    """Instances by profile on each of these cards; none leaves them whole."""


class MigSpec(SpecModel):
    """A MIG layout: one cut for every card, or groups of cards."""

    strategy: Literal["single", "mixed"] = "mixed"
    """`mixed`: one resource name a profile. `single`: instances appear as `nvidia.com/gpu`."""
    name: Name | None = None
    """Short name of the layout for labels and flavors; by default made from the profiles."""
    profiles: dict[MigProfileName, Positive] | None = None
    """Instances by profile on every card."""
    groups: list[MigGroupSpec] | None = None
    """Different cuts for different cards of a node; cards in no group stay whole."""

    @model_validator(mode="after")
    def _one_layout(self) -> Self:
        exactly_one(self, "profiles", "groups")
        return self


class PartitionSpec(SpecModel):
    """How AMD's cards are partitioned: every card of a node alike."""

    compute: Literal["SPX", "CPX"]
    """`SPX`: the card is one device. `CPX`: each of its compute dies is one."""
    memory: Literal["NPS1", "NPS4"] = "NPS1"
    """Memory partitions of a card; `NPS4` goes with `CPX` only."""
    resource_naming: Literal["single", "mixed"] = "single"
    """`single`: every device is `amd.com/gpu`. `mixed`: it is named after its partition, `amd.com/cpx_nps4`."""


class VnpuSpec(SpecModel):
    """How Huawei's cards are cut into virtual NPUs: every card of a node alike."""

    templates: Annotated[dict[Text, Positive], Field(min_length=1)]
    """Virtual NPUs of each template on every card: `{vir02: 4}`."""


class HamiSpec(SpecModel):
    """Share NVIDIA cards by HAMi: pods ask for a part of a card's memory and cores."""

    split: Positive = 10
    """Pods that may share a card (HAMi's `deviceSplitCount`)."""


class SharingChoiceSpec(SpecModel):
    """One way of sharing a card."""

    mig: MigSpec | None = None
    """Cut cards into isolated instances."""
    time_slicing: SharesSpec | None = None
    """Let pods take turns on a card, without memory isolation."""
    mps: SharesSpec | None = None
    """Let pods run on a card at once, each with its part of the memory."""
    partition: PartitionSpec | None = None
    """Partition AMD's cards."""
    vnpu: VnpuSpec | None = None
    """Cut Huawei's cards into virtual NPUs."""
    hami: HamiSpec | None = None
    """Let HAMi share NVIDIA cards, in the place of NVIDIA's device plugin."""

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        exactly_one(self, "mig", "time_slicing", "mps", "partition", "vnpu", "hami")
        return self


SharingChoice = Annotated[
    Annotated[Literal["exclusive"], Tag("word")] | Annotated[SharingChoiceSpec, Tag("choice")],
    Discriminator(text_or_mapping),
]


class NfdSelectionSpec(SpecModel):
    """Narrow an NFD rule to nodes by name; needed where two pools hold the same card."""

    node_names: list[Text] = []
    """Node names, or regular expressions of them, where the card alone does not tell the pool."""


class SelectedBySpec(SpecModel):
    """How the nodes of a pool are found."""

    labels: Annotated[Labels, Field(min_length=1)] | None = None
    """Labels that the provider already puts on the nodes; gpuplan writes nothing to them."""
    nfd: NfdSelectionSpec | None = None
    """Let gpuplan render a NodeFeatureRule that labels nodes by their card."""
    provisioner: Literal["karpenter", "capi", "eks", "gke", "talos", "kubelet"] | None = None
    """Let gpuplan render a snippet for the tool that makes the nodes."""

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        exactly_one(self, "labels", "nfd", "provisioner")
        return self


class TaintSpec(SpecModel):
    """A taint that the pool's nodes carry."""

    key: LabelKey
    """Key of the taint."""
    value: LabelValue = ""
    """Value; none by default."""
    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"]
    """Effect of the taint."""


class DriverSpec(SpecModel):
    """The GPU driver of the pool."""

    branch: Annotated[str, StringConstraints(pattern=r"^\d{3}$")] | None = None
    """Driver branch such as `"580"`; by default the release's."""
    kernel_modules: Literal["auto", "open", "proprietary"] = "auto"
    """Flavour of the kernel modules."""
    preinstalled: bool | None = None
    """Whether the nodes come with the driver, so that no operator installs it; by default as the distribution does it."""
    precompiled: bool = False
    """Whether the operator takes driver images with modules built for the nodes' kernel."""


def _quantity(value: str | float) -> str:
    quantity = canonical(value)
    if quantity is None or quantity.startswith("-"):
        raise PydanticCustomError("quantity", "not a quantity")
    return quantity


QuantityText = Annotated[str | int | float, AfterValidator(_quantity)]
"""A Kubernetes quantity: `90`, `500m` or `1536Gi`; canonical once read."""


class NodePoolSpec(SpecModel):
    """Nodes with one card model, one way of sharing, and one set of labels and taints."""

    cluster: Name
    """Cluster of the nodes."""
    tier: TierName
    """Card tier that the nodes belong to."""
    card: CardName | None = None
    """Card model; needed where the tier has several."""
    nodes: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
    """Number of nodes. Left out, nobody has counted them yet: no cards of the pool can be given out."""
    cards_per_node: Annotated[int, Field(ge=1, le=64)] | None = None
    """Cards in each node, as the device plugin counts them: a board of four GPUs is four. Needed wherever `nodes` is given."""
    selected_by: SelectedBySpec
    """How the nodes are found: exactly one of the ways."""
    sharing: SharingChoice = "exclusive"
    """How a card is exposed: `exclusive`, or one of `mig`, `timeSlicing`, `mps`, `partition`, `vnpu`, `hami`."""
    exposure: Literal["devicePlugin", "dra"] = "devicePlugin"
    """How pods ask for a card: a count of a resource, or a claim (Dynamic Resource Allocation)."""
    stack: Stack | None = None
    """Who runs the node agents of this pool, where not the cluster's own: for a pilot, and for the way back."""
    taints: list[TaintSpec] = []
    """Taints on the nodes; everything that must tolerate them does."""
    topology_labels: Literal["provided", "nfd", "kubelet"] | None = None
    """Who sets the labels of topology levels above the hostname."""
    driver: DriverSpec = DriverSpec()
    """The GPU driver."""
    companions: dict[LabelKey, QuantityText] = {}
    """What a node offers besides cards and Kueue shall count too, such as `cpu`, `memory` or `rdma/ib`; nothing by default."""
    revision: Count = 0
    """Number that ends the names of the pool's immutable objects."""

    @model_validator(mode="after")
    def _cards_of_the_nodes(self) -> Self:
        if self.nodes is not None and self.cards_per_node is None:
            message = "a pool with nodes needs cardsPerNode"
            raise PydanticCustomError("needs_another", "{message}", {"message": message, "key": "cardsPerNode"})
        return self
