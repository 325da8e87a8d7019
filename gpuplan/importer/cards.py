"""Which card stands behind the words of files: product labels, values of taints, names that people chose."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from gpuplan import catalog
from gpuplan.catalog.cards import Card, Vendor
from gpuplan.catalog.mig import MigClass
from gpuplan.conventions import LABEL_PRODUCT
from gpuplan.inventory.assuming import find_card
from gpuplan.suggest import candidates

MEMORY_TAKEN = 80
"""GiB of a card that no file tells."""
PRODUCT_LABELS = (LABEL_PRODUCT, "amd.com/gpu.product-name")
_PRODUCT = re.compile(r"(?P<card>.+?)(?:-MIG-(?:INVALID|(?P<profile>\d+g\.\d+gb[\w.+-]*?)))?(?P<shared>-SHARED)?")
"""Value of `nvidia.com/gpu.product` as GPU Feature Discovery builds it: card, MIG profile under strategy single, sharing."""
_VENDORS: Mapping[str, Vendor] = {
    "nvidia.com": Vendor.NVIDIA,
    "dra.gpuplan.dev": Vendor.NVIDIA,
    "amd.com": Vendor.AMD,
    "huawei.com": Vendor.HUAWEI,
    "gpu.intel.com": Vendor.INTEL,
    "intel.com": Vendor.INTEL,
    "habana.ai": Vendor.INTEL,
}


@dataclass(frozen=True, slots=True)
class Product:
    """What a product label says. `card` is the catalogue's, None where it knows none of that name."""

    label: str
    card: Card | None
    profile: str
    shared: bool


def product(label: str, cards: Mapping[str, Card]) -> Product:
    """Read a product label.

    >>> from gpuplan import catalog
    >>> read = product("NVIDIA-A800-80GB-PCIe-MIG-2g.20gb-SHARED", catalog.load().cards)
    >>> read.card.name, read.profile, read.shared
    ('a800-pcie-80gb', '2g.20gb', True)
    """
    match = _PRODUCT.fullmatch(label)
    if match is None:
        return Product(label, None, "", shared=False)
    return Product(
        match["card"], find_card(match["card"], cards), match["profile"] or "", shared=match["shared"] is not None
    )


def named(labels: Mapping[str, str], cards: Mapping[str, Card]) -> tuple[str, Product]:
    """Return the label of a node that names its card, and what it says; an empty label where none does.

    >>> from gpuplan import catalog
    >>> key, read = named({"cloud.google.com/gke-accelerator": "nvidia-tesla-t4"}, catalog.load().cards)
    >>> key, read.card.name
    ('cloud.google.com/gke-accelerator', 't4')
    """
    for key in PRODUCT_LABELS:
        if key in labels:
            read = product(labels[key], cards)
            return key, read if read.card is not None else _spelt(key, labels[key], cards) or read
    for key in catalog.load().spellings:
        if key in labels:
            found = _spelt(key, labels[key], cards)
            if found is not None:
                return key, found
    return "", Product("", None, "", shared=False)


def _spelt(key: str, value: str, cards: Mapping[str, Card]) -> Product | None:
    """Return what a label's value stands for, by how providers and other vendors' agents spell cards."""
    spelling = catalog.load().spellings.get(key)
    card = cards.get(spelling.cards.get(value, "")) if spelling is not None else None
    return Product(value, card, "", shared=False) if card is not None else None


def is_accelerator(resource: str) -> bool:
    """Tell whether a resource stands for cards or pieces of them.

    >>> [is_accelerator(name) for name in ("nvidia.com/gpu", "nvidia.com/mig-1g.5gb", "nvidia.com/roce_gdr", "pods")]
    [True, True, False, False]
    """
    return resource in catalog.load().accelerators


def vendor_of(resource: str) -> Vendor | None:
    """Return whose accelerator a resource stands for."""
    return _VENDORS.get(resource.partition("/")[0])


def meant_by(words: Iterable[str], cards: Mapping[str, Card]) -> Card | None:
    """Return the one card that a name of a flavor or a label's value can only mean: `a40`, not `h100`."""
    for word in words:
        exact = find_card(word, cards)
        if exact is not None:
            return exact
    for word in words:
        near = candidates(word.casefold(), cards)
        if len(near) == 1 and near[0].startswith(word.casefold()):
            return cards[near[0]]
    return None


def profiles_of(sharing: object) -> frozenset[str]:
    """Return the MIG profiles in `sharing` of a pool, as the spec writes it."""
    mig = sharing.get("mig") if isinstance(sharing, Mapping) else None
    groups = mig.get("groups", [mig]) if isinstance(mig, Mapping) else []
    return frozenset(name for group in groups for name in group.get("profiles", {}))


def mig_class_of(profiles: frozenset[str], classes: Mapping[str, MigClass]) -> str:
    """Return the first class of cards that knows all of some profiles; empty where there are none, or none knows them."""
    fitting = (one.name for one in classes.values() if profiles <= one.profiles.keys())
    return next(fitting, "") if profiles else ""
