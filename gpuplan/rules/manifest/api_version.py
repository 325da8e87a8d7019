"""An API version that the server does not serve: removed long ago, or newer than what is installed.

Without a word about the cluster's version, what every supported Kubernetes has removed is an error; of Kueue's, which
people keep longer, a warning.

Source: Kubernetes, deprecated API migration guide; Kueue's releases.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.catalog.apis import Served
from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.rulebook import RuleDoc
from gpuplan.versions import Version

DOC = RuleDoc(
    id="manifest/api-version",
    severity=Severity.ERROR,
    summary="An API version that the server does not serve",
    why="The API server knows no such kind: no matches for kind. Nothing of the object is ever made.",
    fix="Write the version that is served, with its fields.",
    bad="apiVersion: autoscaling/v2beta2\nkind: HorizontalPodAutoscaler\n",
    good="apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\n",
)
PROGRAMS = {"kubernetes": "Kubernetes", "kueue": "Kueue"}


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each object of such a version."""
    for one in inventory.objects:
        served = inventory.catalog.apis.get(one.api_version)
        if served is not None and (not served.kinds or one.kind in served.kinds):
            installed = inventory.assumed.versions.get(served.component)
            severity, words = _verdict(served, installed)
            if severity is not None:
                yield DOC.found(
                    f"{one}: `{one.api_version}` is served {words}",
                    at=one.root["apiVersion"].key_span,
                    fix=f"Write `apiVersion: {served.now}`, with its fields." if served.now else DOC.fix,
                    severity=severity,
                )


def _verdict(served: Served, installed: Version | None) -> tuple[Severity | None, str]:
    program = PROGRAMS[served.component]
    if served.removed is not None and (installed is None or installed >= served.removed):
        guess = installed is None and served.component != "kubernetes"
        return (Severity.WARNING if guess else Severity.ERROR), f"no more, from {program} {served.removed} on"
    if served.since is not None and installed is not None and installed < served.since:
        return Severity.ERROR, f"from {program} {served.since} on; installed is {installed}"
    return None, ""
