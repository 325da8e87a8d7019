"""A cluster's objects on an empty server: applied wave by wave as Argo CD would, and looked at afterwards."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import yaml

from gpuplan import rules
from gpuplan.conventions import ANNOTATION_SYNC_WAVE
from gpuplan.diagnostics import has_errors
from gpuplan.emit.emitters import emit
from gpuplan.manifests.set import Manifest, ManifestSet
from gpuplan.manifests.write import object_text
from gpuplan.pipeline import silent
from tests.build import resolved
from tests.controlplane import newer_fields
from tests.controlplane.acceptance import WRITERS, Rejection, rejection, stored_differences
from tests.controlplane.client import Client, Object, identity, reference
from tests.controlplane.controlplane import ControlPlane
from tests.controlplane.waiting import WaitTimeoutError
from tests.controlplane.workloads import condition

QUEUES = ("ClusterQueue", "LocalQueue")
QUEUE_API = "kueue.x-k8s.io/v1beta2"
PATIENCE_SECONDS = 15.0
"""How long Kueue may take to call every queue active; a tenth of a second is usual."""


@dataclass(frozen=True, slots=True)
class Written:
    """An object, and the YAML that stands for it."""

    obj: Object
    text: str

    @property
    def wave(self) -> int:
        """The sync wave; 0 where the object names none."""
        return int(self.obj["metadata"].get("annotations", {}).get(ANNOTATION_SYNC_WAVE, "0"))


def accepted(text: str) -> ManifestSet | None:
    """Compile the fleet of one file; None when `check` refuses it."""
    fleet, found = resolved(text)
    if fleet is None or has_errors((*found, *rules.check(fleet))):
        return None
    return emit(fleet, silent)


def compiled(manifests: Iterable[Manifest]) -> list[Written]:
    """Return manifests in the words in which they would be written."""
    return [Written(made.object, object_text(made.object)) for made in manifests]


def on_disk(folder: Path) -> list[Written]:
    """Return the objects of a folder and the folders below it."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.yaml"))]
    return [Written(yaml.load(text, Loader=yaml.CSafeLoader), text) for text in texts]


def trial(plane: ControlPlane, written: Sequence[Written], patience: float = PATIENCE_SECONDS) -> list[str]:
    """Apply the objects to the emptied server, and return what is wrong: one line each.

    Refusals in the first wave that has any, or else queues that are not active within `patience` seconds, and fields that
    do not read back as written. Fields that came after the server's CRDs (`newer_fields`) are not put to it.
    """
    written = [_served(one) for one in written]
    plane.reset()
    plane.require_running()
    _make_room(plane.client, written)
    refused = [str(one) for one in _first_refusals(plane.client, written)]
    if refused:
        return refused
    return [*inactive(plane, written, patience), *stored_differences(plane.client, [one.obj for one in written])]


def _served(one: Written) -> Written:
    known = newer_fields.without(one.obj)
    return one if known == one.obj else Written(known, object_text(known))


def _make_room(client: Client, written: Iterable[Written]) -> None:
    """Make the namespaces that others own, such as Argo CD's."""
    used = {one.obj["metadata"].get("namespace", "") for one in written} - {""}
    ours = {one.obj["metadata"]["name"] for one in written if one.obj["kind"] == "Namespace"}
    for name in sorted(used - ours):
        client.apply(reference("v1", "Namespace", name), manager="harness")


def _first_refusals(client: Client, written: Iterable[Written]) -> Sequence[Rejection]:
    """Apply wave after wave, several writers in each, as far as the first that is refused anything; return those."""
    with ThreadPoolExecutor(WRITERS) as writers:
        for _, wave in groupby(sorted(written, key=lambda one: one.wave), lambda one: one.wave):
            answers = writers.map(lambda one: rejection(client, one.obj, text=one.text), list(wave))
            if refused := [answer for answer in answers if answer]:
                return refused
    return []


def inactive(plane: ControlPlane, written: Iterable[Written], patience: float) -> list[str]:
    """Wait until Kueue calls every queue active; return those of which it does not, with its words."""
    expected = {identity(one.obj) for one in written if one.obj["kind"] in QUEUES}

    def waiting() -> dict[str, str]:
        found = [queue for kind in QUEUES for queue in plane.client.list(QUEUE_API, kind)]
        said = {identity(queue): condition(queue, "Active") for queue in found}
        return {
            name: f"{said[name].get('reason')}: {said[name].get('message')}"
            for name in expected
            if said[name].get("status") != "True"
        }

    try:
        plane.wait_for(lambda: not waiting(), patience if expected else 0, what="active queues")
    except WaitTimeoutError:
        return [f"{name} is not active: {why}" for name, why in sorted(waiting().items())]
    return []
