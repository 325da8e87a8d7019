"""The guard rails where pods claim cards or HAMi shares them: judged by a real API server."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from gpuplan import conventions
from gpuplan.emit import guardrails
from tests.build import fleet
from tests.controlplane.acceptance import apply_manifests, stored_differences
from tests.controlplane.client import ApiError, Client, Object, reference
from tests.controlplane.controlplane import ControlPlane
from tests.controlplane.workloads import job

SPEC = """
apiVersion: gpuplan.dev/v1alpha1
metadata: {name: acme}
clusters: {main: {kubernetes: "1.36"}}
cardTiers:
  train: {cards: [h100-sxm-80gb], topology: off}
  lab: {cards: [a100-sxm-40gb], topology: off}
  desk: {cards: [t4], topology: off}
  serve: {cards: [l40s]}
defaults: {nodePool: {cluster: main, nodes: 2, cardsPerNode: 8, selectedBy: {nfd: {}}}}
nodePools:
  h100: {tier: train, exposure: dra}
  a100: {tier: lab, exposure: dra, sharing: {mig: {profiles: {1g.5gb: 7}}}}
  t4: {tier: desk, sharing: {hami: {split: 4}}}
  l40s: {tier: serve}
taskPools:
  pretrain: {kind: training, service: guaranteed, tiers: [train], largestJob: {cardsPerPod: 4}, frameworks: [job, jobset, pod]}
  answers: {kind: onlineInference, service: guaranteed, tiers: [train], stateful: {drainSeconds: 60}}
  slices: {kind: experiment, service: queued, tiers: [lab]}
  notebooks: {kind: experiment, service: queued, tiers: [desk]}
  nightly: {kind: batchInference, service: queued, tiers: [serve]}
teams:
  vision: {namespaces: [vision], quotas: {pretrain: {}, answers: {}, slices: {}, notebooks: {}, nightly: {}}}
governance: {guardRails: {queueRequired: deny, producedResources: deny, statefulServing: deny}}
"""
CARD = {"nvidia.com/gpu": 1}
BY_TEMPLATE = {"resourceClaimTemplateName": "anything"}
BY_CLAIM = {"resourceClaimName": "mine"}
Asked = Mapping[str, int]


def made() -> list[Object]:
    built = fleet(SPEC)
    return [copy.deepcopy(dict(one.object)) for one in guardrails.emit(built, built.clusters[0])]


def policy(name: str) -> Any:
    """Return the spec of a policy."""
    kind = "ValidatingAdmissionPolicy"
    return next(one["spec"] for one in made() if one["kind"] == kind and one["metadata"]["name"] == name)


def test_the_names_by_which_kueue_counts_claims_are_nothing_to_ask_for() -> None:
    variables = {one["name"]: one["expression"] for one in policy("gpuplan-produced-resources")["variables"]}
    assert "dra.gpuplan.dev" not in variables["resources"]
    assert '"pretrain": ["claims by template"]' in variables["resources"]
    assert '"slices": ["resourceClaimTemplateName slices-1g.5gb-1"]' in variables["ways"]


@pytest.fixture(scope="module")
def guarded(control_plane: ControlPlane) -> Iterator[Client]:
    """A server with the policies in force."""
    control_plane.reset()
    client = control_plane.client
    for name in ("vision", "elsewhere", conventions.SYSTEM_NAMESPACE):
        client.apply(reference("v1", "Namespace", name))
    assert apply_manifests(client, made()) == []
    assert stored_differences(client, made()) == []
    wrong = [asked for asked, expected in CASES.values() if expected]  # each policy comes into force by itself
    control_plane.wait_for(lambda: all(refusal(client, one) for one in wrong), what="the policies to hold")
    yield client
    control_plane.reset()


def refusal(client: Client, asked: Object) -> str:
    """Return why the server refuses a workload; empty when it takes it."""
    try:
        client.apply(asked, dry_run=True)
    except ApiError as error:
        return error.message
    return ""


def work(
    queue: str,
    devices: Asked | None = None,
    *,
    claim: object = None,
    namespace: str = "vision",
    scheduler: str = "hami-scheduler",
) -> Object:
    """Return a job in a queue, whose pods ask for devices, or claim some; in HAMi's queue they name its scheduler."""
    services = {"pretrain": "guaranteed", "answers": "guaranteed"}
    made: dict[str, Any] = job(namespace, "work", queue=queue, devices=devices)  # type: ignore[assignment]  # read-only
    if queue:
        made["metadata"]["labels"][conventions.LABEL_PRIORITY_CLASS] = services.get(queue, "queued")
    if queue == "notebooks":
        made["spec"]["template"]["spec"]["schedulerName"] = scheduler
    if claim:
        made["spec"]["template"]["spec"]["resourceClaims"] = [{"name": "cards", **dict(claim)}]  # type: ignore[call-overload]
    return made


def bare_pod(claim: Mapping[str, str]) -> Object:
    """Return a pod of no job and no queue that claims devices."""
    spec = {**work("", claim=claim)["spec"]["template"]["spec"]}
    return {**reference("v1", "Pod", "work", "vision"), "spec": spec}


NAME = "resourceClaimTemplateName"
UNQUEUED = "asks for claims by template outside every queue"
CASES: dict[str, tuple[Object, str]] = {
    "a claim in its queue": (work("pretrain", claim=BY_TEMPLATE), ""),
    "a claim on slices in its queue": (work("slices", claim=BY_TEMPLATE), ""),
    "a claim of a stateful service that does not say when it serves": (
        work("answers", claim=BY_TEMPLATE),
        "pods with cards in stateful queue 'answers' need a readinessProbe",
    ),
    "a card in a queue of claims": (
        work("pretrain", CARD),
        f"queue 'pretrain' has no nvidia.com/gpu: ask for {', '.join(f'{NAME} pretrain-{n}' for n in (1, 2, 4))}",
    ),
    "Kueue's own name for claims": (work("pretrain", {"dra.gpuplan.dev/gpu": 1}), "has no dra.gpuplan.dev/gpu"),
    "a claim that is nobody's copy": (work("pretrain", claim=BY_CLAIM), "has no claims without template"),
    "a claim without queue": (work("", claim=BY_TEMPLATE), UNQUEUED),
    "a pod's claim without queue": (bare_pod(BY_TEMPLATE), UNQUEUED),
    "a claim where no team is": (work("", claim=BY_TEMPLATE, namespace="elsewhere"), "where no team has queues"),
    "a claim in a queue of cards": (
        work("nightly", claim=BY_TEMPLATE),
        "has no claims by template: ask for nvidia.com/gpu",
    ),
    "a card in a queue of cards": (work("nightly", CARD), ""),
    "a part of a card by HAMi": (work("notebooks", {**CARD, "nvidia.com/gpumem-percentage": 25}), ""),
    "a part without a card": (work("notebooks", {"nvidia.com/gpumem": 4000}), "asks for nvidia.com/gpumem without"),
    "a part of a card by the usual scheduler": (
        work("notebooks", {**CARD, "nvidia.com/gpumem": 4000}, scheduler="default-scheduler"),
        "pods with cards in queue 'notebooks' need schedulerName: hami-scheduler",
    ),
    "no card in the queue of parts": (work("notebooks", scheduler="default-scheduler"), ""),
    "a part of a whole card": (work("nightly", {**CARD, "nvidia.com/gpucores": 50}), "has no nvidia.com/gpucores"),
    "no card at all": (work(""), ""),
}


@pytest.mark.parametrize("case", CASES)
def test_claims_and_parts_pass_in_their_queues_alone(guarded: Client, case: str) -> None:
    asked, expected = CASES[case]
    said = refusal(guarded, asked)
    assert expected in said if expected else said == ""


def test_a_gang_of_many_claims_stays_within_the_server_s_cost_limit(guarded: Client) -> None:
    one = work("pretrain", claim=BY_TEMPLATE)
    pod = one["spec"]["template"]["spec"]
    containers = [{**pod["containers"][0], "name": f"main-{number}"} for number in range(8)]
    template = {"spec": {"template": {"spec": {**pod, "containers": containers}}}}
    gang = {
        **reference("jobset.x-k8s.io/v1alpha2", "JobSet", "work", "vision"),
        "spec": {"replicatedJobs": [{"name": f"workers-{number}", "template": template} for number in range(100)]},
    }
    gang["metadata"] = {**gang["metadata"], "labels": one["metadata"]["labels"]}
    assert refusal(guarded, gang) == ""
    gang["metadata"]["labels"] = {}
    assert "outside every queue" in refusal(guarded, gang)
