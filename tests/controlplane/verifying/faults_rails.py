"""Guard rails, the namespaces that they select, and Kueue's webhooks, broken by hand."""

from __future__ import annotations

from typing import Any

from gpuplan import conventions
from gpuplan.verify.probes import probes
from tests.controlplane.client import Object, reference
from tests.controlplane.verifying.bed import Bed, Fault, Undo
from tests.controlplane.verifying.faults_policy import ADMISSION, Plant, changed, edited, namespace


def _fails_open(made: dict[str, Any]) -> None:
    next(hook for hook in made["webhooks"] if hook["name"] == "mjob.kb.io")["failurePolicy"] = "Ignore"


def _looks_at_no_deployments(made: dict[str, Any]) -> None:
    made["webhooks"] = [hook for hook in made["webhooks"] if hook["name"] != "vdeployment.kb.io"]


def answered(bed: Bed, probe: str) -> int:
    """Return the status with which the server answers a trial now."""
    made = probes(bed.fleet, bed.cluster)[probe]
    resource = bed.client.resource(made["apiVersion"], made["kind"])
    return bed.kube().attempt(resource.collection(made["metadata"]["namespace"]), made).status


def lets_pass(plant: Plant, probe: str) -> Plant:
    """Break a rail, and wait until the server lets a trial pass; mended, until it stops it again."""

    def both(bed: Bed) -> Undo:
        undo = plant(bed)
        bed.until(lambda: answered(bed, probe) == 201, f"the server to take {probe}")

        def mend() -> None:
            undo()
            bed.until(lambda: answered(bed, probe) == 422, f"the server to refuse {probe}")

        return mend

    return both


def policy(name: str) -> Object:
    """Name a guard rail."""
    return reference(ADMISSION, "ValidatingAdmissionPolicy", name)


def policy_binding(name: str) -> Object:
    """Name what puts a guard rail into force."""
    return reference(ADMISSION, "ValidatingAdmissionPolicyBinding", name)


def narrowed(bed: Bed) -> Undo:
    """Let the rail of priorities look into one namespace only."""
    only = {"matchExpressions": [{"key": conventions.LABEL_NAMESPACE_NAME, "operator": "In", "values": ["search"]}]}
    constraints = {"spec": {"matchConstraints": {"namespaceSelector": only}}}
    return bed.patched(policy(conventions.POLICY_PRIORITY_BAND), constraints)


FAULTS: tuple[Fault, ...] = (
    Fault(
        name="a rail has no binding",
        plant=lets_pass(
            lambda bed: bed.deleted(policy_binding(conventions.POLICY_PRODUCED_RESOURCES)),
            "gpuplan-produced-resources/nightly/foreign",
        ),
        check="rails/policies",
        evidence="ValidatingAdmissionPolicyBinding gpuplan-produced-resources is not there",
        also=("rails/enforced",),
    ),
    Fault(
        name="a rail only audits",
        plant=lets_pass(
            changed(policy_binding(conventions.POLICY_QUEUE_REQUIRED), {"spec": {"validationActions": ["Audit"]}}),
            "gpuplan-queue-required/default",
        ),
        check="rails/enforced",
        evidence="a Pod in namespace default that asks for nvidia.com/gpu outside every queue",
        also=("rails/policies",),
    ),
    Fault(
        name="a rail fails open",
        plant=changed(policy(conventions.POLICY_TOPOLOGY), {"spec": {"failurePolicy": "Ignore"}}),
        check="rails/policies",
        evidence="failurePolicy: Ignore, rendered Fail",
    ),
    Fault(
        name="a rail looks into one namespace only",
        plant=lets_pass(narrowed, "gpuplan-priority-band/scratch/forged"),
        check="rails/namespaces",
        evidence="gpuplan-priority-band does not select namespace vision-train",
        also=("rails/enforced", "rails/policies"),
    ),
    Fault(
        name="a namespace has lost its cost centre",
        plant=namespace("search", cost_center=None),
        check="rails/namespaces",
        evidence="Namespace search: gpuplan.dev/cost-center=, rendered cc-210",
    ),
    Fault(
        name="a webhook fails open",
        plant=edited(
            reference(ADMISSION, "MutatingWebhookConfiguration", "kueue-mutating-webhook-configuration"), _fails_open
        ),
        check="rails/webhooks",
        evidence="mjob.kb.io for jobs.batch: failurePolicy Ignore",
    ),
    Fault(
        name="a webhook is missing",
        plant=edited(
            reference(ADMISSION, "ValidatingWebhookConfiguration", "kueue-validating-webhook-configuration"),
            _looks_at_no_deployments,
        ),
        check="rails/webhooks",
        evidence="no webhook of Kueue's looks at deployments.apps",
    ),
)
