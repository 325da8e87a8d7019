"""Kueue's webhooks are registered for the kinds that the fleet runs, and fail closed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from gpuplan import conventions
from gpuplan.emit.workloads import GATED_BY_POD, WORKLOADS
from gpuplan.manifests.selecting import selects
from gpuplan.verify.comparing import by_name
from gpuplan.verify.observed import Object
from gpuplan.verify.saying import Words, verdict
from gpuplan.verify.scene import Scene
from gpuplan.verify.verdicts import CheckDoc, Verdict

MUTATING, VALIDATING = "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"
DOC = CheckDoc(
    id="rails/webhooks",
    title="Kueue's webhooks stand before every kind of work that the fleet runs, and refuse it while Kueue is away",
    reads=(MUTATING, VALIDATING, "Namespace"),
    why="Work that no webhook holds back runs at once, past its queue and everybody's quota.",
)
GROUP = "kueue.x-k8s.io"
OWN = (("clusterqueues", GROUP), ("cohorts", GROUP), ("resourceflavors", GROUP), ("workloads", GROUP))
"""What Kueue judges of its own kinds."""
Kind = tuple[str, str]
"""Plural name and API group."""


def check(scene: Scene) -> Iterator[Verdict]:
    """Yield a verdict for each kind of webhooks; nothing where nobody has a queue."""
    if not scene.cluster.queue_namespaces:
        return
    frameworks = set(scene.cluster.frameworks)
    gated = {"pod"} if GATED_BY_POD.intersection(frameworks) else set()
    work = tuple(
        (one.resource, one.group) for one in WORKLOADS if one.framework and one.framework in frameworks | gated
    )
    namespaces = [
        one for (_, name), one in by_name(scene.seen("Namespace")).items() if name in scene.cluster.namespaces
    ]
    for kind, wanted in ((MUTATING, work), (VALIDATING, (*work, *OWN))):
        hooks = [hook for made in scene.seen(kind) for hook in _kueues(made)]
        problems = [line for one in wanted for line in _problems(one, hooks, namespaces)]
        yield _verdict(scene, kind, len(hooks), problems)


def _kueues(made: Object) -> Iterable[Mapping[str, Any]]:
    """Return the webhooks of a configuration that are Kueue's: by its name, or by the Service that they call."""
    hooks = made.get("webhooks") or ()
    if "kueue" in str((made.get("metadata") or {}).get("name", "")):
        return tuple(hooks)
    services = ((hook, (hook.get("clientConfig") or {}).get("service") or {}) for hook in hooks)
    return tuple(hook for hook, service in services if "kueue" in str(service.get("name", "")))


def _problems(kind: Kind, hooks: Iterable[Mapping[str, Any]], namespaces: Iterable[Object]) -> Iterator[str]:
    """Yield what is wrong with the webhooks of a kind."""
    resource, group = kind
    name = f"{resource}.{group}" if group else resource
    mine = [hook for hook in hooks if any(_covers(rule, kind) for rule in hook.get("rules") or ())]
    if not mine:
        yield f"no webhook of Kueue's looks at {name}"
        return
    for hook in mine:
        if hook.get("failurePolicy", "Fail") != "Fail":
            yield f"{hook.get('name')} for {name}: failurePolicy {hook.get('failurePolicy')}, work passes while Kueue is away"
    if group == GROUP:
        return
    for one in namespaces:
        labels = {**(one["metadata"].get("labels") or {})}
        if not any(selects(hook.get("namespaceSelector"), labels) for hook in mine):
            yield f"no webhook for {name} looks into namespace {one['metadata']['name']}"


def _covers(rule: Mapping[str, Any], kind: Kind) -> bool:
    resource, group = kind
    groups, resources = rule.get("apiGroups") or (), rule.get("resources") or ()
    created = {"CREATE", "*"}.intersection(rule.get("operations") or ())
    return bool(created) and bool({group, "*"}.intersection(groups)) and bool({resource, "*", "*/*"} & set(resources))


def _verdict(scene: Scene, kind: str, hooks: int, problems: list[str]) -> Verdict:
    words = Words(
        at=scene.place((*scene.cluster.path, "kueue")),
        good="they are there",
        bad="they do not hold all work back",
        fix=f"Run Kueue with the configuration that gpuplan renders (ConfigMap {conventions.KUEUE_CONFIG}): its chart "
        "registers a webhook for each framework named there.",
    )
    right = [f"{hooks} webhooks, which refuse work while Kueue is away"]
    return verdict(DOC, f"Kueue's webhooks of kind {kind}", words, wrong=problems, right=right)
