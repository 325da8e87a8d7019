"""etcd: started without disk flushes, and emptied between tests from below."""

from __future__ import annotations

import base64
import json
from collections.abc import Collection, Iterable, Sequence

import urllib3

from tests.controlplane.workspace import Workspace

START_LIMIT_SECONDS = 60
REQUEST_LIMIT_SECONDS = 30.0
LARGEST_TRANSACTION = 2000
KEPT_FOLDERS = (
    "/registry/apiextensions.k8s.io/customresourcedefinitions/",
    "/registry/apiregistration.k8s.io/",
    "/registry/mutatingwebhookconfigurations/",
    "/registry/validatingwebhookconfigurations/",
    "/registry/namespaces/kueue-system",
    "/registry/ranges/",
    "/registry/flowschemas/",
    "/registry/prioritylevelconfigurations/",
)
"""What the harness itself sets up, or what the server counts with; never a test's."""
SYSTEM_NAMESPACES = ("default", "kube-node-lease", "kueue-system")
KEPT_IN_NAMESPACES = ("/kube-system/", "/kube-public/")
"""The server's and the controllers' own accounts, leases and settings."""
KEPT_ENDS = tuple(f"/{space}/{name}" for space in SYSTEM_NAMESPACES for name in ("default", "kube-root-ca.crt"))
"""What the controllers put into every namespace, in those that stay."""


class Etcd:
    """One etcd, with the few calls that `ControlPlane.reset` needs (its JSON gateway)."""

    def __init__(self, workspace: Workspace) -> None:
        self.url = f"http://127.0.0.1:{workspace.port()}"
        peers = f"http://127.0.0.1:{workspace.port()}"
        self.process = workspace.spawn(
            "etcd",
            [
                f"--data-dir={workspace.folder / 'etcd'}",
                f"--listen-client-urls={self.url}",
                f"--advertise-client-urls={self.url}",
                f"--listen-peer-urls={peers}",
                f"--initial-advertise-peer-urls={peers}",
                f"--initial-cluster=default={peers}",
                "--unsafe-no-fsync",
                f"--max-txn-ops={LARGEST_TRANSACTION}",
                "--log-level=warn",
            ],
        )
        self._http = urllib3.PoolManager(retries=False)

    def wait_until_ready(self) -> None:
        """Wait until it answers. Raises `WaitTimeoutError` or `ProcessDiedError`."""
        self.process.wait_until(self._healthy, START_LIMIT_SECONDS, what="answers")

    def keys(self) -> frozenset[str]:
        """Return every key of the API server's storage."""
        folder = {"key": _code("/registry/"), "range_end": _code("/registry0"), "keys_only": True}
        answer = self._call("range", folder)
        return frozenset(base64.b64decode(entry["key"]).decode() for entry in answer.get("kvs", []))

    def delete(self, keys: Sequence[str]) -> None:
        """Delete keys; the API server tells its watchers as if each object had been deleted."""
        for first in range(0, len(keys), LARGEST_TRANSACTION):
            some = keys[first : first + LARGEST_TRANSACTION]
            self._call("txn", {"success": [{"request_delete_range": {"key": _code(key)}} for key in some]})

    def _call(self, method: str, body: dict[str, object]) -> dict[str, list[dict[str, str]]]:
        answer = self._http.request(
            "POST", f"{self.url}/v3/kv/{method}", body=json.dumps(body).encode(), timeout=REQUEST_LIMIT_SECONDS
        )
        if answer.status != 200:
            raise RuntimeError(f"etcd {method}: {answer.status} {answer.data[:500]!r}")
        decoded: dict[str, list[dict[str, str]]] = json.loads(answer.data)
        return decoded

    def _healthy(self) -> bool:
        try:
            return self._http.request("GET", f"{self.url}/health", timeout=2.0).status == 200
        except urllib3.exceptions.HTTPError:
            return False


def left_by_tests(keys: Iterable[str], baseline: Collection[str]) -> list[str]:
    """Return the keys that neither the server's start nor the harness made."""
    return [
        key
        for key in keys
        if key not in baseline
        and not key.startswith(KEPT_FOLDERS)
        and not key.endswith(KEPT_ENDS)
        and not any(mark in key for mark in KEPT_IN_NAMESPACES)
    ]


def _code(key: str) -> str:
    return base64.b64encode(key.encode()).decode()
