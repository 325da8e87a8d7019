"""Which kinds a server serves, and at which path each object of them is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

DISCOVERY = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
"""Asks for all groups at once (Kubernetes 1.30 and later)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resource:
    """Where a kind is: `/api/v1` or `/apis/<group>/<version>`, its plural name, and whether it has namespaces."""

    root: str
    plural: str
    namespaced: bool

    def collection(self, namespace: str = "") -> str:
        """Return the path of the objects of a namespace; of all where none is named or the kind has none."""
        inside = f"/namespaces/{namespace}" if namespace and self.namespaced else ""
        return f"{self.root}{inside}/{self.plural}"

    def object(self, name: str, namespace: str = "") -> str:
        """Return the path of one object."""
        return f"{self.collection(namespace)}/{name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """The kinds of a server, by apiVersion and kind."""

    kinds: Mapping[tuple[str, str], Resource]

    def of(self, api_version: str, kind: str) -> Resource | None:
        """Return where a kind is; None where it is not served."""
        return self.kinds.get((api_version, kind))

    def path(self, made: Mapping[str, Any]) -> str | None:
        """Return the path of an object; None where its kind is not served."""
        found = self.of(made["apiVersion"], made["kind"])
        metadata = made["metadata"]
        return found.object(metadata["name"], metadata.get("namespace", "")) if found else None


def resources(discovered: Mapping[str, Any]) -> Iterator[tuple[tuple[str, str], Resource]]:
    """Yield the kinds of a server's discovery document; subresources are left out."""
    for group in discovered.get("items") or ():
        name = group.get("metadata", {}).get("name", "")
        for version in group.get("versions") or ():
            api_version = f"{name}/{version['version']}" if name else version["version"]
            root = f"/{'apis' if name else 'api'}/{api_version}"
            for one in version.get("resources") or ():
                kind = (one.get("responseKind") or {}).get("kind", "")
                plural, namespaced = one["resource"], one.get("scope") == "Namespaced"
                yield (api_version, kind), Resource(root=root, plural=plural, namespaced=namespaced)
