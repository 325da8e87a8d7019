"""Kueue's manager and our rules read the same broken configurations: none that starts is an error, none that it cannot decode is missed."""

from __future__ import annotations

import copy
import json
import os
import random
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from gpuplan.diagnostics import Severity, Span
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.items import Config, Format
from gpuplan.inventory.places import OnePlace
from gpuplan.rules.kueue import config_value_refused, unknown_config_key
from tests.controlplane.fixtures import tool_or_skip

BASE = """
apiVersion: config.kueue.x-k8s.io/v1beta2
kind: Configuration
namespace: kueue-system
health: {healthProbeBindAddress: ":8081", readinessEndpointName: ready}
metrics: {bindAddress: ":8443", enableClusterQueueResources: true, localQueueMetrics: {enable: true}}
webhook: {port: 9443, host: a, certDir: /tmp}
leaderElection: {leaderElect: true, resourceName: c1f6bfd2.kueue.x-k8s.io, leaseDuration: 15s}
controller: {groupKindConcurrency: {Job.batch: 5}, cacheSyncTimeout: 120000000000}
clientConnection: {qps: 300, burst: 500}
manageJobsWithoutQueueName: false
managedJobsNamespaceSelector:
  matchExpressions: [{key: kubernetes.io/metadata.name, operator: NotIn, values: [kube-system, kueue-system]}]
internalCertManagement: {enable: true, webhookServiceName: a, webhookSecretName: b}
waitForPodsReady:
  timeout: 5m
  blockAdmission: false
  recoveryTimeout: 3m
  requeuingStrategy: {timestamp: Eviction, backoffLimitCount: 3, backoffBaseSeconds: 60, backoffMaxSeconds: 600}
fairSharing: {preemptionStrategies: [LessThanOrEqualToFinalShare, LessThanInitialShare]}
admissionFairSharing: {usageHalfLifeTime: 10m, usageSamplingInterval: 5m, resourceWeights: {cpu: 1.5}}
integrations: {frameworks: [batch/job, pod], externalFrameworks: [Foo.v1.example.com], labelKeysToCopy: [team]}
resources:
  excludeResourcePrefixes: [a.example.com/]
  transformations: [{input: nvidia.com/mig-1g.5gb, strategy: Replace, outputs: {example.com/gb: 5}}]
multiKueue: {gcInterval: 1m, origin: multikueue, workerLostTimeout: 15m}
objectRetentionPolicies: {workloads: {afterFinished: 1h}}
featureGates: {LocalQueueMetrics: true, TASBalancedPlacement: false}
visibilityServer: {bindPort: 8082}
"""
JUNK: tuple[Any, ...] = (True, 0, 7, -3, 1.5, "", "x", "10m", "true", "7", [], ["a"], {}, {"a": "b"})
MUTATIONS = 150
DECODING = ("unknown field", "unmarshal", "time:", "quantities must", "unrecognized feature gate")
"""What the manager says of a file that it cannot read; anything else is about what values mean together."""


@pytest.fixture(scope="module")
def manager() -> Path:
    return tool_or_skip("kueue")


def said(manager: Path, data: object, folder: Path) -> str:
    """Return why the manager does not take a configuration; nothing where it goes on to look for a cluster, which there is not."""
    file = folder / "configuration.yaml"
    file.write_text(yaml.safe_dump(data), encoding="utf-8")
    environment = {**os.environ, "KUBECONFIG": str(folder / "none")}
    done = subprocess.run(
        [manager, f"--config={file}"], env=environment, capture_output=True, text=True, check=False, timeout=60
    )
    lines = [json.loads(line) for line in done.stderr.splitlines() if line.startswith("{")]
    first = next(line for line in lines if line["level"] == "error")
    return "" if first["msg"] == "unable to get kubeconfig" else str(first["error"])


def refused(data: object) -> list[str]:
    """Return the errors of our rules."""
    item = Config(data, OnePlace(Span("-", 1, 1, 1, 1)), format=Format.KUEUE)
    rules = (unknown_config_key, config_value_refused)
    found = [one for rule in rules for one in rule.judge(Inventory(configs=(item,)))]
    return [one.summary for one in found if one.severity is Severity.ERROR]


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if path:
        yield path
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from places(inner, (*path, key))


def broken(choose: random.Random) -> Any:
    """Return the configuration with one value replaced, or one key misspelt or carried elsewhere."""
    data = copy.deepcopy(yaml.safe_load(BASE))
    path = choose.choice([one for one in places(data) if one[0] not in ("apiVersion", "kind")])
    above = data
    for key in path[:-1]:
        above = above[key]
    last = path[-1]
    if isinstance(above, list) or choose.random() < 0.5:
        above[last] = choose.choice(JUNK)
    elif choose.random() < 0.5:
        above[choose.choice([last[:-1], last + "s", last.lower(), last.upper()])] = above.pop(last)
    else:
        data.setdefault(choose.choice(("webhook", "metrics", "integrations", "resources")), {})[last] = above.pop(last)
    return data


@pytest.mark.controlplane
def test_the_manager_starts_with_the_configuration_and_the_rules_are_silent(manager: Path, tmp_path: Path) -> None:
    assert (said(manager, yaml.safe_load(BASE), tmp_path), refused(yaml.safe_load(BASE))) == ("", [])


@pytest.mark.controlplane
def test_the_rules_refuse_what_the_manager_cannot_read_and_nothing_that_it_takes(manager: Path, tmp_path: Path) -> None:
    choose = random.Random(7)
    seen = 0
    for _ in range(MUTATIONS):
        data = broken(choose)
        why, ours = said(manager, data, tmp_path), refused(data)
        assert why or not ours, (ours, data)
        assert ours or not any(word in why for word in DECODING), (why, data)
        seen += bool(why)
    assert MUTATIONS / 3 < seen < MUTATIONS
