"""Release sets: versions that go together, so that a fleet names a date (data/releases.yaml)."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from gpuplan.catalog._load import Row, Table
from gpuplan.catalog.compat import KubernetesRange, kubernetes_range
from gpuplan.versions import Version


@dataclass(frozen=True, slots=True, kw_only=True)
class Component:
    """One component: `image` is `repository:tag`, `chart` where its Helm chart lives; either may be empty."""

    name: str
    version: Version
    image: str
    chart: str
    confirmed: bool
    source: str
    checked: dt.date

    @property
    def repository(self) -> str:
        """The image without its tag."""
        return self.image.rpartition(":")[0]

    @property
    def tag(self) -> str:
        """The image's tag."""
        return self.image.rpartition(":")[2]


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """A release set, named by year and month.

    `driver` is the driver that the set takes where a pool names none. A component whose `confirmed` is False, and what
    `unchecked` names, was put together without a source that says so.
    """

    name: str
    kubernetes: KubernetesRange
    driver: Version
    components: Mapping[str, Component]
    unchecked: frozenset[str]
    source: str
    checked: dt.date


def read() -> Mapping[str, Release]:
    """Read the release sets, by name, oldest first."""
    return MappingProxyType({row.key: _release(row) for row in Table("releases.yaml").rows("releases")})


def newest(releases: Mapping[str, Release]) -> Release:
    """Return the release with the latest date; names sort by date."""
    return releases[max(releases)]


def _release(row: Row) -> Release:
    provenance = row.provenance
    return Release(
        name=row.key,
        kubernetes=kubernetes_range(row, "kubernetes"),
        driver=row.version("driver"),
        components=MappingProxyType({part.key: _component(part) for part in row.children("components")}),
        unchecked=row.unchecked,
        source=provenance.source,
        checked=provenance.checked,
    )


def _component(row: Row) -> Component:
    provenance = row.provenance
    return Component(
        name=row.key,
        version=row.version("version"),
        image=row.text("image", ""),
        chart=row.text("chart", ""),
        confirmed=not row.unchecked,
        source=provenance.source,
        checked=provenance.checked,
    )
