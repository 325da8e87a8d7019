"""The cards: what a tier may name, and what each card brings (data/cards.yaml).

A key in `Card.unchecked` marks a value that nobody has read at a source: rules may warn on it, never fail.
"""

from __future__ import annotations

import datetime as dt
import enum
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from gpuplan import conventions
from gpuplan.catalog._load import Row, Table
from gpuplan.catalog.drivers import KernelModules
from gpuplan.versions import Version


class Vendor(enum.Enum):
    """Who makes the card: decides the device plugin, the exporter and the metrics."""

    NVIDIA = "nvidia"
    AMD = "amd"
    INTEL = "intel"
    HUAWEI = "huawei"


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """One card model.

    `product_name` is the value of the node label `nvidia.com/gpu.product` (GPU Feature Discovery) for a whole card;
    for other vendors the name that their labels or documents use. `pci_ids` are lower-case device ids. `memory_gib`
    is the marketing size, `memory_mib` what the driver reports. `devices` counts the devices that one board shows to
    Kubernetes (4 for an A16). `resource` is the extended resource of the whole card. `unchecked` names fields of this
    class.
    """

    name: str
    vendor: Vendor
    product_name: str
    pci_ids: tuple[str, ...]
    memory_gib: int
    memory_mib: int | None
    compute_capability: Version | None
    architecture: str
    mig_class: str | None
    nvlink: str | None
    fp8: bool
    tdp_watts: int | None
    cards_per_node: tuple[int, ...]
    devices: int
    resource: str
    min_driver: Version | None
    kernel_modules: KernelModules | None
    unchecked: frozenset[str]
    source: str
    checked: dt.date

    def is_checked(self, field: str) -> bool:
        """Tell whether a value was read at a source, so that a rule may fail on it."""
        return field not in self.unchecked


def read() -> Mapping[str, Card]:
    """Read every known card, by name."""
    return MappingProxyType({row.key: _card(row) for row in Table("cards.yaml").rows("cards")})


def _card(row: Row) -> Card:
    modules = row.optional("kernelModules")
    provenance = row.provenance
    return Card(
        name=row.key,
        vendor=Vendor(row.text("vendor", "nvidia")),
        product_name=row.text("product"),
        pci_ids=row.texts("pci"),
        memory_gib=row.whole("memoryGiB"),
        memory_mib=row.optional_whole("memoryMiB"),
        compute_capability=row.optional_version("computeCapability"),
        architecture=row.text("architecture"),
        mig_class=row.optional("migClass"),
        nvlink=row.optional("nvlink"),
        fp8=row.flag("fp8"),
        tdp_watts=row.optional_whole("tdpWatts"),
        cards_per_node=row.wholes("cardsPerNode"),
        devices=row.whole("devices", default=1),
        resource=row.text("resource", conventions.RESOURCE_GPU),
        min_driver=row.optional_version("minDriver"),
        kernel_modules=KernelModules(modules) if modules else None,
        unchecked=frozenset(_FIELDS.get(key, key) for key in row.unchecked),
        source=provenance.source,
        checked=provenance.checked,
    )


_FIELDS = {
    "cardsPerNode": "cards_per_node",
    "computeCapability": "compute_capability",
    "kernelModules": "kernel_modules",
    "memoryGiB": "memory_gib",
    "memoryMiB": "memory_mib",
    "migClass": "mig_class",
    "minDriver": "min_driver",
    "pci": "pci_ids",
    "product": "product_name",
    "tdpWatts": "tdp_watts",
}
"""The spelling of a key in the data file → the field that it fills, where the two differ."""
