"""`gpuplan show` says what a piece is, and who runs a pool's agents where the cluster does not."""

from __future__ import annotations

import pytest

from gpuplan.report import console, show
from tests.build import fleet

SPEC = """\
apiVersion: gpuplan.dev/v1alpha1
metadata: {{name: acme}}
clusters: {{eu: {{kubernetes: "1.36", stack: external}}}}
cardTiers: {{lab: {{cards: [{card}], topology: "off"}}}}
nodePools:
  a: {{cluster: eu, tier: lab, nodes: 2, cardsPerNode: 8, selectedBy: {{labels: {{pool: a}}}}, {more}}}
"""


@pytest.mark.parametrize(
    ("card", "more", "offers"),
    [
        ("mi300x", "sharing: exclusive", "16 amd.com/gpu"),
        ("mi300x", "sharing: {partition: {compute: CPX}}", "128 amd.com/gpu (1/8 card each)"),
        ("mi300x", "sharing: {partition: {compute: SPX}}", "16 amd.com/gpu"),
        ("ascend-310p3", "sharing: {vnpu: {templates: {vir02: 4}}}", "64 huawei.com/Ascend310P-2c (vir02 each)"),
        ("l4", "sharing: {timeSlicing: {replicas: 4}}", "64 nvidia.com/gpu.shared (1/4 card each)"),
        ("l4", "sharing: {hami: {split: 10}}", "160 nvidia.com/gpu (1/10 card each)"),
        ("a100-sxm-40gb", "sharing: {mig: {profiles: {1g.5gb: 7}}}", "112 nvidia.com/mig-1g.5gb"),
        (
            "a100-sxm-40gb",
            "sharing: {mig: {strategy: single, profiles: {1g.5gb: 7}}}",
            "112 nvidia.com/gpu (1g.5gb each)",
        ),
        ("l4", "stack: manual", "16 nvidia.com/gpu · manual"),
    ],
)
def test_what_a_pool_offers_says_what_one_is_where_the_name_does_not(card: str, more: str, offers: str) -> None:
    built = fleet(SPEC.format(card=card, more=more))
    drawn = console.drawn(show.overview(built, built.clusters, origins=False), colour=False)
    (line,) = [line for line in drawn.splitlines() if line.startswith("a ")]
    assert line.rstrip().endswith(f"  {offers}")
