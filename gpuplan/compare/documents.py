"""Documents in YAML or JSON that lie as text inside an object, such as the device plugin's configuration in a ConfigMap."""

from __future__ import annotations

import json

from gpuplan.compare.change import Plain
from gpuplan.diagnostics import has_errors
from gpuplan.source.findings import MAX_DEPTH
from gpuplan.source.yamltext import parse_text

_NAME = "text"
"""What stands for a file name in findings that nobody sees."""


def documents(old: Plain, new: Plain) -> tuple[Plain, Plain] | None:
    """Return what two texts hold; None unless both hold one mapping, or both a JSON list."""
    left = _document(old)
    right = _document(new) if left is not None else None
    return None if left is None or right is None or type(left) is not type(right) else (left, right)


def _document(text: Plain) -> Plain:
    if not isinstance(text, str):
        return None
    found = _json(text) if text.lstrip()[:1] in ("{", "[") else None
    if found is not None:
        return found
    parsed = parse_text(_NAME, text)
    return None if has_errors(parsed.findings) or len(parsed.documents) != 1 else parsed.documents[0].plain()


def _json(text: str) -> Plain:
    try:
        found: Plain = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if _is_shallow(found) else None


def _is_shallow(value: Plain) -> bool:
    """Tell whether a value is no deeper than what the reader of YAML accepts."""
    level = [value]
    for _ in range(MAX_DEPTH):
        inner = (one.values() if isinstance(one, dict) else one for one in level if isinstance(one, dict | list))
        level = [part for parts in inner for part in parts]
        if not level:
            return True
    return False
