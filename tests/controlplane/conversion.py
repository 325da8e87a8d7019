"""Kueue's conversion between its API versions, as its chart has it: the CRDs as shipped convert nothing."""

from __future__ import annotations

import base64
from pathlib import Path

from tests.controlplane.client import ApiError, Client, reference
from tests.controlplane.controlplane import ControlPlane
from tests.controlplane.waiting import wait_for

CONVERTED = ("clusterqueues", "cohorts", "localqueues", "multikueueclusters")
"""Those of the kinds with a conversion webhook that people write; a Workload is Kueue's own."""
OLD = "kueue.x-k8s.io/v1beta1"
SETTLED_SECONDS = 30.0


def serve(plane: ControlPlane) -> None:
    """Make the API server ask the running manager to convert, and wait until it does."""
    bundle = base64.b64encode(Path(plane.authority).read_bytes()).decode()
    hook = {"clientConfig": {"url": f"{plane.kueue_webhooks}/convert", "caBundle": bundle}}
    conversion = {"strategy": "Webhook", "webhook": {**hook, "conversionReviewVersions": ["v1"]}}
    for plural in CONVERTED:
        crd = reference("apiextensions.k8s.io/v1", "CustomResourceDefinition", f"{plural}.kueue.x-k8s.io")
        plane.client.patch(crd, {"spec": {"conversion": conversion}})
    plane.wait_for(lambda: _converts(plane.client), SETTLED_SECONDS, what="queues of the old version to be converted")


def stop(plane: ControlPlane) -> None:
    """Take the conversion away again."""
    for plural in CONVERTED:
        crd = reference("apiextensions.k8s.io/v1", "CustomResourceDefinition", f"{plural}.kueue.x-k8s.io")
        plane.client.patch(crd, {"spec": {"conversion": {"strategy": "None", "webhook": None}}})
    wait_for(lambda: not _converts(plane.client), SETTLED_SECONDS, what="conversion to end")


def _converts(client: Client) -> bool:
    """Tell whether a queue of the old API keeps its cohort on the way to the stored version."""
    queue = {**reference(OLD, "ClusterQueue", "conversion-probe"), "spec": {"cohort": "org"}}
    try:
        made = client.apply(queue, dry_run=True, manager="harness")
    except ApiError:  # while the server takes up the changed CRD
        return False
    return bool(made["spec"].get("cohort") == "org")
