"""A pool goes to the GPU Operator and back on a real control plane, commit by commit, while work runs beside it.

Each commit is brought to the cluster as Argo CD would, and the nodes are labelled as NFD would, or by the runbook's own
commands with the real kubectl where people label them. The DaemonSet controller is
real. The GPU Operator does not run here, only its CRDs are there: which nodes it would serve is read off their labels.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest

from gpuplan import conventions
from gpuplan.manifests.set import ManifestSet
from gpuplan.model.labels import all_labels
from gpuplan.model.pools import SelectedBy
from gpuplan.moving.stack import KEPT, Road
from gpuplan.moving.stack_course import Place
from gpuplan.moving.stack_owners import OPERATOR, driver_owners, plugin_owners
from gpuplan.plan.parts import Step
from tests.controlplane import newer_fields
from tests.controlplane.acceptance import apply_manifests, stored_differences
from tests.controlplane.behaviour.scene import Scene, pool_of
from tests.controlplane.behaviour.sight import Job
from tests.controlplane.behaviour.stage import Stage, inactive
from tests.controlplane.behaviour.test_maintenance import service
from tests.controlplane.client import Object, identity
from tests.controlplane.controlplane import ControlPlane
from tests.controlplane.fixtures import tool_or_skip
from tests.controlplane.workloads import is_true
from tests.unit.moving.ways import FILE, loaded, rendered, way

FLEET = """
apiVersion: gpuplan.dev/v1alpha1
metadata: {name: acme}
clusters:
  main: {kubernetes: "1.36", gpuOperator: external, nvidiaRuntime: {default: true}}
cardTiers:
  serve: {cards: [l40s]}
  lab: {cards: [a100-sxm-40gb]}
  desk: {cards: [t4]}
nodePools:
  l40s: {cluster: main, tier: serve, nodes: 2, cardsPerNode: 4, selectedBy: {nfd: {}}}
  lab: {cluster: main, tier: lab, nodes: 2, cardsPerNode: 8, selectedBy: {nfd: {}}}
  desk: {cluster: main, tier: desk, nodes: 2, cardsPerNode: 8, selectedBy: {nfd: {}}, sharing: {timeSlicing: {replicas: 4}}}
taskPools:
  chat: {kind: onlineInference, service: guaranteed, tiers: [serve], stateful: {drainSeconds: 60}}
  train: {kind: training, service: guaranteed, tiers: [lab]}
  books: {kind: experiment, service: guaranteed, tiers: [desk]}
teams:
  nlp:
    namespaces: [nlp]
    quotas: {chat: {serve: {guaranteed: 8}}, train: {lab: {guaranteed: 16}}, books: {desk: {guaranteed: 64}}}
"""
POOL = "l40s"
BY_LABELS = FLEET.replace(
    "cardsPerNode: 4, selectedBy: {nfd: {}}", "cardsPerNode: 4, selectedBy: {labels: {acme.example/rack: serving}}"
).replace(
    "cardsPerNode: 8, selectedBy: {nfd: {}}, sharing",
    "cardsPerNode: 8, selectedBy: {labels: {acme.example/rack: desk}}, sharing",
)
"""People label the nodes of the pool, and those of one beside it."""
LAST = 6
LAST_BY_LABELS = 5
"""The operator's standby does not end beside nodes that people keep it off."""


@pytest.fixture(scope="module")
def stage(_shared_busy_control_plane: ControlPlane) -> Iterator[Stage]:
    """The control plane where pods live, without any object of an earlier test."""
    _shared_busy_control_plane.reset()
    _shared_busy_control_plane.require_running()
    yield Stage(_shared_busy_control_plane)
    _shared_busy_control_plane.start_kueue()  # with the configuration that other tests expect


class Journey:
    """The fleet on the control plane at some place of the way, with work that must not notice."""

    def __init__(self, stage: Stage, fleet: str) -> None:
        road = way(fleet, POOL, "operator")
        assert isinstance(road, Road), road
        self.road = road
        self.sets: list[ManifestSet] = [rendered(text[FILE]) for text in road.texts]
        self.clusters = [loaded(text[FILE]).clusters[0] for text in road.texts]
        self.here = 0
        self.waiting: Job  # of the pool's queue, submitted while its nodes are closed
        self.scene: Scene = stage.play(fleet, head="")
        self.plane, self.client = stage.plane, self.scene.client
        self.beside = [self.scene.submit("nlp", "train", cards=8), self.scene.submit("nlp", "books")]
        self.client.create(serving())
        self.scene.runs(*self.beside)
        self.scene.until(self._serves, "the service of the pool to be ready")
        self._label(0)
        self.scene.until(lambda: self._owners() == self._expected(0), "all agents to be there")
        self.pods = self._others()
        self.kept = self._kept()

    def go(self, goal: int) -> None:
        """Take the commits to a place, forth or back, with what people do around those that exchange agents."""
        while self.here != goal:
            number = self.here + (1 if goal > self.here else -1)
            leaves, comes = self.place(number).stack == "external", self.place(self.here).stack == "external"
            if leaves:
                self._empty()
            self._commit(number)
            self.here = number
            self._check()
            if comes:
                self._open()

    def unlike_written(self) -> list[str]:
        """Return where an object of this place is stored otherwise than it was written."""
        return stored_differences(self.client, self._objects(self.here).values())

    def place(self, number: int) -> Place:
        return self.road.move.places[number]

    def _commit(self, number: int) -> None:
        """Sync: labels first, then all that is new or changed, and in the end what is gone. One owner in between, too."""
        old, new = (self._objects(one) for one in (self.here, number))
        step = self.road.steps[max(self.here, number) - 1]
        passage = step.forth if number > self.here else step.back
        self._by_hand(passage.before)
        self._one_owner(number)
        assert apply_manifests(self.client, [obj for key, obj in new.items() if old.get(key) != obj]) == []
        self._one_owner(number)
        self._label(number)
        self._one_owner(number)
        for key, obj in sorted(old.items(), key=lambda one: one[1]["kind"] == "Namespace"):
            if key not in new:
                self.client.delete(obj)
        self._one_owner(number)
        self._by_hand(passage.after)
        self._one_owner(number)
        gone = [obj for key, obj in old.items() if key not in new and obj["kind"] == "Namespace"]
        self.scene.until(lambda: all(self.client.find(one) is None for one in gone), "namespaces to be gone")

    def _objects(self, number: int) -> dict[str, Object]:
        """What the cluster gets, by identity, without the fields that the operator's CRDs here are too old for."""
        made = (newer_fields.without(one.object) for one in self.sets[number] if one.cluster == "main")
        return {identity(obj): obj for obj in made}

    def _label(self, number: int) -> None:
        """Give each node the labels of its pool, as NFD would, and take away the ones that are no longer asked for."""
        pools = {
            pool.name: all_labels(self.clusters[number], pool)
            for pool in self.clusters[number].pools
            if pool.selection.by is SelectedBy.NFD
        }
        known = {key for cluster in self.clusters for pool in cluster.pools for key in all_labels(cluster, pool)}
        for node in self._nodes():
            wanted = pools.get(pool_of(node["metadata"]["name"]))
            if wanted is not None:
                self.client.patch(node, {"metadata": {"labels": {key: wanted.get(key) for key in known}}})

    def _by_hand(self, steps: Sequence[Step]) -> None:
        """Type the commands by which the runbook has people label nodes."""
        commands = [one for step in steps for one in step.commands if one.startswith("kubectl label nodes")]
        kubectl = tool_or_skip("kubectl")
        environment = {"PATH": f"{kubectl.parent}:{os.defpath}", "KUBECONFIG": str(self.plane.kubeconfig), "HOME": "/"}
        subprocess.run(
            ["bash", "-ec", "\n".join(commands)], env=environment, check=True, capture_output=True, timeout=60
        )

    def _nodes(self) -> list[Object]:
        return list(self.client.list("v1", "Node"))

    def _agents(self) -> list[Object]:
        pods = self.client.list("v1", "Pod", namespace=conventions.SYSTEM_NAMESPACE)
        return [pod for pod in pods if "deletionTimestamp" not in pod["metadata"] and pod["spec"].get("nodeName")]

    def _owners(self) -> dict[str, set[str]]:
        """Node -> who has a device plugin there: pods that are there, and the operator by the labels that are there."""
        found: dict[str, set[str]] = {}
        for node in self._nodes():
            name, labels = node["metadata"]["name"], node["metadata"]["labels"]
            by_label = plugin_owners(labels, self.clusters[self.here], self.sets[self.here]) & {OPERATOR}
            found[name] = by_label
        for pod in self._agents():
            labels = pod["metadata"]["labels"]
            if labels.get(conventions.LABEL_APP_NAME) == conventions.DEVICE_PLUGIN:
                found[pod["spec"]["nodeName"]].add(pod["metadata"]["ownerReferences"][0]["name"])
        return found

    def unlabelled(self) -> list[str]:
        """Return the nodes that do not carry what the spec asks of their pool at this place."""
        pools = {pool.name: all_labels(self.clusters[self.here], pool) for pool in self.clusters[self.here].pools}
        labels = {node["metadata"]["name"]: node["metadata"]["labels"] for node in self._nodes()}
        switches = {conventions.LABEL_OPERANDS, conventions.LABEL_DEVICE_PLUGIN_CONFIG}
        return [
            name
            for name, live in labels.items()
            if not pools[pool_of(name)].items() <= live.items()
            or switches & (live.keys() - pools[pool_of(name)].keys())
        ]

    def _expected(self, number: int) -> Mapping[str, set[str]]:
        stack = self.place(number).stack
        moved = {"manual": {f"nvidia-device-plugin-{POOL}"}, "external": set(), "operator": {OPERATOR}}[stack]
        return {
            f"{pool.name}-{n}": moved if pool.name == POOL else {f"nvidia-device-plugin-{pool.name}"}
            for pool in self.clusters[number].pools
            for n in range(pool.nodes)
        }

    def _one_owner(self, number: int) -> None:
        """Hold the labels of the nodes as they are now against all objects of both sides."""
        sides = self.sets[self.here], self.sets[number]
        for node in self._nodes():
            labels, name = node["metadata"]["labels"], pool_of(node["metadata"]["name"])
            pools = [pool for n in (self.here, number) for pool in self.clusters[n].pools if pool.name == name]
            assert len(plugin_owners(labels, self.clusters[number], *sides)) <= 1, node["metadata"]["name"]
            assert len(driver_owners(labels, self.clusters[number], pools, *sides)) <= 1, node["metadata"]["name"]

    def _check(self) -> None:
        """See that what all steps promise holds, on the server."""
        self.scene.until(lambda: self._owners() == self._expected(self.here), f"the owners of place {self.here}")
        assert inactive(self.client) == []
        assert self._kept() == self.kept
        assert self._others() == self.pods
        assert self.scene.undisturbed(*self.beside)

    def _kept(self) -> dict[str, tuple[str, Any]]:
        """Uid and generation of every queue, flavor and priority: both stay where nobody writes anything else."""
        kinds = {(one.object["apiVersion"], one.key.kind) for one in self.sets[0] if one.key.kind in KEPT}
        return {
            identity(obj): (obj["metadata"]["uid"], obj["metadata"].get("generation"))
            for version, kind in sorted(kinds)
            for obj in self.client.list(str(version), kind)
        }

    def _others(self) -> dict[str, tuple[str, int]]:
        """Node and restarts of every pod of other pools, agents and work, by uid."""
        pods = [*self._agents(), *self.client.list("v1", "Pod", namespace="nlp")]
        return {
            pod["metadata"]["uid"]: (pod["spec"]["nodeName"], _restarts(pod))
            for pod in pods
            if pod["spec"].get("nodeName") and pool_of(pod["spec"]["nodeName"]) != POOL
        }

    def _empty(self) -> None:
        """Cordon and drain the pool's nodes. The service's only pod has nowhere else to go, and its budget lets it."""
        self.scene.cordon(POOL)
        for pod in self._work_on_pool():
            name = {"name": pod["metadata"]["name"], "namespace": "nlp"}
            body = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": name}
            self.client.request("POST", f"{self.client.path(pod)}/eviction", body)
        self.scene.until(lambda: self._work_on_pool() == [], "the pool to be empty")
        self.waiting = self.scene.submit("nlp", "chat", cards=3)
        assert self.scene.waits(self.waiting)

    def _work_on_pool(self) -> list[Object]:
        """Running pods of teams on the pool's nodes."""
        pods = self.client.list("v1", "Pod", namespace="nlp")
        on_pool = [pod for pod in pods if pool_of(pod["spec"].get("nodeName", "-")) == POOL]
        return [
            pod for pod in on_pool if pod["status"]["phase"] == "Running" and "deletionTimestamp" not in pod["metadata"]
        ]

    def _open(self) -> None:
        """Open the nodes, and see that what was drained and what waited runs there."""
        assert self.scene.waits(self.waiting)
        self.scene.uncordon(POOL)
        self.scene.runs(self.waiting)
        self.scene.until(self._serves, "the service to be ready again")
        assert self.scene.pools_of(self.waiting) == {POOL}
        self.scene.finish(self.waiting)
        self.client.delete(self.waiting.made)

    def _serves(self) -> bool:
        """Tell whether the service's pod is ready on a node of the pool."""
        pods = self.client.list("v1", "Pod", namespace="nlp", labels="app=deployment")
        return [pool_of(one["spec"].get("nodeName", "-")) for one in pods if is_true(one, "Ready")] == [POOL]


def serving() -> Object:
    """Return the team's stateful service on the pool: one pod with a card."""
    made = service(replicas=1)
    return {**made, "metadata": {**made["metadata"], "namespace": "nlp"}}


def _restarts(pod: Object) -> int:
    return sum(one["restartCount"] for one in pod.get("status", {}).get("containerStatuses", ()))


@pytest.fixture(scope="module")
def journey(stage: Stage) -> Journey:
    """The fleet at the beginning of the way."""
    made = Journey(stage, FLEET)
    assert len(made.road.steps) == LAST
    return made


@pytest.mark.parametrize("step", range(1, LAST + 1))
def test_a_pool_goes_so_far_and_all_the_way_back_its_work_waits_meanwhile_and_nothing_beside_it_notices(
    journey: Journey, step: int
) -> None:
    journey.go(step)
    assert journey.unlike_written() == []
    journey.go(0)
    assert journey.unlike_written() == []


@pytest.fixture(scope="module")
def journey_by_labels(stage: Stage) -> Journey:
    """The fleet whose nodes people label, at the beginning of the way; the other fleet has left."""
    stage.plane.reset()
    made = Journey(stage, BY_LABELS)
    assert len(made.road.steps) == LAST_BY_LABELS
    return made


@pytest.mark.parametrize("step", [2, LAST_BY_LABELS])
def test_a_pool_goes_and_comes_back_where_people_label_nodes_by_the_commands_of_the_runbook(
    journey_by_labels: Journey, step: int
) -> None:
    for goal in (step, 0):
        journey_by_labels.go(goal)
        assert journey_by_labels.unlabelled() == []
        assert journey_by_labels.unlike_written() == []
