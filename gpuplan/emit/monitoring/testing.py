"""Tests of alerts in promtool's format, understood alike by Prometheus 2.42 and 3.

A test asks for the series ALERTS rather than by promtool's `alert_rule_test`, which would compare annotations as well: the
labels decide who hears of an alert, and a better wording must break nobody's CI.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gpuplan.emit.monitoring.alerts import Alert, Case, Group


def test_file(group: Group, rules: str) -> dict[str, Any]:
    """Return promtool's file that tests the alerts of a group; `rules` is the file of its rules beside it."""
    return {
        "rule_files": [rules],
        "evaluation_interval": group.interval or "1m",
        "tests": [_test(alert, case) for alert in group.alerts for case in alert.cases],
    }


def _test(alert: Alert, case: Case) -> dict[str, Any]:
    return {
        "name": f"{alert.name}, {case.kind}: {case.name}",
        "interval": "1m",
        "input_series": [{"series": series, "values": values} for series, values in case.inputs.items()],
        "promql_expr_test": [
            {
                "expr": f'ALERTS{{alertname="{alert.name}", alertstate="firing"}}',
                "eval_time": case.at,
                "exp_samples": [{"labels": _alerts(alert, labels), "value": 1} for labels in case.fires],
            }
        ],
    }


def _alerts(alert: Alert, labels: Mapping[str, str]) -> str:
    fixed = {"team": alert.team} if alert.team else {}
    carried = {**labels, **fixed, "alertname": alert.name, "alertstate": "firing", "severity": alert.severity}
    return "ALERTS{" + ", ".join(f'{name}="{value}"' for name, value in sorted(carried.items())) + "}"
