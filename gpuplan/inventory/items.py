"""What an inventory holds: Kubernetes objects, and configurations in the formats of the programs that read them."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from gpuplan.diagnostics import Span
from gpuplan.inventory.places import OnePlace, Places
from gpuplan.inventory.view import View


class Format(enum.Enum):
    """Formats of configurations; the value is the spelling of `--as`."""

    PLUGIN = "device-plugin-config"
    """NVIDIA's device plugin: `version: v1`, `flags`, `sharing`."""
    MIG_PARTED = "mig-parted"
    """The MIG manager's table: `mig-configs`."""
    COUNTERS = "dcgm-counters"
    """dcgm-exporter's CSV of counters."""
    KUEUE = "kueue-configuration"
    """Kueue's manager: kind `Configuration` of `config.kueue.x-k8s.io`."""
    OPERATOR_VALUES = "gpu-operator-values"
    PLUGIN_VALUES = "device-plugin-values"
    EXPORTER_VALUES = "dcgm-exporter-values"
    NFD_VALUES = "nfd-values"
    KUEUE_VALUES = "kueue-values"
    RULES = "prometheus-rules"
    """Prometheus' own file of rules: `groups`."""


@dataclass(frozen=True, eq=False)
class Item:
    """A mapping, or a text, with the place of each of its values."""

    data: object
    places: Places

    @classmethod
    def plain(cls, data: object, span: Span | None = None) -> Item:
        """Return an item all of which stands at one place; for tests, and for what has no file."""
        return cls(data, OnePlace(span or Span("-", 1, 1, 1, 1)))

    @property
    def file(self) -> str:
        """Name of the file that it stands in, as spans have it."""
        return self.places.file

    @cached_property
    def root(self) -> View:
        """The item itself as a view."""
        return View(self, (), self.data)


@dataclass(frozen=True, eq=False)
class Object(Item):
    """A Kubernetes object. Its names are empty where it has none."""

    @cached_property
    def api_version(self) -> str:
        """`v1`, `kueue.x-k8s.io/v1beta1`, …"""
        return self.root["apiVersion"].text()

    @cached_property
    def group(self) -> str:
        """The API group, empty for the core."""
        return self.api_version.rpartition("/")[0]

    @cached_property
    def kind(self) -> str:
        """Its kind."""
        return self.root["kind"].text()

    @cached_property
    def name(self) -> str:
        """Its name."""
        return self.root["metadata"]["name"].scalar()

    @cached_property
    def namespace(self) -> str:
        """Its namespace, empty where the object names none."""
        return self.root["metadata"]["namespace"].scalar()

    @cached_property
    def spec(self) -> View:
        """Its `spec`."""
        return self.root["spec"]

    @cached_property
    def labels(self) -> Mapping[str, str]:
        """Its labels."""
        return self.root["metadata"]["labels"].texts()

    @cached_property
    def annotations(self) -> Mapping[str, str]:
        """Its annotations."""
        return self.root["metadata"]["annotations"].texts()

    @property
    def at_name(self) -> Span:
        """Where its name stands."""
        return self.root["metadata"]["name"].key_span

    @property
    def at_kind(self) -> Span:
        """Where its kind stands."""
        return self.root["kind"].key_span

    def __str__(self) -> str:
        place = f"{self.namespace}/{self.name}" if self.namespace else self.name
        return f"{self.kind} {place}"


@dataclass(frozen=True, eq=False)
class Config(Item):
    """A configuration: a file of its own, or a text inside a ConfigMap or a chart's values.

    `data` is the parsed mapping, and for a list of counters its text.
    """

    format: Format
    name: str = ""
    """Key of the ConfigMap or of the values; empty for a file of its own."""
    holder: Item | None = None
    """The ConfigMap or the values that it stands in."""
    of_own_chart: bool = False
    """Whether these are the values of the very chart that lies beside them, of whatever version it is."""
