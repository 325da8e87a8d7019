"""A thin client of a Kubernetes API server: objects are plain mappings, applied by server-side apply."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import urllib3

Object = Mapping[str, Any]
"""A Kubernetes object, or as much of one as names it: apiVersion, kind, metadata.name and metadata.namespace."""

FIELD_MANAGER = "gpuplan"
CONNECTIONS = 8
REQUEST_LIMIT_SECONDS = 60.0
DISCOVERY = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"


class ApiError(Exception):
    """The server refused a request; `status` is the HTTP code, `reason` and `message` its own words."""

    def __init__(self, *, status: int, reason: str, message: str, request: str) -> None:
        super().__init__(f"{request}: {status} {reason}: {message}")
        self.status = status
        self.reason = reason
        self.message = message


class UnknownKindError(LookupError):
    """The server serves no such kind; its CRD is not loaded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resource:
    """Where a kind lives on the server."""

    path: str
    """`/api/v1` or `/apis/<group>/<version>`."""
    plural: str
    namespaced: bool

    def collection(self, namespace: str) -> str:
        """Return the path of the objects of one namespace; of all when it is empty or the kind has none."""
        inside = f"/namespaces/{namespace}" if namespace and self.namespaced else ""
        return f"{self.path}{inside}/{self.plural}"


def reference(api_version: str, kind: str, name: str, namespace: str = "") -> Object:
    """Return the least mapping that names an object."""
    metadata = {"name": name} | ({"namespace": namespace} if namespace else {})
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata}


def identity(obj: Object) -> str:
    """Return how people name an object: `ClusterQueue vision-pretrain` or `Job vision/train`."""
    metadata = obj["metadata"]
    namespace = f"{metadata['namespace']}/" if metadata.get("namespace") else ""
    return f"{obj['kind']} {namespace}{metadata['name']}"


class Client:
    """Talks to one API server with a bearer token. Safe to use from several threads."""

    def __init__(self, *, server: str, authority: Path, token: str) -> None:
        self._server = server
        self._headers = {"Authorization": f"Bearer {token}", "Accept": "application/json"}
        self._pool = urllib3.PoolManager(ca_certs=str(authority), maxsize=CONNECTIONS, block=True, retries=False)
        self._resources: dict[tuple[str, str], Resource] = {}

    def close(self) -> None:
        """Close the connections."""
        self._pool.clear()

    def request(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        query: Mapping[str, str] | None = None,
        content_type: str = "application/json",
        accept: str = "application/json",
    ) -> Any:
        """Send one request and return the decoded answer. A body of bytes goes as it is. Raises `ApiError`."""
        url = f"{self._server}{path}" + (f"?{urlencode(query)}" if query else "")
        payload = body if body is None or isinstance(body, bytes) else json.dumps(body, ensure_ascii=False).encode()
        headers = self._headers | {"Content-Type": content_type, "Accept": accept}
        answer = self._pool.request(method, url, body=payload, headers=headers, timeout=REQUEST_LIMIT_SECONDS)
        if answer.status < 300:
            return json.loads(answer.data) if answer.data[:1] in {b"{", b"["} else answer.data.decode()
        raise _error(answer.status, answer.data, f"{method} {path}")

    def resource(self, api_version: str, kind: str) -> Resource:
        """Return where a kind lives, asking the server once for all kinds. Raises `UnknownKindError`."""
        if (api_version, kind) not in self._resources:
            self._resources = self._discover()
        if (api_version, kind) not in self._resources:
            raise UnknownKindError(f"the server serves no {kind} of {api_version}")
        return self._resources[api_version, kind]

    def serves(self, kinds: Iterable[tuple[str, str]]) -> bool:
        """Ask the server anew which kinds it serves, and tell whether all of these, (apiVersion, kind), are among them."""
        self._resources = self._discover()
        return set(kinds) <= self._resources.keys()

    def path(self, obj: Object) -> str:
        """Return the path of one object."""
        resource = self.resource(obj["apiVersion"], obj["kind"])
        return f"{resource.collection(obj['metadata'].get('namespace', ''))}/{obj['metadata']['name']}"

    def apply(self, obj: Object, *, dry_run: bool = False, manager: str = FIELD_MANAGER, text: str = "") -> Object:
        """Server-side apply, strict about unknown fields, taking conflicts over; return what the server made of it.

        `text` is the object as YAML, sent as it is, so that its wording is tried too.
        """
        query = {"fieldManager": manager, "force": "true", "fieldValidation": "Strict"}
        query |= {"dryRun": "All"} if dry_run else {}
        applied: Object = self.request(
            "PATCH", self.path(obj), text.encode() or obj, query=query, content_type="application/apply-patch+yaml"
        )
        return applied

    def create(self, obj: Object) -> Object:
        """Create an object as a person does; `metadata.generateName` is allowed."""
        resource = self.resource(obj["apiVersion"], obj["kind"])
        created: Object = self.request("POST", resource.collection(obj["metadata"].get("namespace", "")), obj)
        return created

    def get(self, obj: Object) -> Object:
        """Read an object back. Raises `ApiError` with status 404 when it is absent."""
        found: Object = self.request("GET", self.path(obj))
        return found

    def find(self, obj: Object) -> Object | None:
        """Read an object back; None when it is absent."""
        try:
            return self.get(obj)
        except ApiError as error:
            if error.status == 404:
                return None
            raise

    def list(self, api_version: str, kind: str, *, namespace: str = "", labels: str = "") -> Sequence[Object]:
        """Return the objects of a kind, of one namespace or all, that match a label selector."""
        resource = self.resource(api_version, kind)
        query = {"labelSelector": labels} if labels else None
        items: list[dict[str, Any]] = self.request("GET", resource.collection(namespace), query=query)["items"]
        # In a list the server leaves out what is the same for all.
        return [{"apiVersion": api_version, "kind": kind} | item for item in items]

    def delete(self, obj: Object, *, grace_seconds: int | None = None) -> None:
        """Delete an object, and what it owns in the background; an absent one is fine."""
        options: dict[str, object] = {"propagationPolicy": "Background"}
        options |= {} if grace_seconds is None else {"gracePeriodSeconds": grace_seconds}
        try:
            self.request("DELETE", self.path(obj), options)
        except ApiError as error:
            if error.status != 404:
                raise

    def patch(self, obj: Object, change: Object, *, subresource: str = "") -> Object:
        """Merge a change into an object, or into its `status` and the like."""
        path = self.path(obj) + (f"/{subresource}" if subresource else "")
        patched: Object = self.request("PATCH", path, change, content_type="application/merge-patch+json")
        return patched

    def _discover(self) -> dict[tuple[str, str], Resource]:
        resources: dict[tuple[str, str], Resource] = {}
        for root in ("/api", "/apis"):
            for group in self.request("GET", root, accept=DISCOVERY)["items"]:
                for version in group["versions"]:
                    name = group["metadata"].get("name", "")
                    api_version = f"{name}/{version['version']}" if name else version["version"]
                    for resource in version.get("resources", []):
                        resources[api_version, resource["responseKind"]["kind"]] = Resource(
                            path=f"{root}/{api_version}",
                            plural=resource["resource"],
                            namespaced=resource["scope"] == "Namespaced",
                        )
        return resources


def _error(status: int, data: bytes, request: str) -> ApiError:
    try:
        said = json.loads(data)
    except ValueError:
        said = {}
    reason = said.get("reason") or "Unknown"
    message = said.get("message") or data.decode(errors="replace")[:2000]
    return ApiError(status=status, reason=reason, message=message, request=request)
