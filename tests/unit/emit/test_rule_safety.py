"""Rules are safe by construction: all that they read is exported by what we render, and nothing in them can go wrong unseen.

Every rule of every cluster of a spread of fleets is parsed and read as Prometheus would (`rule_reading`), knowing no metric
and no label but what that cluster has (`rule_worlds`). Builders of rules are found by themselves: `publish.BUILDERS`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest
from hypothesis import Phase, given, settings

from gpuplan import pipeline
from gpuplan.emit import counters
from gpuplan.emit.monitoring import publish, series
from gpuplan.emit.monitoring.alerts import Alert, Group
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.monitoring import PROFILED, REQUIRED
from gpuplan.reclaim import measures
from tests.build import TODAY, fleet
from tests.generated import fleets
from tests.unit.emit.fleets import place
from tests.unit.emit.rule_reading import Labels, Metric, World, names_read, read
from tests.unit.emit.rule_worlds import world

FACTS = ("gpuplan-pools", "gpuplan-teams")
"""Groups that are as long as the fleet is large."""
SERVING = """
monitoring: {releases: {argocd: [eu], rollouts: [eu]}}
taskPools:
  vllm: {kind: onlineInference, service: guaranteed, tiers: [big], serving: {engine: vllm, slo: {latencyMilliseconds: 1000}}}
  older: {kind: onlineInference, service: guaranteed, tiers: [big], serving: {engine: vllm, version: 0.9.2}}
  sglang: {kind: onlineInference, service: queued, tiers: [big], serving: {engine: sglang, slo: {latencyMilliseconds: 2000}}}
  triton: {kind: onlineInference, service: queued, tiers: [big], serving: {engine: triton}}
  tgi: {kind: onlineInference, service: queued, tiers: [big], serving: {engine: tgi}}
teams: {web: {namespaces: [web], quotas: {vllm: {}, older: {}, sglang: {}, triton: {}, tgi: {}}}}
"""
TEAMS = """
taskPools:
  pretrain: {kind: training, service: guaranteed, tiers: [big]}
  notebooks: {kind: experiment, service: shared, tiers: [big], pool: {big: 2}}
  scratch: {kind: experiment, service: reclaimable, tiers: [big]}
teams:
  vision: {namespaces: [vision, vision-batch], costCenter: cc-1, quotas: {pretrain: {}, notebooks: {}, scratch: {}}}
  nlp: {namespaces: [nlp], quotas: {pretrain: {}}}
"""
MIXED = """
a: {tier: big}, b: {tier: desk, sharing: {timeSlicing: {replicas: 4}}}, c: {sharing: {mig: {profiles: {3g.20gb: 2}}}},
d: {tier: amd, stack: operator, sharing: {partition: {compute: CPX}}}, e: {tier: gaudi},
f: {tier: ascend, sharing: {vnpu: {templates: {vir02: 4}}}}, g: {tier: big, stack: external, selectedBy: {labels: {p: g}}}
"""
NO_PROFILING = "monitoring: {exporter: {profiling: false}}"
SPREAD: Mapping[str, tuple[str, str, str]] = {
    "one-pool": ("a: {tier: big}", "", ""),
    "teams": ("a: {tier: big}", "", TEAMS),
    "teams-reclaim": ("a: {tier: big}", "", f"governance: {{reclaim: {{mode: suspend, image: a/gpuplan:1}}}}\n{TEAMS}"),
    "teams-operator": ("a: {tier: big}", "stack: operator", TEAMS),
    "teams-external": ("a: {tier: big, selectedBy: {labels: {p: a}}}", "stack: external", TEAMS),
    "older-release": ("a: {tier: big}", 'release: "2026.05"', TEAMS),
    "never-waits-for-pods": ("a: {tier: big}", "kueue: {podsReadyTimeoutSeconds: 0}", TEAMS),
    "no-profiling": ("a: {tier: big}, b: {sharing: {mig: {profiles: {1g.5gb: 7}}}}", "", f"{NO_PROFILING}\n{TEAMS}"),
    "only-cut": ("a: {sharing: {mig: {profiles: {1g.5gb: 7}, strategy: single}}}", "", ""),
    "only-turing": ("a: {tier: desk}", "", ""),
    "mps": ("a: {tier: desk, sharing: {mps: {replicas: 8}}}", "", ""),
    "hami": ("a: {tier: desk, sharing: {hami: {split: 10}}}", "", ""),
    "claims": ("a: {tier: big, exposure: dra}", "", TEAMS),
    "amd": ("a: {tier: amd, stack: operator}", "", ""),
    "amd-external": ("a: {tier: amd}", "stack: external", ""),
    "gaudi": ("a: {tier: gaudi}", "", ""),
    "ascend": ("a: {tier: ascend}", "", ""),
    "mixed": (MIXED, "", TEAMS),
    "serving": ("a: {tier: big}", "", SERVING),
}
NAME = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*")
LABEL = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*")


@cache
def spread() -> tuple[tuple[str, Fleet, Cluster], ...]:
    made = [(name, place(*parts).fleet) for name, parts in SPREAD.items()]
    example = pipeline.check(Path("fleet"), TODAY).fleet
    assert example is not None
    every = [*made, ("example", example)]
    return tuple((f"{name}/{cluster.name}", one, cluster) for name, one in every for cluster in one.clusters)


def mistakes(one: Fleet, cluster: Cluster) -> list[str]:
    """Return everything that is wrong with the rules of a cluster."""
    groups = tuple(publish.groups(one, cluster))
    known = world(one, cluster, groups)
    nvidia = bool(counters.collected(one, cluster))
    for group in groups:
        found = [f"{group.name}: {said}" for said in _of_group(known, group, exact=nvidia)]
        known.mistakes.extend(found)
    return known.mistakes


def _of_group(known: World, group: Group, *, exact: bool) -> Iterator[str]:
    if group.name not in FACTS and len(group.records) + len(group.alerts) > 20:
        yield f"{len(group.records) + len(group.alerts)} rules"
    recorded = [rule["record"] for rule in group.records]
    for number, rule in enumerate(group.records):
        later = names_read(rule["expr"]) & set(recorded[number:]) if group.name not in FACTS else set()
        if later:
            yield f"{rule['record']} reads {sorted(later)}, which come no earlier"
        yield from _of_record(known, rule["record"], rule["expr"], rule.get("labels", {}), exact=exact)
    for alert in group.alerts:
        yield from _of_alert(known, alert)


def _of_record(known: World, name: str, expr: str, added: Mapping[str, str], *, exact: bool) -> Iterator[str]:
    """The labels must be those of `series.py`; what no card but NVIDIA's has may be missing where there is none."""
    labels = _read(known, name, expr) | set(added)
    declared = {one.name: frozenset(one.labels) for one in series.ALL}.get(name)
    if declared is None or not NAME.fullmatch(name) or not all(map(LABEL.fullmatch, added)):
        yield f"{name} is no series of ours"
        return
    optional = UNNAMED if exact else UNNAMED | NVIDIAS
    if not declared - optional <= labels <= declared:
        yield f"{name} has {sorted(labels)} instead of {sorted(declared)}"


UNNAMED = frozenset({"model", "project"})
"""What not everyone says: TGI serves one model and does not name it, and Argo Rollouts know no project."""
NVIDIAS = frozenset({"gpu", "UUID", "GPU_I_ID", "GPU_I_PROFILE", "namespace", "pod", "container"})


def _read(known: World, name: str, expr: str) -> Labels:
    before = len(known.mistakes)
    labels = read(known, expr)
    known.mistakes[before:] = [f"{name}: {said}" for said in known.mistakes[before:]]
    return labels


def _of_alert(known: World, alert: Alert) -> Iterator[str]:
    labels = _read(known, alert.name, alert.expr) | {"severity", "alertname"} | ({"team"} if alert.team else set())
    if not re.fullmatch(r"[A-Z][A-Za-z0-9]{1,39}", alert.name):
        yield f"{alert.name}: is no name"
    if "team" not in labels:
        yield f"{alert.name}: nobody is told"
    if alert.severity not in ("critical", "warning", "info"):
        yield f"{alert.name}: severity {alert.severity}"
    if not alert.summary.endswith(".") or "{{" in alert.summary:
        yield f"{alert.name}: summary {alert.summary!r}"
    if not alert.description:
        yield f"{alert.name}: says nothing"
    shown = set(re.findall(r"(?<!with )\$labels\.([a-zA-Z_]\w*)", alert.description))
    if shown - labels:
        yield f"{alert.name}: shows {sorted(shown - labels)}, of {sorted(labels)}"
    if re.search(r"\$value|\{\{", f"{alert.name} {alert.severity} {alert.team}"):
        yield f"{alert.name}: a label that changes with the value"


@pytest.mark.parametrize("name", [*SPREAD, "example"])
def test_rules_read_only_what_their_cluster_exports_and_cannot_go_wrong_unseen(name: str) -> None:
    here = [(where, one, cluster) for where, one, cluster in spread() if where.startswith(f"{name}/")]
    found = [f"{where}: {said}" for where, one, cluster in here for said in mistakes(one, cluster)]
    assert not found, "\n".join(found)


@given(fleets())
@settings(max_examples=10, phases=[Phase.generate])
def test_rules_of_any_fleet_read_only_what_it_exports(text: str) -> None:
    made = fleet(text)
    found = [said for cluster in made.clusters for said in mistakes(made, cluster)]
    assert not found, "\n".join(found)


def test_every_counter_that_we_insist_on_is_read_by_a_rule_or_by_the_reclaimer() -> None:
    by_rules = {
        name
        for _, one, cluster in spread()
        for group in publish.groups(one, cluster)
        for expr in (*(rule["expr"] for rule in group.records), *(alert.expr for alert in group.alerts))
        for name in names_read(expr)
    }
    assert {*REQUIRED, *PROFILED} <= {*by_rules, measures.MEMORY}


KNOWN = {
    "card": Metric(frozenset({"node", "pool", "gpu", "instance"}), 30),
    "wait_bucket": Metric(frozenset({"queue", "le", "replica_role"}), 30, follower=True),
    "ours": Metric(frozenset({"node", "pool"}), 60, unique=True),
    "fact": Metric(frozenset({"pool"}), 60, unique=True),
}


@pytest.mark.parametrize(
    ("expr", "said"),
    [
        ("max by (node) (cards)", "cards is not exported here"),
        ('max by (node) (card{nodes="a"})', "label nodes not among"),
        ("max by (nodes) (card)", "label nodes not among"),
        ("ours * on (node) group_left () fact", "label node not among"),
        ("fact * on (pool) group_left (node) fact", "label node not among"),
        ("ours * on (node) group_left () max by (node) (card) * on (pool) group_left () card", "may be there twice"),
        ("ours > on (node) card", "may be there twice"),
        ("sum by (queue) (rate(wait_bucket[5m]))", "replicas that follow"),
        ('histogram_quantile(0.9, sum by (queue) (rate(wait_bucket{replica_role!="follower"}[5m])))', "label le"),
        ("max by (node) (max_over_time(card[90s]))", "shorter than four samples"),
        ("max_over_time(ours[3m])", "shorter than four samples"),
        ("max_over_time((ours * 2)[10m:5m])", "shorter than four samples"),
        ("ours / on (node, pool) ours", "may be 0"),
        ("1 / ours", "may be 0"),
        ("fact * ours", "is on one side only"),
        ('label_replace(ours, "a", "$1", "b", "(.+)")', "label b not among"),
        ("max by (node) (DCGM_FI_DEV_XID_ERRORS) > 0", "is a latch"),
        ("mad_over_time(ours[10m])", "not every Prometheus"),
        ("sum by (node) (rate(card[5m])", "unclosed left parenthesis"),
    ],
)
def test_a_mistake_in_a_rule_is_seen(expr: str, said: str) -> None:
    known = World(KNOWN)
    read(known, expr)
    assert any(said in one for one in known.mistakes), known.mistakes


@pytest.mark.parametrize(
    ("expr", "labels"),
    [
        ("max by (node, pool) (card)", {"node", "pool"}),
        ("max without (instance) (card)", {"node", "pool", "gpu"}),
        ("ours * on (pool) group_left () fact", {"node", "pool"}),
        ("fact and on (pool) ours", {"pool"}),
        ("max by (node, gpu) (card) > on (node) group_left (pool) ours", {"node", "gpu", "pool"}),
        ("max by (node) (card) / on (node) (sum by (node) (card) > 0)", {"node"}),
        ('label_replace(fact, "tier", "a", "", "")', {"pool", "tier"}),
        ('max by (gpu) (card{gpu=""}) or ours', {"node", "pool", "gpu"}),
        ("count(ours) or vector(0)", set()),
        ("time() - ours > 3600", {"node", "pool"}),
        ('histogram_quantile(0.9, sum by (queue, le) (rate(wait_bucket{replica_role!="follower"}[5m])))', {"queue"}),
        ("avg_over_time(ours[1h] offset 1w)", {"node", "pool"}),
    ],
)
def test_a_sound_rule_has_the_labels_that_prometheus_gives_it(expr: str, labels: set[str]) -> None:
    known = World(KNOWN)
    assert read(known, expr) == labels
    assert not known.mistakes
