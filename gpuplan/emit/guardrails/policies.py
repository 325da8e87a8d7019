"""The guard rails in words and in CEL."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from gpuplan import conventions
from gpuplan.catalog import Hami, Vendor
from gpuplan.emit.base import in_namespaces
from gpuplan.emit.guardrails import cel, offers, shares
from gpuplan.emit.workloads import kinds
from gpuplan.manifests.kinds.admission import Validation
from gpuplan.manifests.kinds.meta import LabelSelector
from gpuplan.model.claims import claimable
from gpuplan.model.fleet import Cluster
from gpuplan.model.queues import BAND_MIDDLE

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

MOST_NAMES = 20
"""Namespaces that a message lists: the server drops a message of more than 5 KiB."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """A guard rail: where it looks, who is let pass, the named parts of its condition, and what a violation says."""

    name: str
    namespaces: LabelSelector
    exempt: tuple[str, ...]
    variables: Mapping[str, str]
    validations: tuple[Validation, ...]


def priority_band(cluster: Cluster) -> Policy:
    """Refuse jobs whose priority is not of their queue's band: of the job, which counts as 0 without one, and of its pods.

    Pods of a class above the band, such as `system-node-critical`, would preempt on the node whatever Kueue decided. Pods that
    come without a class bear the cluster's default one by now, where it has one: it is let pass where it can push out nobody.
    """
    services = {cohort.local_queue: [cohort.task_pool.pod_priority_class] for cohort in cluster.cohorts_with_queues}
    values = {one.local_queue: BAND_MIDDLE[one.task_pool.service] for one in cluster.cohorts_with_queues}
    bands = {one.local_queue: list(one.task_pool.priority_classes) for one in cluster.cohorts_with_queues}
    others = sorted(cluster.adopted.names("LocalQueue") - bands.keys())
    known = ", ".join(sorted({*bands, *others}))
    unknown = f"!(labels[{cel.QUEUE}] in variables.bands)"
    if others:
        unknown += f" && !(labels[{cel.QUEUE}] in {cel.strings(others)})"
    return Policy(
        name=conventions.POLICY_PRIORITY_BAND,
        namespaces=in_namespaces(cluster.namespaces),
        exempt=CONTROLLERS,
        variables={
            "bands": cel.lists(bands),
            "podClasses": cel.lists(services),
            "podValues": cel.numbers(values),
            "templates": cel.TEMPLATES,
            "labelled": cel.LABELLED,
            "queues": cel.QUEUES,
            "unknown": f"variables.labelled.filter(labels,\n  {unknown}\n)",
            "forged": f"""\
variables.labelled.filter(labels,
  labels[{cel.QUEUE}] in variables.bands &&
  !(labels[?{cel.PRIORITY_CLASS}].orValue("") in variables.bands[labels[{cel.QUEUE}]])
)""",
            "given": cel.POD_PRIORITY_CLASSES,
            "value": cel.POD_PRIORITY,
            "meek": cel.NEVER_PREEMPTS,
            "raised": """\
variables.podClasses.filter(queue,
  queue in variables.queues && variables.given.exists(name, !(name in variables.podClasses[queue])) &&
  !(variables.value <= 0 || (variables.meek && variables.value <= variables.podValues[queue]))
)""",
        },
        validations=_of_bands(known),
    )


def _of_bands(known: str) -> tuple[Validation, ...]:
    """Return what is said of queues that nobody knows, of jobs out of their band, and of pods above it."""
    return (
        cel.validation(
            "variables.unknown.size() == 0",
            f"no queue is named '{{queue}}': set label {conventions.LABEL_QUEUE_NAME} to one of {known}",
            queue=f"string(variables.unknown[0][{cel.QUEUE}])",
        ),
        cel.validation(
            "variables.forged.size() == 0",
            f"jobs in queue '{{queue}}' need label {conventions.LABEL_PRIORITY_CLASS} with one of {{classes}}, "
            "not '{given}'",
            queue=f"string(variables.forged[0][{cel.QUEUE}])",
            classes=f'variables.bands[variables.forged[0][{cel.QUEUE}]].join(", ")',
            given=f'string(variables.forged[0][?{cel.PRIORITY_CLASS}].orValue(""))',
        ),
        cel.validation(
            "variables.raised.size() == 0",
            "pods in queue '{queue}' may have priorityClassName '{own}' or none, not '{given}'",
            queue="string(variables.raised[0])",
            own="variables.podClasses[variables.raised[0]][0]",
            given="variables.given.filter(name, !(name in variables.podClasses[variables.raised[0]]))[0]",
        ),
    )


def topology(cluster: Cluster) -> Policy | None:
    """Refuse work whose pods with cards do not ask for the topology level of their queue; none where no queue has one.

    Kueue reads the wish from each pod template alone, so a queue cannot make it. Pods without cards may sit anywhere.
    """
    wishes = {
        cohort.local_queue: [conventions.topology_annotation(wish.mode), wish.level]
        for cohort in cluster.cohorts_with_queues
        if (wish := cohort.task_pool.topology).level
    }
    if not wishes:
        return None
    first = "variables.wishes[variables.astray[0]]"
    return Policy(
        name=conventions.POLICY_TOPOLOGY,
        namespaces=in_namespaces(cluster.namespaces),
        exempt=CONTROLLERS,
        variables={
            "wishes": cel.lists(wishes),
            "templates": cel.TEMPLATES,
            "labelled": cel.LABELLED,
            "queues": cel.QUEUES,
            "annotations": cel.annotations_with_cards(card_prefixes(cluster)),
            "astray": """\
variables.wishes.filter(queue,
  queue in variables.queues && variables.annotations.exists(annotations,
    annotations[?variables.wishes[queue][0]].orValue("") != variables.wishes[queue][1]
  )
)""",
        },
        validations=(
            cel.validation(
                "variables.astray.size() == 0",
                "pods with cards in queue '{queue}' need annotation {annotation}: {level} in the metadata of their pod template",
                queue="string(variables.astray[0])",
                annotation=f"{first}[0]",
                level=f"{first}[1]",
            ),
        ),
    )


def _everywhere(cluster: Cluster) -> LabelSelector:
    """Select all namespaces in which cards need a queue.

    Not the GPU Operator's own, where its validator asks for a card to see whether the node's plugin gives one.
    """
    own = {cluster.gpu_operator.namespace} if cluster.has_operator else set()
    names = sorted({*conventions.SYSTEM_NAMESPACES, *own})
    return {"matchExpressions": [{"key": conventions.LABEL_NAMESPACE_NAME, "operator": "NotIn", "values": names}]}


def _validators(cluster: Cluster) -> Iterator[str]:
    """Yield the account of the GPU Operator's validator where others may run one, in its usual namespace.

    Where its pod, which asks for a card, is refused, the operator never calls the node ready.
    """
    if cluster.pools_on("external", Vendor.NVIDIA):
        yield f"system:serviceaccount:{cluster.gpu_operator.namespace}:nvidia-operator-validator"


def queue_required(cluster: Cluster, exempt_users: Iterable[str]) -> Policy:
    """Refuse what asks for cards but that Kueue will not queue, in every namespace but the system's.

    Kueue manages the namespaces of teams alone, so a queue's name counts for nothing elsewhere.
    Kueue watches a kind's own label where its framework is on; where plain pods are queued, the label of the pod templates
    does it for any kind.
    """
    queued = f"request.kind.kind in {cel.strings(kinds(cluster.frameworks))} && {_names_queue('dyn(object)')}"
    if "pod" in cluster.frameworks:
        queued = f"({queued}) ||\nvariables.templates.all(template, {_names_queue('template')})"
    own = {cohort.local_queue for cohort in cluster.cohorts_with_queues}
    known = ", ".join(sorted(own | cluster.adopted.names("LocalQueue")))
    namespaces = cluster.queue_namespaces
    taken = ", ".join(kinds(cluster.frameworks))
    homes = ", ".join((*namespaces[:MOST_NAMES], *(["…"] if len(namespaces) > MOST_NAMES else [])))
    return Policy(
        name=conventions.POLICY_QUEUE_REQUIRED,
        namespaces=_everywhere(cluster),
        exempt=(*CONTROLLERS, *_validators(cluster), *exempt_users),
        variables={
            "templates": cel.TEMPLATES,
            "cards": _asked(cluster),
            "home": f"request.namespace in {cel.strings(namespaces)}",
            "queued": queued,
        },
        validations=(
            cel.validation(
                "variables.cards.size() == 0 || variables.home",
                "this {kind} asks for {card} in namespace '{namespace}', where no team has queues: "
                f"put it into a team's namespace ({homes}) and in a queue",
                kind="request.kind.kind",
                card="variables.cards[0]",
                namespace="request.namespace",
            ),
            cel.validation(
                "variables.cards.size() == 0 || !variables.home || variables.queued",
                "this {kind} asks for {card} outside every queue: "
                f"set its label {conventions.LABEL_QUEUE_NAME} to one of {known} (queues take {taken})",
                kind="request.kind.kind",
                card="variables.cards[0]",
            ),
        ),
    )


def _names_queue(part: str) -> str:
    """Return the condition that an object or template bears the label of a queue."""
    return f'{part}.?metadata.?labels[?{cel.QUEUE}].orValue("") != ""'


def produced_resources(cluster: Cluster, hami: Hami) -> Policy:
    """Refuse a workload that asks in its queue for a card resource which none of the queue's flavors produces.

    Where pods claim cards, Kueue counts the claim, and a resource of any name would be no card or one that nobody counts.
    """
    resources = {cohort.local_queue: offers.offered(cohort, hami) for cohort in cluster.cohorts_with_queues}
    ways = {cohort.local_queue: offers.ways_to_ask(cohort, hami) for cohort in cluster.cohorts_with_queues}
    named = "ways" if ways != resources else "resources"
    return Policy(
        name=conventions.POLICY_PRODUCED_RESOURCES,
        namespaces=in_namespaces(cluster.namespaces),
        exempt=CONTROLLERS,
        variables={
            "resources": cel.lists(resources),
            **({"ways": cel.lists(ways)} if ways != resources else {}),
            "templates": cel.TEMPLATES,
            "cards": _asked(cluster),
            "labelled": cel.LABELLED,
            "queues": cel.QUEUES,
            "foreign": """\
variables.resources.filter(queue,
  queue in variables.queues && variables.cards.exists(card, !(card in variables.resources[queue]))
)""",
            **shares.variables(cluster, hami),
        },
        validations=(
            cel.validation(
                "variables.foreign.size() == 0",
                "queue '{queue}' has no {card}: ask for {offered}",
                queue="string(variables.foreign[0])",
                card="variables.cards.filter(card, !(card in variables.resources[variables.foreign[0]]))[0]",
                offered=f'variables.{named}[variables.foreign[0]].join(", ")',
            ),
            *shares.validations(cluster, hami),
        ),
    )


def _asked(cluster: Cluster) -> str:
    """Return the expression for all cards that a workload asks for; where pods claim cards, every claim may be for one."""
    cards = cel.cards(card_prefixes(cluster))
    return f"{cards} +\n{cel.CLAIMS}" if claimable(cluster) else cards


def card_prefixes(cluster: Cluster) -> list[str]:
    """Return how names of card resources begin: the vendors' names, and whatever the cluster's own cards are called."""
    own = {resource for flavor in cluster.flavors for resource in flavor.capacity}
    return [*CARD_PREFIXES, *sorted(name for name in own if not name.startswith(CARD_PREFIXES))]
