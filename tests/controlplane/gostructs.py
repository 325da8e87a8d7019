"""The JSON keys of Go structures, read from their source: enough of Go for the configuration types of Kueue."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

STRUCT = re.compile(r"^type (\w+) struct \{$(.*?)^\}$", re.MULTILINE | re.DOTALL)
FIELD = re.compile(r'^\t(?:(?P<name>\w+) )?(?P<type>\S+)\s+`json:"(?P<key>[^",]*)(?P<options>[^"]*)"', re.MULTILINE)
ALIAS = re.compile(r"^type (\w+) (?:= )?(\w+)$", re.MULTILINE)
FRAMEWORK = re.compile(r'^\s*FrameworkName\s*=\s*"([^"]+)"', re.MULTILINE)
GATE = re.compile(r'featuregate\.Feature = "(\w+)"')

SCALARS = {
    "bool": "flag",
    "string": "text",
    "int": "whole",
    "int32": "whole",
    "int64": "whole",
    "float32": "number",
    "float64": "number",
    "metav1.Duration": "duration",
    "time.Duration": "whole",
    "corev1.ResourceName": "text",
    "resourcev1.QualifiedName": "text",
}
"""Types of values by their Go names; what is none of these is looked up among the structures, and is a text otherwise."""

OTHERS: Mapping[str, Mapping[str, str]] = {
    "metav1.LabelSelector": {
        "matchExpressions[].key": "text",
        "matchExpressions[].operator": "text",
        "matchExpressions[].values[]": "text",
        "matchLabels.*": "text",
    },
    "configv1alpha1.LeaderElectionConfiguration": {
        "leaderElect": "flag",
        "leaseDuration": "duration",
        "renewDeadline": "duration",
        "resourceLock": "text",
        "resourceName": "text",
        "resourceNamespace": "text",
        "retryPeriod": "duration",
    },
    "resourcev1.DeviceSelector": {"cel.expression": "text"},
}
"""Structures of other modules, whose keys have not changed in years."""
OPEN = ("clientcmdapi.ExecConfig",)
"""Types that are left open: nobody writes them in a file of his own."""


class Structs:
    """The structures of one package."""

    def __init__(self, source: str) -> None:
        self._bodies = dict(STRUCT.findall(source))
        self._aliases = dict(ALIAS.findall(source))

    def keys(self, name: str, path: str = "") -> Iterator[tuple[str, str]]:
        """Yield (path, type) of every key below a structure."""
        for field in FIELD.finditer(self._bodies[name]):
            if field["key"]:
                yield from self._value(field["type"].lstrip("*"), path + field["key"])
            elif field["type"].lstrip("*") in self._bodies or field["name"] in self._bodies:
                yield from self.keys(field["type"].lstrip("*"), path)

    def _value(self, kind: str, path: str) -> Iterator[tuple[str, str]]:
        kind = self._aliases.get(kind, kind)
        if kind.startswith("[]"):
            yield from self._value(kind.removeprefix("[]").lstrip("*"), path + "[]")
        elif kind.startswith("map["):
            yield from self._value(kind.partition("]")[2].lstrip("*"), f"{path}.*")
        elif kind == "corev1.ResourceList":
            yield f"{path}.*", "quantity"
        elif kind in OPEN:
            yield path, "map"
        elif kind in OTHERS:
            yield from ((f"{path}.{key}", one) for key, one in OTHERS[kind].items())
        elif kind in self._bodies:
            yield from self.keys(kind, f"{path}.")
        else:
            yield path, SCALARS.get(kind, "text")
