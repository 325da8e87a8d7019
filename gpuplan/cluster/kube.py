"""A client of Kubernetes' API server: objects are plain mappings, and what the server or the network does is data.

It is found as kubectl finds it: inside a cluster by the service account of the pod, else by kubeconfig. Connections are tried
again, requests that may have been taken are not: who reads the state anew sees whether they were.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import urllib3
from kubernetes import client, config
from kubernetes.client import rest

Object = Mapping[str, Any]
PAGE = 500
"""Objects that are asked for at once."""
PATIENCE_SECONDS = 20.0
CONNECT_TRIES = 3
MERGE_PATCH = "application/merge-patch+json"


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

    def list(self, path: str) -> Sequence[Object] | Fault:
        """Return all objects of a collection, such as `/apis/batch/v1/namespaces/vision/jobs`."""
        found: list[Object] = []
        query = {"limit": str(PAGE)}
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

    def create(self, path: str, made: Object) -> Object | Fault:
        """Create an object in a collection."""
        return self._request("POST", path, made, query={"fieldManager": self._manager})

    def _request(
        self,
        method: str,
        path: str,
        body: Object | None = None,
        *,
        query: Mapping[str, str],
        content_type: str = "application/json",
    ) -> dict[str, Any] | Fault:
        url = f"{self._server}{quote(path)}?{urlencode(query)}"
        headers = {"Accept": "application/json", "Content-Type": content_type}
        token = self._configuration.get_api_key_with_prefix("BearerToken", alias="authorization")
        if token:
            headers["Authorization"] = token
        try:
            answer = self._rest.request(method, url, headers=headers, body=body, _request_timeout=PATIENCE_SECONDS)
            data = answer.read()
        except (urllib3.exceptions.HTTPError, client.ApiException, OSError) as error:
            return Fault(summary=f"{self._server} cannot be reached: {_words(error)}")
        return _read(int(answer.status), data, f"{method} {path}")


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
    return Kube(configuration, manager)


def collection(api_version: str, resource: str, namespace: str) -> str:
    """Return the path of the objects of a kind in a namespace; `resource` is the plural name.

    >>> collection("v1", "pods", "vision")
    '/api/v1/namespaces/vision/pods'
    >>> collection("batch/v1", "jobs", "vision")
    '/apis/batch/v1/namespaces/vision/jobs'
    """
    return f"/{'apis' if '/' in api_version else 'api'}/{api_version}/namespaces/{namespace}/{resource}"


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
