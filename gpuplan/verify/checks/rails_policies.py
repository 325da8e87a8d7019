"""The guard rails stand as they were rendered, and are in force."""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan import conventions
from gpuplan.manifests.set import Manifest
from gpuplan.verify.comparing import by_name, differences, rendered
from gpuplan.verify.observed import Object
from gpuplan.verify.saying import Words, verdict
from gpuplan.verify.scene import Scene
from gpuplan.verify.verdicts import CheckDoc, Verdict

POLICY, BINDING = "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"
DOC = CheckDoc(
    id="rails/policies",
    title="Every guard rail is there with its binding, says what was rendered, and acts as the fleet asks",
    reads=(POLICY, BINDING),
    why="A policy without its binding does nothing, and one that fails open or only audits stops nothing.",
)
FIX = "Let Argo CD sync the guard rails; change what they do in governance.guardRails of fleet/."


def check(scene: Scene) -> Iterator[Verdict]:
    """Yield a verdict for each rail that was rendered, and one that fails for each of ours that is off and still there."""
    policies, bindings = (by_name(scene.seen(kind)) for kind in (POLICY, BINDING))
    written = {one.key.name: one for one in rendered(scene, BINDING)}
    wanted = rendered(scene, POLICY)
    for one in wanted:
        policy, binding = (live.get(("", one.key.name)) for live in (policies, bindings))
        problems = [*_differs(one, policy), *_differs(written.get(one.key.name), binding), *_warnings(policy)]
        words = Words(at=one.origin.span, good="it stands as rendered", bad="it does not stand as rendered", fix=FIX)
        yield verdict(DOC, f"guard rail {one.key.name}", words, wrong=problems)
    left = {name for _, name in policies.keys() | bindings.keys() if _is_ours(policies.get(("", name)), name)}
    for name in sorted(left - {one.key.name for one in wanted}):
        off = "it is off in fleet/, and still in the cluster"
        words = Words(at=scene.place(scene.fleet.governance.path), good="", bad=off, fix="Let Argo CD prune it.")
        yield verdict(DOC, f"guard rail {name}", words, wrong=[f"{POLICY} {name} is there, and nothing renders it"])


def _is_ours(policy: Object | None, name: str) -> bool:
    labels = ((policy or {}).get("metadata") or {}).get("labels") or {}
    return name.startswith(conventions.OWN_PREFIX) and (
        labels.get(conventions.LABEL_MANAGED_BY) == conventions.MANAGED_BY
    )


def _differs(one: Manifest | None, live: Object | None) -> Iterator[str]:
    if one is None:
        return
    name = f"{one.key.kind} {one.key.name}"
    if live is None:
        yield f"{name} is not there"
        return
    for line in differences(one.object, live, ("spec",)):
        yield f"{name}: {line}"


def _warnings(live: Object | None) -> Iterator[str]:
    """Yield what the server's own check of types found in the expressions."""
    status = (live or {}).get("status") or {}
    for one in (status.get("typeChecking") or {}).get("expressionWarnings") or ():
        yield f"{POLICY}: {one.get('fieldRef', '')}: {' '.join(str(one.get('warning', '')).split())}"
