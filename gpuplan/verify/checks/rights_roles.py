"""The roles of people, and of accounts that others run, grant what was rendered, where it was rendered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from gpuplan.manifests.set import Manifest
from gpuplan.verify.comparing import by_name, differences, name_of, rendered, shown
from gpuplan.verify.observed import Object
from gpuplan.verify.saying import Words, verdict
from gpuplan.verify.scene import Scene
from gpuplan.verify.verdicts import CheckDoc, Verdict

ROLES, BINDINGS = ("ClusterRole", "Role"), ("ClusterRoleBinding", "RoleBinding")
DOC = CheckDoc(
    id="rights/roles",
    title="Roles of teams and of others are as rendered, and bound to whom and where they were",
    reads=(*ROLES, *BINDINGS),
    why="A role that has grown by one verb gives it to all teams at once: secrets, or a shell in everybody's pods.",
)


def check(scene: Scene) -> Iterator[Verdict]:
    """Yield a verdict for each role that is bound to others than our own accounts; those are judged by their rights."""
    bindings = [one for kind in BINDINGS for one in rendered(scene, kind)]
    accounts = {(one.key.namespace, one.key.name) for one in rendered(scene, "ServiceAccount")}
    own = [one for one in bindings if all(_account(subject) in accounts for subject in _subjects(one))]
    only_own = {_role(one) for one in own} - {_role(one) for one in bindings if one not in own}
    live = {kind: by_name(scene.seen(kind)) for kind in (*ROLES, *BINDINGS)}
    for role in (one for kind in ROLES for one in rendered(scene, kind)):
        key = (role.key.kind, role.key.namespace, role.key.name)
        if key not in only_own:
            mine = [one for one in bindings if _role(one) == key]
            problems = [
                *_differs(role, live, ("rules", "aggregationRule")),
                *(line for one in mine for line in _differs(one, live, ("roleRef", "subjects"))),
                *_strangers(key, mine, live),
            ]
            yield _verdict(role, problems, len(mine))


def _subjects(binding: Manifest) -> Sequence[Mapping[str, Any]]:
    return cast("Sequence[Mapping[str, Any]]", binding.object.get("subjects") or ())


def _account(subject: Mapping[str, Any]) -> tuple[str, str]:
    return (
        (subject.get("namespace", ""), subject.get("name", "")) if subject.get("kind") == "ServiceAccount" else ("", "")
    )


def _role(binding: Manifest) -> tuple[str, str, str]:
    return _named(binding.object, binding.key.namespace)


def _named(binding: Mapping[str, Any], namespace: str) -> tuple[str, str, str]:
    """Return the kind, namespace and name of the role of a binding."""
    role = binding.get("roleRef") or {}
    kind = role.get("kind", "")
    return kind, namespace if kind == "Role" else "", role.get("name", "")


Live = Mapping[str, Mapping[tuple[str, str], Object]]


def _differs(one: Manifest, live: Live, parts: tuple[str, ...]) -> Iterator[str]:
    name = (one.key.namespace, one.key.name)
    found = live[one.key.kind].get(name)
    if found is None:
        yield f"{one.key.kind} {shown(name)} is not there"
        return
    for line in differences(one.object, found, parts):
        yield f"{one.key.kind} {shown(name)}: {line}"


def _strangers(key: tuple[str, str, str], mine: Sequence[Manifest], live: Live) -> Iterator[str]:
    """Yield bindings of a role of ours that nobody rendered."""
    ours = {(one.key.kind, one.key.namespace, one.key.name) for one in mine}
    for kind in BINDINGS:
        for name, binding in sorted(live[kind].items()):
            if _named(binding, name_of(binding)[0]) == key and (kind, *name) not in ours:
                subjects = ", ".join(f"{one.get('kind')} {one.get('name')}" for one in binding.get("subjects") or ())
                place = f"in {name[0]}" if name[0] else "everywhere"
                yield f"{kind} {shown(name)} gives it to {subjects} {place}, which nobody rendered"


def _verdict(role: Manifest, problems: Sequence[str], bindings: int) -> Verdict:
    words = Words(
        at=role.origin.span,
        good="it is as rendered",
        bad="it is not as rendered",
        fix="Let Argo CD sync the roles, and give rights of your own by roles of your own.",
    )
    subject = f"{role.key.kind} {shown((role.key.namespace, role.key.name))}"
    return verdict(DOC, subject, words, wrong=problems, right=[f"{bindings} bindings, all as rendered"])
