"""Everything that differs between two states, before anybody says what it means."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gpuplan.manifests.set import Manifest
from gpuplan.model.fleet import Cluster
from gpuplan.plan.live import NOBODY_LOOKED, Live
from gpuplan.plan.moves import Moves, moves
from gpuplan.plan.objects import object_changes, text_changes
from gpuplan.plan.parts import Action, Balance, ObjectChange, QuotaRow, SpecChange, TextChange
from gpuplan.plan.quotas import quotas
from gpuplan.plan.spec_changes import Causes, spec_changes
from gpuplan.plan.state import State


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What effects, rollouts and approvals are made of."""

    old: State
    new: State
    moves: Moves
    touched: Causes
    """The changes of the spec, by the paths that they touch."""
    objects: tuple[ObjectChange, ...]
    texts: tuple[TextChange, ...]
    quotas: tuple[QuotaRow, ...]
    """All rights of both sides, changed or not."""
    balances: tuple[Balance, ...]
    """All flavors and resources of both sides."""
    live: Live
    """What runs now, as far as somebody looked; effects hold without it."""

    @property
    def spec(self) -> tuple[SpecChange, ...]:
        """Return the changes of the spec."""
        return self.touched.changes

    def of_kind(self, *kinds: str, action: Action | None = None) -> Iterator[ObjectChange]:
        """Yield the changes of objects of some kinds, and of one action where it is given."""
        for change in self.objects:
            if change.ref.key.kind in kinds and action in (None, change.action):
                yield change

    def clusters(self) -> Iterator[tuple[Cluster, Cluster]]:
        """Yield (before, after) of every cluster that both fleets have, renamed or not, in the order of the new one."""
        for cluster in self.new.fleet.clusters if self.new.fleet else ():
            before = self.old.cluster(self.moves.old_name("clusters", cluster.name))
            if before is not None:
                yield before, cluster

    def causes(self, *made: Manifest | None) -> tuple[SpecChange, ...]:
        """Return the changes of the spec that touch what some objects come from."""
        origins = (origin for one in made if one is not None for origin in (one.origin, *one.also))
        return self.touched.related(origin.path for origin in origins)


def compare_states(old: State, new: State, live: Live = NOBODY_LOOKED) -> Comparison:
    """Find all that differs. States may be of any two specs or trees."""
    renamed = moves(old, new)
    touched = Causes.of(spec_changes(old, new))
    rows, sums = quotas(old, new, renamed, touched)
    return Comparison(
        old=old,
        new=new,
        moves=renamed,
        touched=touched,
        objects=object_changes(old, new, renamed, touched),
        texts=text_changes(old, new, touched),
        quotas=rows,
        balances=sums,
        live=live,
    )
