"""A good cluster for `gpuplan verify`, and how things are broken in it.

The cluster is rendered by the real pipeline and lives on the real API server with Kueue, controllers, scheduler and kwok;
its nodes carry what feature discovery, the MIG manager and the kubelet would say (`nodes.py`).

Adding faults: write `FAULTS: tuple[Fault, ...]` in `faults_<area>.py`; `test_verify.py` finds the modules by that name. A fault
breaks one thing (`plant`) and gives back how it is mended; both wait until it can be seen (`Bed.until`). `check` is the id
of the check that must fail, with a line of evidence (or its subject or summary) that matches `evidence`. What else must fail
of necessity stands in `also`. All faults are planted together as well, in the order of the modules: let no two touch the same
thing, or the second hides the first; `apart` leaves one out of that.

    def plant(bed: Bed) -> Undo:
        return bed.patched(reference("v1", "Node", "h100-0"), {"spec": {"unschedulable": True}})

Adding probes (dry runs): `gpuplan/verify/probes.py` has `probes(fleet, cluster) -> Mapping[str, Object]`, names to objects that
are created as dry runs in their collections; `Observed.tried` then holds each answer by its name.
A real Prometheus and a real Alertmanager stand beside it (`monitors.py`).
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from gpuplan.cluster.access import Access
from gpuplan.cluster.alertmanager import AlertmanagerStatus
from gpuplan.cluster.kube import Kube, connect
from gpuplan.cluster.prometheus import Prometheus
from gpuplan.manifests.set import Manifest
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.verify.collect import collect
from gpuplan.verify.judge import judge
from gpuplan.verify.monitoring import ask_alertmanager, ask_prometheus, queries
from gpuplan.verify.observed import Observed
from gpuplan.verify.probes import probes
from gpuplan.verify.scene import Scene
from gpuplan.verify.verdicts import Report
from tests import build
from tests.controlplane.client import Client, Object
from tests.controlplane.controlplane import ControlPlane
from tests.controlplane.verifying.monitors import Monitors

Undo = Callable[[], None]
Result = TypeVar("Result")
LIMIT_SECONDS = 60.0

SPEC = """\
apiVersion: gpuplan.dev/v1alpha1
kind: Fleet
metadata: {name: acme}
clusters: {main: {kubernetes: "1.36", stack: manual}}
cardTiers:
  train: {cards: [h100-sxm-80gb], topology: {levels: [topology.gpuplan.dev/block, kubernetes.io/hostname]}}
  serve: {cards: [l40s]}
  lab: {cards: [a100-sxm-40gb]}
  desk: {cards: [t4]}
defaults:
  nodePool: {cluster: main, selectedBy: {nfd: {}}, driver: {branch: "580"}}
nodePools:
  h100:
    tier: train
    nodes: 4
    cardsPerNode: 8
    selectedBy: {labels: {node.kubernetes.io/instance-type: hgx-h100}}
    topologyLabels: provided
    taints: [{key: nvidia.com/gpu, effect: NoSchedule}]
  l40s: {tier: serve, nodes: 4, cardsPerNode: 4, driver: {branch: "595"}}
  a100: {tier: lab, nodes: 4, cardsPerNode: 8, sharing: {mig: {profiles: {1g.5gb: 2, 2g.10gb: 1, 3g.20gb: 1}, strategy: mixed}}}
  t4: {tier: desk, nodes: 4, cardsPerNode: 4, sharing: {timeSlicing: {replicas: 4}}}
taskPools:
  pretrain:
    kind: training
    service: guaranteed
    tiers: [train]
    largestJob: {pods: 2, cardsPerPod: 8}
    topology: {required: topology.gpuplan.dev/block}
  chat:
    kind: onlineInference
    service: guaranteed
    tiers: [serve]
    stateful: {drainSeconds: 60}
    serving: {engine: vllm, slo: {latencyMilliseconds: 2500, objectivePercent: 99}}
  nightly: {kind: batchInference, service: queued, tiers: [serve]}
  explore: {kind: experiment, service: shared, tiers: [lab], pool: {lab/1g.5gb: 64, lab/2g.10gb: 32}}
  scratch: {kind: experiment, service: reclaimable, tiers: [desk]}
teams:
  vision:
    namespaces: [vision, vision-train]
    groups: [vision-engineers]
    costCenter: cc-120
    alerts: {receiver: vision-oncall}
    quotas:
      pretrain: {train: {guaranteed: 16, borrow: 16}}
      chat: {serve: {guaranteed: 8}}
      explore: {weight: 2}
      scratch: {}
  search:
    namespaces: [search]
    groups: [search-engineers]
    costCenter: cc-210
    alerts: {receiver: search-oncall}
    quotas:
      pretrain: {train: {guaranteed: 16}}
      nightly: {serve: {guaranteed: 4, borrow: 4}}
      explore: {weight: 1}
      scratch: {}
monitoring:
  selectorLabels: {release: kube-prometheus-stack}
  alertmanager:
    platform: platform-oncall
    receivers:
      platform-oncall: {pagerduty: {secret: pagerduty-gpu}}
      vision-oncall: {slack: {channel: "#vision-oncall", secret: slack-alerts}}
      search-oncall: {webhook: {secret: search-chat}}
governance:
  podSecurity: baseline
  guardRails: {queueRequired: deny, producedResources: deny, statefulServing: warn}
  reclaim: {mode: dryRun, image: "registry.acme.example/platform/gpuplan:0.1.0", notice: [event]}
delivery: {argocd: {repoURL: "https://git.acme.example/platform/gpu-fleet.git", targetRevision: main}}
"""
"""A fleet with a pool of each way to expose cards, teams of two kinds, rails, routes and a reclaimer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One thing that is broken by hand; see the module."""

    name: str
    plant: Callable[[Bed], Undo]
    check: str
    """Id of the check that must find it."""
    evidence: str
    """Regular expression that the failing verdict must match somewhere: subject, summary or evidence."""
    also: tuple[str, ...] = ()
    """Other checks that fail with it of necessity."""
    apart: bool = False
    """Whether it cannot stand beside the others."""


@dataclass(slots=True, kw_only=True)
class Bed:
    """The cluster, its fleet, and the words by which faults are written."""

    plane: ControlPlane
    fleet: Fleet
    manifests: tuple[Manifest, ...]
    folder: Path
    """`fleet/` lies in it."""
    monitors: Monitors
    """The Prometheus and the Alertmanager that watch it."""

    @property
    def cluster(self) -> Cluster:
        """The only cluster of the fleet."""
        return self.fleet.clusters[0]

    @property
    def prometheus(self) -> str:
        """The address of its Prometheus."""
        return self.monitors.prometheus

    @property
    def alertmanager(self) -> str:
        """The address of its Alertmanager."""
        return self.monitors.alertmanager

    @property
    def client(self) -> Client:
        """The client of an administrator."""
        return self.plane.client

    def kube(self) -> Kube:
        """Return gpuplan's own client, as an administrator."""
        kube = connect("gpuplan-verify", self.plane.kubeconfig)
        assert isinstance(kube, Kube)
        return kube

    def observed(self) -> Observed:
        """Look at the cluster by the real collector."""
        with (
            Prometheus(Access(url=self.prometheus)) as metrics,
            AlertmanagerStatus(Access(url=self.alertmanager)) as alerts,
        ):
            prometheus = ask_prometheus(metrics, queries(self.fleet, self.cluster, self.manifests))
            alertmanager = ask_alertmanager(alerts)
        asked = probes(self.fleet, self.cluster)
        seen = collect(self.kube(), asked, prometheus=prometheus, alertmanager=alertmanager)
        assert isinstance(seen, Observed), seen
        return seen

    def scene(self, observed: Observed | None = None) -> Scene:
        """Return what a check is given, of what is seen now unless something is given."""
        return Scene(
            fleet=self.fleet,
            cluster=self.cluster,
            manifests=self.manifests,
            observed=observed or self.observed(),
        )

    def report(self) -> Report:
        """Look and judge."""
        return judge(self.scene())

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run `gpuplan verify` as a program on the fleet, as an administrator unless a kubeconfig is among the arguments."""
        asked = () if {"--kubeconfig", "--snapshot"}.intersection(arguments) else self.access
        program = [sys.executable, "-m", "gpuplan", "verify", "--fleet", str(self.folder / "fleet"), *asked, *arguments]
        day = {"GPUPLAN_TODAY": build.TODAY.isoformat()}
        return subprocess.run(program, capture_output=True, text=True, check=False, env={**environment(), **day})

    @property
    def access(self) -> tuple[str, ...]:
        """The options that say where everything is."""
        servers = ("--prometheus", self.prometheus, "--alertmanager", self.alertmanager)
        return ("--kubeconfig", str(self.plane.kubeconfig), *servers)

    # The words of faults. Each gives back how it is undone.

    def until(self, seen: Callable[[], Result], what: str) -> Result:
        """Wait until `seen` returns something truthy, and return it."""
        return self.plane.wait_for(seen, LIMIT_SECONDS, what=what)

    def patched(self, which: Object, change: Object, *, subresource: str = "") -> Undo:
        """Merge a change into an object; undone, the touched parts are as they were, and what was new is gone."""
        before = self.client.get(which)
        self.client.patch(which, change, subresource=subresource)

        def undo() -> None:
            self.client.patch(which, reverse(change, before), subresource=subresource)

        return undo

    def deleted(self, which: Object) -> Undo:
        """Delete an object, and wait until it is gone; undone, it is made anew as it was."""
        before = self.client.get(which)
        self.client.delete(which)
        self.until(lambda: self.client.find(which) is None, f"{which['metadata']['name']} to go")

        def undo() -> None:
            self.client.create(bare(before))

        return undo

    def created(self, made: Object) -> Undo:
        """Create an object; undone, it is gone."""
        self.client.create(made)

        def undo() -> None:
            self.client.delete(made, grace_seconds=0)
            self.until(lambda: self.client.find(made) is None, f"{made['metadata']['name']} to go")

        return undo


def reverse(change: Any, before: Any) -> Any:
    """Return the merge patch that undoes a merge patch; lists are put back whole."""
    if not isinstance(change, Mapping):
        return before
    old = before if isinstance(before, Mapping) else {}
    return {key: reverse(value, old.get(key)) if key in old else None for key, value in change.items()}


def bare(seen: Object) -> Object:
    """Return an object that was read as it can be created again."""
    own = ("name", "namespace", "labels", "annotations")
    kept = {key: value for key, value in seen.items() if key not in {"metadata", "status"}}
    return {**kept, "metadata": {key: value for key, value in seen["metadata"].items() if key in own}}


def environment() -> Mapping[str, str]:
    """Return the environment of a program: ours, without colour."""
    return {**os.environ, "NO_COLOR": "1"}
