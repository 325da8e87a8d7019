"""Which resource names are accelerators, and which only share their domain (data/accelerators.yaml)."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from types import MappingProxyType

from gpuplan.catalog._load import Table


@dataclass(frozen=True, slots=True, kw_only=True)
class Domain:
    """The resource names of one domain, as glob patterns of what follows the slash."""

    name: str
    cards: tuple[str, ...]
    """Whole devices."""
    parts: tuple[str, ...]
    """Slices and shares of one device."""
    excluded: tuple[str, ...]
    """Counters and other devices that match a pattern all the same."""
    source: str
    checked: dt.date

    def has(self, name: str, patterns: tuple[str, ...]) -> bool:
        """Tell whether a name after the slash matches, and is no exception."""
        return _any(name, patterns) and not _any(name, self.excluded)


@dataclass(frozen=True, slots=True)
class Accelerators:
    """Every domain, by its name."""

    domains: Mapping[str, Domain]

    def is_card(self, resource: str) -> bool:
        """Tell whether one piece of a resource is a whole device."""
        domain, name = self._split(resource)
        return domain is not None and domain.has(name, domain.cards) and not domain.has(name, domain.parts)

    def is_part(self, resource: str) -> bool:
        """Tell whether one piece of a resource is a slice or a share of a device."""
        domain, name = self._split(resource)
        return domain is not None and domain.has(name, domain.parts)

    def __contains__(self, resource: object) -> bool:
        return isinstance(resource, str) and (self.is_card(resource) or self.is_part(resource))

    def _split(self, resource: str) -> tuple[Domain | None, str]:
        domain, _, name = resource.partition("/")
        return self.domains.get(domain), name


def read() -> Accelerators:
    """Read every domain."""
    return Accelerators(
        MappingProxyType(
            {
                row.key: Domain(
                    name=row.key,
                    cards=row.texts("cards"),
                    parts=row.texts("parts"),
                    excluded=row.texts("except"),
                    source=row.provenance.source,
                    checked=row.provenance.checked,
                )
                for row in Table("accelerators.yaml").rows("accelerators")
            }
        )
    )


def _any(name: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)
