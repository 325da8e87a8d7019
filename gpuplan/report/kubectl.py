"""Pieces of kubectl's command lines, quoted for a shell."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable

DEBUG_IMAGE = "busybox:1.37"
"""With what runbooks look into a node."""


def selector(labels: Iterable[tuple[str, str]]) -> str:
    """Return a label selector.

    >>> selector([("a.b/c", "d"), ("e", "")])
    'a.b/c=d,e='
    """
    return shlex.quote(",".join(f"{key}={value}" for key, value in labels))


def label_path(key: str) -> str:
    """Return where JSONPath finds a label.

    >>> print(label_path("a.b/c"))
    {.metadata.labels.a\\.b/c}
    """
    return f"{{.metadata.labels.{_escaped(key)}}}"


def allocatable_path(resource: str) -> str:
    """Return where JSONPath finds how much of a resource a node offers."""
    return f"{{.status.allocatable.{_escaped(resource)}}}"


def awaited(what: str, path: str, value: object, limit_seconds: int) -> str:
    """Return the command that waits until a value is there. `what` is a node, or nodes by a selector, as typed."""
    return f"kubectl wait {what} --for=jsonpath={shlex.quote(path)}={value} --timeout={limit_seconds}s"


def _escaped(key: str) -> str:
    return re.sub(r"\.", r"\\.", key)
