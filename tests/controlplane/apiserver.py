"""kube-apiserver over our etcd, with our certificates and bearer tokens."""

from __future__ import annotations

import json
from pathlib import Path

import urllib3

from tests.controlplane.client import ApiError, Client
from tests.controlplane.workspace import Workspace

START_LIMIT_SECONDS = 120
ISSUER = "https://kubernetes.default.svc"
AUDITED = "audited"
"""Namespace whose service accounts are audited."""
AUDIT_LOG = "audit.log"
AUDIT_POLICY = {
    "apiVersion": "audit.k8s.io/v1",
    "kind": "Policy",
    "omitStages": ["RequestReceived"],
    "rules": [{"level": "Metadata", "userGroups": [f"system:serviceaccounts:{AUDITED}"]}],
}
"""Who no rule names is not audited, which keeps everybody else's requests quick."""


class ApiServer:
    """One API server. RBAC is on; the default admission plugins are, but for two that wait for controllers."""

    def __init__(self, workspace: Workspace, etcd_url: str) -> None:
        port = workspace.port()
        self.url = f"https://127.0.0.1:{port}"
        self.process = workspace.spawn("kube-apiserver", _arguments(workspace, port, etcd_url))
        self.client = Client(server=self.url, authority=workspace.certificates / "ca.crt", token="admin")

    def wait_until_ready(self) -> None:
        """Wait for /readyz, which also waits for the start-up objects. Raises as `Process.wait_until`."""
        self.process.wait_until(self._ready, START_LIMIT_SECONDS, what="is ready")

    def _ready(self) -> bool:
        try:
            return bool(self.client.request("GET", "/readyz") == "ok")
        except (urllib3.exceptions.HTTPError, ApiError):
            return False


def _arguments(workspace: Workspace, port: int, etcd_url: str) -> list[str]:
    certificates = workspace.certificates
    accounts: Path = certificates / "accounts.key"
    policy = workspace.write("audit-policy.json", json.dumps(AUDIT_POLICY))
    return [
        f"--etcd-servers={etcd_url}",
        "--bind-address=127.0.0.1",
        "--advertise-address=127.0.0.1",
        f"--secure-port={port}",
        f"--tls-cert-file={certificates / 'tls.crt'}",
        f"--tls-private-key-file={certificates / 'tls.key'}",
        f"--token-auth-file={workspace.folder / 'tokens.csv'}",
        "--authorization-mode=RBAC",
        f"--audit-policy-file={policy}",
        f"--audit-log-path={workspace.folder / AUDIT_LOG}",
        "--audit-log-mode=blocking-strict",
        f"--service-account-issuer={ISSUER}",
        f"--service-account-key-file={accounts}",
        f"--service-account-signing-key-file={accounts}",
        "--service-cluster-ip-range=10.96.0.0/16",
        # A pod would wait for its service account, and a new node for the node controller to take its taint away.
        "--disable-admission-plugins=ServiceAccount,TaintNodesByCondition",
        # There is no cluster network to publish an address in, and nobody to be fair to.
        "--endpoint-reconciler-type=none",
        "--enable-priority-and-fairness=false",
        "--max-requests-inflight=0",
        "--max-mutating-requests-inflight=0",
        "--allow-privileged=true",
        "--profiling=false",
    ]
