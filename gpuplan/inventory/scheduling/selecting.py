"""Selectors of labels, as Kubernetes reads them, over labels that may be known in part."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from gpuplan import conventions
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.view import View


@dataclass(frozen=True, slots=True, kw_only=True)
class Labels:
    """The labels of something. An answer is None where labels that are not known decide it."""

    known: Mapping[str, str]
    complete: bool
    """Whether these are all that there are."""

    def match(self, selector: View) -> bool | None:
        """Tell whether a selector selects them: a missing one selects nothing, an empty one everything."""
        if not selector.exists:
            return False
        needs = [self._has(key, (view.scalar(),)) for key, view in selector["matchLabels"].entries()]
        needs += [self.meets(one) for one in selector["matchExpressions"].items()]
        if False in needs:
            return False
        return None if None in needs else True

    def _has(self, key: str, values: tuple[str, ...] | None = None) -> bool | None:
        if key not in self.known:
            return False if self.complete else None
        return values is None or self.known[key] in values

    def _has_not(self, key: str, values: tuple[str, ...] | None = None) -> bool | None:
        answer = self._has(key, values)
        return None if answer is None else not answer

    def meets(self, view: View) -> bool | None:
        """Tell whether they meet one expression of a selector."""
        key, values = view["key"].scalar(), tuple(one.scalar() for one in view["values"].items())
        answers: Mapping[str, Callable[[], bool | None]] = {
            "In": lambda: self._has(key, values),
            "NotIn": lambda: self._has_not(key, values),
            "Exists": lambda: self._has(key),
            "DoesNotExist": lambda: self._has_not(key),
        }
        answer = answers.get(view["operator"].text())
        return answer() if answer else None


def selects_namespace(inventory: Inventory, selector: View, namespace: str) -> bool | None:
    """Tell whether a selector selects a namespace, whose labels are all known if its object is there."""
    own = inventory.find("Namespace", namespace)
    labels = {**(own.labels if own else {}), conventions.LABEL_NAMESPACE_NAME: namespace}
    return Labels(known=labels, complete=own is not None).match(selector)
