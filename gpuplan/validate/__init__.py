"""ManifestSet -> findings: the last look before anything is written.

Emitters are total and the rules have judged the spec, so a finding here is a fault of gpuplan: it made something that a
cluster would refuse. It still is a finding, with the place in `fleet/` that led to it, and nothing is written.
"""

from __future__ import annotations

from gpuplan.diagnostics import Diagnostics, ordered
from gpuplan.manifests.set import ManifestSet
from gpuplan.validate import references, schemas


def validate(manifests: ManifestSet) -> Diagnostics:
    """Check every object against the schema of its kind, and every reference between objects."""
    return ordered((*schemas.violations(manifests), *references.dangling(manifests)))
