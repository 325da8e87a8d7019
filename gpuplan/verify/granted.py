"""What RBAC grants an account: every binding that names it or one of its groups, resolved to single rights.

Wildcards stay as they are, and one right covers another as Kubernetes' authorizer would say (k8s.io/kubernetes,
`pkg/apis/rbac/v1/evaluation_helpers.go`).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from gpuplan.manifests.selecting import selects
from gpuplan.verify.comparing import name_of
from gpuplan.verify.observed import Object

EVERYWHERE = "*"
URL = "a URL"
"""Stands for the group of a right to an address that is no resource's."""


class Granted(NamedTuple):
    """One right: `namespace` is `EVERYWHERE` or one; `name` is empty where it holds for all objects."""

    namespace: str
    verb: str
    group: str
    resource: str
    name: str

    def covers(self, other: Granted) -> bool:
        """Tell whether who has this has the other, too."""
        if (self.group == URL) != (other.group == URL):
            return False
        return (
            self.namespace in (EVERYWHERE, other.namespace)
            and self.verb in ("*", other.verb)
            and self.group in ("*", other.group)
            and _covers(self.resource, other.resource)
            and self.name in ("", other.name)
        )


def _covers(pattern: str, resource: str) -> bool:
    """Tell whether a resource or URL is among those of a pattern: `*`, `*/scale`, `/apis/*`."""
    if pattern in ("*", resource):
        return True
    if pattern.startswith("*/"):
        return resource.endswith(pattern[1:])
    return pattern.startswith("/") and pattern.endswith("*") and resource.startswith(pattern[:-1])


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """What one binding grants an account. `source` says which binding, to whom and which role."""

    source: str
    role: str
    group: str
    """The group by which the account has it; empty where the binding names the account."""
    grants: tuple[Granted, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rbac:
    """Roles and bindings: those of a cluster, or those that were rendered."""

    roles: tuple[Object, ...]
    """Roles and ClusterRoles."""
    bindings: tuple[Object, ...]
    """RoleBindings and ClusterRoleBindings."""

    def bound(self, namespace: str, account: str) -> Iterator[Bound]:
        """Yield what each binding grants a service account, by itself or by a group that it is in."""
        known = {(one.get("kind", ""), *name_of(one)): one for one in self.roles}
        for binding in self.bindings:
            subject = next((one for one in binding.get("subjects") or () if _is(one, namespace, account)), None)
            if subject is None:
                continue
            inside, name = name_of(binding)
            role = binding.get("roleRef") or {}
            key = (role.get("kind", ""), inside if role.get("kind") == "Role" else "", role.get("name", ""))
            place = f"{inside}/{name}" if inside else name
            rules = self._rules(known.get(key, {}))
            yield Bound(
                source=f"{binding.get('kind')} {place} ({role.get('kind')} {role.get('name')}, {_subject(subject)})",
                role=role.get("name", ""),
                group=subject.get("name", "") if subject.get("kind") == "Group" else "",
                grants=tuple(granted(rules, inside or EVERYWHERE)),
            )

    def _rules(self, role: Object) -> list[Mapping[str, Any]]:
        """Return the rules of a role; of one that aggregates, those of all roles that it selects as well."""
        selectors = (role.get("aggregationRule") or {}).get("clusterRoleSelectors") or ()
        parts = (
            one
            for selector, one in itertools.product(selectors, self.roles)
            if one.get("kind") == "ClusterRole" and selects(selector, (one.get("metadata") or {}).get("labels") or {})
        )
        return [rule for one in (role, *parts) for rule in one.get("rules") or ()]


def _is(subject: Mapping[str, Any], namespace: str, account: str) -> bool:
    """Tell whether a subject is an account, or a group that it is in."""
    kind, name = subject.get("kind"), subject.get("name")
    if kind == "ServiceAccount":
        return (subject.get("namespace"), name) == (namespace, account)
    if kind == "User":
        return name == f"system:serviceaccount:{namespace}:{account}"
    groups = ("system:serviceaccounts", f"system:serviceaccounts:{namespace}", "system:authenticated")
    return kind == "Group" and name in groups


def _subject(subject: Mapping[str, Any]) -> str:
    return "by its name" if subject.get("kind") != "Group" else f"group {subject.get('name')}"


def granted(rules: Iterable[Mapping[str, Any]], namespace: str) -> Iterator[Granted]:
    """Yield the single rights of the rules of a role, as bound in a namespace or everywhere."""
    for rule in rules:
        verbs = rule.get("verbs") or ()
        names = rule.get("resourceNames") or ("",)
        for group, resource in itertools.product(rule.get("apiGroups") or (), rule.get("resources") or ()):
            for verb, name in itertools.product(verbs, names):
                yield Granted(namespace, verb, group, resource, name)
        for verb, url in itertools.product(verbs, rule.get("nonResourceURLs") or ()):
            yield Granted(EVERYWHERE, verb, URL, url, "")


def beyond(grants: Iterable[Granted], allowed: Iterable[Granted]) -> tuple[Granted, ...]:
    """Return the rights that none of the allowed ones covers, sorted."""
    known = tuple(allowed)
    return tuple(sorted({one for one in grants if not any(other.covers(one) for other in known)}))


def in_words(grants: Iterable[Granted]) -> str:
    """Return rights in words, those on one thing together.

    >>> in_words([Granted("*", "get", "", "secrets", ""), Granted("*", "list", "", "secrets", "")])
    'get, list secrets everywhere'
    """
    verbs: dict[tuple[str, str, str, str], list[str]] = {}
    for one in grants:
        verbs.setdefault((one.namespace, one.group, one.resource, one.name), []).append(one.verb)
    resources: dict[tuple[str, str], list[str]] = {}
    for (namespace, group, resource, name), some in verbs.items():
        place = "everywhere" if namespace == EVERYWHERE else f"in {namespace}"
        said = ", ".join("every verb on" if verb == "*" else verb for verb in sorted(some))
        resources.setdefault((said, place), []).append(f"{_what(group, resource)}{f'/{name}' if name else ''}")
    return "; ".join(f"{some} {', '.join(what)} {place}" for (some, place), what in resources.items())


def _what(group: str, resource: str) -> str:
    whole = {(URL, "*"): "all URLs", ("*", "*"): "all resources"}
    plain = resource if group in ("", URL) else f"{resource}.{group}"
    return whole.get((group, resource), plain)
