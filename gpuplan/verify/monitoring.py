"""What is asked of a Prometheus and an Alertmanager, and how their answers are kept: plain data, without addresses and keys.

An answer of Prometheus to a query is `{"samples": [{"labels": {…}, "value": "1"}]}`; a page of its API is trimmed to what the
checks read; where one of them gave no answer it is `{"problem": "…"}`, so that a store without targets (Thanos, Mimir) leaves
one check blind, not all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from gpuplan.cluster.alertmanager import AlertmanagerStatus
from gpuplan.cluster.prometheus import READS, Problem, Prometheus
from gpuplan.emit import agents, counters
from gpuplan.emit.monitoring import card_series
from gpuplan.emit.monitoring.series import NODE_POOL
from gpuplan.emit.monitoring.state import counters as needed
from gpuplan.inventory.metrics import routing
from gpuplan.manifests.set import Manifest
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.pools import NodePool
from gpuplan.verify.loaded import metrics_read, recorded, rules_of
from gpuplan.verify.observed import Asked

NOW = "now"
POOLS = "pools"
COUNTERS = "counters"
SOURCES = "sources"
QUEUES = "queues"
RECORDS = "records"
_TARGET_KEYS = ("health", "labels", "lastError", "scrapeInterval", "scrapePool")
_GROUP_KEYS = ("name", "file", "interval", "lastEvaluation")
_RULE_KEYS = ("name", "query", "duration", "keepFiringFor", "labels", "health", "lastError", "type")
_SILENCE_KEYS = ("id", "matchers", "createdBy", "endsAt", "comment")
_PAGES: tuple[READS, ...] = ("targets", "rules", "alertmanagers")
SOURCE_PREFIXES = ("kube_", "kueue_")
"""How the series of kube-state-metrics and of Kueue begin."""


def exporter_question(family: str) -> str:
    """Return the name of the question which nodes an exporter of cards reports of."""
    return f"exporter {family}"


def queries(fleet: Fleet, cluster: Cluster, manifests: Iterable[Manifest]) -> dict[str, str]:
    """Return the queries of a cluster by the name of their question; none where it has no pools, and so no rules."""
    rules = rules_of(manifests)
    if not cluster.pools:
        return {}
    asked = {
        exporter_question(name): f"count by (job, instance, node) ({family.exporter.metrics.presence})"
        for name, (family, _) in card_series.families(fleet.catalog, cluster.pools).items()
    }
    sources = [name for name in metrics_read(rules) if name.startswith(SOURCE_PREFIXES)]
    asked[POOLS] = f"count by (node, pool) ({NODE_POOL})"
    asked[RECORDS] = f"count by (__name__) ({_any_of(recorded(rules))})"
    asked[SOURCES] = f"count by (__name__, job, instance) ({_any_of(sources)})"
    asked[QUEUES] = "count by (cluster_queue) (kueue_pending_workloads)"
    lists = expected_counters(fleet, cluster)
    if lists:
        every = sorted({name for names in lists.values() for name in names})
        asked[COUNTERS] = f"count by (__name__, node) ({_any_of(every)})"
    return asked


def expected_counters(fleet: Fleet, cluster: Cluster) -> Mapping[str, tuple[str, ...]]:
    """Return what the exporter of each pool with NVIDIA cards must export, as far as that is sure; by the pool's name."""
    collected = frozenset(counters.collected(fleet, cluster))
    wanted = {pool.name: needed.expected(fleet.catalog, collected, pool) for pool in agents.nvidia_pools(cluster)}
    return {name: names for name, names in wanted.items() if names}


def family_of(fleet: Fleet, pool: NodePool) -> str:
    """Return the name of the family of a pool's devices."""
    return fleet.catalog.vendors.of(pool.card).name


def _any_of(names: Iterable[str]) -> str:
    return f'{{__name__=~"{"|".join(sorted(set(names)))}"}}'


def ask_prometheus(server: Prometheus, asked: Mapping[str, str]) -> Asked:
    """Ask the queries and the pages; the server's own clock goes first, and where it says nothing the rest is not asked."""
    first = server.instant("time()")
    if isinstance(first, Problem):
        return Asked(problem=_words(first))
    answers = {NOW: str(first.samples[0].value)} if first.samples else {}
    return Asked(
        answers={
            **answers,
            **{name: _samples(server, query) for name, query in asked.items()},
            **{page: _page(server, page) for page in _PAGES},
        }
    )


def ask_alertmanager(server: AlertmanagerStatus) -> Asked:
    """Ask for the configuration and for the silences that are in force."""
    status = server.get("status")
    if isinstance(status, Problem):
        return Asked(problem=_words(status))
    silences = server.get("silences")
    said: object = {"problem": _words(silences)} if isinstance(silences, Problem) else list(_in_force(silences))
    config = status.get("config") or {}
    return Asked(answers={"config": routing.outline(str(config.get("original", ""))), "silences": said})


def _samples(server: Prometheus, query: str) -> Mapping[str, Any]:
    said = server.instant(query)
    if isinstance(said, Problem):
        return {"problem": _words(said)}
    if said.partial:
        return {"problem": f"the answer is not whole: {'; '.join(said.warnings) or 'the server says so'}"}
    return {"samples": [{"labels": dict(one.labels), "value": str(one.value)} for one in said.samples]}


def _page(server: Prometheus, page: READS) -> Mapping[str, Any]:
    said = server.setup(page)
    if isinstance(said, Problem):
        return {"problem": _words(said)}
    return _TRIMMED[page](said)


def _targets(said: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"targets": [_kept(one, _TARGET_KEYS) for one in _objects(said.get("activeTargets"))]}


def _groups(said: Mapping[str, Any]) -> Mapping[str, Any]:
    """A group has thousands of alerts beside its rules where much is wrong: they are left out."""
    return {
        "groups": [
            {**_kept(one, _GROUP_KEYS), "rules": [_kept(rule, _RULE_KEYS) for rule in _objects(one.get("rules"))]}
            for one in _objects(said.get("groups"))
        ]
    }


def _alertmanagers(said: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"alertmanagers": [str(one.get("url", "")) for one in _objects(said.get("activeAlertmanagers"))]}


_TRIMMED = {"targets": _targets, "rules": _groups, "alertmanagers": _alertmanagers}


def _in_force(silences: Iterable[Any]) -> Iterator[Mapping[str, Any]]:
    for one in _objects(silences):
        if (one.get("status") or {}).get("state") == "active":
            yield _kept(one, _SILENCE_KEYS)


def _objects(found: Any) -> list[dict[str, Any]]:
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _kept(one: Mapping[str, Any], keys: Iterable[str]) -> dict[str, Any]:
    return {key: one[key] for key in keys if key in one}


def _words(problem: Problem) -> str:
    return f"{problem.summary}. {problem.fix}" if problem.fix else problem.summary
