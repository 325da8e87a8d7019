"""MIG classes: names as the driver spells them, places as `nvidia-smi mig -lgipp` shows them."""

from __future__ import annotations

import re

import pytest

from gpuplan import catalog
from gpuplan.catalog import MigClass, MigProfile
from gpuplan.catalog.mig import Placement, label_safe, resource_name

MIG = catalog.load().mig
UNCONFIRMED = {"R32c", "R96c"}

# Names in the order 1g, 1g+me, 1g with double memory, 2g, 3g, 4g, 7g; the most instances of each; the places of each.
SEVEN_SLICE_NAMES = {
    "A40c": "1g.5gb 1g.5gb+me 1g.10gb 2g.10gb 3g.20gb 4g.20gb 7g.40gb",
    "A80c": "1g.10gb 1g.10gb+me 1g.20gb 2g.20gb 3g.40gb 4g.40gb 7g.80gb",
    "H94c": "1g.12gb 1g.12gb+me 1g.24gb 2g.24gb 3g.47gb 4g.47gb 7g.94gb",
    "H96c": "1g.12gb 1g.12gb+me 1g.24gb 2g.24gb 3g.48gb 4g.48gb 7g.96gb",
    "H141c": "1g.18gb 1g.18gb+me 1g.35gb 2g.35gb 3g.71gb 4g.71gb 7g.141gb",
    "H144c": "1g.18gb 1g.18gb+me 1g.36gb 2g.36gb 3g.72gb 4g.72gb 7g.144gb",
    "B180c": "1g.23gb 1g.23gb+me 1g.45gb 2g.45gb 3g.90gb 4g.90gb 7g.180gb",
    "B186c": "1g.23gb 1g.23gb+me 1g.47gb 2g.47gb 3g.93gb 4g.93gb 7g.186gb",
    "B269c": "1g.34gb 1g.34gb+me 1g.67gb 2g.67gb 3g.135gb 4g.135gb 7g.269gb",
    "B278c": "1g.35gb 1g.35gb+me 1g.70gb 2g.70gb 3g.139gb 4g.139gb 7g.278gb",
}
SEVEN_SLICE_COUNTS = [7, 1, 4, 3, 2, 1, 1]
SEVEN_SLICE_PLACES = [
    "0:1 1:1 2:1 3:1 4:1 5:1 6:1",
    "0:1 1:1 2:1 3:1 4:1 5:1 6:1",
    "0:2 2:2 4:2 6:2",
    "0:2 2:2 4:2",
    "0:4 4:4",
    "0:4",
    "0:8",
]
FOUR_SLICE_COUNTS = {
    "A30c": {"1g.6gb": 4, "1g.6gb+me": 1, "2g.12gb": 2, "2g.12gb+me": 1, "4g.24gb": 1},
    "R96c": {
        "1g.24gb": 4,
        "1g.24gb+me": 1,
        "1g.24gb+me.all": 1,
        "1g.24gb+gfx": 4,
        "1g.24gb-me": 4,
        "2g.48gb": 2,
        "2g.48gb+me.all": 1,
        "2g.48gb+gfx": 2,
        "2g.48gb-me": 2,
        "4g.96gb": 1,
        "4g.96gb+gfx": 1,
    },
    "R32c": {"1g.16gb": 2, "2g.32gb": 1},
}
every_profile = pytest.mark.parametrize(
    ("mig_class", "profile"),
    [pytest.param(c, p, id=f"{c.name}-{p.name}") for c in MIG.values() for p in c.profiles.values()],
)


def places(profile: MigProfile) -> str:
    """Write the places as `start:size start:size`."""
    return " ".join(f"{place.start}:{place.size}" for place in profile.placements)


@pytest.mark.parametrize(("name", "profiles"), SEVEN_SLICE_NAMES.items())
def test_a_seven_slice_class_has_these_names_counts_and_places(name: str, profiles: str) -> None:
    mig_class = MIG[name]
    assert list(mig_class.profiles) == profiles.split()
    assert [profile.max_count for profile in mig_class.profiles.values()] == SEVEN_SLICE_COUNTS
    assert [places(profile) for profile in mig_class.profiles.values()] == SEVEN_SLICE_PLACES
    assert (mig_class.compute_slices, mig_class.memory_slices) == (7, 8)


@pytest.mark.parametrize(("name", "counts"), FOUR_SLICE_COUNTS.items())
def test_a_smaller_class_has_these_names_and_counts(name: str, counts: dict[str, int]) -> None:
    found = {profile.name: profile.max_count for profile in MIG[name].profiles.values()}
    assert found == counts


def test_there_is_no_other_class() -> None:
    known = SEVEN_SLICE_NAMES.keys() | FOUR_SLICE_COUNTS.keys()
    assert set(MIG) == known


def test_the_places_of_an_a30_are_those_that_it_lists() -> None:
    found = {name: places(profile) for name, profile in MIG["A30c"].profiles.items()}
    small, half = "0:1 1:1 2:1 3:1", "0:2 2:2"
    assert found == {"1g.6gb": small, "1g.6gb+me": small, "2g.12gb": half, "2g.12gb+me": half, "4g.24gb": "0:4"}


def test_media_profiles_of_an_a30_need_their_driver() -> None:
    needs = {name: str(p.min_driver) for name, p in MIG["A30c"].profiles.items() if p.min_driver}
    assert needs == {"1g.6gb+me": "470", "2g.12gb+me": "525"}


def test_only_places_that_were_read_from_a_card_count_as_confirmed() -> None:
    assert {mig_class.name for mig_class in MIG.values() if not mig_class.confirmed} == UNCONFIRMED


@every_profile
def test_a_profile_agrees_with_its_own_name_and_its_class(mig_class: MigClass, profile: MigProfile) -> None:
    shape = re.fullmatch(r"(\d)g\.\d+gb(?:\+([a-z.]+)|(-me))?", profile.name)
    assert shape is not None
    assert profile.compute_slices == int(shape[1])
    assert profile.attribute == (shape[2] or shape[3] or "")
    assert profile.placements == tuple(sorted(set(profile.placements)))
    assert len({place.size for place in profile.placements}) == 1
    assert profile.placements[0].start >= 0
    assert profile.placements[-1].start + profile.memory_slices <= mig_class.memory_slices
    assert profile.max_count in range(1, len(profile.placements) + 1)
    assert profile.holds_media_engines is (profile.attribute in ("me", "me.all"))
    assert not profile.holds_media_engines or profile.max_count == 1
    assert profile.decoders <= mig_class.decoders


def test_a_variant_name_stands_for_a_profile_of_the_class() -> None:
    gb200 = MIG["B186c"]
    assert gb200.find("7g.189gb") is gb200.profiles["7g.186gb"]
    assert gb200.find("3g.95gb") is gb200.profiles["3g.93gb"]
    assert gb200.find("1g.24gb") is None
    for mig_class in MIG.values():
        assert set(mig_class.variants.values()) <= set(mig_class.profiles)
        assert not set(mig_class.variants) & set(mig_class.profiles)


@pytest.mark.parametrize(
    ("profile", "resource"),
    [
        ("1g.10gb", "nvidia.com/mig-1g.10gb"),
        ("1g.10gb+me", "nvidia.com/mig-1g.10gb.me"),
        ("1g.24gb+me.all", "nvidia.com/mig-1g.24gb.me.all"),
        ("1g.24gb+gfx", "nvidia.com/mig-1g.24gb.gfx"),
        ("1g.24gb-me", "nvidia.com/mig-1g.24gb-me"),
    ],
)
def test_a_profile_gives_its_resource(profile: str, resource: str) -> None:
    assert resource_name(profile) == resource


@every_profile
def test_names_made_from_a_profile_are_legal_label_values(mig_class: MigClass, profile: MigProfile) -> None:
    assert re.fullmatch(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?", label_safe(profile.name))
    assert profile.resource == f"nvidia.com/mig-{label_safe(profile.name)}"
    assert "+" not in profile.resource


def test_a_placement_occupies_its_run_of_slices() -> None:
    assert Placement(0, 8).mask == 0b11111111
    assert Placement(4, 2).mask == 0b00110000
