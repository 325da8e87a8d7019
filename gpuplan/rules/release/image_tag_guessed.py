"""An overridden version whose image nobody has named.

An override under `components` without `image` takes the release's image with the version in its tag, spelt alike: a
leading `v`, a variant such as `-distroless`. Where the version itself is shaped otherwise (`4.8.4` for what was
`4.6.0-4.8.3`), nobody knows whether such a tag exists, and one that does not leaves the agent in ImagePullBackOff on
every node.

Source: the release's own image tags.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from gpuplan.catalog import Component
from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import point, written

DIGITS = re.compile(r"\d+")

DOC = RuleDoc(
    id="release/image-tag-guessed",
    severity=Severity.WARNING,
    summary="An overridden version whose image tag is a guess",
    why="The version is shaped unlike the release's, so its image may be tagged otherwise: the agent may not be pulled at all.",
    fix="Add `image` with the full reference.",
    bad="clusters:\n  eu: {kubernetes: '1.36', components: {dcgmExporter: {version: 4.8.4}}}",
    good="clusters:\n  eu:\n    kubernetes: '1.36'\n    components:\n"
    "      dcgmExporter: {version: 4.8.4, image: 'nvcr.io/nvidia/k8s/dcgm-exporter:4.8.4-distroless'}",
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
    """Tell whether a tag has another shape than the release's, digits aside."""
    return bool(usual.image) and DIGITS.sub("0", usual.tag) != DIGITS.sub("0", chosen.tag)
