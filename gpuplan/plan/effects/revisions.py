"""Flavors and Topologies with another name for the same hardware: a new revision, or a tier that is called otherwise."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from gpuplan import conventions
from gpuplan.plan.comparison import Comparison
from gpuplan.plan.effects import reading
from gpuplan.plan.parts import Action, ObjectChange

_REVISION = re.compile(r"-[0-9]+$")

Pair = tuple[str, str]
"""(old name, new name)."""


def revisions(comparison: Comparison, kind: str = "ResourceFlavor") -> Mapping[str, Sequence[Pair]]:
    """Return by cluster the objects of a kind that end and begin anew under another name."""
    found: dict[str, list[Pair]] = defaultdict(list)
    for change in reading.changes(comparison, kind, actions=(Action.REPLACE,)):
        if change.was is not None and change.was.key != change.ref.key:
            found[change.ref.cluster or ""].append((change.was.key.name, change.ref.key.name))
    for cluster, gone, come in _ended(comparison, kind):
        for old in gone:
            new = next((one for one in come if _same(old, one)), None)
            if new is not None:
                found[cluster].append((old.ref.key.name, new.ref.key.name))
    return found


def _ended(comparison: Comparison, kind: str) -> Iterator[tuple[str, list[ObjectChange], list[ObjectChange]]]:
    gone: dict[str, list[ObjectChange]] = defaultdict(list)
    come: dict[str, list[ObjectChange]] = defaultdict(list)
    for change in reading.changes(comparison, kind, actions=(Action.CREATE, Action.DELETE)):
        (come if change.action is Action.CREATE else gone)[reading.new_cluster(comparison, change)].append(change)
    for cluster, ended in gone.items():
        yield cluster, ended, come[cluster]


def _same(old: ObjectChange, new: ObjectChange) -> bool:
    """Tell whether two names differ in the revision alone. A card's name may end in a number, so the tier must agree, too."""
    before, after = old.ref.key.name, new.ref.key.name
    stems = _REVISION.sub("", before), _REVISION.sub("", after)
    tiers = (reading.labels(reading.sides(change)).get(conventions.LABEL_TIER) for change in (old, new))
    return len(set(tiers)) == 1 and (stems[0] == stems[1] or before == stems[1] or stems[0] == after)
