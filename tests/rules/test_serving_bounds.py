"""The two bounds that a promise could be moved to."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplan.rules.serving.not_a_bound import nearest_two
from tests.rules.cases import judged


@given(st.integers(1, 10_000), st.sets(st.integers(1, 10_000), min_size=2))
def test_no_bound_is_nearer_on_its_side(wanted: int, known: set[int]) -> None:
    bounds = known - {wanted}
    found = nearest_two(wanted, bounds)
    assert found == sorted(found)
    assert set(found) <= bounds
    assert len(found) == min(2, len(bounds))
    below, above = [b for b in bounds if b < wanted], [b for b in bounds if b > wanted]
    if below and above:
        assert found == [max(below), min(above)]
    elif bounds:
        assert set(found) == set(sorted(bounds, key=lambda bound: abs(bound - wanted))[:2])


ONE = """
apiVersion: gpuplan.dev/v1alpha1
metadata: {name: acme}
clusters: {eu: {kubernetes: "1.36"}}
cardTiers: {serve: {cards: [l40s]}}
nodePools: {a: {cluster: eu, tier: serve, nodes: 1, cardsPerNode: 8, selectedBy: {nfd: {}}}}
taskPools: {chat: {kind: onlineInference, service: guaranteed, tiers: [serve], serving: {engine: ENGINE}}}
teams: {nlp: {namespaces: [nlp], quotas: {chat: {serve: {guaranteed: 8}}}}}
"""


@pytest.mark.parametrize(
    ("engine", "summary", "fix"),
    [
        (
            "vllm, slo: {latencyMilliseconds: 2000}",
            "`chat` promises 2000 ms, and vLLM counts requests up to `1000` and `2500` ms",
            "Promise `1000` or `2500` ms, or start vLLM with bounds of your own (`--custom-histogram-buckets`)",
        ),
        (
            "tgi, slo: {latencyMilliseconds: 200000}",
            "TGI counts requests up to `97074` and `145611` ms",
            "Promise `97074` or `145611` ms.",
        ),
        (
            "vllm, boundsMilliseconds: [500, 700, 2000], slo: {latencyMilliseconds: 2500}",
            "vLLM counts requests up to `700` and `2000` ms",
            "Promise `700` or `2000` ms.",
        ),
    ],
)
def test_the_finding_names_the_bounds_on_both_sides(engine: str, summary: str, fix: str) -> None:
    (found,) = [one for one in judged(ONE.replace("ENGINE", engine)) if one.rule == "serving/not-a-bound"]
    assert summary in found.summary
    assert found.fix is not None
    assert fix in found.fix
