"""What objects tell of task pools besides their queues: what kind of work, which workloads, its state, its place, idle work."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from gpuplan import conventions
from gpuplan.emit.workloads import integrations
from gpuplan.importer.own.series import Said
from gpuplan.importer.own.serving import serving
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.items import Format
from gpuplan.inventory.metrics.exported import lists
from gpuplan.model.queues import TaskKind
from gpuplan.resolve.queues import DEFAULT_FRAMEWORKS
from gpuplan.resolve.watching import IDLE
from gpuplan.rules.queue.kind_and_framework import FOREIGN

Plain = object
ONLINE = "onlineInference"
FRAMEWORKS = ("job", "pod", "deployment", "statefulset", "jobset", "leaderworkerset", "mpijob")
FRAMEWORKS_NOTE = (
    "Kueue lists kinds of workloads for a whole cluster: which of them this task pool runs, no object tells."
)
_DRAIN = re.compile(r'"([^"]+)": (\d+)')
_WISH = re.compile(r'"([^"]+)": \["kueue\.x-k8s\.io/podset-(required|preferred)-topology", "([^"]+)"\]')
TENSOR = "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE"
TRAINING_RULES = "gpuplan-training"
_TRAINED = re.compile(r'gpuplan_clusterqueue_team_info\{task_pool=~?"([^"]+)"')
_POLICY = f"{conventions.RECLAIMER}-policy-"


def told(inventories: Mapping[str, Inventory], known: Mapping[str, Said]) -> dict[str, dict[str, Plain]]:
    """Return what is sure of each task pool, by its name, as its entry has it."""
    found: dict[str, dict[str, Plain]] = {}
    for cluster, inventory in inventories.items():
        pool_of = _task_pools(inventory, known[cluster])
        drains = _variable(inventory, conventions.POLICY_STATEFUL_SERVING, "drains")
        for local, seconds in _DRAIN.findall(drains):
            value = found.setdefault(pool_of.get(local, local), {})
            value |= {"kind": ONLINE, "stateful": {"drainSeconds": int(seconds)}}
        wishes = _variable(inventory, conventions.POLICY_TOPOLOGY, "wishes")
        for local, mode, level in _WISH.findall(wishes):
            found.setdefault(pool_of.get(local, local), {})["topology"] = {mode: level}
        for local, idle in _idle(inventory):
            found.setdefault(pool_of.get(local, local), {})["reclaim"] = idle
        for trained in _trained(inventory):
            found.setdefault(trained, {})["kind"] = "training"
        for name, engine in serving(inventory).items():
            found.setdefault(name, {})["serving"] = engine
        start = conventions.serving_monitor_name("")
        for monitor in inventory.of("PodMonitor"):
            if monitor.name.startswith(start):
                found.setdefault(monitor.name.removeprefix(start), {})["kind"] = ONLINE
    return found


def frameworks(
    inventories: Mapping[str, Inventory], pools: Mapping[str, str], where: Mapping[str, set[str]]
) -> dict[str, list[str]]:
    """Return the kinds of workloads of task pools, where the usual ones of their kinds are not what Kueue is told.

    `pools` are the kinds of task pools, `where` the clusters that each has queues in.
    """
    said = {name: asked for name, inventory in inventories.items() if (asked := _frameworks(inventory))}
    usual = {
        name: {one for pool, kind in pools.items() if name in where.get(pool, ()) for one in DEFAULT_FRAMEWORKS[kind]}
        for name in said
    }
    if all(integrations(tuple(usual[name])) == integrations(tuple(said[name])) for name in said):
        return {}
    found: dict[str, list[str]] = {}
    for pool in pools:
        lists = [said[name] for name in where.get(pool, ()) if name in said]
        common = set.intersection(*lists) if lists else set()
        if common:
            foreign = FOREIGN[TaskKind(pools[pool])]
            found[pool] = [one for one in FRAMEWORKS if one in common and one not in foreign]
    return {pool: names for pool, names in found.items() if names}


def policy(inventory: Inventory) -> Mapping[str, Any]:
    """Return the policy that the reclaimer of a cluster reads, empty where there is none."""
    for one in inventory.of("ConfigMap"):
        if one.name.startswith(_POLICY):
            try:
                made = json.loads(one.root["data"]["policy.json"].text())
            except json.JSONDecodeError:
                return {}
            return made if isinstance(made, Mapping) else {}
    return {}


def _task_pools(inventory: Inventory, known: Said) -> dict[str, str]:
    """Return the task pool of each LocalQueue's name."""
    of_queue = {queue.name: queue.task_pool for queue in known.queues}
    made = ((one.name, of_queue.get(one.spec["clusterQueue"].text())) for one in inventory.of("LocalQueue"))
    return {name: pool for name, pool in made if pool is not None}


def _trained(inventory: Inventory) -> Iterator[str]:
    """Yield the task pools whose training is watched."""
    for rules in inventory.of("PrometheusRule"):
        for group in rules.spec["groups"].items() if rules.name == TRAINING_RULES else ():
            for rule in group["rules"].items():
                for names in _TRAINED.findall(rule["expr"].text()):
                    yield from names.split("|")


def shows_training(inventory: Inventory) -> bool:
    """Tell whether the activity by which training is watched is collected in a cluster."""
    return any(record.name == TENSOR for listed in lists(inventory) for record in listed.counters.records)


def _variable(inventory: Inventory, name: str, variable: str) -> str:
    made = inventory.find("ValidatingAdmissionPolicy", name)
    variables = made.spec["variables"].items() if made is not None else iter(())
    return next((one["expression"].text() for one in variables if one["name"].text() == variable), "")


def _frameworks(inventory: Inventory) -> set[str]:
    """Return the kinds of workloads that a cluster's queues take: as the reclaimer has them, else as Kueue is told."""
    exact = policy(inventory).get("frameworks")
    if isinstance(exact, list):
        return {one for one in exact if one in FRAMEWORKS}
    named = {integrations((one,))[-1]: one for one in FRAMEWORKS if integrations((one,))}
    for config in inventory.configs_of(Format.KUEUE):
        listed = list(config.root["integrations"]["frameworks"].strings())
        found = {named[one] for one in listed if one in named}
        if found:
            return found
    return set()


def _idle(inventory: Inventory) -> Iterator[tuple[str, dict[str, Plain]]]:
    """Yield what the reclaimer does with idle work of each LocalQueue's name."""
    pools = policy(inventory).get("pools")
    for local, said in pools.items() if isinstance(pools, Mapping) else ():
        if isinstance(said, Mapping) and all(isinstance(said.get(key), int) for key in (*IDLE, "enabled")):
            numbers = {camel(key): said[key] for key, usual in IDLE.items() if said[key] != usual}
            yield str(local), {"enabled": said["enabled"], **numbers}


def camel(name: str) -> str:
    """Return a name as the spec spells it.

    >>> camel("grace_minutes")
    'graceMinutes'
    """
    first, *others = name.split("_")
    return first + "".join(word.title() for word in others)
