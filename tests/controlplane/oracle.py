"""What a real server says to objects on dry runs: created, and applied by server-side apply, strict about unknown fields."""

from __future__ import annotations

import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from tests.controlplane.client import FIELD_MANAGER, ApiError, Client

WRITERS = 4
STRICT = {"dryRun": "All", "fieldValidation": "Strict", "fieldManager": FIELD_MANAGER}
HOME = "default"
NAMESPACE = "[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?"
TRANSIENT = ("connection refused", "context deadline exceeded", "TLS handshake", "etcdserver")
"""Words of a server that is at fault itself; a conversion that fails answers 500, too, and is a refusal."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the server said to one object; the empty text where it took it."""

    create: str
    apply: str

    @property
    def refused(self) -> str:
        """What it said first; empty where it took the object both ways."""
        return self.create or self.apply


def verdicts(client: Client, objects: Sequence[dict[str, Any]]) -> list[Verdict]:
    """Ask for every object, several at a time; the answers are in their order."""
    with ThreadPoolExecutor(WRITERS) as writers:
        return list(writers.map(lambda obj: verdict(client, obj), objects))


def verdict(client: Client, obj: dict[str, Any]) -> Verdict:
    """Ask for one object. Raises `ApiError` where the server is at fault."""
    obj = _at_home(client, obj)
    created = _said(client, "POST", _collection(client, obj), obj)
    name = obj["metadata"].get("name") if isinstance(obj.get("metadata"), dict) else None
    if created or not isinstance(name, str) or not name:
        return Verdict(created, "")
    path = f"{_collection(client, obj)}/{quote(name, safe='')}"
    return Verdict(created, _said(client, "PATCH", path, obj, {"force": "true"}, "application/apply-patch+yaml"))


def _collection(client: Client, obj: dict[str, Any]) -> str:
    metadata = obj.get("metadata")
    namespace = metadata.get("namespace") if isinstance(metadata, dict) else None
    resource = client.resource(obj["apiVersion"], obj["kind"])
    return resource.collection(quote(namespace, safe="") if isinstance(namespace, str) and namespace else HOME)


def _at_home(client: Client, obj: dict[str, Any]) -> dict[str, Any]:
    """Return an object moved to a namespace that is there, if it could be in the one that it names."""
    metadata = obj.get("metadata")
    namespace = metadata.get("namespace") if isinstance(metadata, dict) else None
    namespaced = client.resource(obj["apiVersion"], obj["kind"]).namespaced
    if namespaced and isinstance(namespace, str) and re.fullmatch(NAMESPACE, namespace):
        return {**obj, "metadata": {**obj["metadata"], "namespace": HOME}}
    return obj


def _said(
    client: Client,
    method: str,
    path: str,
    obj: dict[str, Any],
    more: dict[str, str] | None = None,
    content_type: str = "application/json",
) -> str:
    try:
        client.request(method, path, obj, query=STRICT | (more or {}), content_type=content_type)
    except ApiError as error:
        if any(word in error.message for word in TRANSIENT):
            raise
        return error.message or error.reason
    return ""
