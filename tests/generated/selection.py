"""How nodes are found and what they repel: every node belongs to one pool, and pools of one flavor share a label."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

Entry = dict[str, Any]

PROVISIONERS = ("karpenter", "capi", "eks", "gke", "talos", "kubelet")
TAINTS: tuple[Entry, ...] = (
    {"key": "nvidia.com/gpu", "effect": "NoSchedule"},
    {"key": "acme.example/pool", "value": "true", "effect": "NoExecute"},
    {"key": "acme.example/Team_1", "value": "1e3", "effect": "PreferNoSchedule"},
    {"key": "acme.example/pool", "value": "on", "effect": "NoSchedule"},
    {"key": "bare", "value": "", "effect": "NoSchedule"},
)
UNPREFIXED = 4
"""Index of the taint that NFD would refuse to set."""


@st.composite
def taints(draw: st.DrawFn, platform: Entry) -> list[Entry]:
    """Return taints of different keys and effects, without any that the cluster's NFD would refuse."""
    known = TAINTS[:UNPREFIXED] if platform.get("nfd", {}).get("taints") else TAINTS
    return draw(st.lists(st.sampled_from(known), max_size=3, unique_by=lambda taint: (taint["key"], taint["effect"])))


@st.composite
def select(
    draw: st.DrawFn, clusters: dict[str, Entry], pools: dict[str, Entry], card_of: Callable[[Entry], str]
) -> None:
    """Give every pool its `selectedBy`: existing labels for a whole tier of a cluster, or our own four."""
    ways: dict[tuple[str, str], str] = {}
    for name, pool in pools.items():
        way = ways.setdefault((pool["cluster"], pool["tier"]), draw(st.sampled_from(("labels", "ours"))))
        if way == "labels":
            pool["selectedBy"] = {"labels": draw(_labels(name, pool, card_of(pool), clusters[pool["cluster"]]))}
        else:
            pool["selectedBy"] = draw(_ours(name, alone=_is_alone(pool, pools)))


def _is_alone(pool: Entry, pools: dict[str, Entry]) -> bool:
    return [other["cluster"] for other in pools.values()].count(pool["cluster"]) == 1


@st.composite
def _labels(draw: st.DrawFn, name: str, pool: Entry, card: str, platform: Entry) -> Entry:
    """Return a label of the pool alone and one of its flavor, and the MIG manager's where it is ours."""
    layout = pool.get("sharing", {})
    cut = layout.get("mig", {}) if isinstance(layout, dict) else {}
    flavor = "-".join((pool["tier"][:20], card, cut.get("name", "")))
    labels = {"acme.example/pool": name, "acme.example/flavor": flavor.strip("-")}
    stack = pool.get("stack", platform.get("stack", "manual"))
    if stack == "operator" and isinstance(layout, dict) and {"timeSlicing", "mps"} & layout.keys():
        labels["nvidia.com/device-plugin.config"] = _config_name(layout)
    if stack == "operator" and isinstance(layout, dict) and "partition" in layout:
        said = layout["partition"]
        profile = f"{said['compute']}-{said['memory']}-{pool['cardsPerNode']}"
        labels["dcm.amd.com/gpu-config-profile"] = profile.lower()
    if cut and (stack != "external" or draw(st.booleans())):
        single = "single-" if cut.get("strategy") == "single" else ""
        labels["nvidia.com/mig.config"] = single + cut["name"]
    if draw(st.booleans()):
        labels["node.kubernetes.io/instance-type"] = draw(st.sampled_from(("hgx", "on", "1e3", "p5.48xlarge", "")))
    return labels


def _config_name(sharing: Entry) -> str:
    """Return the operator's name of a way of sharing."""
    ((mode, said),) = sharing.items()
    plain = "" if said.get("renameByDefault", True) else "-plain"
    return f"{'time-slicing' if mode == 'timeSlicing' else mode}-{said['replicas']}{plain}"


@st.composite
def _ours(draw: st.DrawFn, name: str, *, alone: bool) -> Entry:
    """Return a provisioner, or an NFD rule that names its nodes wherever another pool is near."""
    if draw(st.booleans()):
        return {"provisioner": draw(st.sampled_from(PROVISIONERS))}
    names = ([f"{name}-[0-9]+"], [f"{name}-0", f"{name}-1.acme.internal"], [rf"(gpu|{name})\d{{1,3}}-{name}"])
    chosen = draw(st.sampled_from(names))
    return {"nfd": draw(st.sampled_from(({}, {"nodeNames": chosen}))) if alone else {"nodeNames": chosen}}
