"""The three guard rails in words and in CEL, and how a policy becomes objects."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from gpuplan import conventions
from gpuplan.emit.base import GUARD_RAIL_BINDINGS, GUARD_RAILS, in_namespaces, metadata
from gpuplan.emit.guardrails import cel
from gpuplan.emit.workloads import WORKLOADS, kinds
from gpuplan.manifests.kinds import ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding
from gpuplan.manifests.kinds.admission import MatchCondition, NamedRuleWithOperations, Validation
from gpuplan.model.fleet import Cluster, Enforcement
from gpuplan.model.queues import Cohort, band

Action = Literal["Deny", "Warn", "Audit"]

ACTIONS: Mapping[Enforcement, list[Action]] = {Enforcement.WARN: ["Warn", "Audit"], Enforcement.DENY: ["Deny"]}
"""What a violation does; a guard rail that is off is not here."""

CONTROLLERS = (
    *(
        f"system:serviceaccount:kube-system:{name}-controller"
        for name in ("daemon-set", "deployment", "job", "replicaset", "replication", "statefulset")
    ),
    "system:kube-controller-manager",
    "system:serviceaccount:jobset-system:jobset-controller-manager",
    "system:serviceaccount:lws-system:lws-controller-manager",
    "system:serviceaccount:mpi-operator:mpi-operator",
    conventions.KUEUE_USER,
)
"""Who makes and moves what others asked for: the workload was judged when a person made it, and refusing its pods later
would stop running work. CronJobs' controller is not here, since nobody judges a CronJob's template before."""

CARD_PREFIXES = (
    "amd.com/cpx",
    "amd.com/dpx",
    "amd.com/gpu",
    "amd.com/qpx",
    "amd.com/spx",
    "gpu.intel.com/",
    "habana.ai/",
    "huawei.com/Ascend",
    "nvidia.com/gpu",
    "nvidia.com/mig-",
)
"""How the names begin that vendors' device plugins give to cards and parts of cards. A vendor's whole domain would take
in its network adapters (`nvidia.com/hostdev`, `amd.com/vnic`), which training jobs need beside the cards."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """A guard rail: who is let pass, the named parts of its condition, and what a violation says.

    `applies` filters changes: an UPDATE that changes nothing the policy looks at must not fail, or no controller could
    finish old objects.
    """

    name: str
    exempt: tuple[str, ...]
    variables: Mapping[str, str]
    validations: tuple[Validation, ...]


def _queues(cluster: Cluster) -> list[Cohort]:
    """Return the task pools that a job can name: those where some team has a queue."""
    return [cohort for cohort in cluster.cohorts if cohort.queues]


def priority_band(cluster: Cluster) -> Policy:
    """Refuse jobs whose priority class is not of their queue's band. A job without one would count as 0."""
    bands = {cohort.task_pool.name: list(band(cohort.task_pool.service)) for cohort in _queues(cluster)}
    known = ", ".join(sorted(bands))
    return Policy(
        name=conventions.POLICY_PRIORITY_BAND,
        exempt=CONTROLLERS,
        variables={
            "bands": cel.lists(bands),
            "templates": cel.TEMPLATES,
            "labelled": cel.LABELLED,
            "unknown": f"variables.labelled.filter(labels,\n  !(labels[{cel.QUEUE}] in variables.bands)\n)",
            "forged": f"""\
variables.labelled.filter(labels,
  labels[{cel.QUEUE}] in variables.bands &&
  !(labels[?{cel.PRIORITY_CLASS}].orValue("") in variables.bands[labels[{cel.QUEUE}]])
)""",
        },
        validations=(
            _validation(
                "variables.unknown.size() == 0",
                f"no queue is named '{{queue}}': set label {conventions.LABEL_QUEUE_NAME} to one of {known}",
                queue=f"string(variables.unknown[0][{cel.QUEUE}])",
            ),
            _validation(
                "variables.forged.size() == 0",
                f"jobs in queue '{{queue}}' need label {conventions.LABEL_PRIORITY_CLASS} with one of {{classes}}, "
                "not '{given}'",
                queue=f"string(variables.forged[0][{cel.QUEUE}])",
                classes=f'variables.bands[variables.forged[0][{cel.QUEUE}]].join(", ")',
                given=f'string(variables.forged[0][?{cel.PRIORITY_CLASS}].orValue(""))',
            ),
        ),
    )


def queue_required(cluster: Cluster, exempt_users: Iterable[str]) -> Policy:
    """Refuse what asks for cards but that Kueue will not queue.

    Kueue watches a kind's own label where its framework is on; where plain pods are queued, the label of the pod templates
    does it for any kind.
    """
    queued = f"request.kind.kind in {cel.strings(kinds(cluster.frameworks))} && {_labels('dyn(object)')}"
    if "pod" in cluster.frameworks:
        queued = f"({queued}) ||\nvariables.templates.all(template, {_labels('template')})"
    known = ", ".join(sorted(cohort.task_pool.name for cohort in _queues(cluster)))
    taken = ", ".join(kinds(cluster.frameworks))
    return Policy(
        name=conventions.POLICY_QUEUE_REQUIRED,
        exempt=(*CONTROLLERS, *exempt_users),
        variables={"templates": cel.TEMPLATES, "cards": cel.cards(card_prefixes(cluster)), "queued": queued},
        validations=(
            _validation(
                "variables.cards.size() == 0 || variables.queued",
                "this {kind} asks for {card} outside every queue: "
                f"set its label {conventions.LABEL_QUEUE_NAME} to one of {known} (queues take {taken})",
                kind="request.kind.kind",
                card="variables.cards[0]",
            ),
        ),
    )


def _labels(part: str) -> str:
    return f'{part}.?metadata.?labels[?{cel.QUEUE}].orValue("") != ""'


def produced_resources(cluster: Cluster) -> Policy:
    """Refuse a workload that asks in its queue for a card resource which none of the queue's flavors produces."""
    resources = {
        cohort.task_pool.name: sorted({resource for flavor in cohort.flavors for resource in flavor.capacity})
        for cohort in _queues(cluster)
    }
    return Policy(
        name=conventions.POLICY_PRODUCED_RESOURCES,
        exempt=CONTROLLERS,
        variables={
            "resources": cel.lists(resources),
            "templates": cel.TEMPLATES,
            "cards": cel.cards(card_prefixes(cluster)),
            "labelled": cel.LABELLED,
            "foreign": f"""\
variables.labelled.map(labels, labels[{cel.QUEUE}]).filter(queue,
  queue in variables.resources && variables.cards.exists(card, !(card in variables.resources[queue]))
)""",
        },
        validations=(
            _validation(
                "variables.foreign.size() == 0",
                "queue '{queue}' has no {card}: ask for {offered}",
                queue="string(variables.foreign[0])",
                card="variables.cards.filter(card, !(card in variables.resources[variables.foreign[0]]))[0]",
                offered='variables.resources[variables.foreign[0]].join(", ")',
            ),
        ),
    )


def card_prefixes(cluster: Cluster) -> list[str]:
    """Return how names of card resources begin: the vendors' names, and whatever the cluster's own cards are called."""
    own = {resource for flavor in cluster.flavors for resource in flavor.capacity}
    return [*CARD_PREFIXES, *sorted(name for name in own if not name.startswith(CARD_PREFIXES))]


def _validation(expression: str, sentence: str, **parts: str) -> Validation:
    return {"expression": expression, "messageExpression": cel.message(sentence, **parts)}


CHANGED = (
    'request.operation == "CREATE" || dyn(object).spec != dyn(oldObject).spec ||\n'
    "dyn(object).metadata.?labels != dyn(oldObject).metadata.?labels"
)


def admission_policy(policy: Policy, cluster: Cluster) -> ValidatingAdmissionPolicy:
    """Return the policy as an object that looks at the team namespaces of a cluster."""
    conditions: list[MatchCondition] = [
        {"name": "made-by-people", "expression": f"!(request.userInfo.username in {cel.column(policy.exempt)})"},
        {"name": "stays", "expression": "!has(object.metadata.deletionTimestamp)"},
        {"name": "changed", "expression": CHANGED},
    ]
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingAdmissionPolicy",
        "metadata": metadata(policy.name, GUARD_RAILS),
        "spec": {
            "failurePolicy": "Fail",
            "matchConstraints": {
                "matchPolicy": "Equivalent",
                "namespaceSelector": in_namespaces(cluster.namespaces),
                "objectSelector": {},
                "resourceRules": _resource_rules(),
            },
            "matchConditions": conditions,
            "variables": [{"name": name, "expression": text} for name, text in policy.variables.items()],
            "validations": list(policy.validations),
        },
    }


def _resource_rules() -> list[NamedRuleWithOperations]:
    """Match every kind that makes pods, a rule for each group and version."""
    grouped = itertools.groupby(
        sorted(WORKLOADS, key=lambda kind: (kind.group, kind.version)), lambda kind: (kind.group, kind.version)
    )
    return [
        {
            "apiGroups": [group],
            "apiVersions": [version],
            "operations": ["CREATE", "UPDATE"],
            "resources": [kind.resource for kind in members],
            "scope": "Namespaced",
        }
        for (group, version), members in grouped
    ]


def binding(policy: Policy, actions: list[Action]) -> ValidatingAdmissionPolicyBinding:
    """Return what puts the policy into force."""
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingAdmissionPolicyBinding",
        "metadata": metadata(policy.name, GUARD_RAIL_BINDINGS),
        "spec": {"policyName": policy.name, "validationActions": actions},
    }
