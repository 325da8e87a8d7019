"""What rendered clusters tell of the fleet as a whole: delivery, monitoring, governance."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from gpuplan import conventions
from gpuplan.importer.counting import SECTION
from gpuplan.importer.draft import Entry
from gpuplan.importer.own.peak import peak_hours
from gpuplan.importer.own.settings import application
from gpuplan.importer.own.thresholds import thresholds
from gpuplan.importer.own.work import camel, policy
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.items import Object
from gpuplan.inventory.view import View

Plain = object
Inventories = Mapping[str, Inventory]
_STRICTNESS = {"Deny": "deny", "Warn": "warn"}
_RAILS = {
    "queueRequired": conventions.POLICY_QUEUE_REQUIRED,
    "producedResources": conventions.POLICY_PRODUCED_RESOURCES,
    "statefulServing": conventions.POLICY_STATEFUL_SERVING,
}
_EVERYWHERE = ("queueRequired", "producedResources")
"""Guard rails that every cluster with queues has, unless they are off."""
_LIMITS = ("every_minutes", "max_per_hour", "max_share_percent")
"""Numbers of the reclaimer's policy, as the spec has them in its own spelling."""
_CONTROLLERS = ("argocd", "rollouts")


def fleet_wide(inventories: Inventories, hubs: Inventories, fleet: str) -> Iterator[Entry]:
    """Yield the entries of `delivery`, `monitoring` and `governance`. `hubs` hold what is Argo CD's alone."""
    delivery = dict(_delivery(inventories, hubs, fleet))
    if delivery:
        yield Entry(section=("delivery",), name="argocd", value=delivery)
    for key, value in _monitoring(inventories):
        yield Entry(section=("monitoring",), name=key, value=value)
    yield from thresholds(inventories)
    yield from peak_hours(inventories)
    for key, value in dict(_exporter(inventories)).items():
        yield Entry(section=SECTION, name=key, value=value)
    for key, value in _governance(inventories):
        yield Entry(section=("governance",), name=key, value=value)


def _delivery(inventories: Inventories, hubs: Inventories, fleet: str) -> Iterator[tuple[str, Plain]]:
    made = _applications(inventories, hubs)
    if made is None:
        return
    holder, spec = made
    source = spec["source"]
    yield "repoURL", source["repoURL"].text()
    yield "targetRevision", source["targetRevision"].text()
    yield "path", source["path"].text().partition("/clusters/")[0]
    if holder.namespace != conventions.ARGOCD_NAMESPACE:
        yield "namespace", holder.namespace
    if spec["project"].text() not in ("", fleet):
        yield "project", spec["project"].text()
    if holder.kind == "ApplicationSet":
        yield "mode", "applicationSet"
        steps = holder.spec.walk("strategy", "rollingSync")["steps"].items()
        rollout = [[*term["values"].strings()] for step in steps for term in step["matchExpressions"].items()]
        if rollout:
            yield "rollout", rollout
    if any(_is_replaced(one) for inventory in inventories.values() for one in inventory.of("PriorityClass")):
        yield "replacePriorityClasses", True


def _applications(inventories: Inventories, hubs: Inventories) -> tuple[Object, View] | None:
    """Return what brings the output to a cluster, and the spec of the Application that it is or makes."""
    for name, inventory in inventories.items():
        one = application(inventory, conventions.application_name(name))
        if one is not None:
            return one, one.spec
    for inventory in (*hubs.values(), *inventories.values()):
        for made in inventory.of("ApplicationSet"):
            if made.labels.get(conventions.LABEL_MANAGED_BY) == conventions.MANAGED_BY:
                return made, made.spec["template"]["spec"]
    return None


def _is_replaced(one: Object) -> bool:
    return "Replace=true" in one.annotations.get(conventions.ANNOTATION_SYNC_OPTIONS, "").split(",")


def _monitoring(inventories: Inventories) -> Iterator[tuple[str, Plain]]:
    rules = [one for inventory in inventories.values() for one in inventory.of("PrometheusRule") if _is_ours(one)]
    if rules:
        labels = {key: value for key, value in rules[0].labels.items() if key != conventions.LABEL_MANAGED_BY}
        yield "selectorLabels", dict(sorted(labels.items()))
    for inventory in inventories.values():
        bound = inventory.find("ClusterRoleBinding", conventions.KUEUE_METRICS)
        for subject in bound.root["subjects"].items() if bound is not None else ():
            told = {"namespace": subject["namespace"].text(), "serviceAccount": subject["name"].text()}
            yield "prometheus", told
            break
    releases = {name: _watched(inventories, name) for name in _CONTROLLERS}
    if any(releases.values()):
        yield "releases", {name: clusters for name, clusters in releases.items() if clusters}
    if rules:
        yield from _dashboards(inventories)
    base = _runbook_base(rules)
    if base:
        yield "runbookBase", base


def _is_ours(one: Object) -> bool:
    return one.labels.get(conventions.LABEL_MANAGED_BY) == conventions.MANAGED_BY


def _watched(inventories: Inventories, controller: str) -> list[str]:
    name = conventions.release_monitor_name(controller)
    return [
        cluster for cluster, made in inventories.items() if any(one.name == name for one in made.of("ServiceMonitor"))
    ]


def _exporter(inventories: Inventories) -> Iterator[tuple[str, Plain]]:
    """Yield how the exporters of our own DaemonSets sample."""
    for inventory in inventories.values():
        for one in inventory.of("DaemonSet"):
            if not one.name.startswith(f"{conventions.DCGM_EXPORTER}-"):
                continue
            for container in one.spec.walk("template", "spec")["containers"].items():
                for variable in container["env"].items():
                    text = variable["value"].text()
                    if variable["name"].text() == "DCGM_EXPORTER_INTERVAL" and text.isascii() and text.isdigit():
                        yield "intervalSeconds", int(text) // 1000


def _dashboards(inventories: Inventories) -> Iterator[tuple[str, Plain]]:
    start = conventions.dashboard_name("")
    made = [
        one for inventory in inventories.values() for one in inventory.of("ConfigMap") if one.name.startswith(start)
    ]
    if not made:
        yield "dashboards", {"enabled": False}
        return
    labels = {key: value for key, value in made[0].labels.items() if key != conventions.LABEL_MANAGED_BY}
    folder = made[0].annotations.get(conventions.ANNOTATION_GRAFANA_FOLDER, "")
    yield "dashboards", {"labels": dict(sorted(labels.items())), **({"folder": folder} if folder else {})}


def _runbook_base(rules: list[Object]) -> str:
    """Return the base of runbooks, where they do not lie in the repository: the address ends with the alert's name."""
    for one in rules:
        for group in one.spec["groups"].items():
            for rule in group["rules"].items():
                alert, url = rule["alert"].text().lower(), rule["annotations"]["runbook_url"].text()
                if alert and re.search(rf"(?<!\w){re.escape(alert)}$", url):
                    return url.removesuffix(alert)
    return ""


def _governance(inventories: Inventories) -> Iterator[tuple[str, Plain]]:
    levels = [
        one.labels.get(f"{conventions.POD_SECURITY}/enforce", "")
        for inventory in inventories.values()
        for one in inventory.of("Namespace")
        if conventions.LABEL_TEAM in one.labels and _is_ours(one)
    ]
    if levels and levels[0]:
        yield "podSecurity", levels[0]
    rails = {key: mode for key, name in _RAILS.items() if (mode := _strictness(inventories, key, name))}
    if rails:
        yield "guardRails", rails
    for inventory in inventories.values():
        said = policy(inventory)
        if said:
            yield "reclaim", _reclaim(inventory, said)
            return


def _strictness(inventories: Inventories, key: str, name: str) -> str:
    """Return how strictly a guard rail acts; `off` where clusters with teams lack it, empty where nothing tells."""
    for inventory in inventories.values():
        binding = inventory.find("ValidatingAdmissionPolicyBinding", name)
        if binding is not None:
            actions = binding.spec["validationActions"].strings()
            return next((_STRICTNESS[one] for one in actions if one in _STRICTNESS), "")
    teams = any(any(inventory.of("LocalQueue")) for inventory in inventories.values())
    return "off" if teams and key in _EVERYWHERE else ""


def _reclaim(inventory: Inventory, said: Mapping[str, Plain]) -> dict[str, Plain]:
    value: dict[str, Plain] = {"mode": said.get("mode")}
    made = inventory.find("Deployment", conventions.RECLAIMER, conventions.SYSTEM_NAMESPACE)
    for container in made.spec.walk("template", "spec")["containers"].items() if made is not None else ():
        value["image"] = container["image"].text()
    value["notice"] = said.get("notice")
    return value | {camel(key): said.get(key) for key in _LIMITS}
