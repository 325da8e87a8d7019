"""A real Argo CD beside the control plane: its repo server and its application controller, as in a cluster of its own.

Both are Argo CD's own code, with a Redis over memory in the same binary (`go/argocd`; 11 minutes of one CPU to build, nothing
when cached). They answer within some seconds and hold 600 MB. Nothing polls: an Application looks at Git when a test
asks it to (`ArgoCD.refresh`), and at the cluster whenever an object changes. A sync that waits for a person looks again after
30 s, or as soon as its Application changes.
"""

from __future__ import annotations

import base64
import datetime
import json
import os
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import urllib3

from tests.controlplane.client import Client, Object, reference
from tests.controlplane.controlplane import ControlPlane
from tests.controlplane.processes import Process, stop_together
from tests.controlplane.waiting import wait_for

TOOL = "argocd"
NAMESPACE = "argocd"
API = "argoproj.io/v1alpha1"
START_LIMIT_SECONDS = 60
SYNC_LIMIT_SECONDS = 120
PATIENCE_SECONDS = 5.0
PART_OF = {"app.kubernetes.io/part-of": "argocd"}
DELETION_APPROVED = "argocd.argoproj.io/deletion-approved"
REFRESH = "argocd.argoproj.io/refresh"
SETTINGS = ("argocd-cm", "argocd-rbac-cm", "argocd-gpg-keys-cm", "argocd-ssh-known-hosts-cm", "argocd-tls-certs-cm")
WAVE_DELAY_SECONDS = 1
"""Pause between two waves; Argo CD's own is 2."""

# What Argo CD calls to verify signatures; no test signs anything.
VERIFY = "#!/bin/sh\nexit 0\n"


class ArgoCD:
    """Argo CD's programs over a control plane. `settings` are applied over those that Argo CD is installed with."""

    def __init__(self, plane: ControlPlane, settings: Iterable[Object] = ()) -> None:
        self._client = plane.client
        self._workspace = plane.workspace
        self._folder = plane.workspace.folder / "argocd"
        self._processes: list[Process] = []
        self._clicks = 0
        self.server = plane.url
        plane.load_crds("argocd")
        _install(plane)
        for setting in settings:
            self._client.apply(setting)
        _prepare(self._folder, plane.kubeconfig)
        try:
            self._start()
        except BaseException:
            self.stop()
            raise

    @property
    def plugins(self) -> Path:
        """Where the repo server looks for the sockets of plugin servers."""
        return self._folder / "plugins"

    def resident_bytes(self) -> Mapping[str, int]:
        """Return the memory that each program holds now, in bytes."""
        return {process.name: process.resident_bytes() for process in self._processes}

    def start(self, program: str, arguments: Sequence[str], environment: Mapping[str, str] | None = None) -> Process:
        """Start one of the binary's programs, with folders of its own for all that it writes."""
        own = {
            "HOME": str(self._folder),
            "TMPDIR": str(self._folder / "tmp"),
            "PATH": f"{self._folder / 'bin'}:{os.environ['PATH']}",
            "ARGOCD_APP_CONF_PATH": str(self._folder / "config"),
            "ARGOCD_TLS_DATA_PATH": str(self._folder / "config"),
            "ARGOCD_SSH_DATA_PATH": str(self._folder / "config"),
            "ARGOCD_GPG_ENABLED": "false",
            # The cluster that it runs in is known by ~/.kube/config, not by a pod's service account.
            "ARGOCD_FAKE_IN_CLUSTER": "true",
            "ARGOCD_ASK_PASS_SOCK": str(self._folder / "ask.sock"),
            "ARGOCD_PLUGINSOCKFILEPATH": str(self.plugins),
            "ARGOCD_SYNC_WAVE_DELAY": str(WAVE_DELAY_SECONDS),
        }
        process = self._workspace.spawn(TOOL, arguments, environment=own | dict(environment or {}), program=program)
        self._processes.append(process)
        return process

    def end(self, process: Process) -> None:
        """Stop a program that `start` has started."""
        self._processes.remove(process)
        process.stop(PATIENCE_SECONDS)

    def _start(self) -> None:
        redis, repo, health, metrics = (self._workspace.port() for _ in range(4))
        self.start("redis", [f"127.0.0.1:{redis}"])
        repo_server = self.start(
            "argocd-repo-server",
            [
                "--address=127.0.0.1",
                f"--port={repo}",
                "--metrics-address=127.0.0.1",
                f"--metrics-port={health}",
                f"--redis=127.0.0.1:{redis}",
                "--disable-tls",
                "--client-ca-path=",
                "--loglevel=warn",
            ],
        )
        repo_server.wait_until(lambda: _answers(health), START_LIMIT_SECONDS, what="answers")
        self.repo_server = f"127.0.0.1:{repo}"
        controller = self.start(
            "argocd-application-controller",
            [
                f"--kubeconfig={self._workspace.write_kubeconfig(self.server, 'admin')}",
                f"--namespace={NAMESPACE}",
                f"--redis=127.0.0.1:{redis}",
                f"--repo-server={self.repo_server}",
                "--repo-server-plaintext",
                f"--metrics-port={metrics}",
                "--app-resync=0",
                "--persist-resource-health",
                "--loglevel=info",
            ],
        )
        controller.wait_until(lambda: _answers(metrics), START_LIMIT_SECONDS, what="answers")

    def application(self, name: str) -> dict[str, Any]:
        """Return an Application as it is now, an empty one where there is none."""
        return dict(self._client.find(reference(API, "Application", name, NAMESPACE)) or {"metadata": {}})

    def annotate(self, name: str, annotations: Mapping[str, str]) -> None:
        """Set annotations of an Application, as `argocd` and its pages do when a person clicks."""
        self._client.patch(
            reference(API, "Application", name, NAMESPACE), {"metadata": {"annotations": dict(annotations)}}
        )

    def refresh(self, name: str, *, hard: bool = False) -> None:
        """Make an Application look at Git and at the cluster now, and wait until it has; `hard` renders anew."""
        self.annotate(name, {REFRESH: "hard" if hard else "normal"})
        self.wait_for(name, lambda app: REFRESH not in app["metadata"].get("annotations", {}), what="be refreshed")

    def confirm_deletions(self, name: str) -> None:
        """Allow the running sync of an Application to delete what waits for a person, as `argocd app confirm-deletion` does."""
        now = datetime.datetime.now(datetime.UTC)
        self.annotate(name, {DELETION_APPROVED: now.strftime("%Y-%m-%dT%H:%M:%SZ")})

    def begin_sync(self, name: str, *options: str) -> str:
        """Sync an Application as a person does, with these sync options; return who that person is."""
        self._clicks += 1
        person = f"person-{self._clicks}"
        sync = {"prune": True, "syncOptions": list(options)}
        operation = {"sync": sync, "initiatedBy": {"username": person}}
        self._client.patch(reference(API, "Application", name, NAMESPACE), {"operation": operation})
        return person

    def synchronize(self, name: str, *options: str) -> dict[str, Any]:
        """Sync an Application as a person does, and wait until that has ended; return it."""
        person = self.begin_sync(name, *options)

        def ended(app: Mapping[str, Any]) -> bool:
            state = app.get("status", {}).get("operationState", {})
            started = state.get("operation", {}).get("initiatedBy", {}).get("username") == person
            return started and state["phase"] not in {"Running", "Terminating"}

        return self.wait_for(name, ended, what="end its sync")

    def wait_for(
        self,
        name: str,
        holds: Callable[[Mapping[str, Any]], object],
        *,
        what: str,
        limit: float = SYNC_LIMIT_SECONDS,
    ) -> dict[str, Any]:
        """Wait until something holds of an Application, and return it; `what` completes "the Application to …"."""

        def look() -> dict[str, Any] | None:
            app = self.application(name)
            return app if holds(app) else None

        found = wait_for(
            look,
            limit,
            what=f"Application {name} to {what}",
            alive=self.require_running,
            evidence=lambda: self.evidence(name),
        )
        assert found
        return found

    def wait_until_synced(self, name: str, revision: str, *, limit: float = SYNC_LIMIT_SECONDS) -> dict[str, Any]:
        """Wait until an Application is Synced and Healthy at a commit, its operation ended; return it."""
        return self.wait_for(name, lambda app: is_synced(app, revision), what=f"be synced to {revision}", limit=limit)

    def require_running(self) -> None:
        """Raise `ProcessDiedError` when any program has ended by itself."""
        for process in self._processes:
            process.require_running()

    def evidence(self, name: str) -> str:
        """Return why an Application is not where a test wants it: its conditions, its operation, and what is not well."""
        status = self.application(name).get("status", {})
        operation = status.get("operationState", {})
        lines = [
            f"sync: {status.get('sync', {}).get('status')} of {status.get('sync', {}).get('revision')}",
            f"health: {status.get('health')}",
            f"operation: {operation.get('phase')}: {operation.get('message')}",
            *(f"condition: {condition}" for condition in status.get("conditions", [])),
            *(f"not well: {found}" for found in status.get("resources", []) if not _is_well(found)),
            *(
                f"failed: {result}"
                for result in operation.get("syncResult", {}).get("resources", [])
                if result.get("status") == "SyncFailed"
            ),
        ]
        return "\n".join([*lines[:40], *(process.tail(8) for process in self._processes[1:])])

    def stop(self) -> None:
        """Stop all programs and remove what they wrote; their logs stay."""
        stop_together(self._processes, PATIENCE_SECONDS)
        self._processes.clear()
        shutil.rmtree(self._folder, ignore_errors=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


def is_synced(app: Mapping[str, Any], revision: str) -> bool:
    """Tell whether an Application is Synced and Healthy at a commit, and nothing is under way."""
    return is_applied(app, revision) and app["status"].get("health", {}).get("status") == "Healthy"


def is_applied(app: Mapping[str, Any], revision: str) -> bool:
    """Tell whether an Application is Synced at a commit, healthy or not, and nothing is under way."""
    status = app.get("status", {})
    sync = status.get("sync", {})
    return (
        "operation" not in app
        and (sync.get("status"), sync.get("revision")) == ("Synced", revision)
        and status.get("operationState", {}).get("phase") == "Succeeded"
    )


def _is_well(found: Mapping[str, Any]) -> bool:
    return found.get("status") == "Synced" and found.get("health", {}).get("status", "Healthy") == "Healthy"


def _install(plane: ControlPlane) -> None:
    """Make what Argo CD's own installation brings into its namespace, and a cluster besides the one that it runs in.

    They are one, by two addresses.
    """
    client = plane.client
    client.apply(reference("v1", "Namespace", NAMESPACE), manager="harness")
    for name in SETTINGS:
        _apply(client, "ConfigMap", name, PART_OF, {"data": {}})
    _apply(client, "Secret", "argocd-secret", PART_OF, {"stringData": {"server.secretkey": "of no use here"}})
    config = {"bearerToken": "admin", "tlsClientConfig": {"caData": _encoded(plane.authority)}}
    cluster = {"name": "test", "server": plane.url, "config": json.dumps(config)}
    _apply(client, "Secret", "cluster", {"argocd.argoproj.io/secret-type": "cluster"}, {"stringData": cluster})


def _apply(client: Client, kind: str, name: str, labels: Mapping[str, str], content: Object) -> None:
    named = reference("v1", kind, name, NAMESPACE)
    client.apply({**named, "metadata": {**named["metadata"], "labels": labels}, **content}, manager="harness")


def _encoded(path: Path) -> str:
    return base64.b64encode(path.read_bytes()).decode()


def _prepare(folder: Path, kubeconfig: Path) -> None:
    for name in ("bin", "config", "plugins", "tmp", ".kube"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    shutil.copy(kubeconfig, folder / ".kube" / "config")
    verify = folder / "bin" / "git-verify-wrapper.sh"
    verify.write_text(VERIFY, encoding="utf-8")
    verify.chmod(0o755)


def _answers(port: int) -> bool:
    try:
        with urllib3.PoolManager(retries=False) as pool:
            return pool.request("GET", f"http://127.0.0.1:{port}/healthz", timeout=2.0).status == 200
    except urllib3.exceptions.HTTPError:
        return False
