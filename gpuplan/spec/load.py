"""Documents -> FleetSpec + Origins: join, fill in defaults, check the shape, and say every mistake at once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from gpuplan.diagnostics import Diagnostics, KeyPath, ordered
from gpuplan.source.document import Document, Mapping, Plain
from gpuplan.spec.base import Name
from gpuplan.spec.clusters import ClusterSpec
from gpuplan.spec.fleet import FleetSpec
from gpuplan.spec.former import former_ids
from gpuplan.spec.merge import Origins, fill_defaults, merge
from gpuplan.spec.mistakes import mistakes
from gpuplan.spec.pools import CardTierSpec, NodePoolSpec


class SpecLeft(FleetSpec):
    """The spec without its broken entries: a section that holds some may then be empty."""

    clusters: dict[Name, ClusterSpec]
    card_tiers: dict[Name, CardTierSpec]
    node_pools: dict[Name, NodePoolSpec]


class SpecOfOthers(FleetSpec):
    """The spec of clusters whose queues stay as they were: no hardware need be known."""

    card_tiers: dict[Name, CardTierSpec] = {}
    node_pools: dict[Name, NodePoolSpec] = {}


@dataclass(frozen=True, slots=True)
class Loaded:
    """The spec as written and where it was written.

    `broken` names the entries with mistakes in their shape, which `spec` leaves out: a reference to one of them is no
    mistake of its own.
    """

    spec: FleetSpec
    origins: Origins
    broken: frozenset[KeyPath]


def load(documents: Iterable[Document]) -> tuple[Loaded | None, Diagnostics]:
    """Check the shape of the whole spec.

    A `Loaded` comes back also when single entries are wrong, so that the next phase can look at the others; it is None
    where too little is left to go on.
    """
    documents = tuple(documents)
    merged, repeated = merge(documents)
    root = fill_defaults(merged)
    origins = Origins(Document(root.file, root, ""))
    data = root.plain()
    spec, errors = _validate(data, SpecOfOthers if data.get("adopted") else FleetSpec)
    found = [*repeated, *mistakes(errors, data, origins)]
    broken = frozenset(_entry(error["loc"], root) for error in errors)
    if spec is None:
        spec, _ = _validate(_without(data, broken), SpecLeft)
    if spec is None:
        return None, ordered(found)
    return Loaded(spec, origins, broken), ordered((*found, *former_ids(spec, origins)))


def _validate(data: dict[str, Plain], model: type[FleetSpec]) -> tuple[FleetSpec | None, list[ErrorDetails]]:
    try:
        return model.model_validate(data), []
    except ValidationError as error:
        return None, error.errors(include_url=False)


def _entry(loc: tuple[str | int, ...], root: Mapping) -> KeyPath:
    """Return the named entry that holds a mistake: `("nodePools", "h100-a")`, or the whole section."""
    section = root.get(str(loc[0])) if loc else None
    return loc[:2] if isinstance(section, Mapping) and len(loc) > 1 else loc[:1]


def _without(data: dict[str, Plain], broken: Iterable[KeyPath]) -> dict[str, Plain]:
    """Return the data without the broken entries."""
    left = {key: dict(value) if isinstance(value, dict) else value for key, value in data.items()}
    for path in broken:
        section = left.get(str(path[0])) if path else None
        if len(path) > 1 and isinstance(section, dict):
            section.pop(str(path[1]), None)
        elif path:
            left.pop(str(path[0]), None)
    return left
