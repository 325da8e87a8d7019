"""How cards of other vendors can be cut: no cut gives more than the card has, and names follow their rule."""

from __future__ import annotations

import re

import pytest

from gpuplan.catalog import Partitions, Vnpus, load
from gpuplan.catalog.cards import Vendor

CUTS = load().cuts


@pytest.mark.parametrize("known", CUTS.partitions.values(), ids=lambda known: known.card)
def test_a_partitioned_card_is_one_device_in_spx_and_its_memory_splits_in_cpx_only(known: Partitions) -> None:
    assert load().cards[known.card].vendor is Vendor.AMD
    assert known.devices["SPX"] == 1
    assert known.devices.keys() == known.memory.keys() == {"SPX", "CPX"}
    assert known.memory["SPX"] == ("NPS1",)


@pytest.mark.parametrize("known", CUTS.vnpus.values(), ids=lambda known: known.card)
def test_a_virtual_npu_is_named_after_its_cores_of_which_the_card_has_enough(known: Vnpus) -> None:
    assert load().cards[known.card].vendor is Vendor.HUAWEI
    for template in known.templates.values():
        assert 0 < template.cores <= known.cores
        assert template.name.startswith(f"vir{template.cores:02}")
        assert re.fullmatch(rf"{template.cores}c(\.\d+cpu(\.\d+g)?)?(\.n?dvpp)?", template.resource)
    resources = [template.resource for template in known.templates.values()]
    assert len(set(resources)) == len(resources)
