"""How other labels name cards leads to cards that the catalogue has."""

from __future__ import annotations

from gpuplan import catalog

KNOWN = catalog.load()


def test_every_spelling_means_a_card_that_is_there() -> None:
    meant = {card for spelling in KNOWN.spellings.values() for card in spelling.cards.values()}
    assert meant
    assert meant <= KNOWN.cards.keys()


def test_a_label_of_a_vendor_names_its_own_cards() -> None:
    vendors = {
        label: {KNOWN.cards[card].vendor.value for card in spelling.cards.values()}
        for label, spelling in KNOWN.spellings.items()
    }
    assert vendors == {
        "amd.com/gpu.product-name": {"amd"},
        "cloud.google.com/gke-accelerator": {"nvidia"},
        "eks.amazonaws.com/instance-gpu-name": {"nvidia"},
        "karpenter.k8s.aws/instance-gpu-name": {"nvidia"},
        "node.kubernetes.io/npu.chip.name": {"huawei"},
    }
