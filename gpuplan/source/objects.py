"""Kubernetes objects back from YAML files, by the same reader as the spec."""

from __future__ import annotations

from pathlib import Path

from gpuplan.source.document import Plain
from gpuplan.source.yamltext import parse_text


def read_object(path: Path) -> dict[str, Plain] | None:
    """Return the object in a file that holds one; None where there is no such file or it holds something else."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None
    documents = parse_text(str(path), text).documents
    return documents[0].plain() if len(documents) == 1 else None
