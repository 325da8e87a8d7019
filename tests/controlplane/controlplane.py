"""A real Kubernetes control plane on this machine: started, filled, emptied and stopped by tests."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

import urllib3

from tests.controlplane import agents, handwritten, kueue, policies
from tests.controlplane.apiserver import AUDIT_LOG, ApiServer
from tests.controlplane.client import ApiError, Client, Object, reference
from tests.controlplane.etcd import Etcd, left_by_tests
from tests.controlplane.modulefiles import CRDS, crd_documents
from tests.controlplane.processes import Process, stop_together
from tests.controlplane.waiting import wait_for
from tests.controlplane.workspace import Workspace

Result = TypeVar("Result")

PATIENCE_SECONDS = 5.0
CRD_LIMIT_SECONDS = 120.0
CRD_WRITERS = 4
WAIT_LIMIT_SECONDS = 60.0


class ControlPlane:
    """etcd and kube-apiserver from the start; Kueue, scheduler, controllers and nodes when a test asks for them.

    `folder` must not exist yet; the logs stay in it. Several may run at once.
    """

    def __init__(self, folder: Path) -> None:
        self._workspace = Workspace(folder)
        self._agents: dict[str, Process] = {}
        self._kueue: kueue.Kueue | None = None
        self._crds: set[str] = set()
        try:
            self._etcd = Etcd(self._workspace)
            self._etcd.wait_until_ready()
            self._server = ApiServer(self._workspace, self._etcd.url)
            self._server.wait_until_ready()
            self._baseline = self._etcd.keys()
        except BaseException:
            self._workspace.close()
            raise

    @property
    def client(self) -> Client:
        """The client of an administrator."""
        return self._server.client

    @property
    def url(self) -> str:
        """The address of the API server."""
        return self._server.url

    @property
    def workspace(self) -> Workspace:
        """The folder, ports and programs of this control plane, for whoever adds a program."""
        return self._workspace

    @property
    def authority(self) -> Path:
        """The certificate by which the API server is known."""
        return self._workspace.certificates / "ca.crt"

    @property
    def audit_log(self) -> Path:
        """What accounts of namespace `audited` did, an event a line."""
        return self._workspace.folder / AUDIT_LOG

    @property
    def kubeconfig(self) -> Path:
        """The kubeconfig file of an administrator."""
        return self._workspace.write_kubeconfig(self._server.url, "admin")

    @property
    def processes(self) -> Sequence[Process]:
        """All programs that were started and not stopped."""
        manager = [self._kueue.process] if self._kueue else []
        return [self._etcd.process, self._server.process, *manager, *self._agents.values()]

    def load_crds(self, *which: str) -> None:
        """Create sets of CRDs by name (`modulefiles.CRDS`, `handwritten.NAME`; all without a name), and wait until they serve."""
        wanted = which or (*CRDS, handwritten.NAME)
        documents = [document for name in wanted if name not in self._crds for document in crd_documents(name)]
        with ThreadPoolExecutor(CRD_WRITERS) as writers:
            kinds = [kind for created in writers.map(self._create_crd, documents) for kind in created]
            self._crds.update(wanted)
            self.wait_for(lambda: self.client.serves(kinds), CRD_LIMIT_SECONDS, what="the CRDs to be established")
            # The first request of a kind makes its handler and fills its cache, a while for the large ones.
            list(writers.map(self._wait_until_listed, kinds))

    def start_kueue(self, config: Object | None = None) -> None:
        """Start Kueue's manager with its webhooks, or start it anew with another configuration.

        `config` is a Configuration, or the ConfigMap `kueue-manager-config` as gpuplan renders it; None takes
        `kueue.DEFAULT_CONFIG`. The CRDs of its frameworks are loaded where we have them.
        """
        configuration = kueue.configuration(config)
        self.load_crds("kueue", *(kind for kind in kueue.framework_kinds(configuration) if kind in CRDS))
        self.stop_kueue()
        self.client.apply(reference("v1", "Namespace", kueue.NAMESPACE), manager="harness")
        self._kueue = kueue.Kueue(self._workspace, self._server.url, configuration)
        self._kueue.wait_until_ready()
        authority = (self._workspace.certificates / "ca.crt").read_bytes()
        kueue.register_webhooks(self.client, self._kueue, authority)

    @property
    def kueue_webhooks(self) -> str:
        """The address of the webhooks of Kueue's manager."""
        assert self._kueue is not None
        return f"https://127.0.0.1:{self._kueue.webhook_port}"

    def kueue_metrics(self) -> str:
        """Return what Kueue shows Prometheus, asked as our monitor makes Prometheus ask: by TLS and with a token."""
        assert self._kueue is not None
        headers = {"Authorization": "Bearer admin"}
        with urllib3.PoolManager(cert_reqs="CERT_NONE", assert_hostname=False) as pool:
            answer = pool.request("GET", self._kueue.metrics_url, headers=headers, timeout=10)
        assert answer.status == 200, answer.data[:500]
        return answer.data.decode()

    def stop_kueue(self) -> None:
        """Stop Kueue's manager; until it is started again its webhooks refuse each write of their kinds."""
        if self._kueue:
            self._kueue.process.stop(PATIENCE_SECONDS)
            self._kueue = None

    def start_scheduler(self) -> None:
        """Start kube-scheduler, once."""
        if "kube-scheduler" not in self._agents:
            self._agents["kube-scheduler"] = agents.start_scheduler(self._workspace, self._server.url)

    def start_controller_manager(self) -> None:
        """Start kube-controller-manager, once, and wait until its controllers work."""
        if "kube-controller-manager" not in self._agents:
            started = agents.start_controller_manager(self._workspace, self._server.url, self.client)
            self._agents["kube-controller-manager"] = started

    def start_kwok(self) -> None:
        """Start kwok, once; it then runs the pods of every node added before or after."""
        if "kwok" not in self._agents:
            self._agents["kwok"] = agents.start_kwok(self._workspace, self._server.url)

    def add_node(
        self,
        name: str,
        *,
        labels: Mapping[str, str] | None = None,
        taints: Sequence[agents.Taint] = (),
        capacity: Mapping[str, str | int] | None = None,
    ) -> Object:
        """Register a ready node with these labels, taints and device counts."""
        created = self.client.create(agents.node(name, labels=labels or {}, taints=taints))
        return self.client.patch(created, agents.node_status(capacity or {}), subresource="status")

    def wait_for(
        self, predicate: Callable[[], Result], timeout: float = WAIT_LIMIT_SECONDS, *, what: str = "a condition"
    ) -> Result:
        """Wait until `predicate` returns something truthy, and return it.

        Raises `WaitTimeoutError` with the ends of the logs, or `ProcessDiedError` as soon as a program has ended.
        """
        return wait_for(predicate, timeout, what=what, alive=self.require_running, evidence=self._tails)

    def require_running(self) -> None:
        """Raise `ProcessDiedError` when any program has ended by itself."""
        for process in self.processes:
            process.require_running()

    def reset(self) -> None:
        """Remove every object that tests have made; the programs keep running.

        The objects are deleted below the API server, which tells its watchers of each. Through the API the finalizers
        and the namespace controller would take many seconds.
        """
        end = time.monotonic() + WAIT_LIMIT_SECONDS
        judged = False
        # A controller may still write about what it has not yet seen go: delete until nothing comes back.
        while left := left_by_tests(self._etcd.keys(), self._baseline):
            if time.monotonic() > end:
                raise TimeoutError(f"objects keep coming back: {sorted(left)[:10]}")
            self._etcd.delete(left)
            judged = judged or policies.any_binding(left)
            time.sleep(0.2)
        if judged:
            policies.wait_until_forgotten(self.client, self.wait_for)

    def resident_bytes(self) -> Mapping[str, int]:
        """Return the memory that each program holds now, in bytes."""
        return {process.name: process.resident_bytes() for process in self.processes}

    def stop(self) -> None:
        """Stop everything, the API server before its etcd; only the logs remain."""
        try:
            manager = [self._kueue.process] if self._kueue else []
            stop_together([*self._agents.values(), *manager], PATIENCE_SECONDS)
            self.client.close()
            self._server.process.stop(PATIENCE_SECONDS)
            self._etcd.process.stop(PATIENCE_SECONDS)
        finally:
            self._workspace.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _create_crd(self, document: bytes) -> Sequence[tuple[str, str]]:
        """Create one CRD from its YAML, and return the kinds that it will serve, as (apiVersion, kind)."""
        collection = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
        spec = self.client.request("POST", collection, document, content_type="application/yaml")["spec"]
        return [
            (f"{spec['group']}/{version['name']}", spec["names"]["kind"])
            for version in spec["versions"]
            if version["served"]
        ]

    def _wait_until_listed(self, kind: tuple[str, str]) -> None:
        def listed() -> bool:
            try:
                self.client.list(*kind)
            except ApiError:
                return False
            return True

        self.wait_for(listed, CRD_LIMIT_SECONDS, what=f"the server to list {kind[1]}")

    def _tails(self) -> str:
        return "\n".join(process.tail(15) for process in self.processes[1:])
