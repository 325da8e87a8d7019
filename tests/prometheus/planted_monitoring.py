"""What goes wrong with metrics, rules and routes, planted in a real Prometheus and a real Alertmanager."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gpuplan.model.sharing import SharingMode
from tests.controlplane.verifying.monitors import NODES, QUEUES, Monitors, Undo
from tests.scenarios.scraping import get

COUNTER = "DCGM_FI_DEV_PCIE_REPLAY_COUNTER"
EVERYTHING = {"name": "alertname", "value": ".+", "isRegex": True, "isEqual": True}


@dataclass(frozen=True, slots=True, kw_only=True)
class Planted:
    """A fault of monitoring, planted in the two servers alone; for the words see `tests/controlplane/verifying/bed.py`."""

    name: str
    plant: Callable[[Monitors], Undo]
    check: str
    evidence: str
    also: tuple[str, ...] = ()


def node_at(monitors: Monitors, index: int) -> str:
    """Return a node of a pool with whole cards."""
    whole = [name for name, pool in monitors.pools.items() if pool.sharing.mode is SharingMode.EXCLUSIVE]
    return whole[index]


def exporter_down(monitors: Monitors) -> Undo:
    node = node_at(monitors, 0)
    return monitors.paged(f"/{node}", lambda _: None, f'DCGM_FI_DEV_GPU_TEMP{{node="{node}"}}')


def counter_missing(monitors: Monitors) -> Undo:
    node = node_at(monitors, 1)

    def without(page: str) -> str:
        return "".join(line for line in page.splitlines(keepends=True) if COUNTER not in line)

    return monitors.paged(f"/{node}", without, f'{COUNTER}{{node="{node}"}}')


def kueue_away(monitors: Monitors) -> Undo:
    return monitors.paged(f"/{QUEUES}", lambda _: None, "kueue_pending_workloads")


def pool_unknown(monitors: Monitors) -> Undo:
    """The pods of a node's agents are shown of no node, so that nothing says which pool it is in."""
    node = node_at(monitors, 2)

    def without(page: str) -> str:
        lines = page.splitlines(keepends=True)
        return "".join(line for line in lines if not (line.startswith("kube_pod_info") and f'node="{node}"' in line))

    return monitors.paged(f"/{NODES}", without, f'gpuplan:node_pool:info{{node="{node}"}}')


def group_missing(monitors: Monitors) -> Undo:
    def gone() -> bool:
        return all(group["name"] != "gpuplan-tasks" for group in monitors.rules())

    return monitors.set_up(lambda its: its.groups.pop("gpuplan-tasks"), gone, "a group to be gone")


def rule_in(monitors: Monitors, name: str) -> dict[str, Any]:
    every = (rule for group in monitors.groups.values() for rule in group["rules"])
    return next(rule for rule in every if name in (rule.get("alert"), rule.get("record")))


def expression_edited(monitors: Monitors) -> Undo:
    def edit(its: Monitors) -> None:
        rule = rule_in(its, "GpuPcieReplaysHigh")
        rule["expr"] = f"({rule['expr']}) > 1000000000"

    return monitors.set_up(edit, lambda: "> 1000000000" in monitors.rule("GpuPcieReplaysHigh")["query"], "an edit")


def patience_edited(monitors: Monitors) -> Undo:
    def edit(its: Monitors) -> None:
        rule_in(its, "GpuExporterDownOnGpuNode")["for"] = "7h"

    return monitors.set_up(edit, lambda: monitors.rule("GpuExporterDownOnGpuNode")["duration"] == 25200, "an edit")


def record_missing(monitors: Monitors) -> Undo:
    name = "gpuplan:pool_gpus_allocated:sum"

    def edit(its: Monitors) -> None:
        rules = its.groups["gpuplan-base"]["rules"]
        rules.remove(rule_in(its, name))

    return monitors.set_up(edit, lambda: not monitors.rule(name), "a record to be gone")


def rule_fails(monitors: Monitors) -> Undo:
    """Two series of a node to one: no rule of ours does this, but one that somebody has edited may."""

    def edit(its: Monitors) -> None:
        rule_in(its, "GpuAllocatableLow")["expr"] = "kube_node_info * on () kube_node_created"

    return monitors.set_up(edit, lambda: monitors.rule("GpuAllocatableLow").get("health") == "err", "a rule to fail")


def sends_nowhere(monitors: Monitors) -> Undo:
    def nowhere() -> bool:
        return not get(monitors.prometheus, "alertmanagers")["activeAlertmanagers"]

    return monitors.set_up(lambda its: setattr(its, "sends", False), nowhere, "no Alertmanager")


def route_missing(monitors: Monitors) -> Undo:
    team = monitors.cluster.teams[0].name

    def edit(its: Monitors) -> None:
        routes = its.routing["route"]["routes"]
        routes[:] = [one for one in routes if f'team="{team}"' not in one["matchers"]]

    return monitors.set_up(edit, lambda: f'team="{team}"' not in monitors.config(), "a route to be gone")


def receiver_renamed(monitors: Monitors) -> Undo:
    name = monitors.cluster.teams[1].receiver

    def edit(its: Monitors) -> None:
        for one in its.routing["route"]["routes"]:
            one["receiver"] = "somebody" if one["receiver"] == name else one["receiver"]
        for one in its.routing["receivers"]:
            one["name"] = "somebody" if one["name"] == name else one["name"]

    return monitors.set_up(edit, lambda: "somebody" in monitors.config(), "another name")


def inhibition_missing(monitors: Monitors) -> Undo:
    def edit(its: Monitors) -> None:
        its.routing["inhibit_rules"].pop(0)

    return monitors.set_up(
        edit, lambda: 'source_matchers:\n  - alertname="GpuExporterDown' not in monitors.config(), "it to be gone"
    )


def all_silent(monitors: Monitors) -> Undo:
    now = datetime.datetime.now(datetime.UTC)
    return monitors.silenced(
        {
            "matchers": [EVERYTHING],
            "startsAt": now.isoformat(),
            "endsAt": (now + datetime.timedelta(days=3)).isoformat(),
            "createdBy": "anna",
            "comment": "move to the new hall",
        }
    )


PLANTED = (
    Planted(
        name="the exporter of a node is down",
        plant=exporter_down,
        check="monitoring/exporters",
        evidence=r": no series of DCGM_FI_DEV_GPU_TEMP; its target says: .+",
        also=("monitoring/targets",),
    ),
    Planted(
        name="an exporter lacks a counter",
        plant=counter_missing,
        check="monitoring/counters",
        evidence=rf": no series of {COUNTER}$",
    ),
    Planted(
        name="Kueue is not scraped",
        plant=kueue_away,
        check="monitoring/sources",
        evidence=r"^no series of kueue_pending_workloads$",
    ),
    Planted(
        name="a node is in no pool that monitoring knows",
        plant=pool_unknown,
        check="monitoring/node-pools",
        evidence=r": gpuplan:node_pool:info says nothing of it$",
    ),
    Planted(
        name="a rule file is not loaded",
        plant=group_missing,
        check="monitoring/rules",
        evidence=r"^no group of this name is loaded$",
    ),
    Planted(
        name="an expression is edited by hand",
        plant=expression_edited,
        check="monitoring/rules",
        evidence=r"^alert GpuPcieReplaysHigh: it is `.+, expected `",
    ),
    Planted(
        name="an alert waits longer",
        plant=patience_edited,
        check="monitoring/rules",
        evidence=r"^alert GpuExporterDownOnGpuNode: its `for` is 25200 s, expected \d+ s$",
    ),
    Planted(
        name="a record is missing from its group",
        plant=record_missing,
        check="monitoring/rules",
        evidence=r"^record gpuplan:pool_gpus_allocated:sum: it is not loaded$",
    ),
    Planted(
        name="a rule fails",
        plant=rule_fails,
        check="monitoring/evaluated",
        evidence=r"^alert GpuAllocatableLow: .*(many-to-many|multiple matches)",
        also=("monitoring/rules",),
    ),
    Planted(
        name="Prometheus sends alerts to nobody",
        plant=sends_nowhere,
        check="monitoring/sends-alerts",
        evidence=r"^Prometheus has no active Alertmanager$",
    ),
    Planted(
        name="the route of a team is missing",
        plant=route_missing,
        check="monitoring/routes",
        evidence=r" to platform-oncall, expected \S+-oncall$",
    ),
    Planted(
        name="a receiver has another name",
        plant=receiver_renamed,
        check="monitoring/routes",
        evidence=r"^there is no receiver \S+-oncall; there are .*somebody",
    ),
    Planted(
        name="an inhibition is missing",
        plant=inhibition_missing,
        check="monitoring/inhibitions",
        evidence=r'^not loaded: \{alertname="GpuExporterDownOnGpuNode"\} over ',
    ),
    Planted(
        name="everything is silenced",
        plant=all_silent,
        check="monitoring/silences",
        evidence=r'^silence \S+ of \{alertname=~"\.\+"\} by anna until \S+: move to the new hall$',
    ),
)
"""They stand beside each other: none touches what another one does."""
