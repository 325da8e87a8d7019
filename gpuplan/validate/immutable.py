"""Transitions that an API server refuses: an immutable field of an object that `rendered/` already holds.

Only here are old and new objects seen together, so only here can it be said before the merge.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from gpuplan import conventions
from gpuplan.diagnostics import Diagnostic
from gpuplan.manifests.set import Manifest, ManifestSet
from gpuplan.validate.findings import IMMUTABLE

Object = Mapping[str, Any]


def _spec(obj: Object) -> Object:
    """Return the spec of an object; that of an old one is what somebody left there by hand, which may be nothing."""
    spec = obj.get("spec")
    return spec if isinstance(spec, Mapping) else {}


def _flavor_with_topology(flavor: Object) -> Object:
    """Return what is fixed once a flavor has a Topology: its whole spec."""
    spec = _spec(flavor)
    return spec if "topologyName" in spec else {}


FIXED: Mapping[str, Callable[[Object], Object]] = {
    "LocalQueue": lambda queue: {"clusterQueue": _spec(queue).get("clusterQueue")},
    "NVIDIADriver": lambda driver: {key: _spec(driver).get(key) for key in ("driverType", "usePrecompiled")},
    "PriorityClass": lambda made: {key: made.get(key) for key in ("value", "preemptionPolicy")},
    "ResourceClaimTemplate": lambda template: {"spec": template.get("spec")},
    "ResourceFlavor": _flavor_with_topology,
    "Topology": lambda topology: {"levels": _spec(topology).get("levels")},
    "DaemonSet": lambda daemon_set: {"selector": _spec(daemon_set).get("selector")},
    "Deployment": lambda deployment: {"selector": _spec(deployment).get("selector")},
}
"""What an object of a kind can never change."""

WAYS_OUT: Mapping[str, str] = {
    "LocalQueue": "Do it in two steps: take the namespace away from the one team, render and let it sync; then give it to "
    "the other. The queue is then removed and made anew.",
    "NVIDIADriver": "Do it in two steps: write `driver: {{preinstalled: true}}` in `{place}`, render and let it sync, which "
    "takes the driver away when a person confirms it; then write the other kind of image.",
    "PriorityClass": "Write `replacePriorityClasses: true` under `delivery.argocd`: Argo CD then deletes the class and makes it "
    "anew. Pods keep the number that they were made with.",
    "ResourceFlavor": "Raise `revision` in `{place}` (write `revision: 1` where it has none): a new object then takes over "
    "from the old one.",
    "Topology": "Raise `revision` in `{place}` (write `revision: 1` where it has none): a new object then takes over from "
    "the old one.",
}
"""How to change it all the same, by kind; `{place}` is the entry of the spec. Other kinds have to be deleted by hand."""


def refused(manifests: ManifestSet, old: Callable[[str], Object | None]) -> Iterator[Diagnostic]:
    """Yield a finding for each object whose fixed part changes.

    `old` gives the object that the tree holds in a file now, or None where there is none.
    """
    for path, made in manifests.placed.items():
        before = old(path) if made.key.kind in FIXED and not _made_anew(made.object) else None
        changed = fixed_fields(before, made.object) if before is not None else ()
        if changed:
            fields = ", ".join(f"`{key}`" for key in changed)
            summary = f"{made.key.kind} `{made.key.name}` cannot change its {fields}"
            fix = WAYS_OUT.get(made.key.kind, IMMUTABLE.fix)
            yield IMMUTABLE.found(summary, at=made.origin.span, fix=fix.format(place=_entry(made)))


def fixed_fields(before: Object, after: Object) -> tuple[str, ...]:
    """Return the fields that differ between two states of an object and that it can never change, sorted."""
    fixed = FIXED.get(str(after.get("kind")))
    if fixed is None or before.get("kind") != after.get("kind"):
        return ()
    was, will = fixed(before), fixed(after)
    return tuple(sorted(key for key in {*was, *will} if was and was.get(key) != will.get(key)))


def _made_anew(obj: Object) -> bool:
    """Tell whether Argo CD deletes and creates an object for every change, so that nothing of it is fixed."""
    options = obj["metadata"].get("annotations", {}).get(conventions.ANNOTATION_SYNC_OPTIONS, "")
    return {"Force=true", "Replace=true"} <= set(options.split(","))


def _entry(made: Manifest) -> str:
    return ".".join(str(segment) for segment in made.origin.path[:2])
