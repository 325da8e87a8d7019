"""API versions that servers do not know any more, or did not know yet (data/apis.yaml)."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from gpuplan.catalog._load import Row, Table
from gpuplan.versions import Version


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """When an API version is served."""

    api_version: str
    kinds: tuple[str, ...]
    """The kinds that this is about; all of the version where it is empty."""
    component: str
    """Whose version decides: kubernetes or kueue."""
    since: Version | None
    """The first version that serves it; None where that is long ago."""
    removed: Version | None
    """The first version that does not serve it any more."""
    now: str
    """The API version to write instead; empty where there is none."""
    source: str
    checked: dt.date


def read() -> Mapping[str, Served]:
    """Read the API versions by their names."""
    return MappingProxyType({row.key: _served(row) for row in Table("apis.yaml").rows("apis")})


def _served(row: Row) -> Served:
    return Served(
        api_version=row.key,
        kinds=row.texts("kinds"),
        component=row.text("component", "kubernetes"),
        since=row.optional_version("since"),
        removed=row.optional_version("removed"),
        now=row.text("now", ""),
        source=row.provenance.source,
        checked=row.provenance.checked,
    )
