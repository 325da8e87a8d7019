"""`cards:`, `cardTiers:` and `nodePools:`: the hardware and how it is exposed."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import Discriminator, Field, StringConstraints, Tag, model_validator

from gpuplan.spec.base import Count, LabelKey, Labels, LabelValue, Name, Positive, SpecModel, Text

MigProfileName = Annotated[str, StringConstraints(pattern=r"^[1-9]g\.\d+gb([+-][a-z.]+)?$")]
CardName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", max_length=63)]
TaskKindName = Literal["training", "batchInference", "onlineInference", "experiment"]
TierName = Name


def exactly_one(model: SpecModel, *fields: str) -> None:
    """Raise pydantic's kind of error unless exactly one of the optional fields is set."""
    given = [name for name in fields if getattr(model, name) is not None]
    if len(given) != 1:
        keys = ", ".join(type(model).model_fields[name].alias or name for name in fields)
        said = f"{len(given)} are set" if given else "none is set"
        raise ValueError(f"exactly one of {keys} must be set ({said})")


def text_or_mapping(value: Any) -> str:
    """Tell pydantic which side of a `word | {…}` choice was written."""
    return "word" if isinstance(value, str) else "choice"


class CardSpec(SpecModel):
    """A card that the catalogue does not know."""

    vendor: Literal["nvidia", "amd", "intel", "huawei"]
    product_name: LabelValue
    memory_gib: Annotated[Positive, Field(alias="memoryGiB")]
    mig_class: Text | None = None
    resource: LabelKey | None = None


class TopologySpec(SpecModel):
    """Levels from the widest to `kubernetes.io/hostname`."""

    levels: Annotated[list[LabelKey], Field(min_length=1, max_length=16)]


TopologyChoice = Annotated[
    Annotated[Literal["off"], Tag("word")] | Annotated[TopologySpec, Tag("choice")], Discriminator(text_or_mapping)
]

Price = Annotated[str, StringConstraints(pattern=r"^\d+(\.\d+)? [A-Z]{3}$")]
"""A decimal number and an ISO 4217 currency: `2.40 USD`."""


class CardTierSpec(SpecModel):
    """A class of cards that task pools ask for by name."""

    cards: Annotated[list[CardName], Field(min_length=1)]
    suits: list[TaskKindName] = ["training", "batchInference", "onlineInference", "experiment"]
    topology: TopologyChoice | None = None
    cost_per_card_hour: Price | None = None
    revision: Count = 0


class SharesSpec(SpecModel):
    """Time slicing or MPS: how many pods share a card."""

    replicas: Positive
    rename_by_default: bool = True


class MigGroupSpec(SpecModel):
    """Cards of each node that are cut alike; without profiles they stay whole."""

    cards: Annotated[list[Count], Field(min_length=1)]
    profiles: dict[MigProfileName, Positive] = {}


class MigSpec(SpecModel):
    """A MIG layout: one cut for every card, or groups of cards."""

    strategy: Literal["single", "mixed"] = "mixed"
    name: Name | None = None
    profiles: dict[MigProfileName, Positive] | None = None
    groups: list[MigGroupSpec] | None = None

    @model_validator(mode="after")
    def _one_layout(self) -> Self:
        exactly_one(self, "profiles", "groups")
        return self


class SharingChoiceSpec(SpecModel):
    """One way of sharing a card."""

    mig: MigSpec | None = None
    time_slicing: SharesSpec | None = None
    mps: SharesSpec | None = None

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        exactly_one(self, "mig", "time_slicing", "mps")
        return self


SharingChoice = Annotated[
    Annotated[Literal["exclusive"], Tag("word")] | Annotated[SharingChoiceSpec, Tag("choice")],
    Discriminator(text_or_mapping),
]


class NfdSelectionSpec(SpecModel):
    """Narrow an NFD rule to nodes by name; needed where two pools hold the same card."""

    node_names: list[Text] = []


class SelectedBySpec(SpecModel):
    """How the nodes of a pool are found."""

    labels: Annotated[Labels, Field(min_length=1)] | None = None
    nfd: NfdSelectionSpec | None = None
    provisioner: Literal["karpenter", "capi", "eks", "gke", "talos", "kubelet"] | None = None

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        exactly_one(self, "labels", "nfd", "provisioner")
        return self


class TaintSpec(SpecModel):
    """A taint that the pool's nodes carry."""

    key: LabelKey
    value: LabelValue = ""
    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"]


class DriverSpec(SpecModel):
    """The GPU driver of the pool."""

    branch: Annotated[str, StringConstraints(pattern=r"^\d{3}$")] | None = None
    kernel_modules: Literal["auto", "open", "proprietary"] = "auto"


class NodePoolSpec(SpecModel):
    """Nodes with one card model, one way of sharing, and one set of labels and taints."""

    cluster: Name
    tier: TierName
    card: CardName | None = None
    nodes: Positive
    cards_per_node: Annotated[int, Field(ge=1, le=64)]
    selected_by: SelectedBySpec
    sharing: SharingChoice = "exclusive"
    taints: list[TaintSpec] = []
    topology_labels: Literal["provided", "nfd", "kubelet"] | None = None
    driver: DriverSpec = DriverSpec()
    revision: Count = 0
