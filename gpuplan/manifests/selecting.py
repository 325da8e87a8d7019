"""Label selectors of objects, as Kubernetes reads them, over labels that are known as a whole.

`inventory.scheduling.selecting` answers the same of files, where labels may be known in part.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any


def selects(selector: Mapping[str, Any] | None, labels: Mapping[str, str]) -> bool:
    """Tell whether a label selector selects something; none and an empty one select all."""
    wanted = (selector or {}).get("matchLabels") or {}
    return wanted.items() <= labels.items() and meets((selector or {}).get("matchExpressions"), labels)


def meets(expressions: Iterable[Mapping[str, Any]] | None, labels: Mapping[str, str]) -> bool:
    """Tell whether labels meet all expressions. One with an operator that selectors do not have is met by nothing."""
    return all(_holds(one, labels) for one in expressions or ())


def _holds(expression: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    value, values = labels.get(expression["key"]), expression.get("values") or ()
    match expression.get("operator"):
        case "In":
            return value is not None and value in values
        case "NotIn":
            return value is None or value not in values
        case "Exists":
            return value is not None
        case "DoesNotExist":
            return value is None
        case _:
            return False
