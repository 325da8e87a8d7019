"""A small fleet with every stack and several ways to find nodes, and what changes of its node side do."""

from __future__ import annotations

from collections.abc import Iterable

from gpuplan.plan.live import NOBODY_LOOKED, Live
from gpuplan.plan.parts import Effect, Risk
from tests.unit.plan.two import edited, effects

BASE = """
apiVersion: gpuplan.dev/v1alpha1
metadata: {name: acme}
clusters:
  eu: {kubernetes: "1.36", release: "2026.08", destination: {server: "https://eu"}}
  op: {kubernetes: "1.36", release: "2026.08", stack: operator}
cardTiers:
  big: {cards: [h100-sxm-80gb]}
  serve: {cards: [l40s]}
  lab: {cards: [a100-sxm-40gb]}
  desk: {cards: [t4]}
  ops: {cards: [l4]}
  amd: {cards: [mi300x]}
defaults:
  nodePool: {nodes: 2, cardsPerNode: 4, driver: {branch: "580"}}
nodePools:
  h100-a: {cluster: eu, tier: big, nodes: 16, cardsPerNode: 8, selectedBy: {labels: {type: hgx}}, taints: [{key: nvidia.com/gpu, effect: NoSchedule}]}
  l40s-a: {cluster: eu, tier: serve, nodes: 8, selectedBy: {provisioner: karpenter}}
  a100-a: {cluster: eu, tier: lab, nodes: 4, selectedBy: {nfd: {}}}
  t4-a: {cluster: eu, tier: desk, selectedBy: {nfd: {}}, sharing: {timeSlicing: {replicas: 4}}}
  l4-a: {cluster: op, tier: ops, selectedBy: {provisioner: kubelet}}
  mi300x-a: {cluster: op, tier: amd, nodes: 1, cardsPerNode: 8, selectedBy: {nfd: {}}, driver: {preinstalled: true}}
taskPools:
  pretrain: {kind: training, service: guaranteed, tiers: [big], largestJob: {pods: 2, cardsPerPod: 8}}
  chat: {kind: onlineInference, service: guaranteed, tiers: [serve], stateful: {drainSeconds: 900}}
  explore: {kind: experiment, service: queued, tiers: [lab]}
  desks: {kind: experiment, service: queued, tiers: [desk]}
  tests: {kind: batchInference, service: queued, tiers: [ops]}
teams:
  nlp:
    namespaces: [nlp]
    alerts: {receiver: nlp-chat}
    quotas: {pretrain: {big: {guaranteed: 64}}, chat: {serve: {guaranteed: 8}}, tests: {ops: {guaranteed: 4}}}
  vision:
    namespaces: [vision]
    quotas: {explore: {lab: {guaranteed: 8}}, desks: {desk: {guaranteed: 8}}, chat: {serve: {guaranteed: 8}}}
monitoring:
  alertmanager:
    platform: oncall
    receivers:
      oncall: {pagerduty: {secret: pager}}
      nlp-chat: {slack: {channel: "#nlp", secret: slack}}
      other: {slack: {channel: "#other", secret: slack}}
"""

AREAS = (
    "agent",
    "amd",
    "claims",
    "delivery",
    "driver",
    "files",
    "health",
    "monitoring",
    "nodes",
    "operator",
    "pool",
    "release",
    "runtime",
    "serving",
    "sharing",
    "stack",
    "taints",
    "tool",
)
"""Areas of facts on the node side."""

Edits = Iterable[tuple[str, str]]
Told = tuple[str, str, str, int, str]
"""(fact, risk, subject, nodes, teams by comma)."""


def of_nodes(edits: Edits, base: str = BASE, live: Live = NOBODY_LOOKED) -> list[Effect]:
    """Return the effects of edits on the node side."""
    return [effect for effect in effects(base, edited(base, *edits), live) if effect.fact.partition("/")[0] in AREAS]


def told(found: Iterable[Effect]) -> set[Told]:
    """Return what a reviewer is warned of: everything of a risk, in short."""
    return {
        (effect.fact, effect.risk.value, effect.subject, effect.nodes, ",".join(effect.teams))
        for effect in found
        if effect.risk is not Risk.NONE
    }
