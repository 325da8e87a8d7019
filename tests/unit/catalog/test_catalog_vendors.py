"""Which family a card belongs to, and that each row says what the alerts and the rules need."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from gpuplan.catalog import Family, load

FAMILIES = load().vendors.by_name.values()


@pytest.mark.parametrize(
    ("card", "family"),
    [
        ("h100-sxm-80gb", "nvidia"),
        ("mi300x", "amd"),
        ("gaudi3", "gaudi"),
        ("ascend-910b3", "ascend"),
        ("ascend-310p3", "ascend"),
    ],
)
def test_a_card_has_the_family_of_its_resource(card: str, family: str) -> None:
    catalog = load()
    assert catalog.vendors.of(catalog.cards[card]).name == family


def test_every_card_has_a_family_whose_domain_its_resource_is_in() -> None:
    catalog = load()
    for card in catalog.cards.values():
        assert card.resource.startswith(catalog.vendors.of(card).domain + "/"), card.name


def test_an_own_card_of_intel_under_another_name_is_taken_for_a_gpu() -> None:
    catalog = load()
    own = replace(catalog.cards["gaudi3"], name="own", resource="intel.com/flex")
    assert catalog.vendors.of(own).name == "intel-gpu"


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_nfd_can_find_the_devices(family: Family) -> None:
    assert all(re.fullmatch(r"[0-9a-f]{4}", code) for code in (*family.pci_vendors, *family.pci_classes))
    assert family.pci_vendors


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_a_hot_card_can_be_told_by_a_limit_of_its_own_or_of_ours(family: Family) -> None:
    exporter = family.exporter
    assert bool(exporter.metrics.temperature_limit) != bool(exporter.limit_celsius)


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_a_limit_of_ours_is_marked_as_unchecked(family: Family) -> None:
    assert not family.exporter.limit_celsius or "limitCelsius" in family.exporter.unchecked


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_cards_are_told_apart_by_labels_that_all_our_alerts_have(family: Family) -> None:
    assert set(family.exporter.card) <= {"gpu", "UUID"}
    assert family.exporter.identity == list(family.exporter.card.values())[-1]
