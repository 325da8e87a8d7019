"""Powers of pods, images and Pod Security: what is more than was rendered, and what is less."""

from __future__ import annotations

from typing import Any

import pytest

from gpuplan.manifests.selecting import selects
from gpuplan.verify.agent_pods import owner, strangers
from gpuplan.verify.checks import rights_images, rights_pod_security, rights_pods
from gpuplan.verify.verdicts import Outcome
from tests.unit.verify.policy_scenery import (
    SPEC,
    Edit,
    Live,
    broken,
    drop,
    failures,
    live,
    named,
    one,
    outcomes,
    pods,
    scene,
)

PLUGIN, DISCOVERY = "DaemonSet gpu-system/nvidia-device-plugin-h100", "DaemonSet gpu-system/gpu-feature-discovery-h100"


def pod(seen: Live, name: str = "gpu-feature-discovery-h100-1") -> dict[str, Any]:
    return one(seen, "Pod", name)


def security(seen: Live) -> dict[str, Any]:
    found: dict[str, Any] = pod(seen)["spec"]["containers"][0]["securityContext"]
    return found


POWERS: dict[str, tuple[Edit, str]] = {
    "privileged": (lambda s: security(s).update(privileged=True), "privileged"),
    "capability": (lambda s: security(s)["capabilities"]["add"].append("NET_RAW"), "capability NET_RAW"),
    "host network": (lambda s: pod(s)["spec"].update(hostNetwork=True), "hostNetwork"),
    "host processes": (lambda s: pod(s)["spec"].update(hostPID=True), "hostPID"),
    "host path": (
        lambda s: pod(s)["spec"]["volumes"].append({"name": "r", "hostPath": {"path": "/etc"}}),
        "hostPath /etc",
    ),
    "a container to look into it": (
        lambda s: pod(s)["spec"].update(ephemeralContainers=[{"name": "d", "securityContext": {"privileged": True}}]),
        "privileged",
    ),
    "a container before it": (
        lambda s: pod(s)["spec"].update(initContainers=[{"name": "d", "securityContext": {"privileged": True}}]),
        "privileged",
    ),
}


@pytest.mark.parametrize(("edit", "power"), POWERS.values(), ids=POWERS)
def test_a_power_that_was_not_rendered_fails(edit: Edit, power: str) -> None:
    expected = (f"Pod gpu-system/gpu-feature-discovery-h100-1: {power}",)
    assert failures(rights_pods.check(broken(edit))) == {DISCOVERY: expected}


def test_less_power_than_rendered_is_fine() -> None:
    assert failures(rights_pods.check(broken(lambda s: security(s).update(capabilities={})))) == {}


def stranger(namespace: str = "gpu-system", **spec: object) -> dict[str, Any]:
    return {**named("Pod", "stranger", namespace), "spec": {"containers": [{"name": "c", "image": "busybox"}], **spec}}


def test_a_stranger_with_powers_fails_among_agents_alone() -> None:
    found = failures(rights_pods.check(broken(lambda s: s["Pod"].append(stranger(hostIPC=True)))))
    assert found == {"other pods in namespace gpu-system": ("Pod gpu-system/stranger (Pod stranger): hostIPC",)}
    assert failures(rights_pods.check(broken(lambda s: s["Pod"].append(stranger("vision", hostIPC=True))))) == {}
    assert failures(rights_pods.check(broken(lambda s: s["Pod"].append(stranger())))) == {}


@pytest.mark.parametrize(
    ("metadata", "known"),
    [
        ({"ownerReferences": [{"kind": "ClusterPolicy", "name": "cluster-policy"}]}, True),
        ({"labels": {"app.kubernetes.io/managed-by": "Helm"}}, True),
        ({"labels": {"app.kubernetes.io/managed-by": "kubectl"}}, False),
    ],
    ids=["the operator's", "its chart's", "somebody's"],
)
def test_what_an_operator_runs_in_its_own_namespace_is_no_stranger(metadata: dict[str, Any], known: bool) -> None:
    seen = live()
    made = named("DaemonSet", "nvidia-driver", "gpu-operator")
    made["metadata"].update(metadata)
    made["spec"] = {"template": {"spec": {"containers": []}}}
    seen["DaemonSet"].append(made)
    seen["Pod"] += pods(made)
    assert (strangers(scene(seen), "gpu-operator") == []) is known


def test_a_pod_is_its_only_owner_s_where_nobody_controls_it() -> None:
    made = stranger()
    assert owner(made) == ("Pod", "gpu-system", "stranger")
    made["metadata"]["ownerReferences"] = [{"kind": "DaemonSet", "name": "nvidia-operator-validator"}]
    assert owner(made) == ("DaemonSet", "gpu-system", "nvidia-operator-validator")
    made["metadata"]["ownerReferences"].append({"kind": "ReplicaSet", "name": "web-7d9f", "controller": True})
    assert owner(made) == ("Deployment", "gpu-system", "web")


def test_labels_are_selected_as_the_server_does() -> None:
    def expression(operator: str, *values: str) -> dict[str, Any]:
        return {"matchExpressions": [{"key": "a", "operator": operator, "values": list(values)}]}

    selectors = [None, {}, {"matchLabels": {"a": "1"}}, expression("In", "1"), expression("NotIn", "1")]
    selectors += [expression("Exists"), expression("DoesNotExist"), expression("Near", "1")]
    answers = {
        str(labels): [selects(one_selector, labels) for one_selector in selectors]
        for labels in ({"a": "1"}, {"a": "2"}, {})
    }
    assert answers == {
        "{'a': '1'}": [True, True, True, True, False, True, False, False],
        "{'a': '2'}": [True, True, False, False, True, True, False, False],
        "{}": [True, True, False, False, True, False, True, False],
    }


def test_a_workload_that_is_not_there_is_unknown() -> None:
    def edit(seen: Live) -> None:
        drop(seen, "DaemonSet", "nvidia-device-plugin-h100")
        seen["Pod"] = [made for made in seen["Pod"] if "nvidia-device-plugin-h100" not in made["metadata"]["name"]]

    for module in (rights_pods, rights_images):
        unknown = {verdict.subject for verdict in module.check(broken(edit)) if verdict.outcome is Outcome.UNKNOWN}
        assert unknown == {PLUGIN}


# Images.


@pytest.mark.parametrize(
    ("edit", "subject", "expected"),
    [
        pytest.param(
            lambda s: pod(s)["spec"]["containers"][0].update(image="nvcr.io/mirror/k8s-device-plugin:v0.20.0"),
            DISCOVERY,
            "image nvcr.io/mirror/k8s-device-plugin:v0.20.0 in container gpu-feature-discovery, rendered nvcr.io/nvidia/",
            id="another repository",
        ),
        pytest.param(
            lambda s: pod(s)["spec"]["containers"].append({"name": "mesh", "image": "mesh:1"}),
            DISCOVERY,
            "container mesh with image mesh:1 was not rendered",
            id="another container",
        ),
        pytest.param(
            lambda s: pod(s)["status"]["containerStatuses"][0].update(imageID="r@sha256:b"),
            DISCOVERY,
            "is sha256:b on node-1",
            id="another digest",
        ),
        pytest.param(
            lambda s: s["Pod"].append(stranger()),
            "other pods in namespace gpu-system",
            "Pod gpu-system/stranger: image busybox from docker.io",
            id="a stranger's registry",
        ),
    ],
)
def test_code_from_elsewhere_fails(edit: Edit, subject: str, expected: str) -> None:
    (found,) = failures(rights_images.check(broken(edit))).items()
    assert found[0] == subject
    assert expected in " ".join(found[1])


def test_another_version_of_an_agent_is_not_code_from_elsewhere() -> None:
    def edit(seen: Live) -> None:
        pod(seen)["spec"]["containers"][0]["image"] = "nvcr.io/nvidia/k8s-device-plugin:v0.19.0"

    assert failures(rights_images.check(broken(edit))) == {}


# Pod Security.


def enforce(namespace: str, level: str) -> Edit:
    label = {"pod-security.kubernetes.io/enforce": level}
    return lambda seen: one(seen, "Namespace", namespace)["metadata"]["labels"].update(label)


@pytest.mark.parametrize(
    ("namespace", "level", "fails"),
    [
        ("vision", "privileged", True),
        ("vision", "", True),
        ("vision", "baseline", False),
        ("vision", "restricted", False),
        ("vision", "strict", True),
        ("gpu-system", "privileged", False),
        ("gpu-system", "baseline", True),
        ("kube-system", "privileged", False),
    ],
)
def test_a_team_s_level_may_be_stricter_and_the_agents_may_not(namespace: str, level: str, fails: bool) -> None:
    found = failures(rights_pod_security.check(broken(enforce(namespace, level))))
    assert bool(found) is fails


def test_a_level_that_nobody_wrote_is_not_the_one_that_was_rendered() -> None:
    text = SPEC.replace("podSecurity: baseline", "podSecurity: privileged")
    seen = live(text)
    enforce("vision", "")(seen)
    found = failures(rights_pod_security.check(scene(seen, text=text)))
    assert found == {"Namespace vision": ("pod-security.kubernetes.io/enforce=absent, rendered privileged",)}


def test_a_queue_or_a_team_s_label_makes_an_open_namespace_a_finding() -> None:
    def queue(seen: Live) -> None:
        seen["LocalQueue"].append(named("LocalQueue", "x", "kube-system"))

    def label(seen: Live) -> None:
        one(seen, "Namespace", "kube-system")["metadata"]["labels"]["gpuplan.dev/team"] = "vision"

    expected = {"namespaces of others": ("Namespace kube-system: pod-security.kubernetes.io/enforce=absent",)}
    assert failures(rights_pod_security.check(broken(queue))) == expected
    assert failures(rights_pod_security.check(broken(label))) == expected


@pytest.mark.parametrize(
    "module",
    [rights_pods, rights_images, rights_pod_security],
    ids=lambda module: module.DOC.id,
)
def test_a_good_cluster_passes(module: Any) -> None:
    assert outcomes(module.check(scene(live()))) == {Outcome.PASS}
