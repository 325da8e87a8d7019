"""Team namespaces are there, bear their labels, and the guard rails look at them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from gpuplan import conventions
from gpuplan.manifests.selecting import selects
from gpuplan.manifests.set import Manifest
from gpuplan.verify.comparing import by_name, rendered
from gpuplan.verify.observed import Object
from gpuplan.verify.saying import Words, verdict
from gpuplan.verify.scene import Scene
from gpuplan.verify.verdicts import CheckDoc, Verdict

POLICY = "ValidatingAdmissionPolicy"
DOC = CheckDoc(
    id="rails/namespaces",
    title="Every rendered namespace is there with its labels, and the guard rails select those of the teams",
    reads=("Namespace", POLICY),
    why="Policies, costs and alerts know a team by the labels of its namespaces; one that no policy selects has no guard rails.",
)


def check(scene: Scene) -> Iterator[Verdict]:
    """Yield a verdict for each rendered namespace."""
    live, policies = by_name(scene.seen("Namespace")), by_name(scene.seen(POLICY))
    for one in rendered(scene, "Namespace"):
        found = live.get(("", one.key.name))
        if found is None:
            yield _verdict(one, [f"Namespace {one.key.name} is not there"])
        else:
            labels = _labels(found)
            yield _verdict(one, [*_unlabelled(one, labels), *_unselected(scene, one, labels, policies)])


def _unlabelled(one: Manifest, labels: Mapping[str, str]) -> Iterator[str]:
    """Yield the labels that differ; those of Pod Security are another check's."""
    for key, value in _labels(one.object).items():
        if not key.startswith(f"{conventions.POD_SECURITY}/") and labels.get(key) != value:
            yield f"Namespace {one.key.name}: {key}={labels.get(key, '')}, rendered {value}"


def _unselected(
    scene: Scene, one: Manifest, labels: Mapping[str, str], policies: Mapping[tuple[str, str], Object]
) -> Iterator[str]:
    """Yield the policies that should look into the namespace and do not."""
    named = {**_labels(one.object), conventions.LABEL_NAMESPACE_NAME: one.key.name}
    for policy in rendered(scene, POLICY):
        found = policies.get(("", policy.key.name))
        if found is not None and selects(_selector(policy.object), named) and not selects(_selector(found), labels):
            yield f"{POLICY} {policy.key.name} does not select namespace {one.key.name}"


def _selector(policy: Mapping[str, Any]) -> Mapping[str, Any] | None:
    constraints = (policy.get("spec") or {}).get("matchConstraints") or {}
    return cast("Mapping[str, Any] | None", constraints.get("namespaceSelector"))


def _labels(made: Mapping[str, Any]) -> Mapping[str, str]:
    return dict((made.get("metadata") or {}).get("labels") or {})


def _verdict(one: Manifest, problems: list[str]) -> Verdict:
    words = Words(
        at=one.origin.span,
        good="it is there with its labels",
        bad="it is not as rendered",
        fix="Let Argo CD sync the namespaces and the guard rails.",
    )
    return verdict(DOC, f"Namespace {one.key.name}", words, wrong=problems)
