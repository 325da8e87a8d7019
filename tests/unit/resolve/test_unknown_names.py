"""A name that stands for nothing is answered with what could be written instead."""

from __future__ import annotations

import pytest

from tests.build import resolved

FLEET = """\
apiVersion: gpuplan.dev/v1alpha1
metadata: {{name: acme}}
clusters: {{eu: {{kubernetes: "1.36"{cluster}}}}}
cardTiers: {{serve: {{cards: [{card}]}}}}
nodePools: {{a: {{cluster: eu, tier: serve, nodes: 1, cardsPerNode: 8, selectedBy: {{nfd: {{}}}}}}}}
"""


@pytest.mark.parametrize(
    ("cluster", "card", "fix"),
    [
        (
            "",
            "h100",
            "Write `h100-nvl-94gb` or `h100-pcie-80gb` or `h100-sxm-80gb`, or define `h100` under `cards`.",
        ),
        (', release: "2026.8"', "l40s", "Write `2026.08`."),
        (", components: {gpu-operator: {version: v26.7.0}}", "l40s", "Write `gpuOperator`."),
    ],
)
def test_names_that_may_be_meant_are_offered_and_only_what_a_spec_can_define_is_to_be_defined(
    cluster: str, card: str, fix: str
) -> None:
    _, findings = resolved(FLEET.format(cluster=cluster, card=card))
    assert [(one.rule, one.fix) for one in findings] == [("ref/unknown-name", fix)]
