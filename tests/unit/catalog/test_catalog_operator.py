"""What each release line of the GPU Operator accepts, and the road between lines; what distributions bring."""

from __future__ import annotations

import pytest

from gpuplan import catalog
from gpuplan.catalog import operator
from gpuplan.spec.clusters import ClusterSpec
from gpuplan.versions import required

KNOWN = catalog.load()


@pytest.mark.parametrize(
    ("version", "field", "accepted"),
    [
        ("v24.9.2", operator.DRIVER_KERNEL_MODULES, False),
        ("v25.3.0", operator.DRIVER_KERNEL_MODULES, True),
        ("v25.3.4", operator.EXPORTER_HOST_PID, False),
        ("v25.10.0", operator.EXPORTER_HOST_PID, True),
        ("v25.10.1", operator.NRI_PLUGIN, False),
        ("v26.3.2", operator.DRIVER_UPGRADE_POLICY, False),
        ("v26.7.0", operator.DRIVER_UPGRADE_POLICY, True),
    ],
)
def test_a_field_is_accepted_from_its_line_on(version: str, field: str, accepted: bool) -> None:
    assert KNOWN.operator.accepts(required(version), field) is accepted


def test_a_field_that_the_table_lacks_is_a_fault_of_ours() -> None:
    with pytest.raises(KeyError):
        KNOWN.operator.accepts(required("26.7"), "ClusterPolicy.nothing")


@pytest.mark.parametrize(
    ("installed", "wanted", "road"),
    [
        ("v24.9.1", "v26.7.0", ("24.9", "25.3", "25.10", "26.3", "26.7")),
        ("v26.3.0", "v26.7.0", ("26.3", "26.7")),
        ("v26.3.0", "v26.3.2", ("26.3",)),
        ("v26.7.0", "v26.3.2", None),
        ("v23.9.0", "v26.7.0", None),
        ("v26.3.0", "v27.1.0", None),
        ("v27.1.0", "v27.1.1", None),
    ],
)
def test_an_upgrade_passes_every_line_between(installed: str, wanted: str, road: tuple[str, ...] | None) -> None:
    assert KNOWN.operator.road(required(installed), required(wanted)) == road


def test_each_line_leads_to_a_known_one_and_only_the_newest_to_none() -> None:
    lines = KNOWN.operator.lines
    assert [line.next for line in lines.values()] == [*list(lines)[1:], None]


def test_every_release_set_has_an_operator_of_a_known_line() -> None:
    versions = [release.components["gpuOperator"].version for release in KNOWN.releases.values()]
    assert {operator.line_name(version) for version in versions} <= set(KNOWN.operator.lines)


def test_each_distribution_of_the_spec_is_known() -> None:
    choices = ClusterSpec.model_json_schema()["properties"]["distribution"]["enum"]
    assert set(choices) == set(KNOWN.distributions)


def test_where_nodes_come_with_the_driver_the_way_to_such_without_it_is_named() -> None:
    silent = [one.name for one in KNOWN.distributions.values() if one.driver_on_nodes and not one.without_driver]
    assert silent == ["talos"], "its driver is an extension of the system image: leave that out"


@pytest.mark.parametrize("name", ["k3s", "rke2"])
def test_ranchers_containerd_is_found_by_its_own_socket(name: str) -> None:
    assert KNOWN.distributions[name].toolkit_env == {"CONTAINERD_SOCKET": "/run/k3s/containerd/containerd.sock"}
