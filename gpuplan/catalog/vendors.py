"""The families of devices, each with node agents, labels and metrics of its own (data/vendors.yaml).

A vendor may have several: Intel's GPUs and its Gaudi accelerators share nothing but their maker. A key in `unchecked`
marks a value that nobody has read at a source: rules may warn on it, never fail.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from gpuplan.catalog._load import Row, Table
from gpuplan.catalog.cards import Card, Vendor


@dataclass(frozen=True, slots=True, kw_only=True)
class Plugin:
    """What offers the devices to Kubernetes, in words, with the version that the facts were read for."""

    name: str
    version: str
    namespace: str
    """Empty where the vendor names none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CardMetrics:
    """What an exporter says of a card: PromQL selectors, empty where it says nothing of the kind.

    `presence` is there for every card that works at all. `temperature` and `temperature_limit` are in degrees Celsius, and so
    is `temperature_margin`, the distance from a limit that some cards tell of instead of the limit;
    `uncorrectable` counts memory errors that cost data, `unhealthy` is a condition that holds while the vendor's own
    verdict is bad. `utilisation` goes from 0 to `utilisation_full`, `power` is in parts of a watt, `power_per_watt` to each.
    The two figures of memory share a unit, which differs by vendor.
    """

    presence: str
    temperature: str
    temperature_limit: str
    temperature_margin: str
    uncorrectable: str
    unhealthy: str
    power: str
    power_per_watt: int
    utilisation: str
    utilisation_full: int
    memory_used: str
    memory_total: str


@dataclass(frozen=True, slots=True, kw_only=True)
class VendorExporter:
    """The exporter of a family: where it is scraped, and how its series name a card.

    `card` maps our label of a physical card to the exporter's; the last one is its identity, which all devices of one
    board share where `per_board`. `service_label_key` is a label whose value depends on the installation.
    `limit_celsius` stands in where the exporter exports no limit; 0 for none. `port_name` is empty where the Service
    leaves its port without a name. `unchecked` names keys of the data file.
    """

    name: str
    image: str
    version: str
    namespace: str
    port: int
    port_name: str
    service_labels: Mapping[str, str]
    service_label_key: str
    pod_label: str
    """Label of its pods that holds the name of the pool, empty where none does."""
    card: Mapping[str, str]
    per_board: bool
    holder: Mapping[str, str]
    """Our labels of the pod that holds a card, and the exporter's, where they differ."""
    labels: tuple[str, ...]
    """Other labels of its series, as far as we know and keep them."""
    metrics: CardMetrics
    limit_celsius: int
    unchecked: frozenset[str]
    source: str
    checked: dt.date

    @property
    def holder_labels(self) -> tuple[str, ...]:
        """Our labels of the pod that holds a card, those that its series have once they are scraped."""
        found = (name for name in ("namespace", "pod", "container") if name in self.holder or name in self.labels)
        return tuple(found)

    @property
    def identity(self) -> str:
        """The exporter's label that no two cards of a node share."""
        return list(self.card.values())[-1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """Devices that one set of node agents serves."""

    name: str
    title: str
    vendor: Vendor
    domain: str
    pci_vendors: tuple[str, ...]
    pci_classes: tuple[str, ...]
    plugin: Plugin
    reads: tuple[str, ...]
    driver: str
    """The driver's version that the vendor's operator installs, empty where none does."""
    chart_values: Mapping[str, str]
    """Values of the vendor's chart without which its own objects and ours would take one node."""
    exporter: VendorExporter
    unchecked: frozenset[str]
    source: str
    checked: dt.date


@dataclass(frozen=True, slots=True)
class Families:
    """Every family, by name."""

    by_name: Mapping[str, Family]

    def of(self, card: Card) -> Family:
        """Return the family of a card: by the domain of its resource, else the last of its vendor (Intel's GPUs)."""
        made_by = [family for family in self.by_name.values() if family.vendor is card.vendor]
        domain = card.resource.partition("/")[0]
        return next((family for family in made_by if family.domain == domain), made_by[-1])


def read() -> Families:
    """Read every family."""
    table = Table("vendors.yaml")
    exporters = {row.key: _exporter(row) for row in table.rows("exporters")}
    return Families(MappingProxyType({row.key: _family(row, exporters[row.key]) for row in table.rows("families")}))


def _family(row: Row, exporter: VendorExporter) -> Family:
    provenance, plugin = row.provenance, row.mapping("plugin")
    return Family(
        name=row.key,
        title=row.text("title"),
        vendor=Vendor(row.text("vendor")),
        domain=row.text("domain"),
        pci_vendors=row.texts("pciVendors"),
        pci_classes=row.texts("pciClasses"),
        plugin=Plugin(name=plugin["name"], version=plugin["version"], namespace=plugin["namespace"]),
        reads=row.texts("reads"),
        driver=row.text("driver", ""),
        chart_values=MappingProxyType(row.mapping("chartValues")),
        exporter=exporter,
        unchecked=row.unchecked,
        source=provenance.source,
        checked=provenance.checked,
    )


def _exporter(row: Row) -> VendorExporter:
    provenance = row.provenance
    return VendorExporter(
        name=row.text("name"),
        image=row.text("image"),
        version=row.text("version"),
        namespace=row.text("namespace"),
        port=row.whole("port"),
        port_name=row.text("portName"),
        service_labels=MappingProxyType(row.mapping("serviceLabels")),
        service_label_key=row.text("serviceLabelKey", ""),
        pod_label=row.text("podLabel", ""),
        card=MappingProxyType(row.mapping("card")),
        per_board=row.flag("perBoard"),
        holder=MappingProxyType(row.mapping("holder")),
        labels=row.texts("labels"),
        metrics=_metrics(row.mapping("metrics")),
        limit_celsius=row.whole("limitCelsius", 0),
        unchecked=row.unchecked,
        source=provenance.source,
        checked=provenance.checked,
    )


def _metrics(said: Mapping[str, str]) -> CardMetrics:
    return CardMetrics(
        presence=said["presence"],
        temperature=said["temperature"],
        temperature_limit=said.get("temperatureLimit", ""),
        temperature_margin=said.get("temperatureMargin", ""),
        uncorrectable=said["uncorrectable"],
        unhealthy=said.get("unhealthy", ""),
        power=said["power"],
        power_per_watt=int(said.get("powerPerWatt", 1)),
        utilisation=said["utilisation"],
        utilisation_full=int(said.get("utilisationFull", 1)),
        memory_used=said["memoryUsed"],
        memory_total=said["memoryTotal"],
    )
