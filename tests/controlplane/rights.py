"""Accounts with just the rights that a command is documented to need, and what they were seen using: the server's audit log.

Accounts of namespace `audited` are audited, nobody else.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from gpuplan.cluster.rights import Right, cluster_role
from tests.controlplane.apiserver import AUDITED
from tests.controlplane.client import reference
from tests.controlplane.controlplane import ControlPlane
from tests.controlplane.reclaiming import token_of

Grant = tuple[str, str, str]
"""Verb, API group, and resource with its subresource."""


def account(plane: ControlPlane, name: str, granted: Iterable[Right]) -> Path:
    """Make an account with these rights; return its kubeconfig."""
    client = plane.client
    rbac = "rbac.authorization.k8s.io"
    client.apply(reference("v1", "Namespace", AUDITED))
    client.apply(reference("v1", "ServiceAccount", name, AUDITED))
    client.apply(cluster_role(f"{AUDITED}-{name}", granted))
    client.apply(
        {
            **reference(f"{rbac}/v1", "ClusterRoleBinding", f"{AUDITED}-{name}"),
            "roleRef": {"apiGroup": rbac, "kind": "ClusterRole", "name": f"{AUDITED}-{name}"},
            "subjects": [{"kind": "ServiceAccount", "name": name, "namespace": AUDITED}],
        }
    )
    return plane.workspace.write_kubeconfig(plane.url, f"{AUDITED}-{name}", token_of(client, AUDITED, name))


def used(plane: ControlPlane, name: str) -> set[Grant]:
    """Return the rights that an account has used, also those that it was denied."""
    user = f"system:serviceaccount:{AUDITED}:{name}"
    lines = plane.audit_log.read_text(encoding="utf-8").splitlines() if plane.audit_log.exists() else []
    events = [event for event in map(json.loads, lines) if event["user"]["username"] == user]
    return {_grant(event["verb"], event["objectRef"]) for event in events if event.get("objectRef")}


def _grant(verb: str, about: dict[str, str]) -> Grant:
    subresource = f"/{about['subresource']}" if about.get("subresource") else ""
    return (verb, about.get("apiGroup", ""), f"{about['resource']}{subresource}")
