"""What every step of resolving needs: the spec, where it stands, what is known, and where findings go."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from gpuplan.catalog import Catalog
from gpuplan.diagnostics import Diagnostic, KeyPath
from gpuplan.resolve import findings
from gpuplan.spec.fleet import FleetSpec
from gpuplan.spec.merge import Origins
from gpuplan.suggest import candidates

T = TypeVar("T")

OF_THE_CATALOGUE = ("releases", "components")
"""What names stand for that no spec can define."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """One run of `resolve`. `found` is the only thing that grows."""

    spec: FleetSpec
    origins: Origins
    catalog: Catalog
    broken: frozenset[KeyPath]
    found: list[Diagnostic] = field(default_factory=list)

    def look_up(self, kind: str, known: Mapping[str, T], name: str, at: KeyPath, *, is_key: bool = False) -> T | None:
        """Return what a name stands for; a finding at `at` and None where it stands for nothing.

        `kind` is the section that would define it, such as `cardTiers`; `is_key` says that the name is a key rather than a value.
        A name that is defined but broken is no second finding.
        """
        if name in known:
            return known[name]
        if (kind, name) not in self.broken and name not in self._defined(kind):
            self.unknown(kind, known, name, at, is_key=is_key)
        return None

    def clusters(self, known: Mapping[str, object], named: Sequence[str] | None, path: KeyPath) -> tuple[str, ...]:
        """Return the clusters that a list at `path` names, all where there is no list, in the order of the fleet; a finding
        for each that is unknown.
        """
        for index, name in enumerate(named or ()):
            self.look_up("clusters", known, name, (*path, index))
        return tuple(name for name in known if named is None or name in named)

    def _defined(self, kind: str) -> Mapping[str, object]:
        """Return what the spec defines in a section, also what could not be bound for a reason that is said elsewhere."""
        spec = self.spec
        sections: Mapping[str, Mapping[str, object]] = {
            "clusters": spec.clusters,
            "cardTiers": spec.card_tiers,
            "taskPools": spec.task_pools,
            "nodePools": spec.node_pools,
        }
        return sections.get(kind, {})

    def unknown(self, kind: str, known: Mapping[str, object], name: str, at: KeyPath, *, is_key: bool = False) -> None:
        """Report a name that nothing defines, with the nearest one that exists."""
        offered = " or ".join(f"`{other}`" for other in candidates(name, known))
        shown = ", ".join(f"`{other}`" for other in sorted(known)[:12]) or "none"
        defined_here = f", or define `{name}` under `{kind}`" if kind not in OF_THE_CATALOGUE else ""
        fix = f"Write {offered}{defined_here}." if offered else f"Defined are: {shown}."
        summary = f"`{name}` is not defined in `{kind}`"
        span = self.origins.key(at) if is_key else self.origins.value(at)
        self.found.append(findings.UNKNOWN_NAME.found(summary, at=span, fix=fix))
