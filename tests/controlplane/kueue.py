"""Kueue's full manager outside a cluster: its configuration, its webhooks, its start."""

from __future__ import annotations

import base64
import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import urllib3
import yaml

from tests.controlplane.client import Client, Object
from tests.controlplane.modulefiles import KUEUE, WEBHOOKS, module_folder
from tests.controlplane.workspace import Workspace

START_LIMIT_SECONDS = 90
NAMESPACE = "kueue-system"
CONFIG_KEY = "controller_manager_config.yaml"
DEFAULT_CONFIG: Object = {
    "apiVersion": "config.kueue.x-k8s.io/v1beta2",
    "kind": "Configuration",
    "integrations": {"frameworks": ["batch/job", "pod", "deployment", "statefulset"]},
    "fairSharing": {"preemptionStrategies": ["LessThanOrEqualToFinalShare", "LessThanInitialShare"]},
    "metrics": {"enableClusterQueueResources": True},
    "featureGates": {"DisableWaitForPodsReady": True},
}
"""What the manager runs with when a test brings no Configuration of its own. Fair sharing is on, as gpuplan renders it."""

ALL_BUT_SYSTEM: Object = {
    "matchExpressions": [
        {"key": "kubernetes.io/metadata.name", "operator": "NotIn", "values": ["kube-system", NAMESPACE]}
    ]
}
"""What the chart's webhooks look at where the Configuration selects nothing."""

QUEUED_BY_THEIR_PODS = frozenset(("deployment", "leaderworkerset", "statefulset"))

OUTSIDE_A_CLUSTER = {"VisibilityOnDemand": False, "MultiKueue": False}
"""Gates of parts that need an aggregated API and other clusters."""


class Kueue:
    """One running manager. Its webhooks are registered while it runs."""

    def __init__(self, workspace: Workspace, server: str, config: Object) -> None:
        self._health = workspace.port()
        ports = {"webhook": workspace.port(), "metrics": workspace.port(), "health": self._health}
        self.config = outside_a_cluster(config, ports, str(workspace.certificates))
        self.webhook_port = ports["webhook"]
        self.metrics_url = f"https://127.0.0.1:{ports['metrics']}/metrics"
        path = workspace.write("kueue.json", json.dumps(self.config, indent=1))
        self.process = workspace.spawn(
            "kueue",
            [f"--config={path}", f"--kubeconfig={workspace.write_kubeconfig(server, 'kueue')}", "--zap-log-level=2"],
            environment={"KUEUE_METRICS_CERT_DIR": str(workspace.certificates)},
        )
        self._http = urllib3.PoolManager(retries=False)

    def wait_until_ready(self) -> None:
        """Wait until its webhooks are served. Raises as `Process.wait_until`."""
        self.process.wait_until(self._ready, START_LIMIT_SECONDS, what="is ready")

    def _ready(self) -> bool:
        try:
            return self._http.request("GET", f"http://127.0.0.1:{self._health}/readyz", timeout=2.0).status == 200
        except urllib3.exceptions.HTTPError:
            return False


def configuration(source: Object | None) -> Object:
    """Return the Configuration in `source`: a ConfigMap as gpuplan renders it, the Configuration itself, or None."""
    if source is None:
        return DEFAULT_CONFIG
    if source["kind"] == "ConfigMap":
        read: Object = yaml.safe_load(source["data"][CONFIG_KEY])
        return read
    return source


def framework_kinds(config: Object) -> frozenset[str]:
    """Return the kinds that the enabled frameworks are about, in lower case: `job`, `pod`, `jobset`.

    Kueue queues some kinds by their pods, and serves the webhooks of pods for them too.
    """
    kinds = frozenset(name.rsplit("/", 1)[-1] for name in config["integrations"]["frameworks"])
    return kinds | {"pod"} if kinds & QUEUED_BY_THEIR_PODS else kinds


def outside_a_cluster(config: Object, ports: Mapping[str, int], certificates: str) -> Object:
    """Return the Configuration with all that a cluster provides replaced by ours; the rest stays as written."""
    return {
        **config,
        "namespace": NAMESPACE,
        "health": {"healthProbeBindAddress": f"127.0.0.1:{ports['health']}"},
        "metrics": {**config.get("metrics", {}), "bindAddress": f"127.0.0.1:{ports['metrics']}"},
        "webhook": {"host": "127.0.0.1", "port": ports["webhook"], "certDir": certificates},
        "leaderElection": {"leaderElect": False},
        "internalCertManagement": {"enable": False},
        "featureGates": {**config.get("featureGates", {}), **OUTSIDE_A_CLUSTER},
    }


def register_webhooks(client: Client, kueue: Kueue, authority: bytes) -> None:
    """Make the API server call the manager on this machine, for Kueue's kinds and the enabled frameworks.

    They are made anew: what somebody else has written into them would stay theirs, and half a hook is refused.
    """
    kinds = framework_kinds(kueue.config)
    namespaces = kueue.config.get("managedJobsNamespaceSelector", ALL_BUT_SYSTEM)
    for configuration_object in webhook_configurations(kueue.webhook_port, authority, kinds, namespaces):
        if client.find(configuration_object) is not None:
            client.delete(configuration_object)
        client.apply(configuration_object, manager="harness")


def webhook_configurations(port: int, authority: bytes, kinds: Collection[str], namespaces: Object) -> Sequence[Object]:
    """Return the two webhook configurations that Kueue ships, pointed at 127.0.0.1, without kinds not enabled.

    Those of the frameworks look at the selected namespaces, as in Kueue's chart.

    A hook of a framework that is not enabled is not served; with it, each write of that kind would fail.
    """
    text = (module_folder(KUEUE) / WEBHOOKS / "manifests.yaml").read_text(encoding="utf-8")
    bundle = base64.b64encode(authority).decode()
    configurations = []
    for shipped in yaml.load_all(text, Loader=yaml.CSafeLoader):
        hooks = [hook for hook in shipped["webhooks"] if is_served(hook["clientConfig"]["service"]["path"], kinds)]
        name = f"kueue-{shipped['metadata']['name']}"
        moved = [_moved(hook, port, bundle, namespaces) for hook in hooks]
        configurations.append({**shipped, "metadata": {"name": name}, "webhooks": moved})
    return configurations


def is_served(path: str, kinds: Collection[str]) -> bool:
    """Tell whether the manager serves this webhook path: its last word is the kind in lower case."""
    return "kueue-x-k8s-io" in path or path.rsplit("-", 1)[1] in kinds


def _moved(hook: Mapping[str, Any], port: int, bundle: str, namespaces: Object) -> Object:
    path = hook["clientConfig"]["service"]["path"]
    moved = {**hook, "clientConfig": {"url": f"https://127.0.0.1:{port}{path}", "caBundle": bundle}}
    return moved if "kueue-x-k8s-io" in path else {**moved, "namespaceSelector": namespaces}
