"""Which gpuplan this is, to the byte: a part that another one rendered is never kept."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from gpuplan.validate import schemas

LIBRARIES = ("grafana-foundation-sdk", "jinja2", "jsonschema-rs", "PyYAML", "pydantic")
"""What has a part in the bytes of the output."""


def program() -> str:
    """Return a digest of gpuplan's code, data and schemas, its libraries' versions, and Python's."""
    digest = hashlib.sha256(platform.python_version().encode())
    for name in LIBRARIES:
        digest.update(f"{name} {metadata.version(name)}\n".encode())
    for folder in (Path(__file__).parent.parent, schemas.folder()):
        for file in sorted(_files(folder)):
            digest.update(f"{file.relative_to(folder).as_posix()}\n".encode())
            digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


def _files(folder: Path) -> Iterator[Path]:
    """Yield every file below a folder but what Python keeps of compiled ones."""
    for entry in folder.iterdir():
        if entry.is_dir():
            if entry.name != "__pycache__":
                yield from _files(entry)
        elif entry.is_file():
            yield entry
