"""Labels by which a driver may be chosen: those that last while cards are shared or cut in another way."""

from __future__ import annotations

import pytest

from gpuplan.model.labels import lasting_labels
from tests.unit.emit.fleets import place

LAB = "selectedBy: {labels: {pool: lab, nvidia.com/mig.config: %s}}"


@pytest.mark.parametrize(
    ("pools", "lasting"),
    [
        ("a: {}", {"gpuplan.dev/pool": "a"}),
        ("a: {sharing: {mig: {profiles: {1g.5gb: 7}}}}", {"gpuplan.dev/pool": "a"}),
        (f"a: {{{LAB % 'x'}}}", {"pool": "lab"}),
        (f"a: {{{LAB % 'x'}}}, b: {{selectedBy: {{labels: {{pool: desk}}}}}}", {"pool": "lab"}),
        (f"a: {{{LAB % 'x'}}}, b: {{{LAB % 'y'}}}", {"pool": "lab", "nvidia.com/mig.config": "x"}),
        ("a: {selectedBy: {labels: {nvidia.com/mig.config: x}}}", {"nvidia.com/mig.config": "x"}),
    ],
)
def test_what_lasts_still_tells_a_pool_from_the_others(pools: str, lasting: dict[str, str]) -> None:
    here = place(pools)
    assert lasting_labels(here.cluster, here.pool) == lasting
