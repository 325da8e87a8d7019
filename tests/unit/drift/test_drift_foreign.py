"""Which objects that nobody rendered are worth a finding."""

from __future__ import annotations

from typing import Any

import pytest

from gpuplan.drift.foreign import ours, why_foreign

Object = dict[str, Any]


def made(kind: str, name: str, namespace: str = "", **more: Any) -> Object:
    metadata = {"name": name, **({"namespace": namespace} if namespace else {}), **more.pop("metadata", {})}
    return {"apiVersion": "v1", "kind": kind, "metadata": metadata, **more}


def groups(flavor: str) -> list[Object]:
    return [{"coveredResources": ["nvidia.com/gpu"], "flavors": [{"name": flavor}]}]


RENDERED = ours(
    [
        made("Namespace", "gpu-system"),
        made("Namespace", "vision", metadata={"labels": {"gpuplan.dev/team": "vision"}}),
        made("ClusterQueue", "vision-chat", spec={"cohortName": "chat", "resourceGroups": groups("serve")}),
        made("Cohort", "chat", spec={"parentName": "acme"}),
        made("ResourceFlavor", "serve"),
        made("LocalQueue", "chat", "vision"),
        made("ClusterRole", "gpuplan-team-member"),
        made("ValidatingAdmissionPolicy", "gpuplan-topology"),
        made("AppProject", "acme", "argocd"),
    ],
    "gpuplan-prod-eu",
)
TRACKED = {"annotations": {"argocd.argoproj.io/tracking-id": "gpuplan-prod-eu:/ConfigMap:x/y"}}
OTHERS = {"annotations": {"argocd.argoproj.io/tracking-id": "gpuplan-prod-eu-2:/ConfigMap:x/y"}}
LABELLED = {"labels": {"app.kubernetes.io/managed-by": "gpuplan"}}


@pytest.mark.parametrize(
    ("one", "words"),
    [
        (made("ConfigMap", "c", "x", metadata=LABELLED), "our label"),
        (made("ConfigMap", "c", "x", metadata=TRACKED), "gpuplan-prod-eu has synced it"),
        (made("ConfigMap", "c", "x", metadata=OTHERS), ""),
        (made("ConfigMap", "c", "gpu-system"), ""),
        (made("ConfigMap", "c", "x", metadata={**LABELLED, "ownerReferences": [{"kind": "X"}]}), ""),
        (made("ClusterQueue", "q", spec={"cohortName": "chat"}), "our cohort chat"),
        (made("ClusterQueue", "q", spec={"resourceGroups": groups("serve")}), "our flavor serve"),
        (made("ClusterQueue", "q", spec={"cohortName": "x", "resourceGroups": groups("y")}), ""),
        (made("Cohort", "c", spec={"parentName": "chat"}), "below cohort chat"),
        (made("Cohort", "c", spec={"parentName": "x"}), ""),
        (made("LocalQueue", "q", "elsewhere", spec={"clusterQueue": "vision-chat"}), "way into our ClusterQueue"),
        (made("LocalQueue", "q", "vision", spec={"clusterQueue": "x"}), "our namespace vision"),
        (made("LocalQueue", "q", "elsewhere", spec={"clusterQueue": "x"}), ""),
        (made("ResourceQuota", "q", "vision"), "our namespace vision"),
        (made("DaemonSet", "d", "gpu-system"), "our namespace gpu-system"),
        (made("DaemonSet", "d", "vision"), ""),
        (made("RoleBinding", "b", "x", roleRef={"kind": "ClusterRole", "name": "gpuplan-team-member"}), "grants our"),
        (made("RoleBinding", "b", "vision", roleRef={"kind": "ClusterRole", "name": "view"}), ""),
        (made("RoleBinding", "b", "gpu-system", roleRef={"kind": "ClusterRole", "name": "view"}), "gpu-system"),
        (made("ValidatingAdmissionPolicyBinding", "b", spec={"policyName": "gpuplan-topology"}), "binds our policy"),
        (made("Application", "a", "argocd", spec={"project": "acme"}), "our project acme"),
        (made("Application", "a", "argocd", spec={"project": "x"}, metadata=LABELLED), ""),
    ],
)
def test_an_object_is_foreign_where_it_acts_in_what_is_rendered(one: Object, words: str) -> None:
    why = why_foreign(one, RENDERED)

    assert bool(why) is bool(words)
    assert words in why
