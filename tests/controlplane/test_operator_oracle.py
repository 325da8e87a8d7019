"""The API server and our rules look at the same broken ClusterPolicies: what it does not know or take, we do not, and nothing else."""

from __future__ import annotations

import copy
import random
from typing import Any

import yaml

from gpuplan.diagnostics import Severity, Span
from gpuplan.inventory.assumed import Assumed
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.items import Object
from gpuplan.inventory.places import OnePlace
from gpuplan.rules.op import unknown_key, value_refused
from gpuplan.versions import required
from tests.controlplane import oracle
from tests.controlplane.controlplane import ControlPlane

BASE = """
apiVersion: nvidia.com/v1
kind: ClusterPolicy
metadata: {name: cluster-policy}
spec:
  operator: {defaultRuntime: containerd, runtimeClass: nvidia}
  daemonsets:
    labels: {team: platform}
    tolerations: [{key: nvidia.com/gpu, operator: Exists, effect: NoSchedule}]
    rollingUpdate: {maxUnavailable: "1"}
    updateStrategy: RollingUpdate
  driver:
    enabled: true
    version: 580.82.07
    image: driver
    imagePullSecrets: [registry]
    kernelModuleType: auto
    env: [{name: A, value: b}]
    resources: {limits: {cpu: 1}}
    startupProbe: {periodSeconds: 10}
    upgradePolicy: {autoUpgrade: true, maxUnavailable: 25%, podDeletion: {force: true, timeoutSeconds: 300}, drain: {enable: false}}
  toolkit: {enabled: true, installDir: /usr/local/nvidia}
  devicePlugin: {enabled: true, config: {name: plugin, default: whole}, args: [--a]}
  dcgm: {enabled: false}
  dcgmExporter:
    enabled: true
    config: {name: counters}
    serviceMonitor: {enabled: true, interval: 15s, honorLabels: true, additionalLabels: {release: prometheus}}
  gfd: {enabled: true}
  mig: {strategy: mixed}
  migManager: {enabled: true, config: {name: tables, default: all-disabled}}
  nodeStatusExporter: {enabled: false}
  cdi: {enabled: true, default: false}
"""
JUNK: tuple[Any, ...] = (True, 7, -3, 1.5, "x", "true", "7", ["a"], {"a": "b"}, [{"a": "b"}])
NOT_OURS = ("Required value", "should match", "should be greater", "must be of the form", "quantities must")
"""Refusals for what a value says within its type: patterns, bounds and fields that must be there."""
SECTIONS = ("driver", "daemonsets", "devicePlugin", "mig", "dcgmExporter")
MUTATIONS = 150


def refused(data: Any) -> list[str]:
    """Return the errors of our rules for the release whose CRD the server has."""
    item = Object(data, OnePlace(Span("-", 1, 1, 1, 1)))
    inventory = Inventory(objects=(item,), assumed=Assumed(versions={"gpuOperator": required("25.3.4")}))
    found = [one for rule in (unknown_key, value_refused) for one in rule.judge(inventory)]
    return [one.summary for one in found if one.severity is Severity.ERROR]


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(found for key, one in inner for found in places(one, (*path, key)))]


def broken(choose: random.Random) -> Any:
    """Return the policy with one value of its spec replaced, or one key misspelt or carried elsewhere."""
    data = copy.deepcopy(yaml.safe_load(BASE))
    path = choose.choice([one for one in places(data["spec"]) if one])
    above = data["spec"]
    for key in path[:-1]:
        above = above[key]
    last = path[-1]
    if isinstance(above, list) or choose.random() < 0.5:
        above[last] = choose.choice(JUNK)
    elif choose.random() < 0.5:
        above[choose.choice([last[:-1], last + "s", last.lower(), last.upper()])] = above.pop(last)
    else:
        data["spec"].setdefault(choose.choice(SECTIONS), {})[last] = above.pop(last)
    return data


def test_a_policy_that_the_server_takes_is_taken_by_the_rules(control_plane: ControlPlane) -> None:
    data = yaml.safe_load(BASE)
    (said,) = oracle.verdicts(control_plane.client, [data])
    assert (said.refused, refused(data)) == ("", [])


def test_the_rules_find_what_the_server_does_not_know_or_take_and_nothing_else(control_plane: ControlPlane) -> None:
    choose = random.Random(11)
    policies = [broken(choose) for _ in range(MUTATIONS)]
    said = [one.refused for one in oracle.verdicts(control_plane.client, policies)]
    for data, why in zip(policies, said, strict=True):
        ours = refused(data)
        assert why or not ours, (ours, data)
        assert ours or not why or any(word in why for word in NOT_OURS), (why, data)
    assert MUTATIONS / 3 < sum(map(bool, said)) < MUTATIONS
