"""What a distribution's own GPU stack gives to pods, where others run the agents (data/provided.yaml)."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from gpuplan.catalog._load import Row, Table


@dataclass(frozen=True, slots=True, kw_only=True)
class ProvidedStack:
    """The GPU stack that comes with a distribution.

    `labels` maps a sharing mode (as the spec spells it) to node labels, `key=value` with commas between; they hold
    `{replicas}` or `{profile}`. `unchecked` names fields of this class.
    """

    name: str
    renames: bool
    """Whether shares of a card can appear as `nvidia.com/gpu.shared`."""
    mig_names: str
    """`choice`, or `plain` where MIG instances are always `nvidia.com/gpu`."""
    one_profile: bool
    """Whether all cards of a node pool are cut into one profile."""
    labels: Mapping[str, str]
    taint: str
    """`key=value:effect` that the nodes carry without being asked; empty where there is none."""
    manual_trouble: str
    """Why gpuplan's own agents do not do well there; empty where nothing is known."""
    ask: tuple[str, ...]
    unchecked: frozenset[str]
    source: str
    checked: dt.date


def read() -> Mapping[str, ProvidedStack]:
    """Read the stacks, by the name of the distribution; one without a row brings nothing of its own."""
    return MappingProxyType({row.key: _stack(row) for row in Table("provided.yaml").rows("provided")})


def _stack(row: Row) -> ProvidedStack:
    provenance = row.provenance
    return ProvidedStack(
        name=row.key,
        renames=row.flag("renames", default=True),
        mig_names=row.text("migNames", "choice"),
        one_profile=row.flag("oneProfile"),
        labels=MappingProxyType(dict(row.mapping("labels"))),
        taint=row.text("taint", ""),
        manual_trouble=row.text("manualTrouble", ""),
        ask=row.texts("ask"),
        unchecked=frozenset(_FIELDS[key] for key in row.unchecked),
        source=provenance.source,
        checked=provenance.checked,
    )


_FIELDS = {"manualTrouble": "manual_trouble"}
"""The spelling of a key in the data file → the field of `ProvidedStack` that it fills."""
