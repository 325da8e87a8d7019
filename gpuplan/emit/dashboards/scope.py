"""How panels select series: by the variables of their dashboard, as far as a series has such labels.

`cluster` is a label that Prometheus adds for whoever gathers several clusters (`externalLabels`). It is in every selector
and every join, and its variable matches everything by default, so that dashboards work where nobody sets it.
"""

from __future__ import annotations

from dataclasses import dataclass

from gpuplan.emit.monitoring import series
from gpuplan.emit.monitoring.series import Series


@dataclass(frozen=True, slots=True)
class Scope:
    """The labels that a dashboard's variables filter."""

    labels: tuple[str, ...]

    def of(self, wanted: Series, matchers: str = "", **equal: str) -> str:
        """Select a series of ours, filtered by all variables that it has labels for, and by labels of its own."""
        return self.raw(wanted.name, *wanted.labels, matchers=matchers, **equal)

    def raw(self, metric: str, *labels: str, matchers: str = "", **equal: str) -> str:
        """Select somebody else's metric, which has the labels named; `matchers` is PromQL."""
        made = ['cluster=~"$cluster"', *(f'{name}=~"${name}"' for name in self.labels if name in labels)]
        made += [f'{name}="{value}"' for name, value in sorted(equal.items())]
        return f"{metric}{{{', '.join([*made, *([matchers] if matchers else [])])}}}"

    def by_queue_team(self, expression: str) -> str:
        """Give a series with `cluster_queue` its team, which also filters it by the variable."""
        return _joined(expression, "cluster_queue", "team", self.of(series.QUEUE_TEAM))

    def by_namespace_team(self, expression: str) -> str:
        """Give a series with `namespace` its team, which also filters it by the variable."""
        return _joined(expression, "namespace", "team", self.of(series.NAMESPACE_TEAM))

    def by_cost_center(self, expression: str) -> str:
        """Give a series with `team` its cost centre."""
        return _joined(expression, "team", "cost_center", self.of(series.TEAM))

    def with_pool(self, expression: str) -> str:
        """Give a series with `node` the pool of the node, which also filters it by the variable."""
        return _joined(expression, "node", "pool", self.of(series.NODE_POOL))

    def pools(self, expression: str) -> str:
        """Give a series with `pool` what the spec says of the pool."""
        return _joined(expression, "pool", "tier, card, sharing", self.of(series.POOL))


def _joined(expression: str, label: str, added: str, facts: str) -> str:
    return f"{expression} * on (cluster, {label}) group_left ({added}) {facts}"
