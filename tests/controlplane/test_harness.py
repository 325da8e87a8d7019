"""The control plane is alive: what the other tests take for granted."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.controlplane import acceptance, kueue
from tests.controlplane.client import ApiError, Object, reference
from tests.controlplane.controlplane import ControlPlane
from tests.controlplane.ports import is_free
from tests.controlplane.workloads import is_suspended, is_true, job, pods_of, running_pods, runs

REPOSITORY = Path(__file__).parents[2]
API = "kueue.x-k8s.io/v1beta2"
GPU = "nvidia.com/gpu"
TAINT = {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}
END_LIMIT_SECONDS = 20


def flavor(name: str, *, tolerates: bool = False) -> Object:
    toleration = {"key": TAINT["key"], "operator": "Exists", "effect": TAINT["effect"]}
    spec: dict[str, Any] = {"nodeLabels": {"gpuplan.dev/tier": name}}
    spec |= {"tolerations": [toleration]} if tolerates else {}
    return {"apiVersion": API, "kind": "ResourceFlavor", "metadata": {"name": name}, "spec": spec}


def cluster_queue(name: str, *, flavor: str, cards: int, lend: int | None = None) -> Object:
    quota: dict[str, Any] = {"name": GPU, "nominalQuota": str(cards)}
    quota |= {} if lend is None else {"lendingLimit": str(lend)}
    group = {"coveredResources": [GPU], "flavors": [{"name": flavor, "resources": [quota]}]}
    spec = {"cohortName": "all", "namespaceSelector": {}, "resourceGroups": [group]}
    return {"apiVersion": API, "kind": "ClusterQueue", "metadata": {"name": name}, "spec": spec}


def local_queue(namespace: str, name: str, cluster_queue: str) -> Object:
    return {
        "apiVersion": API,
        "kind": "LocalQueue",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"clusterQueue": cluster_queue},
    }


def one_team(cards: int) -> Sequence[Object]:
    """Namespace, flavor and queues of one team that may use this many cards."""
    return [
        reference("v1", "Namespace", "vision"),
        flavor("train", tolerates=True),
        cluster_queue("vision-pretrain", flavor="train", cards=cards),
        local_queue("vision", "pretrain", "vision-pretrain"),
    ]


def test_the_server_is_the_pinned_version(control_plane: ControlPlane) -> None:
    assert control_plane.client.request("GET", "/version")["gitVersion"] == "v1.36.3"


def test_kueue_refuses_to_lend_more_than_it_has(empty_control_plane: ControlPlane) -> None:
    queue = cluster_queue("vision-pretrain", flavor="train", cards=8, lend=16)

    refused = acceptance.rejection(empty_control_plane.client, queue, dry_run=True)

    assert refused is not None
    assert "must be less than or equal to the nominalQuota" in refused.message
    assert "admission webhook" in refused.message


def test_a_schema_rule_and_an_unknown_field_are_refused(empty_control_plane: ControlPlane) -> None:
    too_long: dict[str, Any] = {**flavor("train"), "spec": {"nodeLabels": {f"label-{i}": "x" for i in range(9)}}}
    misspelt: dict[str, Any] = {**flavor("train"), "spec": {"nodeLabel": {}}}

    refused = acceptance.apply_manifests(empty_control_plane.client, [too_long, misspelt, flavor("lab")])

    assert [(one.status, one.obj["spec"]) for one in refused] == [(422, too_long["spec"]), (500, misspelt["spec"])]


def test_a_cluster_queue_becomes_active_once_its_flavor_exists(empty_control_plane: ControlPlane) -> None:
    client = empty_control_plane.client
    queue = cluster_queue("vision-pretrain", flavor="train", cards=8)
    client.apply(queue)
    empty_control_plane.wait_for(lambda: client.get(queue).get("status", {}).get("conditions"), what="a first verdict")
    assert not is_true(client.get(queue), "Active")

    client.apply(flavor("train"))

    empty_control_plane.wait_for(lambda: is_true(client.get(queue), "Active"), what="the queue to be active")


def test_what_we_write_reads_back_the_same_but_for_defaults_left_out(empty_control_plane: ControlPlane) -> None:
    client = empty_control_plane.client
    objects = [*one_team(cards=8), reference("v1", "ServiceAccount", "exporter", "vision")]
    assert acceptance.apply_manifests(client, objects) == []
    queue = objects[2]
    empty_control_plane.wait_for(lambda: is_true(client.get(queue), "Active"), what="the queue to be active")

    found = acceptance.stored_differences(client, objects)

    assert found == [
        'ClusterQueue vision-pretrain: spec.flavorFungibility.whenCanBorrow: absent != "MayStopSearch"',
    ]
