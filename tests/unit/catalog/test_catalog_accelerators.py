"""Resource names are cards, parts of cards, or neither, whatever domain they stand under."""

from __future__ import annotations

import pytest

from gpuplan import catalog

DEVICES = catalog.load().accelerators
CARDS = (
    "nvidia.com/gpu nvidia.com/TU104GL_Tesla_T4 amd.com/gpu huawei.com/Ascend910 huawei.com/Ascend310P gpu.intel.com/i915 "
    "gpu.intel.com/xe habana.ai/gaudi google.com/tpu dra.gpuplan.dev/gpu"
)
PARTS = (
    "nvidia.com/gpu.shared nvidia.com/mig-1g.5gb nvidia.com/mig-1g.5gb.me nvidia.com/mig-1g.5gb.shared amd.com/cpx_nps4 "
    "huawei.com/Ascend910-4c huawei.com/Ascend310P-2c.1cpu"
)
NEITHER = (
    "cpu memory pods ephemeral-storage nvidia.com/roce_gdr nvidia.com/hostdev nvidia.com/gpumem nvidia.com/gpucores rdma/ib "
    "gpu.intel.com/millicores gpu.intel.com/i915_monitoring huawei.com/Ascend910B3-memory contest.example/gpu-count "
    "devices.kubevirt.io/kvm nvidia.com /gpu"
)


@pytest.mark.parametrize("name", CARDS.split())
def test_a_card(name: str) -> None:
    assert DEVICES.is_card(name)
    assert not DEVICES.is_part(name)
    assert name in DEVICES


@pytest.mark.parametrize("name", PARTS.split())
def test_a_part_of_a_card(name: str) -> None:
    assert DEVICES.is_part(name)
    assert not DEVICES.is_card(name)
    assert name in DEVICES


@pytest.mark.parametrize("name", NEITHER.split())
def test_neither(name: str) -> None:
    assert name not in DEVICES


def test_every_card_of_the_catalogue_is_known_and_every_part_that_its_vendor_makes() -> None:
    known = catalog.load()
    assert [card.name for card in known.cards.values() if not DEVICES.is_card(card.resource)] == []
    parts = [
        f"{known.cards[name].resource}-{template.resource}"
        for name, cuts in known.cuts.vnpus.items()
        for template in cuts.templates.values()
    ]
    assert parts
    assert [name for name in parts if not DEVICES.is_part(name)] == []
