"""An overridden version whose image nobody has named.

An override under `components` without `image` takes the release's repository with the version as its tag. Some images are tagged
otherwise: `4.6.0-4.8.3-distroless` for the DCGM exporter, `4.6.0-1-ubuntu24.04` for DCGM, and a leading `v` for most others. A
tag that does not exist leaves the agent in ImagePullBackOff on every node.

Source: the release's own image tags.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.catalog import Component
from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import point, written

DOC = RuleDoc(
    id="release/image-tag-guessed",
    severity=Severity.WARNING,
    summary="An overridden version whose image tag is a guess",
    why="The image would be the version alone, and this component's tags look different: the agent may not be pulled at all.",
    fix="Add `image` with the full reference.",
    bad="clusters:\n  eu: {kubernetes: '1.36', components: {dcgmExporter: {version: 4.5.3-4.8.2}}}",
    good="clusters:\n  eu:\n    kubernetes: '1.36'\n    components:\n"
    "      dcgmExporter: {version: 4.5.3-4.8.2, image: 'nvcr.io/nvidia/k8s/dcgm-exporter:4.5.3-4.8.2-distroless'}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each override whose tag is not shaped as the release's."""
    for cluster in fleet.clusters:
        for name, usual in cluster.release.components.items():
            path = (*cluster.path, "components", name)
            chosen = cluster.components[name]
            if written(fleet, (*path, "version")) and not written(fleet, (*path, "image")) and _differs(usual, chosen):
                yield DOC.found(
                    f"`{name}` would be pulled as `{chosen.image}`; the release's is `{usual.image}`",
                    at=point(fleet, (*path, "version")),
                )


def _differs(usual: Component, chosen: Component) -> bool:
    """Tell whether a tag has another shape: a suffix is missing, or the leading `v`."""
    if not usual.image:
        return False
    suffix = usual.tag.removeprefix(usual.version.text)
    return not chosen.tag.endswith(suffix) or chosen.tag.startswith("v") != usual.tag.startswith("v")
