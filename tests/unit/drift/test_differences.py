"""What counts as a difference between an object as rendered and as it is."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from gpuplan.cluster.drifting import DriftSight, Seen, name_of
from gpuplan.cluster.kube import Fault
from gpuplan.compare import path_text
from gpuplan.conventions import LABEL_MANAGED_BY, MANAGED_BY
from gpuplan.drift.differences import differences
from gpuplan.drift.foreign import ours
from gpuplan.drift.judge import Rendered, judge
from gpuplan.drift.parts import Fate

Object = dict[str, Any]
QUEUE: Object = {
    "apiVersion": "kueue.x-k8s.io/v1beta2",
    "kind": "ClusterQueue",
    "metadata": {"name": "vision-pretrain", "labels": {LABEL_MANAGED_BY: MANAGED_BY}},
    "spec": {"cohortName": "pretrain", "queueingStrategy": "BestEffortFIFO"},
}
CONFIG: Object = {
    "apiVersion": "v1",
    "kind": "ConfigMap",
    "metadata": {"name": "c", "namespace": "gpu-system", "labels": {LABEL_MANAGED_BY: MANAGED_BY}},
    "data": {"config.yaml": "version: v1\nsharing: {}\n"},
}
SERVER = {
    "uid": "u",
    "resourceVersion": "7",
    "generation": 2,
    "creationTimestamp": "t",
    "finalizers": ["kueue.x-k8s.io/resource-in-use"],
}


def applied_by(manager: str, operation: str, *fields: str) -> Object:
    """An entry of managedFields for fields of the spec, and for our label."""
    owned: Object = {"f:spec": {f"f:{field}": {} for field in fields}}
    if "label" in fields:
        owned["f:metadata"] = {"f:labels": {f"f:{LABEL_MANAGED_BY}": {}}}
    return {"manager": manager, "operation": operation, "time": "t", "fieldsV1": owned}


def live(change: Callable[[Object], None], *entries: Object, of: Object = QUEUE) -> Object:
    made = copy.deepcopy(of)
    made["metadata"] |= {**SERVER, "managedFields": list(entries)} if of is QUEUE else {"managedFields": list(entries)}
    change(made)
    return made


def paths(rendered: Object, now: Object, applied: Object | None = None) -> list[str]:
    return [path_text(one.change.path) for one in differences(rendered, Seen(live=now, applied=applied))]


def spec(**values: object) -> Callable[[Object], None]:
    return lambda made: made["spec"].update(values)


def mark(where: str, key: str) -> Callable[[Object], None]:
    return lambda made: made["metadata"].setdefault(where, {}).update({key: "x"})


ARGOCD = applied_by("argocd-controller", "Apply", "cohortName", "label")
CLIENT_SIDE = applied_by("argocd-controller", "Update", "cohortName", "newDefault", "label")
EDITOR = applied_by("kubectl-edit", "Update", "cohortName", "admissionScope")


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        (live(spec(), ARGOCD), []),
        (live(spec(cohortName="other"), EDITOR), ["spec.cohortName"]),
        (live(lambda made: made["spec"].pop("cohortName"), EDITOR), ["spec.cohortName"]),
        (live(spec(stopPolicy="None"), ARGOCD), []),
        (live(spec(stopPolicy="Hold"), applied_by("kubectl-edit", "Update", "stopPolicy")), ["spec.stopPolicy"]),
        (live(spec(admissionScope={"a": "b"}), EDITOR), ["spec.admissionScope"]),
        (live(spec(newDefault="x"), ARGOCD), []),
        (live(spec(newDefault="x"), CLIENT_SIDE), []),
        (
            live(spec(newDefault="x"), applied_by("argocd-controller", "Apply", "newDefault", "label")),
            ["spec.newDefault"],
        ),
    ],
)
def test_without_a_dry_run_what_nobody_set_is_a_default_of_the_server(now: Object, expected: list[str]) -> None:
    assert paths(QUEUE, now) == expected


def test_with_a_dry_run_what_an_apply_would_leave_as_it_is_differs_in_nothing() -> None:
    mutated = live(spec(cohortName="by-a-webhook"), applied_by("webhook", "Update", "cohortName"))

    assert paths(QUEUE, mutated, applied=mutated) == []
    assert paths(QUEUE, mutated, applied=live(spec(), ARGOCD)) == ["spec.cohortName"]


@pytest.mark.parametrize(
    ("where", "key", "drifts"),
    [
        ("labels", "acme.example/owner", False),
        ("annotations", "kubectl.kubernetes.io/last-applied-configuration", False),
        ("annotations", "argocd.argoproj.io/tracking-id", False),
        ("labels", "argocd.argoproj.io/instance", False),
        ("annotations", "argocd.argoproj.io/sync-options", True),
        ("labels", "kueue.x-k8s.io/hold", True),
        ("labels", "pod-security.kubernetes.io/enforce", True),
        ("labels", "deploy.nvidia.com/x", True),
        ("labels", "notgpuplan.dev/x", False),
    ],
)
def test_an_added_mark_is_drift_where_somebody_acts_by_it(where: str, key: str, drifts: bool) -> None:
    fields: Object = {f"f:{where}": {f"f:{key}": {}}}
    entry = {"manager": "kubectl-label", "operation": "Update", "time": "t", "fieldsV1": {"f:metadata": fields}}
    now = live(mark(where, key), entry)

    assert bool(paths(QUEUE, now, applied=now)) is drifts


def test_a_document_in_a_text_is_compared_by_what_it_says() -> None:
    def to(text: str) -> Object:
        return live(lambda made: made["data"].update({"config.yaml": text}), of=CONFIG)

    assert paths(CONFIG, to("sharing: {}\nversion: v1\n")) == []
    (found,) = differences(CONFIG, Seen(live=to("version: v2\nsharing: {}\n")))
    assert [path_text(one.path) for one in found.change.within] == ["version"]


def test_pods_that_were_restarted_by_hand_and_a_stopped_queue_are_noted_not_counted() -> None:
    agent: Object = {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {"name": "d", "namespace": "gpu-system"},
        "spec": {"template": {"metadata": {"labels": {"app": "d"}}, "spec": {}}},
    }
    now = copy.deepcopy(agent)
    now["spec"]["template"]["metadata"]["annotations"] = {"kubectl.kubernetes.io/restartedAt": "t"}
    owned: Object = {
        "f:spec": {"f:template": {"f:metadata": {"f:annotations": {"f:kubectl.kubernetes.io/restartedAt": {}}}}}
    }
    now["metadata"]["managedFields"] = [{"manager": "kubectl-rollout", "operation": "Update", "fieldsV1": owned}]
    stopped = live(spec(stopPolicy="HoldAndDrain"), applied_by("kubectl-edit", "Update", "stopPolicy"))
    sight = DriftSight(
        seen={name_of(agent): Seen(live=now, applied=now), name_of(QUEUE): Seen(live=stopped, applied=stopped)},
        others=(),
        unserved=frozenset(),
        unlisted={},
    )

    report = judge([Rendered("d.yaml", agent), Rendered("q.yaml", QUEUE)], ours([agent, QUEUE], ""), sight)

    assert report.findings == ()
    assert [(one.object.kind, one.difference.owners[0].manager) for one in report.notes] == [
        ("DaemonSet", "kubectl-rollout"),
        ("ClusterQueue", "kubectl-edit"),
    ]


@pytest.mark.parametrize(
    ("status", "words", "partial"), [(403, "", True), (422, "an apply would fail: field is immutable", False)]
)
def test_a_refused_apply_is_part_of_the_finding_and_a_missing_right_is_not(
    status: int, words: str, partial: bool
) -> None:
    now = live(spec(cohortName="other"), EDITOR)
    refusal = Fault(summary="field is immutable", status=status)
    sight = DriftSight(
        seen={name_of(QUEUE): Seen(live=now, refusal=refusal)}, others=(), unserved=frozenset(), unlisted={}
    )

    report = judge([Rendered("q.yaml", QUEUE)], ours([QUEUE], ""), sight)

    assert [(one.fate, one.why) for one in report.findings] == [(Fate.CHANGED, words)]
    assert report.partial is partial
