"""Objects that rules judge as a server would, and the values inside Kueue's, of either version.

A patch is no object yet: a server never sees it as it stands. Those that a kustomization lists are not in the inventory at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from gpuplan.diagnostics import Span
from gpuplan.inventory.inventory import Inventory, once
from gpuplan.inventory.items import Object
from gpuplan.inventory.reading.templates import is_placeholder
from gpuplan.inventory.scheduling.workloads import PodSet, Workload, workloads
from gpuplan.inventory.view import View
from gpuplan.quantity import Quantity
from gpuplan.suggest import meant
from gpuplan.validate.formats import label_key
from gpuplan.validate.lenient import QUANTITY

KUEUE: Final = "kueue.x-k8s.io"
V1BETA1: Final = f"{KUEUE}/v1beta1"
VERSIONS: Final = (V1BETA1, f"{KUEUE}/v1beta2")
LARGEST: Final = 2**63 - 1
"""The largest quantity that Kubernetes counts with."""
_MERGE_KEYS: Final = ("$patch", "$retainKeys")


@once
def whole(inventory: Inventory) -> tuple[Object, ...]:
    """Return the objects that hold none of the keys by which a patch says how it is merged."""
    return tuple(one for one in inventory.objects if not _is_patch(one))


def kueue(inventory: Inventory, *kinds: str) -> Iterator[Object]:
    """Yield Kueue's objects of some kinds and of a version that we know."""
    known = _kueue(inventory)
    for kind in kinds:
        yield from known.get(kind, ())


@once
def _kueue(inventory: Inventory) -> Mapping[str, tuple[Object, ...]]:
    grouped: dict[str, list[Object]] = {}
    for one in whole(inventory):
        if one.api_version in VERSIONS:
            grouped.setdefault(one.kind, []).append(one)
    return {kind: tuple(found) for kind, found in grouped.items()}


def pods(inventory: Inventory) -> Iterator[tuple[Workload, PodSet]]:
    """Yield the pods that each object makes, with what makes them."""
    for work in workloads(inventory):
        if not _is_patch(work.object) and not is_part(work.object):
            yield from ((work, one) for one in work.pod_sets)


def groups(one: Object) -> Iterator[View]:
    """Yield the resource groups of a ClusterQueue or Cohort."""
    yield from one.spec["resourceGroups"].items()


def quotas(one: Object) -> Iterator[View]:
    """Yield what stands for each flavor and resource of a ClusterQueue or Cohort: name, quota and limits."""
    for group in groups(one):
        for flavor in group["flavors"].items():
            yield from flavor["resources"].items()


def above(one: Object) -> View:
    """Return the cohort of a ClusterQueue, or the parent of a Cohort."""
    if one.kind == "Cohort":
        return one.spec["parentName"]
    return one.spec["cohort" if one.api_version == V1BETA1 else "cohortName"]


def amount(view: View) -> Quantity | None:
    """Return a quantity; one beyond what Kubernetes counts with is cut to the largest, as Kubernetes does."""
    quantity = view.quantity()
    text = view.scalar()
    if quantity is None and not isinstance(view.value, bool) and re.fullmatch(QUANTITY, text):
        return Quantity.of(-LARGEST if text.startswith("-") else LARGEST)
    return quantity


def is_part(one: Object) -> bool:
    """Tell whether this looks like a part of an object that something else completes, such as a patch that nobody lists.

    The file says so by its name; or a controller has no selector, or a node pool no class of nodes, without which no server
    takes it.
    """
    needed = {"apps": one.spec["selector"], "karpenter.sh": one.spec["template"]["spec"]["nodeClassRef"]}.get(one.group)
    lacks = needed is not None and not needed.exists and one.spec["template"].exists
    return lacks or "patch" in one.file.rpartition("/")[2]


def _is_patch(one: Object) -> bool:
    return any(key in one.root or key in one.spec for key in _MERGE_KEYS)


def toleration_faults(toleration: View) -> Iterator[tuple[Span, str]]:
    """Yield what is wrong with a toleration, beside words that are no choice. `operator` is Equal where it is not written."""
    key, effect, seconds = toleration["key"], toleration["effect"], toleration["tolerationSeconds"]
    exists = toleration["operator"].text("Equal") == "Exists"
    if toleration.is_mapping and not key.text() and not exists:
        yield toleration.span, "without `key`, `operator` must be Exists"
    if exists and toleration["value"].exists:
        yield toleration["value"].key_span, "with operator Exists there is no `value`"
    if seconds.exists and effect.text() in ("NoSchedule", "PreferNoSchedule", ""):
        yield seconds.key_span, "`tolerationSeconds` needs effect NoExecute"
    if key.text() and not is_placeholder(key.value) and (wrong := label_key(key.text())):
        yield key.key_span, f"key `{key.text()}` {wrong}"


def no_choice(word: str, choices: Sequence[str]) -> str:
    """Return in words that a word is none of the choices, and which was meant or is known."""
    return f"`{word}` is no choice; " + meant(word, choices, f"{', '.join(choices)} are")
