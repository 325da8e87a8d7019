"""Key lists: every file reads, paths are right, and what a version has is said only where somebody read it."""

from __future__ import annotations

import pytest

from gpuplan.catalog import keys
from gpuplan.catalog._load import DATA
from gpuplan.versions import required

LISTS = sorted(file.stem for file in (DATA / "keys").glob("*.yaml"))
TYPES = {"amount", "duration", "quantity", "text", "flag", "whole", "number", "texts", "list", "map", "any"}
PLUGIN = keys.load("device-plugin-config")


@pytest.mark.parametrize("name", LISTS)
def test_every_key_has_a_type_or_keys_below_it(name: str) -> None:
    for path, key in keys.walk(keys.load(name).root):
        assert bool(key.children) != (key.type in TYPES), f"{path}.{key.name}"


@pytest.mark.parametrize("name", LISTS)
def test_every_version_names_its_source_and_marks_name_versions_that_were_read(name: str) -> None:
    found = keys.load(name)
    assert {str(one) for one in found.versions} == found.sources.keys()
    marks = {mark for _, key in keys.walk(found.root) for mark in (key.since, key.until)}
    assert marks - {None} <= {*found.versions}


@pytest.mark.parametrize(
    ("name", "homes"),
    [
        ("renameByDefault", ("sharing.timeSlicing", "sharing.mps")),
        ("replicas", ("sharing.timeSlicing.resources[]", "sharing.mps.resources[]")),
        ("passDeviceSpecs", ("flags.plugin",)),
        ("nothing", ()),
    ],
)
def test_a_key_is_found_where_it_belongs(name: str, homes: tuple[str, ...]) -> None:
    assert PLUGIN.homes(name) == homes


def test_case_does_not_count_in_flags_and_counts_below_sharing() -> None:
    flags, slicing = PLUGIN.root.children["flags"], PLUGIN.root.children["sharing"].children["timeSlicing"]
    assert flags.child("MIGStrategy") is flags.children["migStrategy"]
    assert slicing.child("RenameByDefault") is None


def test_what_holds_only_newer_keys_is_itself_newer() -> None:
    sharing = PLUGIN.root.children["sharing"]
    assert (str(sharing.children["mps"].since), sharing.since) == ("0.20", None)


@pytest.mark.parametrize(
    ("path", "version", "missing"),
    [
        (("driver", "useOpenKernelModules"), "24.9.2", False),
        (("driver", "useOpenKernelModules"), "25.3.0", True),
        (("driver", "useOpenKernelModules"), "26.7.0", True),
        (("driver", "secretEnv"), "25.3.4", True),
        (("driver", "secretEnv"), "25.10.1", False),
        (("driver", "secretEnv"), "26.3.0", False),
        (("driver", "version"), "22.9.0", False),
    ],
)
def test_a_version_between_two_that_were_read_is_given_the_benefit(
    path: tuple[str, ...], version: str, *, missing: bool
) -> None:
    values = keys.load("gpu-operator-values")
    key = values.root
    for name in path:
        key = key.children[name]
    assert values.missing(key, required(version)) is missing


def test_free_keys_lead_to_what_each_of_them_holds() -> None:
    configs = keys.load("mig-parted").root.children["mig-configs"]
    one = configs.child("all-1g.10gb")
    assert one is not None
    assert set(one.children[keys.ITEM].children) == {"device-filter", "devices", "mig-enabled", "mig-devices"}


def test_a_subchart_has_the_keys_of_its_own_list_in_whichever_version() -> None:
    nfd, own = keys.load("gpu-operator-values").root.children["node-feature-discovery"], keys.load("nfd-values").root
    assert {(path, key.name) for path, key in keys.walk(nfd)} == {
        ("", "enabled"),
        *((path, key.name) for path, key in keys.walk(own)),
    }
    assert {(key.since, key.until) for _, key in keys.walk(nfd)} == {(None, None)}
