"""What is no manifest yet: files that a template engine still has to fill in. They are left alone rather than misread."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Final

from gpuplan.source.findings import COMPLEX_KEY
from gpuplan.source.pieces import Values, values_of

_VARIABLE: Final = re.compile(r"\{\{|\{%|\$\{[A-Za-z_]")
"""Helm's, Jinja's and Go's braces, and the variables that envsubst and Flux put in."""
_PLACEHOLDER: Final = re.compile(
    _VARIABLE.pattern
    + r"|\$\([A-Z_]+\)|<[A-Za-z][^>]*>|__[A-Z_]+__|@[A-Z_]+@|FILLED[ _]BY|REPLACE[-_]?ME|CHANGE[-_]?ME|YOUR[-_][A-Z]"
)
"""What besides stands for a name that somebody, or a program, is still to give."""
_PUT_IN: Final = re.compile(r"\$\{?\w+\}?|\{\{.*\}\}|\$\(\w+\)|<[\w -]+>", re.DOTALL)
"""What envsubst, Flux, Helm or a person replaces inside a value."""
_TEXT_KINDS: Final = frozenset(
    [
        *("ConfigMap", "Secret", "PrometheusRule", "AlertmanagerConfig", "Alertmanager", "Prometheus", "ApplicationSet"),
        *("Application", "HelmRelease", "HelmChart", "Workflow", "WorkflowTemplate", "CronWorkflow", "ClusterWorkflowTemplate"),
        *("CustomResourceDefinition", "ValidatingAdmissionPolicy", "ClusterPolicy", "Policy", "GrafanaDashboard"),
        *("Pod", "Job", "CronJob", "Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "JobSet", "LeaderWorkerSet"),
        *("MPIJob", "PyTorchJob", "RayJob", "RayCluster", "RayService", "TrainJob", "PodTemplate"),
    ]
)  # fmt: skip
"""Kinds whose texts hold braces for another reader than a template engine: scripts, alerts, programs' own templates."""


def holds_template(text: str) -> bool:
    """Tell whether a text holds what template engines fill in; many of these texts are sound all the same."""
    return ("{{" in text or "${" in text or "{%" in text) and _VARIABLE.search(text) is not None


def is_unfilled(text: str, read: Values) -> bool:
    """Tell whether braces are why a text cannot be read: `{{ x }}` outside quotes is a mapping as the key of a mapping."""
    at_fault = read.broken or any(one.rule == COMPLEX_KEY.id for one in read.findings)
    return at_fault and holds_template(text)


def is_unnamed(value: Mapping[str, object]) -> bool:
    """Tell whether what an object is and what it is called is still to be filled in."""
    meta = value.get("metadata")
    said = [value.get("apiVersion"), value.get("kind")]
    if isinstance(meta, Mapping):
        said += [meta.get("name"), meta.get("namespace")]
    return any(isinstance(one, str) and _PLACEHOLDER.search(one) is not None for one in said)


def is_placeholder(value: object) -> bool:
    """Tell whether a value is a text of which a part is replaced before its reader sees it."""
    return isinstance(value, str) and _PUT_IN.search(value) is not None


def is_templated(value: Mapping[str, object]) -> bool:
    """Tell whether an object of a kind that has no free text holds variables: a cluster would have to understand them.

    A list does where one of its objects does.
    """
    kind, items = value.get("kind"), value.get("items")
    if kind == "List" and isinstance(items, list):
        return any(isinstance(one, Mapping) and is_templated(one) for one in items)
    return isinstance(kind, str) and kind not in _TEXT_KINDS and _somewhere(value, 0)


def _is_variable(value: object) -> bool:
    return isinstance(value, str) and _VARIABLE.search(value) is not None


def _somewhere(value: object, depth: int) -> bool:
    if isinstance(value, Mapping):
        return depth < 100 and any(_is_variable(key) or _somewhere(inner, depth + 1) for key, inner in value.items())
    if isinstance(value, list):
        return depth < 100 and any(_somewhere(inner, depth + 1) for inner in value)
    return _is_variable(value)


def lies_in_chart(path: str) -> bool:
    """Tell whether a file lies in the `templates` folder of a Helm chart."""
    return "templates" in path and _in_chart(str(Path(path).parent))


@lru_cache(4096)
def _in_chart(folder: str) -> bool:
    here = Path(folder)
    return any(one.name == "templates" and (one.parent / "Chart.yaml").is_file() for one in (here, *here.parents))


@lru_cache(4096)
def chart_in(folder: str) -> str:
    """Return the name of the Helm chart that lies in a folder, empty if none does."""
    try:
        text = (Path(folder) / "Chart.yaml").read_text(encoding="utf-8")
    except (OSError, ValueError):
        return ""
    data = next(iter(values_of("", text).values), None)
    return str(data.get("name")) if isinstance(data, Mapping) else ""
