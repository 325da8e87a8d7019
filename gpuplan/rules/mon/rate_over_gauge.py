"""A rate over a field of DCGM that is no counter.

`rate`, `irate` and `increase` take every fall of a value for a restart of the counter. Over a gauge they give numbers without
meaning: `DCGM_FI_PROF_PCIE_TX_BYTES` is a rate already. The code of the last XID is no count; that it
grew is seen at times, so its increase is warned of.

Source: Prometheus, functions; NVIDIA/dcgm-exporter etc/dcp-metrics-included.csv.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.catalog import Metric
from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.metrics.alerting import rules
from gpuplan.inventory.metrics.promql import Call, Node, Selector, walk
from gpuplan.inventory.metrics.uses import DCGM, NVIDIA, field, lacks_vendor, recorded
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="mon/rate-over-gauge",
    severity=Severity.ERROR,
    summary="A rate over a metric that is no counter",
    why="Every fall of the value is taken for a restart of a counter, so what comes out means nothing.",
    fix="Use `avg_over_time` for a mean, `deriv` or `delta` for a trend, `changes` for how often it changed.",
    bad="- {record: 'card:pcie_tx:rate5m', expr: 'rate(DCGM_FI_PROF_PCIE_TX_BYTES[5m])'}",
    good="- {record: 'card:pcie_tx:avg5m', expr: 'avg_over_time(DCGM_FI_PROF_PCIE_TX_BYTES[5m])'}",
)
_OF_COUNTERS = ("rate", "irate", "increase")
_XID = "DCGM_FI_DEV_XID_ERRORS"


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each such call over a field that is surely a gauge."""
    if lacks_vendor(inventory, NVIDIA):
        return
    made = recorded(inventory)
    for rule in rules(inventory):
        for call, selector in _calls(rule.expression.tree):
            row = field(selector.name, inventory.catalog)
            if DCGM.fullmatch(selector.name) and selector.name not in made and row is not None and row.type == "gauge":
                at = rule.inside(selector.at)
                yield DOC.found(
                    f"`{call}` over `{selector.name}`, which is no counter",
                    at=at,
                    severity=Severity.WARNING if _may_be_meant(call, row) else None,
                    fix=_fix(call, row),
                )


def _calls(tree: Node | None) -> Iterator[tuple[str, Selector]]:
    for node in walk(tree) if tree is not None else ():
        if isinstance(node, Call) and node.name in _OF_COUNTERS and isinstance(node.args[0], Selector):
            yield node.name, node.args[0]


def _may_be_meant(call: str, row: Metric) -> bool:
    """Tell whether what comes out is of some use: that a code grew, or a count within a window."""
    return row.name.startswith("DCGM_EXP_") or (call == "increase" and not row.unit)


def _fix(call: str, row: Metric) -> str | None:
    if row.name == _XID:
        return "Use `changes(…)`, or `DCGM_EXP_XID_ERRORS_COUNT`, which counts errors by code within a window."
    if row.name.startswith("DCGM_EXP_"):
        return "It counts within a window of its own already: use the value, or `max_over_time`."
    return (
        "It is a rate already: use `avg_over_time`." if row.unit == "bytes_per_second" and call != "increase" else None
    )
