"""The rights that commands need on a cluster: what is granted by the role that we document is what they use.

Everybody may ask a server for its version and its kinds; that is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Right:
    """To do something with a resource: `resource` is the plural name, with a subresource as `pods/eviction`.

    `dry_run` says that it is only used for requests that keep nothing; Kubernetes asks for the same right.
    """

    group: str
    resource: str
    verb: str
    dry_run: bool = False
    why: str = ""

    @property
    def grant(self) -> tuple[str, str, str]:
        """The verb, the group and the resource, as roles know them."""
        return (self.verb, self.group, self.resource)


def rights(verbs: str, group: str, resources: str, why: str = "", *, dry_run: bool = False) -> tuple[Right, ...]:
    """Return the right to each verb on each resource; both are words with blanks between them.

    >>> [right.grant for right in rights("get list", "batch", "jobs")]
    [('get', 'batch', 'jobs'), ('list', 'batch', 'jobs')]
    """
    return tuple(
        Right(group=group, resource=resource, verb=verb, dry_run=dry_run, why=why)
        for resource in resources.split()
        for verb in verbs.split()
    )


def cluster_role(name: str, granted: Iterable[Right]) -> Mapping[str, Any]:
    """Return the ClusterRole that grants just these rights: one rule a group and set of verbs."""
    verbs: dict[tuple[str, str], set[str]] = {}
    for right in granted:
        verbs.setdefault((right.group, right.resource), set()).add(right.verb)
    rules: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for (group, resource), some in sorted(verbs.items()):
        rules.setdefault((group, tuple(sorted(some))), []).append(resource)
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": {"name": name},
        "rules": [
            {"apiGroups": [group], "resources": resources, "verbs": list(some)}
            for (group, some), resources in sorted(rules.items())
        ],
    }
