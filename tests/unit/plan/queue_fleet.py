"""A small fleet with every service class, for what changes of its queues do."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from gpuplan import catalog
from gpuplan.plan.live import NOBODY_LOOKED, Live
from gpuplan.plan.parts import Effect
from tests.unit.plan.two import edited, effects

BASE = """
apiVersion: gpuplan.dev/v1alpha1
metadata: {name: acme}
clusters: {eu: {kubernetes: "1.36"}}
cardTiers:
  train: {cards: [h100-sxm-80gb], suits: [training]}
  lab: {cards: [a100-sxm-40gb]}
  desk: {cards: [t4]}
nodePools:
  h100: {cluster: eu, tier: train, nodes: 18, cardsPerNode: 8, selectedBy: {labels: {pool: h100}}, driver: {branch: "580"}}
  a100: {cluster: eu, tier: lab, nodes: 4, cardsPerNode: 8, selectedBy: {labels: {pool: a100}}, driver: {branch: "580"}}
  t4:
    cluster: eu
    tier: desk
    nodes: 2
    cardsPerNode: 4
    selectedBy: {labels: {pool: t4}}
    driver: {branch: "580"}
    sharing: {timeSlicing: {replicas: 4}}
taskPools:
  pretrain: {kind: training, service: guaranteed, tiers: [train], largestJob: {pods: 1, cardsPerPod: 8}}
  tune: {kind: training, service: queued, tiers: [train]}
  chat: {kind: onlineInference, service: guaranteed, tiers: [desk], stateful: {drainSeconds: 600}}
  notebooks: {kind: experiment, service: shared, tiers: [lab], pool: {lab: 16}}
  scratch: {kind: experiment, service: reclaimable, tiers: [lab, train], fallback: nextTier}
teams:
  nlp:
    namespaces: [nlp]
    groups: [nlp-eng]
    quotas:
      pretrain: {train: {guaranteed: 64, borrow: 16}}
      notebooks: {weight: 2}
      chat: {desk: {guaranteed: 16}}
  vision:
    namespaces: [vision, sight]
    groups: [vision-eng]
    quotas:
      pretrain: {train: {guaranteed: 32}}
      tune: {train: {guaranteed: 32}}
      notebooks: {}
      scratch: {}
"""
HEAD = "metadata: {name: acme}"

OWN = re.compile(r"^  ([a-z-]+/[a-z-]+):$", re.MULTILINE)


def own_facts() -> frozenset[str]:
    """Return the facts on the queue side."""
    data = Path(catalog.__file__).parent / "data" / "effects-queues.yaml"
    return frozenset(OWN.findall(data.read_text(encoding="utf-8")))


def queue_effects(old: str, new: str, live: Live = NOBODY_LOOKED) -> list[Effect]:
    """Return what a change does on the queue side."""
    own = own_facts()
    return [effect for effect in effects(old, new, live) if effect.fact in own]


def told(some: Iterable[Effect]) -> list[str]:
    """Return effects as lines: `risk fact, subject, teams that lose`."""
    return sorted(
        " ".join([effect.risk.value, effect.fact, "of", effect.subject, *(f"({team})" for team in effect.teams)])
        for effect in some
    )


class Case(NamedTuple):
    """A change of the fleet, and all that it does on the queue side."""

    name: str
    edits: tuple[tuple[str, str], ...]
    told: tuple[str, ...]
    first: tuple[tuple[str, str], ...] = ()
    """What is edited before, where the change begins elsewhere than at the base."""

    @property
    def old(self) -> str:
        """Return the spec before."""
        return edited(BASE, *self.first)

    @property
    def new(self) -> str:
        """Return the spec after."""
        return edited(self.old, *self.edits)
