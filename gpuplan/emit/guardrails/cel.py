"""CEL text: literals, and the expressions with which the guard rails look into workloads.

`dyn(object)` because one policy looks at ten kinds: the server would type-check each field against each kind and warn.
Functions are those of Kubernetes 1.30; `flatten` and `distinct` came later, hence the joined and split names.
"""

from __future__ import annotations

import json
import string
from collections.abc import Iterable, Mapping

from gpuplan import conventions
from gpuplan.manifests.kinds.admission import Validation

QUEUE = json.dumps(conventions.LABEL_QUEUE_NAME)
PRIORITY_CLASS = json.dumps(conventions.LABEL_PRIORITY_CLASS)


def text(value: str) -> str:
    """Return a string literal; CEL reads JSON's escapes."""
    return json.dumps(value, ensure_ascii=False)


def strings(values: Iterable[str]) -> str:
    """Return a list literal.

    >>> strings(["a", "b"])
    '["a", "b"]'
    """
    return "[" + ", ".join(text(value) for value in values) + "]"


def column(values: Iterable[str]) -> str:
    """Return a list literal, an item a line."""
    return "[\n" + ",\n".join(f"  {text(value)}" for value in values) + "\n]"


def lists(values: Mapping[str, Iterable[str]]) -> str:
    """Return a map of lists, an entry a line, sorted by key."""
    entries = (f"  {text(key)}: {strings(values[key])}" for key in sorted(values))
    return "{\n" + ",\n".join(entries) + "\n}"


def numbers(values: Mapping[str, int]) -> str:
    """Return a map of whole numbers, an entry a line, sorted by key."""
    return "{\n" + ",\n".join(f"  {text(key)}: {values[key]}" for key in sorted(values)) + "\n}"


def message(sentence: str, **expressions: str) -> str:
    """Return an expression that says a sentence, each `{name}` in it replaced by the value of that expression.

    >>> print(message("no queue {queue} here", queue="variables.queue"))
    "no queue " +
    variables.queue +
    " here"
    """
    parts: list[str] = []
    for words, name, _, _ in string.Formatter().parse(sentence):
        parts += [text(words)] if words else []
        parts += [expressions[name]] if name else []
    return " +\n".join(parts)


def validation(expression: str, sentence: str, **parts: str) -> Validation:
    """Return a condition that must hold, and what a violation says, as `message` puts it together."""
    return {"expression": expression, "messageExpression": message(sentence, **parts)}


TEMPLATES = """\
request.kind.kind == "Pod" ? [dyn(object)] :
request.kind.kind == "JobSet" ?
  dyn(object).spec.?replicatedJobs.orValue([]).map(job, job.template.spec.template) :
request.kind.kind == "LeaderWorkerSet" ?
  [?dyn(object).spec.leaderWorkerTemplate.?leaderTemplate, dyn(object).spec.leaderWorkerTemplate.workerTemplate] :
request.kind.kind == "MPIJob" ?
  dyn(object).spec.mpiReplicaSpecs.map(role, dyn(object).spec.mpiReplicaSpecs[role].template) :
[dyn(object).spec.template]"""
"""Every pod template of the workload; a pod is its own."""

LABELLED = f"""\
(
  [dyn(object)] + variables.templates +
  (request.kind.kind == "JobSet" ? dyn(object).spec.?replicatedJobs.orValue([]).map(job, job.template) : [])
).map(part, part.?metadata.?labels.orValue({{}})).filter(labels, {QUEUE} in labels)"""
"""The labels of the workload and of all that it will make, where they name a queue: Kueue reads them on each."""


QUEUES = f"variables.labelled.map(labels, labels[{QUEUE}])"
"""The queues that the workload names, with repeats. Judge each queue of the fleet that is among them, rather than each of
them: a JobSet may name its queue in a hundred jobs with a thousand cards, and the server's cost limit is soon reached."""

POD_PRIORITY_CLASSES = """\
variables.templates.map(template, string(template.?spec.?priorityClassName.orValue(""))).filter(name, name != "")"""
"""The priority classes that pod templates name, with repeats."""

POD_PRIORITY = """\
request.kind.kind == "Pod" ? dyn(object).spec.?priority.orValue(2147483647) : 2147483647"""
"""What the server made of a pod's priority class, its default included; the highest number of what is no pod yet."""

NEVER_PREEMPTS = 'request.kind.kind == "Pod" && dyn(object).spec.?preemptionPolicy.orValue("") == "Never"'
"""Whether a pod pushes out nobody on its node, whatever its priority."""


def cards(prefixes: Iterable[str]) -> str:
    """Return the names of all card resources that any container asks for, as a request or a limit, with repeats.

    Tried: a workload of 800 containers stays within the server's cost limit, one of 1600 does not and is refused.
    """
    return f"""\
variables.templates.map(template,
  {CONTAINERS}.map(container,
    [container.?resources.?requests.orValue({{}}), container.?resources.?limits.orValue({{}})].map(amounts,
      amounts.filter(name, {_is_card(prefixes)}).join(" ")
    ).join(" ")
  ).join(" ")
).join(" ").split(" ").filter(name, name != "")"""


CLAIM = "claims by template"
"""What stands among the cards for each claim that a pod takes from a ResourceClaimTemplate."""

CLAIM_OF_ITS_OWN = "claims without template"
"""What stands there for each claim that a pod names directly, which Kueue counts nowhere and holds back."""

CLAIMS = f"""\
variables.templates.map(template,
  template.?spec.?resourceClaims.orValue([]).map(claim,
    has(claim.resourceClaimTemplateName) ? "{CLAIM}" : "{CLAIM_OF_ITS_OWN}"
  ).join(";")
).join(";").split(";").filter(claim, claim != "")"""
"""The claims of all pods, by how they are made, with repeats. A policy cannot see which devices a template is for."""


def annotations_with_cards(prefixes: Iterable[str]) -> str:
    """Return the annotations of each pod template in which some container asks for a card."""
    return f"{templates_with_cards(prefixes)}.map(template, template.?metadata.?annotations.orValue({{}}))"


def templates_with_cards(prefixes: Iterable[str], *, claims: bool = False) -> str:
    """Return the pod templates in which some container asks for a card; with `claims`, also those with a resource claim."""
    claimed = " ||\n  template.?spec.?resourceClaims.orValue([]).size() > 0" if claims else ""
    return f"""\
variables.templates.filter(template,
  {CONTAINERS}.exists(container,
    [container.?resources.?requests.orValue({{}}), container.?resources.?limits.orValue({{}})].exists(amounts,
      amounts.exists(name, {_is_card(prefixes)})
    )
  ){claimed}
)"""


CONTAINERS = "(template.?spec.?containers.orValue([]) + template.?spec.?initContainers.orValue([]))"


def _is_card(prefixes: Iterable[str]) -> str:
    card = f"{strings(prefixes)}.exists(prefix, name.startsWith(prefix))"
    return f'{card} && string(amounts[name]) != "0"'
