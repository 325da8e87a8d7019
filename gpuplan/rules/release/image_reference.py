"""An image that is no image reference, or names no version.

An override under `components` may name the image in full. The API server takes any text there, so a space or a capital in
the path shows only on the nodes, where no pod of the agent starts (`InvalidImageName`). A reference without tag or digest
means `latest`, which is another image every day; and Kueue's chart wants repository and tag apart. A version with a `+`
needs an `image` too, since no tag may hold that character.

Source: the grammar of image references (distribution); Kubernetes, container images.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import point, written

DOC = RuleDoc(
    id="release/image-reference",
    severity=Severity.ERROR,
    summary="An image that cannot be pulled by the name given",
    why="The nodes refuse the name, or pull whatever is `latest` that day: the agent does not start, or differs between nodes.",
    fix="Write `registry/path:tag`, in lower case but for the tag.",
    bad="clusters:\n  eu:\n    kubernetes: '1.36'\n    components:\n"
    "      devicePlugin: {version: v0.20.0, image: mirror.acme.io/device-plugin}",
    good="clusters:\n  eu:\n    kubernetes: '1.36'\n    components:\n"
    "      devicePlugin: {version: v0.20.0, image: 'mirror.acme.io/device-plugin:v0.20.0'}",
)

_PART = r"[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*"
_WORD = r"[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?"
_HOST = rf"(?:{_WORD}(?:\.{_WORD})*|\[[0-9a-fA-F:]+\])(?::[0-9]+)?"
_TAG = r":[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}"
_DIGEST = r"@[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}"
REFERENCE = re.compile(rf"(?:{_HOST}/)?{_PART}(?:/{_PART})*(?P<version>(?:{_TAG})?(?:{_DIGEST})?)")


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each overridden component whose image is no reference with a tag or digest."""
    for cluster in fleet.clusters:
        for name, component in cluster.components.items():
            path = (*cluster.path, "components", name)
            read = REFERENCE.fullmatch(component.image)
            if not component.image or (read and read["version"]) or not written(fleet, path):
                continue
            trouble = "names no tag" if read else "is no image reference"
            at = point(fleet, (*path, "image" if written(fleet, (*path, "image")) else "version"))
            yield DOC.found(f"Image `{component.image}` of `{name}` {trouble}", at=at)
