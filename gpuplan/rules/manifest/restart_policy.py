"""A restart policy that does not go with what makes the pods.

The pods of a Job end, so they restart on failure or never, and the Job has to say which: the default of a pod, Always, is
refused. Those of a Deployment, StatefulSet, DaemonSet or ReplicaSet run on, and always restart.

Source: Kubernetes, validation of workloads.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.items import Object
from gpuplan.inventory.view import View
from gpuplan.rulebook import RuleDoc
from gpuplan.rules import written

DOC = RuleDoc(
    id="manifest/restart-policy",
    severity=Severity.ERROR,
    summary="A restart policy that does not go with what makes the pods",
    why="The API server refuses the object: Required value: valid values: OnFailure, Never (Jobs); Unsupported value: "
    "supported values: Always (Deployments and the like).",
    fix="Write `restartPolicy: Never` or `OnFailure` in the pods of a Job; leave it out of those that run on.",
    bad="kind: Job\nspec: {template: {spec: {containers: [{name: train, image: acme/train}]}}}\n",
    good="kind: Job\nspec: {template: {spec: {restartPolicy: Never, containers: [{name: train, image: acme/train}]}}}\n",
)

GROUPS = ("apps", "batch")
ENDING, RUNNING = ("Job", "CronJob"), ("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet")
WORDS = ("Always", "Never", "OnFailure")
POLICIES = dict.fromkeys(ENDING, ("Never", "OnFailure")) | dict.fromkeys(RUNNING, ("Always",))


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each workload whose pods have another policy."""
    for one in written.whole(inventory):
        if one.kind in POLICIES and one.group in GROUPS:
            yield from _judged(one, _pods(one))


def _judged(one: Object, pods: View) -> Iterator[Diagnostic]:
    policy, allowed = pods["restartPolicy"], POLICIES[one.kind]
    if not pods["containers"].exists or (policy.exists and policy.text() not in WORDS):
        return  # for the schema
    if policy.exists and policy.text() not in allowed:
        yield DOC.found(f"{one} has restart policy {policy.text()}; {' and '.join(allowed)} can be", at=policy.key_span)
    elif not policy.exists and one.kind in ENDING:
        yield DOC.found(f"{one} has no restart policy; {' and '.join(allowed)} can be", at=pods.key_span)


def _pods(one: Object) -> View:
    spec = one.spec["jobTemplate"]["spec"] if one.kind == "CronJob" else one.spec
    return spec["template"]["spec"]
