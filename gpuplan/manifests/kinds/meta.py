"""What all objects share: metadata and selectors.

How to read the types in this package. Field names are the API's own. **A key that the API server fills with a default
is required here**, so that an emitter which forgets one fails the type check, and what we wrote is what the server
stores. A key that the server drops when it holds the zero value (`omitempty`) is `NotRequired`: leave it out rather
than write `""`, `false`, `0` or an empty map there.
"""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

StringMap = dict[str, str]
"""Labels, annotations, node selectors, ConfigMap data: values are always strings."""


class ObjectMeta(TypedDict):
    """Metadata of a cluster-scoped object. Labels and annotations are left out when empty, never written as `{}`."""

    name: str
    labels: NotRequired[StringMap]
    annotations: NotRequired[StringMap]


class NamespacedMeta(ObjectMeta):
    """Metadata of a namespaced object."""

    namespace: str


class TemplateMeta(TypedDict):
    """Metadata of a pod template: it has no name."""

    labels: StringMap
    annotations: NotRequired[StringMap]


class LabelSelectorRequirement(TypedDict):
    """One `matchExpressions` term; `values` is left out for `Exists` and `DoesNotExist`."""

    key: str
    operator: Literal["In", "NotIn", "Exists", "DoesNotExist"]
    values: NotRequired[list[str]]


class LabelSelector(TypedDict):
    """A label selector. An empty one selects everything; a missing one usually nothing."""

    matchLabels: NotRequired[StringMap]
    matchExpressions: NotRequired[list[LabelSelectorRequirement]]


class LocalObjectReference(TypedDict):
    """The name of an object in the same namespace."""

    name: str
