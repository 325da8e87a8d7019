"""A large fleet of any size, the same text every time.

Each cluster has pools of every way of sharing, each team a queue of its own for training in some clusters, and parts of a
shared and a reclaimable task pool in all of them. The files are split as a company would: one for the fleet, one a
cluster, one a team.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Spec = dict[str, Any]

CARDS_PER_NODE = 8
NODES = 40
TRAINING_CLUSTERS = 10
"""Clusters in which each team has a floor of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """How large a fleet is: its clusters, and in each of them pools, and teams of the whole fleet."""

    clusters: int
    pools: int
    teams: int

    def __str__(self) -> str:
        return f"{self.clusters} clusters x {self.pools} pools x {self.teams} teams"


FULL = Size(clusters=50, pools=20, teams=100)
FEWER_CLUSTERS = Size(clusters=25, pools=20, teams=100)
FEWER_TEAMS = Size(clusters=50, pools=20, teams=50)

TIERS: dict[str, tuple[str, Any]] = {
    "train": ("h100-sxm-80gb", "exclusive"),
    "serve": ("l40s", "exclusive"),
    "slices": ("a100-sxm-40gb", {"mig": {"profiles": {"1g.5gb": 7}}}),
    "desk": ("a10g", {"timeSlicing": {"replicas": 4}}),
    "probe": ("l4", {"mps": {"replicas": 4}}),
}
"""Tier -> its card and how that is shared; the pools of a cluster take them in turn."""


def fleet(size: Size) -> dict[str, Spec]:
    """Return the spec by file name."""
    names = [f"cluster-{number:02}" for number in range(size.clusters)]
    files = {"fleet.yaml": _common(names, size)}
    files |= {f"clusters/{name}.yaml": _cluster(name, size) for name in names}
    files |= {f"teams/team-{number:03}.yaml": _team(number, names) for number in range(size.teams)}
    return files


def write(size: Size, folder: Path) -> None:
    """Write the spec into a folder, one JSON-style YAML entry a line."""
    for name, spec in fleet(size).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_text({"apiVersion": "gpuplan.dev/v1alpha1", "kind": "Fleet", **spec}), encoding="utf-8")


def _text(spec: Spec) -> str:
    lines: list[str] = []
    for key, section in spec.items():
        if isinstance(section, dict):
            lines += [f"{key}:", *(f"  {name}: {json.dumps(entry)}" for name, entry in section.items())]
        else:
            lines.append(f"{key}: {json.dumps(section)}")
    return "\n".join(lines) + "\n"


def _common(names: list[str], size: Size) -> Spec:
    pools_of_a_tier = size.pools // len(TIERS)
    shares = NODES * CARDS_PER_NODE * pools_of_a_tier * 4
    return {
        "metadata": {"name": "bench"},
        "cardTiers": {tier: {"cards": [card], "costPerCardHour": "1.00 USD"} for tier, (card, _) in TIERS.items()},
        "defaults": {"nodePool": {"driver": {"branch": "580"}}},
        "taskPools": {
            "pretrain": {"kind": "training", "service": "guaranteed", "tiers": ["train"]},
            "chat": {"kind": "onlineInference", "service": "queued", "tiers": ["serve"]},
            "notebooks": {
                "kind": "experiment",
                "service": "shared",
                "tiers": ["desk"],
                "pool": {"clusters": {name: {"desk": shares} for name in names}},
            },
            "scratch": {"kind": "experiment", "service": "reclaimable", "tiers": ["slices"]},
        },
        "governance": {"guardRails": {"queueRequired": "deny", "producedResources": "deny"}},
    }


def _cluster(name: str, size: Size) -> Spec:
    return {
        "clusters": {name: {"kubernetes": "1.36", "destination": {"server": f"https://{name}.example.com:6443"}}},
        "nodePools": dict(_pool(name, number) for number in range(size.pools)),
    }


def _pool(cluster: str, number: int) -> tuple[str, Spec]:
    tier = list(TIERS)[number % len(TIERS)]
    name = f"{cluster}-{tier}-{number:02}"
    return name, {
        "cluster": cluster,
        "tier": tier,
        "nodes": NODES,
        "cardsPerNode": CARDS_PER_NODE,
        "selectedBy": {"provisioner": "karpenter"},
        "taints": [{"key": "nvidia.com/gpu", "effect": "NoSchedule"}],
        "sharing": TIERS[tier][1],
    }


def _team(number: int, names: list[str]) -> Spec:
    """A team trains in some clusters, serves in one, and shares the desks and the slices of all."""
    name = f"team-{number:03}"
    training = [names[(number + step) % len(names)] for step in range(min(TRAINING_CLUSTERS, len(names)))]
    serving = names[number % len(names)]
    return {
        "teams": {
            name: {
                "namespaces": [name],
                "groups": [f"oidc:{name}"],
                "costCenter": f"cc-{number}",
                "alerts": {"receiver": f"{name}-oncall"},
                "quotas": {
                    "pretrain": {"clusters": {where: {"train": {"guaranteed": 8, "borrow": 8}} for where in training}},
                    "chat": {"clusters": {serving: {"serve": {"guaranteed": 4, "borrow": 4}}}},
                    "notebooks": {"weight": 1 + number % 3},
                    "scratch": {},
                },
            }
        }
    }
