"""A runbook for each alert that the fleet can raise, for whoever is on call: what it means, what to look at, what to do.

Its text is a template of the alert's name (`templates/alerts/`); what it needs of the fleet is put together here.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from gpuplan import conventions
from gpuplan.catalog.cards import Vendor
from gpuplan.catalog.xids import XidClass
from gpuplan.emit import amd, base
from gpuplan.emit.monitoring import publish, series
from gpuplan.emit.monitoring.alerts import Alert, Group, RuleGroups
from gpuplan.manifests.set import TextFile
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.lifecycle import stable_labels
from gpuplan.model.monitoring import DailyHours
from gpuplan.model.reclaim import ReclaimMode
from gpuplan.report.kubectl import DEBUG_IMAGE, selector

DRAIN_MARGIN_SECONDS = 600
"""What a drain may take beyond the longest grace of a stateful task pool."""
TOOLS: Mapping[str, str] = {
    "nvidia": "nvidia-smi",
    "amd": "amd-smi list",
    "ascend": "npu-smi info",
    "gaudi": "hl-smi",
    "intel-gpu": "xpu-smi discovery",
}
"""The vendor's own tool on a node, by the catalogue's family of devices."""

_BLANK_LINES = re.compile(r"\n{3,}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Raised:
    """An alert with the clusters in which it can be raised, and the files of its rules below `rendered/`."""

    alert: Alert
    clusters: tuple[str, ...]
    files: tuple[str, ...]


def texts(fleet: Fleet, rules: RuleGroups) -> Iterator[TextFile]:
    """Yield a runbook for each alert that any cluster of the fleet can raise."""
    from gpuplan.report.templating import filled  # noqa: PLC0415 - jinja2 costs fleets that have no use for it

    clusters = sorted(map(publish.by_name, fleet.clusters), key=lambda cluster: cluster.name)
    fleet = replace(fleet, clusters=tuple(clusters))  # the order in `fleet/` changes no word
    found = raised(fleet, rules)
    known = _facts(fleet) if found else {}
    nodes = {cluster.name: _nodes(cluster) for cluster in clusters}
    for name, one in sorted(found.items()):
        made = filled(f"alerts/{name.lower()}.md.j2", **known, **_of(fleet, one, nodes))
        text = _BLANK_LINES.sub("\n\n", made).strip() + "\n"
        origin = base.origin(fleet, fleet.monitoring.path)
        yield TextFile(path=publish.runbook_path(name), text=text, origin=origin, commented=False)


def raised(fleet: Fleet, rules: RuleGroups) -> dict[str, Raised]:
    """Return the alerts that the fleet's clusters can raise, by name. Their words are those of the first such cluster."""
    found: dict[str, list[tuple[Cluster, Group, Alert]]] = {}
    for cluster in fleet.clusters:
        for group in rules[cluster.name]:
            for alert in group.alerts:
                found.setdefault(alert.name, []).append((cluster, group, alert))
    return {
        name: Raised(
            alert=places[0][2],
            clusters=tuple(cluster.name for cluster, _, _ in places),
            files=tuple(f"prometheus/{cluster.name}/{group.name}.rules.yaml" for cluster, group, _ in places),
        )
        for name, places in found.items()
    }


Nodes = Mapping[str, Sequence[tuple[str, str, str]]]
"""By cluster: its name, a pool, and the selector of the pool's nodes."""


def _nodes(cluster: Cluster) -> tuple[tuple[str, str, str], ...]:
    return tuple((cluster.name, pool.name, selector(stable_labels(pool))) for pool in cluster.pools)


def _of(fleet: Fleet, one: Raised, nodes: Nodes) -> dict[str, object]:
    """Return what only this runbook needs."""
    named = [cluster for cluster in fleet.clusters if cluster.name in one.clusters]
    pools = [pool for cluster in named for pool in cluster.pools]
    cards = {pool.card.name: pool.card for pool in pools}
    families = dict.fromkeys(fleet.catalog.vendors.of(card).name for card in cards.values())
    return {
        "alert": one.alert,
        "clusters": one.clusters,
        "files": one.files,
        "tools": [(name, TOOLS[name]) for name in families if name in TOOLS],
        "agents": _agent_namespaces(named),
        "others": [pool.name for pool in pools if pool.stack == "external"],
        "containers": [pool.name for cluster in named for pool in cluster.operator_driver_pools],
        "nodes": [node for cluster in named for node in nodes[cluster.name]],
        "talos": any(cluster.distribution == "talos" for cluster in named),
        "drain_seconds": max((cluster.longest_drain_seconds(cluster.pools) for cluster in named), default=0)
        + DRAIN_MARGIN_SECONDS,
    }


def _agent_namespaces(clusters: list[Cluster]) -> list[tuple[str, list[str]]]:
    """Return the namespaces in which node agents of ours run, each with the clusters that have them there."""
    found: dict[str, list[str]] = {}
    for cluster in clusters:
        names = {
            conventions.SYSTEM_NAMESPACE: cluster.pools_on("manual", Vendor.NVIDIA),
            cluster.gpu_operator.namespace: cluster.operator_pools,
            amd.namespace(cluster): amd.operator_pools(cluster),
        }
        for namespace, pools in names.items():
            if pools:
                found.setdefault(namespace, []).append(cluster.name)
    return list(found.items())


def _facts(fleet: Fleet) -> dict[str, object]:
    """Return what every runbook may ask for."""
    said = fleet.monitoring
    return {
        "s": {name: str(value) for name, value in vars(series).items() if isinstance(value, series.Series)},
        "limits": said.thresholds,
        "values": values(fleet),
        "xids": [*fleet.catalog.xids.values()],
        "codes": codes,
        "ticked": ticked,
        "own_xids": said.xids,
        "alertmanager": said.alertmanager.url,
        "debug_image": DEBUG_IMAGE,
        "argocd": fleet.delivery.namespace,
        "application": {cluster.name: conventions.application_name(cluster.name) for cluster in fleet.clusters},
        "names": conventions,
        "renamed": {pool.name: pool.local_queue for pool in fleet.task_pools if pool.local_queue != pool.name},
        "reclaim": fleet.governance.reclaim,
        "reclaims": fleet.governance.reclaim.mode is ReclaimMode.SUSPEND,
        "prometheus": said.prometheus,
    }


def values(fleet: Fleet) -> Mapping[str, str]:
    """Return what the fleet says for the keys of the spec that change an alert; names in `<…>` stand for any."""
    said = fleet.monitoring
    limits = {
        f"monitoring.thresholds.{_camel(field.name)}": str(getattr(said.thresholds, field.name))
        for field in dataclasses.fields(said.thresholds)
    }
    reclaim = fleet.governance.reclaim
    return {
        **limits,
        "monitoring.xids.drain": _listed(said.xids.drain),
        "monitoring.xids.ignore": _listed(said.xids.ignore),
        "monitoring.peakHours": _hours(said.peak_hours),
        "monitoring.exporter.intervalSeconds": str(said.interval_seconds),
        "monitoring.releases.argocd": _listed(said.releases.argocd),
        "monitoring.releases.rollouts": _listed(said.releases.rollouts),
        "governance.reclaim.mode": reclaim.mode.value,
        "governance.reclaim.everyMinutes": str(reclaim.every_minutes),
        "governance.reclaim.maxPerHour": str(reclaim.max_per_hour),
        "governance.reclaim.maxSharePercent": str(reclaim.max_share_percent),
    }


def _camel(name: str) -> str:
    """Return a name as the spec spells it."""
    first, *rest = name.split("_")
    return first + "".join(map(str.capitalize, rest))


def _listed(items: tuple[object, ...]) -> str:
    return ", ".join(map(str, items)) or "none"


def _hours(hours: DailyHours) -> str:
    start, end = (f"{minute // 60:02}:{minute % 60:02}" for minute in (hours.start, hours.end))
    days = " ".join(("Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat")[day] for day in hours.days)
    return f"{days} {start} to {end}, {hours.time_zone}"


def ticked(names: Iterable[str]) -> str:
    """Return names as Markdown shows code, in a row."""
    return ", ".join(f"`{name}`" for name in names)


def codes(one: XidClass) -> str:
    """Return the codes of a class, those in a row as a range: `39-41, 60`."""
    runs: list[list[int]] = []
    for code in one.codes:
        if runs and code == runs[-1][-1] + 1:
            runs[-1].append(code)
        else:
            runs.append([code])
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)
