"""What is known to go wrong with versions of components, or to change with them (data/known-problems.yaml).

What fails for sure stands in compat.yaml and is refused by rules; these rows are told to whoever upgrades. Read by
`gpuplan upgrade` alone.
"""

from __future__ import annotations

import datetime as dt
import functools
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from gpuplan import versions
from gpuplan.catalog._load import Row, Table
from gpuplan.versions import Version


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
    """What a cluster must have for a problem to show; empty tuples ask for nothing.

    `stacks`, `sharing` and `architectures` must hold for one and the same pool; so must those of the features that are a
    pool's (`driverByOperator`).
    """

    distributions: tuple[str, ...]
    systems: tuple[str, ...]
    runtimes: tuple[str, ...]
    frameworks: tuple[str, ...]
    stacks: tuple[str, ...]
    sharing: tuple[str, ...]
    architectures: tuple[str, ...]
    features: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownProblem:
    """A problem of a component's versions.

    `crossing` tells that it matters once, to an upgrade from before `since`; otherwise every version has it from `since`
    on until a `fixed` one. `only_if` is what a spec does not say, in words; empty where the conditions say all.
    """

    name: str
    component: str
    since: Version | None
    fixed: tuple[Version, ...]
    crossing: bool
    when: Conditions
    only_if: str
    summary: str
    remedy: str
    source: str
    checked: dt.date

    def concerns(self, old: Version, new: Version) -> bool:
        """Tell whether an upgrade from one version to another meets it."""
        begun = self.since is None or new >= self.since
        if self.crossing:
            return begun and self.since is not None and old < self.since
        return begun and not self.is_fixed_in(new)

    def is_fixed_in(self, version: Version) -> bool:
        """Tell whether a version has the fix: its own minor's, or that of a minor after which every one has it."""
        if not self.fixed:
            return False
        same = [fix for fix in self.fixed if fix.minor == version.minor]
        return any(version >= fix for fix in same) if same else version > max(self.fixed)


@functools.cache
def read() -> Mapping[str, KnownProblem]:
    """Read the problems, by name."""
    return MappingProxyType({row.key: _problem(row) for row in Table("known-problems.yaml").rows("problems")})


def _problem(row: Row) -> KnownProblem:
    provenance = row.provenance
    crossing = row.flag("crossing")
    since = row.optional_version("since")
    if crossing and since is None:
        raise ValueError(f"{row.key}: what is crossed is not said")
    return KnownProblem(
        name=row.key,
        component=row.text("component"),
        since=since,
        fixed=tuple(map(versions.required, row.texts("fixed"))),
        crossing=crossing,
        when=_conditions(row.lists("when")),
        only_if=row.text("onlyIf", ""),
        summary=row.text("summary"),
        remedy=row.text("remedy"),
        source=provenance.source,
        checked=provenance.checked,
    )


def _conditions(lists: Mapping[str, tuple[str, ...]]) -> Conditions:
    """Raises TypeError for a condition that does not exist."""
    every: dict[str, tuple[str, ...]] = dict.fromkeys(Conditions.__slots__, ())
    return Conditions(**{**every, **lists})
