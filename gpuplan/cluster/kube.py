"""A client of Kubernetes' API server: objects are plain mappings, and what the server or the network does is data.

It is found as kubectl finds it: inside a cluster by the service account of the pod, else by kubeconfig. Connections are tried
again, requests that may have been taken are not: who reads the state anew sees whether they were.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import urllib3
from kubernetes import client, config
from kubernetes.client import rest

from gpuplan.cluster.served import DISCOVERY, Resource, Served, resources

Object = Mapping[str, Any]
PAGE = 500
"""Objects that are asked for at once."""
PATIENCE_SECONDS = 20.0
CONNECT_TRIES = 3
MERGE_PATCH = "application/merge-patch+json"
APPLY_PATCH = "application/apply-patch+yaml"  # JSON is YAML
DRY_RUN = {"dryRun": "All"}
_WARNING = re.compile(r'[0-9]{3} \S+ "(.*)"', re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """Why the server did not do it: one line without a period. `status` is HTTP's, 0 where it could not be reached."""

    summary: str
    status: int = 0

    @property
    def unreachable(self) -> bool:
        """Whether there was no answer, or one that says to come later."""
        return self.status in {0, 429} or self.status >= 500

    @property
    def conflict(self) -> bool:
        """Whether the object has changed, or is there already."""
        return self.status == 409

    @property
    def absent(self) -> bool:
        """Whether the object, or its kind, is not there."""
        return self.status == 404


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """What the server says to a request that keeps nothing: HTTP's status (0 without an answer), why, and its warnings."""

    status: int
    message: str = ""
    warnings: tuple[str, ...] = ()


class Kube:
    """One API server. `manager` is the name under which fields are written."""

    def __init__(self, configuration: client.Configuration, manager: str) -> None:
        configuration.retries = urllib3.Retry(total=CONNECT_TRIES, connect=CONNECT_TRIES, read=0, backoff_factor=0.2)
        self._configuration = configuration
        self._server = str(configuration.host).rstrip("/")
        self._rest = rest.RESTClientObject(configuration)
        self._manager = manager

    @property
    def server(self) -> str:
        """The address, without secrets."""
        return self._server

    def get(self, path: str) -> Object | Fault:
        """Return what stands at a path."""
        return self._request("GET", path, query={})

    def list(self, path: str, *, fields: str = "") -> Sequence[Object] | Fault:
        """Return all objects of a collection, such as `/apis/batch/v1/namespaces/vision/jobs`.

        `fields` is a field selector, such as `spec.nodeName=gpu-3` for pods.
        """
        found: list[Object] = []
        query = {"limit": str(PAGE), **({"fieldSelector": fields} if fields else {})}
        while True:
            page = self._request("GET", path, query=query)
            if isinstance(page, Fault):
                return page
            found += page.get("items") or ()
            more = (page.get("metadata") or {}).get("continue")
            if not more:
                return found
            query["continue"] = more

    def merge(self, path: str, change: Object) -> Object | Fault:
        """Merge a change into an object; a `metadata.resourceVersion` in it is the version that it must have."""
        return self._request("PATCH", path, change, query={"fieldManager": self._manager}, content_type=MERGE_PATCH)

    def create(self, path: str, made: Object, *, dry_run: bool = False) -> Object | Fault:
        """Create an object in a collection, or ask what would come of it: admission included, nothing kept."""
        query = {"fieldManager": self._manager, **(DRY_RUN if dry_run else {})}
        return self._request("POST", path, made, query=query)

    def attempt(self, path: str, made: Object) -> Attempt:
        """Ask whether an object could be created in a collection, admission included. Nothing is kept.

        A policy that only warns does so in a header, which the other requests do not look at.
        """
        query = {"fieldManager": self._manager, **DRY_RUN}
        answer = self._answer("POST", path, made, query=query)
        if isinstance(answer, Fault):
            return Attempt(status=0, message=answer.summary)
        read = _read(answer.status, answer.data, f"POST {path}")
        if isinstance(read, Fault):
            return Attempt(status=answer.status, message=read.summary, warnings=answer.warnings)
        return Attempt(status=answer.status, warnings=answer.warnings)

    def apply(self, path: str, made: Object, *, force: bool = False, dry_run: bool = False) -> Object | Fault:
        """Apply our fields of an object (server-side apply), or ask what would come of it.

        A conflict with the fields of another manager is a Fault, unless `force` takes them over.
        """
        query = {"fieldManager": self._manager, "force": str(force).lower(), **(DRY_RUN if dry_run else {})}
        return self._request("PATCH", path, made, query=query, content_type=APPLY_PATCH)

    def delete(self, path: str, *, uid: str = "") -> Object | Fault:
        """Delete an object; with `uid` only the one that has it. What it owns goes later, in the background."""
        options: dict[str, Any] = {"propagationPolicy": "Background"}
        if uid:
            options["preconditions"] = {"uid": uid}
        return self._request("DELETE", path, options, query={})

    def evict(
        self, namespace: str, pod: str, *, grace_seconds: int | None = None, dry_run: bool = False
    ) -> Object | Fault:
        """Ask for the eviction of a pod; a disruption budget that forbids it is a Fault with status 429."""
        options: dict[str, Any] = {} if grace_seconds is None else {"gracePeriodSeconds": grace_seconds}
        if dry_run:
            options["dryRun"] = ["All"]
        asked = {
            "apiVersion": "policy/v1",
            "kind": "Eviction",
            "metadata": {"name": pod, "namespace": namespace},
            "deleteOptions": options,
        }
        return self._request("POST", f"/api/v1/namespaces/{namespace}/pods/{pod}/eviction", asked, query={})

    def served(self) -> Served | Fault:
        """Return the kinds that the server serves. A group that cannot be asked now is left out."""
        found: dict[tuple[str, str], Resource] = {}
        for root in ("/api", "/apis"):
            answer = self._request("GET", root, query={}, accept=DISCOVERY)
            if isinstance(answer, Fault):
                return answer
            found |= dict(resources(answer))
        return Served(kinds=found)

    def _request(
        self,
        method: str,
        path: str,
        body: Object | None = None,
        *,
        query: Mapping[str, str],
        content_type: str = "application/json",
        accept: str = "application/json",
    ) -> dict[str, Any] | Fault:
        answer = self._answer(method, path, body, query=query, content_type=content_type, accept=accept)
        return answer if isinstance(answer, Fault) else _read(answer.status, answer.data, f"{method} {path}")

    def _answer(
        self,
        method: str,
        path: str,
        body: Object | None = None,
        *,
        query: Mapping[str, str],
        content_type: str = "application/json",
        accept: str = "application/json",
    ) -> _Answer | Fault:
        url = f"{self._server}{quote(path)}?{urlencode(query)}"
        headers = {"Accept": accept, "Content-Type": content_type}
        token = self._configuration.get_api_key_with_prefix("BearerToken", alias="authorization")
        if token:
            headers["Authorization"] = token
        try:
            answer = self._rest.request(method, url, headers=headers, body=body, _request_timeout=PATIENCE_SECONDS)
            data = answer.read()
        except (urllib3.exceptions.HTTPError, client.ApiException, OSError) as error:
            return Fault(summary=f"{self._server} cannot be reached: {_words(error)}")
        return _Answer(status=int(answer.status), data=data, warnings=_warnings(answer.getheaders()))


def connect(manager: str, kubeconfig: Path | None = None, context: str = "") -> Kube | Fault:
    """Return the client of the cluster that this program runs in, or of a kubeconfig."""
    configuration = client.Configuration()
    try:
        if os.environ.get("KUBERNETES_SERVICE_HOST") and not kubeconfig and not context:
            config.load_incluster_config(client_configuration=configuration)
        else:
            config.load_kube_config(
                config_file=str(kubeconfig) if kubeconfig else None,
                context=context or None,
                client_configuration=configuration,
                persist_config=False,
            )
    except (config.ConfigException, OSError, ValueError) as error:
        return Fault(summary=f"no cluster is configured: {_words(error)}")
    except Exception as error:  # the client stumbles over a file of another shape in many ways
        return Fault(summary=f"no cluster is configured: {kubeconfig or 'the file'} is no kubeconfig ({_words(error)})")
    return Kube(configuration, manager)


def collection(api_version: str, resource: str, namespace: str) -> str:
    """Return the path of the objects of a kind in a namespace; `resource` is the plural name.

    >>> collection("v1", "pods", "vision")
    '/api/v1/namespaces/vision/pods'
    >>> collection("batch/v1", "jobs", "vision")
    '/apis/batch/v1/namespaces/vision/jobs'
    """
    return f"/{'apis' if '/' in api_version else 'api'}/{api_version}/namespaces/{namespace}/{resource}"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answer:
    """An answer as it came."""

    status: int
    data: bytes
    warnings: tuple[str, ...]


def _warnings(headers: Any) -> tuple[str, ...]:
    """Return the texts of the warnings: each header is `299 - "text"`."""
    found = (_WARNING.fullmatch(line.strip()) for line in headers.getlist("Warning"))
    return tuple(re.sub(r"\\(.)", r"\1", match[1]) for match in found if match)


def _read(status: int, data: bytes, request: str) -> dict[str, Any] | Fault:
    try:
        said = json.loads(data)
    except ValueError:
        said = None
    if status < 300 and isinstance(said, dict):
        return said
    words = said.get("message", "") if isinstance(said, dict) else data[:200].decode(errors="replace")
    return Fault(summary=f"{request}: {status} {words}".strip(), status=status if status >= 300 else 0)


def _words(error: BaseException) -> str:
    """Return what went wrong, without the wrapping of the pool."""
    cause = getattr(error, "reason", None) or error
    return str(cause).splitlines()[0] if str(cause) else type(cause).__name__
