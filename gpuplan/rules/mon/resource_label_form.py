"""A resource's name in a form that the metric's label does not have.

kube-state-metrics writes `nvidia.com/gpu` as `nvidia_com_gpu` in its label `resource`, and MIG slices as
`nvidia_com_mig_1g_10gb`; Kueue, the scheduler and ResourceQuota keep the name as it is. A matcher in the other form
selects nothing.

Source: kube-state-metrics, docs/metrics; Kueue, pkg/metrics; NVIDIA/dcgm-exporter 348.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from gpuplan.catalog import Catalog
from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.metrics.promql import Matcher
from gpuplan.inventory.metrics.uses import Use, uses
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="mon/resource-label-form",
    severity=Severity.ERROR,
    summary="A resource's name in a form that the metric does not have",
    why="The selector matches no series: the rule records nothing, or never fires.",
    fix="Write the label as the metric's program writes it.",
    bad='- {record: "node:cards:sum", expr: \'sum by (node) (kube_node_status_allocatable{resource="nvidia.com/gpu"})\'}',
    good='- {record: "node:cards:sum", expr: \'sum by (node) (kube_node_status_allocatable{resource="nvidia_com_gpu"})\'}',
)
_UNDERSCORED = re.compile(
    r"kube_node_status_(allocatable|capacity)|kube_pod_(init_)?container_resource_(requests|limits)|kube_pod_overhead_\w+"
)
_AS_IT_IS = re.compile(r"kueue_\w+|kube_pod_resource_(request|limit)|kube_resourcequota")
_SIGN = re.compile(r"[^A-Za-z0-9_]")
_REQUESTS = "requests."


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each matcher that no series can have."""
    for use in uses(inventory):
        for matcher in use.selector.matchers:
            right = _right(use, matcher, inventory.catalog) if matcher.label == "resource" else None
            if right is not None:
                found = use.rule.inside(matcher.at) if matcher.at >= 0 else use.at
                negative = matcher.op.startswith("!")
                yield DOC.found(
                    f"`{use.name}` has no series whose `resource` is `{matcher.value}`",
                    at=found,
                    severity=Severity.WARNING if negative else None,
                    fix=f'Write `resource="{right}"`.',
                )


def _right(use: Use, matcher: Matcher, catalog: Catalog) -> str | None:
    """Return the form that the metric has, where the matcher is in the other."""
    if _UNDERSCORED.fullmatch(use.name):
        return _underscored(matcher)
    if _AS_IT_IS.fullmatch(use.name) and "=~" not in matcher.op:
        return _as_it_is(matcher.value, catalog)
    return None


def _underscored(matcher: Matcher) -> str | None:
    value = matcher.value
    if matcher.op in ("=", "!="):
        return _SIGN.sub("_", value) if _SIGN.search(value) else None
    names = value.split("|")
    dotted = all("/" in one for one in names) and not re.search(r"[()\[\]*+?{}^$]", value.replace(".*", ""))
    return "|".join(_SIGN.sub("_", one.replace("\\", "")) for one in names) if dotted else None


def _as_it_is(value: str, catalog: Catalog) -> str | None:
    """Return the name of a resource of cards that stands in underscores."""
    if _SIGN.search(value):
        return None
    bare = value.removeprefix("requests_")
    for domain in catalog.accelerators.domains:
        prefix = f"{_SIGN.sub('_', domain)}_"
        if bare.startswith(prefix):
            name = bare.removeprefix(prefix)
            cut = re.fullmatch(r"mig_(\dg)_(\d+gb)(_me)?", name)
            name = f"mig-{cut[1]}.{cut[2]}{'.me' if cut[3] else ''}" if cut else name
            return f"{_REQUESTS if bare != value else ''}{domain}/{name}"
    return None
