"""What a plan consists of. Everything is data: reports turn it into text, tests compare it."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

from gpuplan import conventions
from gpuplan.compare import ABSENT, Absent, Change
from gpuplan.diagnostics import KeyPath, Span
from gpuplan.plan.promise import Promise
from gpuplan.plan.state import Plain, Ref

__all__ = [
    "ABSENT",
    "NOTHING",
    "Absent",
    "Action",
    "Approval",
    "Balance",
    "Edit",
    "Effect",
    "Holding",
    "ObjectChange",
    "Plan",
    "QuotaRow",
    "Risk",
    "Rollout",
    "SpecChange",
    "Step",
    "TextChange",
]


class Risk(enum.Enum):
    """How bad a change is for what runs; the value is the spelling in reports."""

    NONE = "none"
    """Nothing that runs or waits notices."""
    LOW = "low"
    """Limits, waits or rules change; nothing that runs is touched."""
    DISRUPTIVE = "disruptive"
    """Something that runs restarts, drains, waits or is evicted, and comes back."""
    DESTRUCTIVE = "destructive"
    """Something that runs, or is kept, is lost for good, or work can never run again."""

    @property
    def rank(self) -> int:
        """Sort key: the worst is the highest."""
        return list(Risk).index(self)


class Action(enum.Enum):
    """What becomes of an object; the value is its sign."""

    CREATE = "+"
    UPDATE = "~"
    DELETE = "-"
    REPLACE = "-/+"
    """Taken away and made anew, or gone under one name and back under another."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpecChange:
    """One value of the spec that differs: the deepest map keys that do; lists are compared as a whole."""

    path: KeyPath
    old: Plain | Absent
    new: Plain | Absent
    at: Span
    """Where it stands in the new spec, or in the old one where it is gone."""
    gone: bool
    """Whether `at` is a place in the old spec."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectChange:
    """An object that is made, changed, taken away or replaced."""

    ref: Ref
    """Its identity on the new side, on the old one where it is gone."""
    action: Action
    file: str
    """Its file below `rendered/`, on the side of `ref`."""
    changes: tuple[Change, ...]
    """What differs, for an update or replacement."""
    before: Mapping[str, object] | None
    after: Mapping[str, object] | None
    was: Ref | None = None
    """Its identity on the old side, where it was renamed."""
    reason: str = ""
    """Why it is replaced rather than changed."""
    causes: tuple[SpecChange, ...] = ()
    """What in the spec led to it; none where it is unknown."""
    by_tool: bool = False
    """Whether the version of gpuplan alone makes the difference: the old spec gives the same object today."""

    @property
    def confirmed(self) -> bool:
        """Whether Argo CD waits for a person before it takes the object away."""
        metadata = (self.before or {}).get("metadata")
        annotations = metadata.get("annotations", {}) if isinstance(metadata, Mapping) else {}
        return "Prune=confirm" in str(annotations.get(conventions.ANNOTATION_SYNC_OPTIONS, "")).split(",")


@dataclass(frozen=True, slots=True, kw_only=True)
class TextChange:
    """A file that is no object and that differs: a snippet for a provisioner, a runbook, rules for Prometheus."""

    path: str
    action: Action
    before: str
    after: str
    causes: tuple[SpecChange, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Holding:
    """What one owner may hold of one flavor and resource, in pieces; None is without end."""

    guaranteed: int = 0
    """There at any moment: a queue's floor, or what a shared task pool owns as a whole."""
    borrowable: int | None = 0
    """Beyond that while it is idle elsewhere, until its owner wants it back."""
    reclaimable: int | None = 0
    """Of reclaimable work: taken while idle, and the first to go."""
    lent: int = 0
    """The part of `guaranteed` that others may use while it is idle."""
    weight: int = 1
    """Fair-sharing weight."""


NOTHING: Final = Holding()


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotaRow:
    """One owner's rights on one flavor and resource of one cluster, before and after."""

    cluster: str
    tier: str
    """Empty where a rendered tree does not say."""
    flavor: str
    resource: str
    service: str
    """guaranteed, queued, shared or reclaimable."""
    task_pool: str
    team: str
    """Empty for what a shared task pool owns as a whole."""
    old: Holding
    new: Holding
    per_piece: Fraction | None
    """Cards of one piece; None where it is not known."""
    was_team: str = ""
    """The team's name before, where it was renamed."""
    queue: str = ""
    """Name of its ClusterQueue, of the new side where it has one; empty for what a task pool owns as a whole."""
    was_queue: str = ""
    """Name of its ClusterQueue on the old side; empty where it had none."""
    causes: tuple[SpecChange, ...] = ()

    @property
    def changed(self) -> bool:
        """Whether anything differs. Who had nothing and gets nothing has no other share of it, whatever the weight."""
        if NOTHING in (self.old, self.new):
            return replace(self.old, weight=1) != replace(self.new, weight=1)
        return self.old != self.new


@dataclass(frozen=True, slots=True, kw_only=True)
class Balance:
    """All pieces of one flavor and resource of a cluster against what is promised of them, (before, after)."""

    cluster: str
    tier: str
    flavor: str
    resource: str
    capacity: tuple[int, int]
    owned: tuple[int, int]
    """Floors and shared pools together."""
    per_piece: Fraction | None

    @property
    def rest(self) -> tuple[int, int]:
        """What nobody owns: it sits on the root, for all who may borrow."""
        return self.capacity[0] - self.owned[0], self.capacity[1] - self.owned[1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """What a change does on a cluster."""

    fact: str
    """Id of the row of the catalogue's effects that says what happens, and by which source."""
    risk: Risk
    cluster: str | None
    """None where it concerns Argo CD's own cluster, or the whole fleet."""
    subject: str
    """What it happens to: `pool h100-a`, `queue nlp-pretrain`. Effects of one fact, cluster and subject do not repeat."""
    summary: str
    """One line with names and numbers, without a final period."""
    objects: tuple[Ref, ...] = ()
    """The objects whose change does it."""
    causes: tuple[SpecChange, ...] = ()
    teams: tuple[str, ...] = ()
    """Teams that lose by it: cards, running work, a namespace. Their owners are asked."""
    nodes: int = 0
    """Nodes that it touches, as far as the spec says."""
    cards: int = 0
    """Cards that it touches."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """One change to the spec: the value that a path gets, ABSENT to take it out."""

    path: KeyPath
    value: Plain | Absent


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step of an ordered rollout: a commit, or something that a person does, and what to wait for after it."""

    title: str
    edits: tuple[Edit, ...] = ()
    """What the commit changes in `fleet/`, on top of the commits before it; none for a step by hand."""
    merges: bool = False
    """Whether this is the change itself: its commit makes the new spec, `edits` on top of it."""
    commands: tuple[str, ...] = ()
    """What a person runs, ready to copy."""
    until: str = ""
    """What to wait for before the next step, with how to see it."""
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rollout:
    """A change that would harm as one commit, as separate safe ones."""

    kind: str
    """shrink, recut, flavor, priority, stack, …: stable, for tests and JSON."""
    cluster: str | None
    subject: str
    reason: str
    """What the one commit would do."""
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval:
    """Who is asked before the merge, and for what."""

    role: str
    """`team nlp`, `cluster prod-eu` or `platform`."""
    owners: tuple[str, ...]
    """Names that the spec gives, as the code host knows them; empty where it names none."""
    effects: tuple[Effect, ...]
    """What they are asked for."""

    @property
    def reasons(self) -> tuple[str, ...]:
        """What the effects say, each once."""
        return tuple(dict.fromkeys(effect.summary for effect in self.effects))


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Everything that a reviewer needs to know of a change."""

    old: str
    new: str
    fleet: str
    """The fleet's name; empty where neither side has a spec."""
    clusters: tuple[str, ...]
    """All clusters of both sides, sorted."""
    spec: tuple[SpecChange, ...]
    objects: tuple[ObjectChange, ...]
    texts: tuple[TextChange, ...]
    quotas: tuple[QuotaRow, ...]
    """Rows that changed, and the unchanged ones of the same flavors and resources."""
    balances: tuple[Balance, ...]
    """Of every flavor and resource that `quotas` names."""
    effects: tuple[Effect, ...]
    """The worst first."""
    rollouts: tuple[Rollout, ...]
    approvals: tuple[Approval, ...]
    promises: tuple[Promise, ...] = ()
    """Floors that are worth something else than before."""

    @property
    def risk(self) -> Risk:
        """The worst of its effects; any change at all is at least `none`."""
        return max((effect.risk for effect in self.effects), key=lambda risk: risk.rank, default=Risk.NONE)

    @property
    def empty(self) -> bool:
        """Whether nothing changes: no object and no file, and nobody is asked for anything."""
        return not (self.objects or self.texts or self.approvals)

    @property
    def changed_clusters(self) -> tuple[str, ...]:
        """Names of the clusters with an object that changes."""
        return tuple(sorted({change.ref.cluster for change in self.objects if change.ref.cluster is not None}))
