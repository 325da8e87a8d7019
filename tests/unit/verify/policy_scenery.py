"""A small cluster as it should be seen: all that was rendered, with what controllers and people add."""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from gpuplan.emit.emitters import emit
from gpuplan.manifests.set import Manifest
from gpuplan.model.fleet import Fleet
from gpuplan.model.pools import node_labels
from gpuplan.verify.observed import Observed, Tried
from gpuplan.verify.scene import Scene
from gpuplan.verify.verdicts import Outcome, Verdict
from tests import build

_SPEC = """
apiVersion: gpuplan.dev/v1alpha1
kind: Fleet
metadata: {name: acme}
clusters: {main: {kubernetes: "1.36", stack: manual}}
cardTiers:
  train: {cards: [h100-sxm-80gb], topology: {levels: [topology.gpuplan.dev/block, kubernetes.io/hostname]}}
  serve: {cards: [l40s]}
defaults:
  nodePool: {cluster: main, selectedBy: {nfd: {}}, topologyLabels: provided, driver: {branch: "580"}}
nodePools:
  h100: {tier: train, nodes: 2, cardsPerNode: 8}
  l40s: {tier: serve, nodes: 1, cardsPerNode: 4}
taskPools:
  pretrain: {kind: training, service: guaranteed, tiers: [train], topology: {required: topology.gpuplan.dev/block}}
  chat: {kind: onlineInference, service: queued, tiers: [serve], stateful: {drainSeconds: 60}}
teams:
  vision:
    namespaces: [vision]
    groups: [vision-engineers]
    costCenter: cc-120
    quotas: {pretrain: {train: {guaranteed: 16}}, chat: {serve: {guaranteed: 4}}}
governance:
  podSecurity: baseline
  guardRails: {queueRequired: RAIL, producedResources: RAIL, statefulServing: RAIL}
"""


def rails(word: str) -> str:
    """Return the spec with all rails that can be chosen at `deny`, `warn` or `off`."""
    return _SPEC.replace("RAIL", word)


SPEC = rails("deny")
ACTIVE = {"conditions": [{"type": "Active", "status": "True", "reason": "Ready", "message": "Can admit new workloads"}]}
HOOKED = {"pods": "", "jobs": "batch", "deployments": "apps", "statefulsets": "apps"}
OPERATED = {"jobsets": "jobset.x-k8s.io", "leaderworkersets": "leaderworkerset.x-k8s.io"}
JUDGED = dict.fromkeys(("clusterqueues", "cohorts", "resourceflavors", "workloads"), "kueue.x-k8s.io")

Live = dict[str, list[dict[str, Any]]]
Edit = Callable[[Live], object]


@functools.cache
def fleet(text: str = SPEC) -> Fleet:
    return build.fleet(text)


@functools.cache
def manifests(text: str = SPEC) -> tuple[Manifest, ...]:
    return tuple(emit(fleet(text), lambda *_: None))


def live(text: str = SPEC) -> Live:
    """Return what is to be seen of a good cluster, to be broken."""
    found: Live = {}
    for one in manifests(text):
        if one.cluster is not None:
            found.setdefault(one.key.kind, []).append(copy.deepcopy(dict(one.object)))
    for kind in ("ClusterQueue", "LocalQueue"):
        for queue in found[kind]:
            queue["status"] = copy.deepcopy(ACTIVE)
            queue["spec"]["stopPolicy"] = "None"
    for namespace in found["Namespace"]:
        namespace["metadata"]["labels"]["kubernetes.io/metadata.name"] = namespace["metadata"]["name"]
    found["Namespace"].append(named("Namespace", "kube-system"))
    found["Node"] = [
        named("Node", f"{pool.name}-{number}", labels=node_labels(pool))
        for pool in fleet(text).clusters[0].pools
        for number in range(pool.nodes)
    ]
    found["Pod"] = [pod for made in found["DaemonSet"] for pod in pods(made)]
    found["PriorityClass"].append({**named("PriorityClass", "system-node-critical"), "value": 2000001000})
    found["MutatingWebhookConfiguration"] = [hooks("kueue-mutating", {**HOOKED, **OPERATED})]
    found["ValidatingWebhookConfiguration"] = [hooks("kueue-validating", {**HOOKED, **OPERATED, **JUDGED})]
    found["ClusterRole"] += [
        role("view", ["get", "list"], ["pods"]),
        role("system:discovery", ["get"], urls=["/api/*"]),
    ]
    found.setdefault("ClusterRoleBinding", []).append(
        binding("ClusterRoleBinding", "system:discovery", "system:discovery", group("system:authenticated"))
    )
    found.setdefault("Deployment", [])
    found["SelfSubjectReview"] = [{"status": {"userInfo": {"username": "ada"}}}]
    return found


def scene(seen: Live, *, text: str = SPEC, tried: Mapping[str, Tried] | None = None) -> Scene:
    return Scene(
        fleet=fleet(text),
        cluster=fleet(text).clusters[0],
        manifests=manifests(text),
        observed=Observed(
            kubernetes="v1.36.3",
            objects={kind: tuple(some) for kind, some in seen.items()},
            refused={},
            tried=tried or {},
        ),
    )


def broken(edit: Edit) -> Scene:
    """Return the scene of a cluster in which one thing is edited."""
    seen = live()
    edit(seen)
    return scene(seen)


def one(seen: Live, kind: str, name: str) -> dict[str, Any]:
    """Return the live object of a name."""
    (found,) = (made for made in seen[kind] if made["metadata"]["name"] == name)
    return found


def drop(seen: Live, kind: str, name: str) -> None:
    seen[kind] = [made for made in seen[kind] if made["metadata"]["name"] != name]


def failures(found: Iterable[Verdict]) -> dict[str, tuple[str, ...]]:
    """Return what failed: subject → evidence. A failure says what to do."""
    failed = [verdict for verdict in found if verdict.outcome is Outcome.FAIL]
    assert all(verdict.fix and verdict.summary and verdict.evidence for verdict in failed)
    return {verdict.subject: verdict.evidence for verdict in failed}


def outcomes(found: Iterable[Verdict]) -> set[Outcome]:
    return {verdict.outcome for verdict in found}


def named(kind: str, name: str, namespace: str = "", labels: Mapping[str, str] | None = None) -> dict[str, Any]:
    metadata: dict[str, Any] = {"name": name, "labels": dict(labels or {})}
    return {"kind": kind, "metadata": {**metadata, "namespace": namespace} if namespace else metadata}


def pods(workload: Mapping[str, Any], count: int = 2) -> list[dict[str, Any]]:
    """Return pods as a DaemonSet's controller makes them."""
    name, namespace = workload["metadata"]["name"], workload["metadata"]["namespace"]
    owner = {"kind": workload["kind"], "name": name, "controller": True}
    spec = workload["spec"]["template"]["spec"]
    return [
        {
            "kind": "Pod",
            "metadata": {"name": f"{name}-{number}", "namespace": namespace, "ownerReferences": [owner]},
            "spec": {**copy.deepcopy(dict(spec)), "nodeName": f"node-{number}"},
            "status": {"containerStatuses": [{"name": c["name"], "imageID": "r@sha256:a"} for c in spec["containers"]]},
        }
        for number in range(count)
    ]


def hooks(name: str, kinds: Mapping[str, str]) -> dict[str, Any]:
    """Return a webhook configuration of Kueue's with a webhook for each kind."""
    return {
        "metadata": {"name": f"{name}-webhook-configuration"},
        "webhooks": [
            {
                "name": f"{resource}.kb.io",
                "failurePolicy": "Fail",
                "rules": [{"apiGroups": [group_], "resources": [resource], "operations": ["CREATE", "UPDATE"]}],
            }
            for resource, group_ in kinds.items()
        ],
    }


def role(name: str, verbs: list[str], resources: Iterable[str] = (), urls: Iterable[str] = ()) -> dict[str, Any]:
    rule = (
        {"verbs": verbs, "nonResourceURLs": list(urls)}
        if urls
        else {"verbs": verbs, "apiGroups": [""], "resources": list(resources)}
    )
    return {**named("ClusterRole", name), "rules": [rule]}


def group(name: str) -> dict[str, str]:
    return {"kind": "Group", "name": name}


def account(name: str, namespace: str = "gpu-system") -> dict[str, str]:
    return {"kind": "ServiceAccount", "name": name, "namespace": namespace}


def binding(kind: str, name: str, role_name: str, subject: Mapping[str, str], namespace: str = "") -> dict[str, Any]:
    return {
        **named(kind, name, namespace),
        "roleRef": {"kind": "ClusterRole", "name": role_name},
        "subjects": [dict(subject)],
    }
