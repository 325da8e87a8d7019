"""Pod Security holds in each namespace as it was rendered.

A team's namespace may be stricter. One of agents may not: their pods, which need the host, would be refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from gpuplan import conventions
from gpuplan.manifests.set import Manifest
from gpuplan.verify.comparing import by_name, name_of, rendered
from gpuplan.verify.observed import Object
from gpuplan.verify.saying import Words, verdict
from gpuplan.verify.scene import Scene
from gpuplan.verify.verdicts import CheckDoc, Verdict

DOC = CheckDoc(
    id="rights/pod-security",
    title="Namespaces enforce the Pod Security level that was rendered, and no queue is open to privileged pods",
    reads=("Namespace", "LocalQueue"),
    why="A privileged pod on a GPU node reads every other job's memory and takes any card without asking.",
)
ENFORCE = f"{conventions.POD_SECURITY}/enforce"
STRICTNESS = {"": 0, "privileged": 0, "baseline": 1, "restricted": 2}
"""Nothing said is what the cluster's default says, which is `privileged` unless its server is told otherwise."""


def check(scene: Scene) -> Iterator[Verdict]:
    """Yield a verdict for each rendered namespace that is there, and one for all others."""
    live = by_name(scene.seen("Namespace"))
    wanted = rendered(scene, "Namespace")
    for one in wanted:
        found = live.get(("", one.key.name))
        if found is not None:
            yield _namespace(one, _level(found))
    yield _others(scene, {one.key.name for one in wanted})


def _level(namespace: Mapping[str, Any]) -> str:
    return str(_labels(namespace).get(ENFORCE, ""))


def _labels(namespace: Mapping[str, Any]) -> Mapping[str, Any]:
    return dict((namespace.get("metadata") or {}).get("labels") or {})


def _namespace(one: Manifest, level: str) -> Verdict:
    written = _level(one.object)
    a_teams = conventions.LABEL_TEAM in _labels(one.object)
    strict = STRICTNESS.get(level, -1)
    holds = bool(level) and (strict >= STRICTNESS[written] if a_teams else level == written)
    line = f"{ENFORCE}={level or 'absent'}, rendered {written}"
    words = Words(
        at=one.origin.span,
        good="it is as rendered" if level == written else "it is stricter than rendered",
        bad="it lets in what it should not"
        if not level or strict < STRICTNESS[written]
        else "it refuses the agents' pods",
        fix="Let Argo CD sync the namespace; change the level in governance.podSecurity of fleet/.",
    )
    return verdict(DOC, f"Namespace {one.key.name}", words, wrong=[] if holds else [line], right=[line])


def _others(scene: Scene, ours: set[str]) -> Verdict:
    """Judge namespaces that nobody rendered: those with a queue, or with a team's label, may not be open."""
    queued = {name_of(queue)[0] for queue in scene.seen("LocalQueue")}
    adopted = set(scene.cluster.adopted.namespaces)
    others = [one for one in scene.seen("Namespace") if name_of(one)[1] not in ours]
    open_ones = [one for one in others if STRICTNESS.get(_level(one), 0) == 0]
    bad = [one for one in open_ones if name_of(one)[1] not in adopted and _is_for_work(one, queued)]
    privileged = sorted(name_of(one)[1] for one in open_ones if _level(one))
    words = Words(
        at=scene.place(scene.fleet.governance.path),
        good="none that takes work of teams is open to privileged pods",
        bad=f"{len(bad)} take work of teams and are open to privileged pods",
        fix="Name the namespace in the team's namespaces in fleet/, or take its queue and label away.",
    )
    wrong = [f"Namespace {name_of(one)[1]}: {ENFORCE}={_level(one) or 'absent'}" for one in bad]
    right = [f"privileged by their owners: {', '.join(privileged) or 'none'}"]
    return verdict(DOC, "namespaces of others", words, wrong=wrong, right=right)


def _is_for_work(namespace: Object, queued: set[str]) -> bool:
    return name_of(namespace)[1] in queued or conventions.LABEL_TEAM in _labels(namespace)
