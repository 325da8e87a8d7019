"""Every object against the JSON Schema of its kind.

The schemas in `schemas/kubernetes/` are made from a real API server's OpenAPI with the CRDs loaded (`make schemas`):
closed, without prose, one file a kind. A validator is compiled when its kind first comes up.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator
from pathlib import Path

import jsonschema_rs

from gpuplan.diagnostics import Diagnostic
from gpuplan.manifests.set import Manifest, ManifestSet
from gpuplan.validate.findings import SCHEMA


def folder() -> Path:
    """Return where the schemas are: inside an installed package, or beside it in a checkout."""
    package = Path(__file__).parent.parent
    installed = package / "_schemas"
    return (installed if installed.is_dir() else package.parent / "schemas") / "kubernetes"


def file_name(api_version: str, kind: str) -> str:
    """Return the file of a kind's schema, as kubeconform's template `{{.ResourceKind}}-{{.Group}}-…` would name it."""
    group, _, version = api_version.rpartition("/")
    return "-".join(part for part in (kind.lower(), group, version) if part) + ".json"


@functools.cache
def validator(api_version: str, kind: str) -> jsonschema_rs.Draft7Validator:
    """Compile the schema of a kind. A kind that we write and have no schema of raises FileNotFoundError: our fault."""
    text = (folder() / file_name(api_version, kind)).read_text(encoding="utf-8")
    return jsonschema_rs.Draft7Validator(json.loads(text))


def violations(manifests: ManifestSet) -> Iterator[Diagnostic]:
    """Yield a finding for each place in each object that its schema refuses."""
    for manifest in manifests:
        key = manifest.key
        checker = validator(key.api_version, key.kind)
        if not checker.is_valid(manifest.object):
            yield from _findings(manifest, checker)


def _findings(manifest: Manifest, checker: jsonschema_rs.Draft7Validator) -> Iterator[Diagnostic]:
    for error in checker.iter_errors(manifest.object):
        where = ".".join(str(part) for part in error.instance_path) or "the object"
        yield SCHEMA.found(f"{manifest.key}: {where}: {error.message}", at=manifest.origin.span)
