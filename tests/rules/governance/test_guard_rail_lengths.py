"""Whatever fills a guard rail with names is counted: what the rule lets pass, the API server can read."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from gpuplan import rules
from gpuplan.emit import guardrails
from gpuplan.model.fleet import Fleet
from tests.build import fleet

SPEC = """
apiVersion: gpuplan.dev/v1alpha1
metadata: {name: acme}
clusters: {eu: {kubernetes: "1.36"}}
cardTiers: {serve: {cards: [l40s], topology: {levels: [%s, kubernetes.io/hostname]}}}
nodePools: {a: {cluster: eu, tier: serve, nodes: 9, cardsPerNode: 8, topologyLabels: provided, selectedBy: {nfd: {}}}}
taskPools:
%s
teams: {nlp: {namespaces: [%s], quotas: {%s}}}
"""
SERVER_LIMIT = 100_000
"""Characters that the API server takes in one expression (tried on Kubernetes 1.36)."""
LEVEL = f"{'d' * 250}/{'l' * 60}"


def crowded(*, namespaces: int = 1, task_pools: int = 1) -> Fleet:
    pools = [f"p{number:060}" for number in range(task_pools)]
    pool = f"{{kind: experiment, service: reclaimable, tiers: [serve], topology: {{required: {LEVEL}}}}}"
    spaces = ", ".join(f"n{number:060}" for number in range(namespaces))
    return fleet(
        SPEC
        % (
            LEVEL,
            "\n".join(f"  {name}: {pool}" for name in pools),
            spaces,
            ", ".join(f"{name}: {{}}" for name in pools),
        )
    )


def complaints(made: Fleet) -> list[str]:
    return [one.summary for one in rules.check(made) if one.rule == "governance/guard-rail-too-long"]


def expressions(made: Fleet) -> Iterator[str]:
    for manifest in guardrails.emit(made, made.clusters[0]):
        spec = manifest.object["spec"]
        assert isinstance(spec, dict)
        for part in ("matchConditions", "variables", "validations"):
            yield from (one["expression"] for one in spec.get(part, ()))


@pytest.mark.parametrize(
    ("names", "fit", "what"), [("namespaces", 1400, "namespaces with queues"), ("task_pools", 220, "queues")]
)
def test_names_are_refused_before_their_expression_is_too_long(names: str, fit: int, what: str) -> None:
    within = crowded(**{names: fit})
    assert complaints(within) == []
    assert SERVER_LIMIT * 0.9 < max(map(len, expressions(within))) < SERVER_LIMIT
    beyond = crowded(**{names: fit * 11 // 10})
    assert max(map(len, expressions(beyond))) > SERVER_LIMIT
    (found,) = complaints(beyond)
    assert found.startswith(f"The {what} of cluster `eu` are ")
