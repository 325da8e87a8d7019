"""Driver branches and what features ask for."""

from __future__ import annotations

import datetime as dt

import pytest

from gpuplan import catalog
from gpuplan.catalog import KernelModules
from gpuplan.versions import required

DRIVERS = catalog.load().drivers


@pytest.mark.parametrize(
    ("branch", "life", "last_day"),
    [
        ("535", "LTS", dt.date(2026, 6, 30)),
        ("570", "PB", dt.date(2026, 2, 28)),
        ("580", "LTS", dt.date(2028, 6, 30)),
        ("595", "PB", dt.date(2027, 3, 31)),
        ("610", "NFB", dt.date(2026, 8, 31)),
        ("620", "LTS", dt.date(2029, 9, 30)),
    ],
)
def test_a_branch_ends_after_its_last_day(branch: str, life: str, last_day: dt.date) -> None:
    row = DRIVERS.branches[branch]
    assert row.life == life
    assert not row.has_ended(last_day)
    assert row.has_ended(last_day + dt.timedelta(days=1))


def test_an_end_known_only_by_half_a_year_is_unchecked() -> None:
    assert "ends" in DRIVERS.branches["580"].unchecked
    assert "ends" not in DRIVERS.branches["595"].unchecked


def test_the_newest_driver_of_a_branch_lies_within_it() -> None:
    for name, branch in DRIVERS.branches.items():
        assert branch.newest is None or branch.newest.within(required(name))


def test_precompiled_images_exist_for_two_branches() -> None:
    assert {name for name, branch in DRIVERS.branches.items() if branch.precompiled} == {"580", "595"}


def test_architectures_before_turing_end_with_branch_580_and_refuse_open_modules() -> None:
    old = {name for name, limits in DRIVERS.limits.items() if limits.max_branch == 580}
    assert old == {"volta", "pascal", "maxwell"}
    assert all(DRIVERS.limits[name].kernel_modules is KernelModules.PROPRIETARY for name in old)
    assert {name for name, limits in DRIVERS.limits.items() if limits.kernel_modules is KernelModules.OPEN} == {
        "blackwell"
    }


def test_a_feature_states_what_it_asks_for() -> None:
    needs = DRIVERS.requirements
    assert needs["kernel-modules-auto"].min_driver == required("570.86.15")
    assert needs["gpudirect-storage"].kernel_modules is KernelModules.OPEN
    assert needs["operator-dra"].min_kubernetes == required("1.34.2")
    assert needs["generated-mig-config"].not_branches == ("535",)
    assert needs["rtx-pro-6000-mig"].not_versions == (required("575.57.08"),)


def test_each_requirement_asks_for_something_and_says_so_in_one_line() -> None:
    for name, need in DRIVERS.requirements.items():
        asks = (need.min_driver, need.not_branches, need.not_versions, need.kernel_modules, need.min_kubernetes)
        assert any(asks), name
        assert need.summary
        assert not need.summary.endswith(".")
