"""What running work has to fear of a cut, against the plain sum of all that wants the cards."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from gpuplan.plan.parts import Risk
from tests.unit.plan.two import effects

SPEC = """
apiVersion: gpuplan.dev/v1alpha1
metadata: {{name: acme}}
clusters: {{eu: {{kubernetes: "1.36"}}}}
cardTiers: {{train: {{cards: [h100-sxm-80gb]}}}}
nodePools:
  a: {{cluster: eu, tier: train, nodes: 2, cardsPerNode: 8, selectedBy: {{labels: {{pool: a}}}}, driver: {{branch: "580"}}}}
taskPools:
  pretrain: {{kind: training, service: guaranteed, tiers: [train]}}
teams:
  x: {{namespaces: [x], quotas: {{pretrain: {{train: {{guaranteed: {0}, borrow: 16}}}}}}}}
  y: {{namespaces: [y], quotas: {{pretrain: {{train: {{guaranteed: {1}}}}}}}}}
  z: {{namespaces: [z], quotas: {{pretrain: {{train: {{guaranteed: {2}}}}}}}}}
"""
CARDS = 16


@st.composite
def floors(draw: st.DrawFn) -> list[int]:
    """Draw three floors that fit into the cards."""
    cuts = sorted(draw(st.lists(st.integers(0, CARDS), min_size=3, max_size=3)))
    return [cuts[0], cuts[1] - cuts[0], cuts[2] - cuts[1]]


@settings(max_examples=40)
@given(floors(), floors())
def test_work_has_to_fear_a_cut_where_old_and_new_floors_together_are_more_than_there_is(
    old: list[int], new: list[int]
) -> None:
    cut = [index for index in range(3) if new[index] < old[index]]
    found = [one for one in effects(SPEC.format(*old), SPEC.format(*new)) if one.fact == "quota/guaranteed-cut"]
    assert len(found) == len(cut)
    wanted = sum(max(*pair) for pair in zip(old, new, strict=True))
    assert any(one.risk is Risk.DISRUPTIVE for one in found) == (wanted > CARDS)
    if len(cut) == 1 and wanted > CARDS:
        assert f"but {wanted - CARDS} of what runs" in found[0].summary
