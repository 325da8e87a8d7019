"""Rules for Prometheus: what is recorded and alerted on, as objects of the Prometheus operator and as plain files.

The plain files lie outside Argo CD's reach (`rendered/prometheus/<cluster>/`), for whoever runs Prometheus without the
operator, and with them the tests of every alert in promtool's format.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from urllib.parse import urlsplit

from gpuplan import conventions
from gpuplan.emit import base
from gpuplan.emit.monitoring import (
    base_rules,
    cost,
    governance,
    info,
    peak,
    reclaim_rules,
    reclaimed,
    releases,
    serving,
    showback,
    state,
    tasks,
    training,
)
from gpuplan.emit.monitoring.alerts import Alert, Group, RuleGroups
from gpuplan.emit.monitoring.readable import readable
from gpuplan.emit.monitoring.testing import test_file
from gpuplan.manifests.kinds import PrometheusRule
from gpuplan.manifests.kinds.monitoring import AlertingRule, RecordingRule, RuleGroup
from gpuplan.manifests.set import Manifest, TextFile
from gpuplan.manifests.write import yaml_text
from gpuplan.model.fleet import Cluster, Fleet

MAX_RULES = 1000
"""Rules in one object. The Prometheus operator refuses objects beyond half a megabyte, and a thousand short rules take a
fifth of that."""

Builder = Callable[[Fleet, Cluster], Iterator[Group]]
BUILDERS: tuple[Builder, ...] = (
    info.groups,
    base_rules.groups,
    state.groups,
    peak.groups,
    tasks.groups,
    governance.groups,
    reclaimed.groups,
    showback.groups,
    cost.groups,
    serving.groups,
    training.groups,
    releases.groups,
    reclaim_rules.groups,
)


def groups(fleet: Fleet, cluster: Cluster) -> Iterator[Group]:
    """Yield the rule groups of a cluster; none where it has no pools."""
    if cluster.pools:
        sorted_cluster = by_name(cluster)
        made = (group for builder in BUILDERS for group in builder(fleet, sorted_cluster))
        yield from readable(tuple(made), fleet, cluster) if fleet.monitoring.counters else made


def by_name(cluster: Cluster) -> Cluster:
    """Return the cluster with all that has a name in its order, so that the order in `fleet/` changes no rule and no case.

    Teams that have adopted queues alone are watched like others: what their namespaces hold is on their bill.
    """
    cohorts = (replace(one, queues=tuple(sorted(one.queues, key=lambda queue: queue.name))) for one in cluster.cohorts)
    return replace(
        cluster,
        pools=tuple(sorted(cluster.pools, key=lambda pool: pool.name)),
        teams=tuple(sorted({*cluster.teams, *cluster.adopted.teams}, key=lambda team: team.name)),
        cohorts=tuple(sorted(cohorts, key=lambda cohort: cohort.task_pool.name)),
    )


def of_fleet(fleet: Fleet) -> RuleGroups:
    """Return the rule groups of every cluster, for all who read them: objects, plain files, dashboards and runbooks."""
    return {cluster.name: tuple(groups(fleet, cluster)) for cluster in fleet.clusters}


def emit(fleet: Fleet, cluster: Cluster, every: Iterable[Group]) -> Iterator[Manifest]:
    """Yield a PrometheusRule for each group of a cluster, or several for one that is large."""
    for group in every:
        for number, part in enumerate(_parts(fleet, group), start=1):
            made = _prometheus_rule(fleet, group.name if number == 1 else f"{group.name}-{number}", part)
            yield base.manifest(fleet, cluster, base.MONITORING, made, fleet.monitoring.path, cluster.path)


def texts(fleet: Fleet, cluster: Cluster, every: Iterable[Group]) -> Iterator[TextFile]:
    """Yield each group of a cluster as a file of Prometheus' own format, and the tests of its alerts."""
    for group in every:
        start = f"prometheus/{cluster.name}/{group.name}"
        rules = {"groups": list(_parts(fleet, group))}
        origin = base.origin(fleet, fleet.monitoring.path)
        yield TextFile(path=f"{start}.rules.yaml", text=yaml_text(rules), origin=origin)
        if any(alert.cases for alert in group.alerts):
            tests = test_file(group, f"{group.name}.rules.yaml")
            yield TextFile(path=f"{start}.test.yaml", text=yaml_text(tests), origin=origin)


def _parts(fleet: Fleet, group: Group) -> Iterator[RuleGroup]:
    """Yield the group in parts of at most `MAX_RULES`; only facts are ever so many, and they do not read each other."""
    rules: list[AlertingRule | RecordingRule] = [*group.records, *(_alerting_rule(fleet, one) for one in group.alerts)]
    for number, start in enumerate(range(0, len(rules), MAX_RULES), start=1):
        made: RuleGroup = {"name": group.name if number == 1 else f"{group.name}-{number}", "rules": []}
        if group.interval:
            made["interval"] = group.interval
        made["rules"] = rules[start : start + MAX_RULES]
        yield made


def _alerting_rule(fleet: Fleet, alert: Alert) -> AlertingRule:
    made: AlertingRule = {"alert": alert.name, "expr": alert.expr}
    if alert.wait:
        made["for"] = alert.wait
    if alert.hold:
        made["keep_firing_for"] = alert.hold
    made["labels"] = {"severity": alert.severity, **({"team": alert.team} if alert.team else {})}
    made["annotations"] = {
        "description": alert.description,
        "runbook_url": runbook_url(fleet, alert.name),
        "summary": alert.summary,
    }
    return made


def runbook_url(fleet: Fleet, alert: str) -> str:
    """Return the address of an alert's runbook: below the spec's base, else the file that we write in the repository."""
    name = alert.lower()
    if fleet.monitoring.runbook_base:
        return fleet.monitoring.runbook_base + name
    delivery = fleet.delivery
    return f"{_browsed(delivery.repo_url)}/blob/{delivery.target_revision}/{delivery.path}/{runbook_path(alert)}"


def runbook_path(alert: str) -> str:
    """Return the file of an alert's runbook below `rendered/`."""
    return f"alert-runbooks/{alert.lower()}.md"


def _browsed(repository: str) -> str:
    """Return where people read a repository that Argo CD clones; `git@host:path` and the like are read over https."""
    if "://" not in repository:
        host, _, path = repository.rpartition("@")[2].partition(":")
        return f"https://{host}/{path.removesuffix('.git')}"
    parts = urlsplit(repository)
    scheme = parts.scheme if parts.scheme in ("http", "https") else "https"
    host = (parts.hostname or "") + (f":{parts.port}" if parts.port and parts.scheme == scheme else "")
    return f"{scheme}://{host}{parts.path.removesuffix('.git')}"


def _prometheus_rule(fleet: Fleet, name: str, group: RuleGroup) -> PrometheusRule:
    return {
        "apiVersion": "monitoring.coreos.com/v1",
        "kind": "PrometheusRule",
        "metadata": base.namespaced(
            name,
            conventions.SYSTEM_NAMESPACE,
            base.MONITORING,
            labels=fleet.monitoring.selector_labels,
        ),
        "spec": {"groups": [group]},
    }
