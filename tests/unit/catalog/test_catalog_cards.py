"""The card table: every card of the research, each with what rules and emitters ask of it."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

import pytest

from gpuplan import catalog
from gpuplan.catalog import Card, KernelModules, Vendor
from gpuplan.versions import required

KNOWN = catalog.load()

PRODUCTS = {
    "a10": "NVIDIA-A10",
    "a100-pcie-40gb": "NVIDIA-A100-PCIE-40GB",
    "a100-pcie-80gb": "NVIDIA-A100-80GB-PCIe",
    "a100-sxm-40gb": "NVIDIA-A100-SXM4-40GB",
    "a100-sxm-80gb": "NVIDIA-A100-SXM4-80GB",
    "a10g": "NVIDIA-A10G",
    "a16": "NVIDIA-A16",
    "a2": "NVIDIA-A2",
    "a30": "NVIDIA-A30",
    "a40": "NVIDIA-A40",
    "a800-sxm-80gb": "NVIDIA-A800-SXM4-80GB",
    "ascend-310p3": "Ascend-310P3",
    "ascend-910b2": "Ascend-910B2",
    "ascend-910b3": "Ascend-910B3",
    "ascend-910b4": "Ascend-910B4",
    "b200": "NVIDIA-B200",
    "b300": "NVIDIA-B300-SXM6-AC",
    "gaudi2": "Intel-Gaudi-2",
    "gaudi3": "Intel-Gaudi-3",
    "gb200": "NVIDIA-GB200",
    "gb300": "NVIDIA-GB300",
    "gh200-120gb": "NVIDIA-GH200-120GB",
    "gh200-144gb": "NVIDIA-GH200-144G-HBM3e",
    "gh200-480gb": "NVIDIA-GH200-480GB",
    "h100-nvl-94gb": "NVIDIA-H100-NVL",
    "h100-pcie-80gb": "NVIDIA-H100-PCIe",
    "h100-sxm-80gb": "NVIDIA-H100-80GB-HBM3",
    "h20": "NVIDIA-H20",
    "h20-3e": "NVIDIA-H20-3e",
    "h200-141gb": "NVIDIA-H200",
    "h200-nvl-141gb": "NVIDIA-H200-NVL",
    "h800-nvl-94gb": "NVIDIA-H800-NVL",
    "h800-pcie-80gb": "NVIDIA-H800-PCIe",
    "h800-sxm-80gb": "NVIDIA-H800",
    "l20": "NVIDIA-L20",
    "l4": "NVIDIA-L4",
    "l40": "NVIDIA-L40",
    "l40s": "NVIDIA-L40S",
    "mi210": "AMD-Instinct-MI210",
    "mi250x": "AMD-Instinct-MI250X",
    "mi300x": "AMD-Instinct-MI300X",
    "mi325x": "AMD-Instinct-MI325X",
    "mi350x": "AMD-Instinct-MI350X",
    "mi355x": "AMD-Instinct-MI355X",
    "rtx-pro-6000-server": "NVIDIA-RTX-PRO-6000-Blackwell-Server-Edition",
    "t4": "Tesla-T4",
    "v100-pcie-16gb": "Tesla-V100-PCIE-16GB",
    "v100-pcie-32gb": "Tesla-V100-PCIE-32GB",
    "v100-sxm2-16gb": "Tesla-V100-SXM2-16GB",
    "v100-sxm2-32gb": "Tesla-V100-SXM2-32GB",
    "v100s-pcie-32gb": "Tesla-V100S-PCIE-32GB",
}
WITHOUT_MIG = ("t4", "v100-sxm2-32gb", "a10", "a16", "a40", "a2", "l4", "l40", "l40s", "l20", "mi300x", "gaudi3")
WITHOUT_FP8 = {"volta", "turing", "ampere", "cdna2", "ascend-910b", "ascend-310p"}
CAPABILITIES = {
    "volta": ("7.0",),
    "turing": ("7.5",),
    "ampere": ("8.0", "8.6"),
    "ada-lovelace": ("8.9",),
    "hopper": ("9.0",),
    "blackwell": ("10.0", "10.3", "12.0"),
}
RESOURCES = {
    Vendor.NVIDIA: {"nvidia.com/gpu"},
    Vendor.AMD: {"amd.com/gpu"},
    Vendor.INTEL: {"habana.ai/gaudi"},
    Vendor.HUAWEI: {"huawei.com/Ascend910", "huawei.com/Ascend310P"},
}
every_card = pytest.mark.parametrize("card", [pytest.param(card, id=name) for name, card in KNOWN.cards.items()])


@pytest.mark.parametrize(("name", "product"), PRODUCTS.items())
def test_each_card_of_the_research_is_there_under_its_product_name(name: str, product: str) -> None:
    assert KNOWN.cards[name].product_name == product


def test_there_are_cards_of_four_vendors_and_no_product_twice() -> None:
    assert {card.vendor for card in KNOWN.cards.values()} == set(Vendor)
    assert len(KNOWN.cards) >= 50
    assert max(Counter(card.product_name for card in KNOWN.cards.values()).values()) == 1


@every_card
def test_a_card_is_named_as_a_label_value_and_its_numbers_are_plausible(card: Card) -> None:
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", card.name)
    assert re.fullmatch(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?", card.product_name)
    assert all(re.fullmatch(r"[0-9a-f]{4}", device) for device in card.pci_ids)
    assert 16 <= card.memory_gib <= 288
    assert card.memory_mib is None or 0.87 <= card.memory_mib / 1024 / card.memory_gib <= 1.01
    assert card.tdp_watts is None or 50 <= card.tdp_watts <= 1400
    assert card.cards_per_node
    assert set(card.cards_per_node) <= {1, 2, 4, 8, 16}


@every_card
def test_a_card_fits_its_vendor_and_architecture(card: Card) -> None:
    assert card.resource in RESOURCES[card.vendor]
    assert card.fp8 is (card.architecture not in WITHOUT_FP8)
    if card.vendor is Vendor.NVIDIA:
        assert str(card.compute_capability) in CAPABILITIES[card.architecture]
        assert card.pci_ids
        assert card.architecture in KNOWN.drivers.limits
    else:
        assert card.compute_capability is None
        assert card.mig_class is None


@every_card
def test_figures_that_nobody_has_read_are_marked_unchecked(card: Card) -> None:
    fields = set(Card.__dataclass_fields__)
    assert card.unchecked <= fields
    assert "cards_per_node" in card.unchecked
    for field in ("tdp_watts", "nvlink"):
        assert (field in card.unchecked) is (getattr(card, field) is not None)


def test_memory_that_was_seen_on_a_card_counts_as_checked() -> None:
    seen = {"h100-sxm-80gb": 81559, "h100-pcie-80gb": 81559, "l40s": 46068, "t4": 15360, "v100-sxm2-32gb": 32768}
    checked = {n: c.memory_mib for n, c in KNOWN.cards.items() if c.memory_mib and c.is_checked("memory_mib")}
    assert seen.items() <= checked.items()
    assert set(checked) - set(seen) == {"ascend-310p3"}


@every_card
def test_a_card_names_an_existing_mig_class_or_none(card: Card) -> None:
    mig_class = KNOWN.mig_of(card)
    assert (mig_class is None) is (card.mig_class is None)
    if mig_class is not None:
        assert mig_class.name == card.mig_class


@pytest.mark.parametrize("name", WITHOUT_MIG)
def test_a_card_that_cannot_be_cut_has_no_mig_class(name: str) -> None:
    assert KNOWN.mig_of(KNOWN.cards[name]) is None


def test_every_mig_class_has_a_card() -> None:
    assert {card.mig_class for card in KNOWN.cards.values()} - {None} == set(KNOWN.mig)


@pytest.mark.parametrize(
    ("name", "oldest", "last_branch", "modules"),
    [
        ("v100-sxm2-32gb", None, 580, KernelModules.PROPRIETARY),
        ("t4", None, None, KernelModules.ANY),
        ("a100-sxm-40gb", None, None, KernelModules.ANY),
        ("h100-sxm-80gb", None, None, KernelModules.ANY),
        ("gh200-480gb", None, None, KernelModules.OPEN),
        ("b200", "570.133.20", None, KernelModules.OPEN),
        ("rtx-pro-6000-server", "575.57.08", None, KernelModules.OPEN),
    ],
)
def test_driver_limits_join_the_architecture_and_the_card(
    name: str, oldest: str | None, last_branch: int | None, modules: KernelModules
) -> None:
    limits = KNOWN.driver_limits(KNOWN.cards[name])
    assert limits is not None
    assert limits.min_driver == (required(oldest) if oldest else None)
    assert limits.max_branch == last_branch
    assert limits.kernel_modules is modules


def test_a_limit_that_the_card_states_itself_is_checked_even_where_its_architecture_is_not() -> None:
    hopper, grace = (KNOWN.driver_limits(KNOWN.cards[name]) for name in ("h100-sxm-80gb", "gh200-480gb"))
    assert hopper is not None
    assert grace is not None
    assert "kernel_modules" in hopper.unchecked
    assert "kernel_modules" not in grace.unchecked
    assert grace.unchecked <= {"min_driver", "max_branch", "kernel_modules"}


@pytest.mark.parametrize("name", ["mi300x", "gaudi3", "ascend-910b3"])
def test_a_card_of_another_vendor_has_no_driver_limits(name: str) -> None:
    assert KNOWN.driver_limits(KNOWN.cards[name]) is None


def test_a_fleet_may_add_a_card_and_replace_one_without_touching_the_catalogue() -> None:
    own = replace(KNOWN.cards["l40s"], name="own-card", product_name="Own-Card")
    twin = replace(KNOWN.cards["t4"], memory_gib=17)
    extended = KNOWN.with_cards([own, twin])
    assert extended.cards["own-card"] is own
    assert extended.cards["t4"].memory_gib == 17
    assert extended.mig is KNOWN.mig
    assert "own-card" not in KNOWN.cards
    assert KNOWN.cards["t4"].memory_gib == 16
