"""pytest fixtures around `ControlPlane`; loaded as a plugin by `tests/conftest.py`.

A test that uses one of them is marked `controlplane`. Where the tools cannot be had the test is skipped with the
reason; in CI that is a failure, since a green run must have proved something.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.controlplane.controlplane import ControlPlane
from tests.controlplane.toolchain import TOOLS, ToolchainError, tool_path

FIXTURES = ("tools", "bare_control_plane", "control_plane", "empty_control_plane", "busy_control_plane")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark each test that needs a control plane."""
    for item in items:
        if set(FIXTURES) & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.controlplane)


@pytest.fixture(scope="session")
def tools() -> None:
    """All programs are built; the first time on a machine this takes many minutes and says so."""
    try:
        for tool in TOOLS:
            tool_path(tool.name)
    except ToolchainError as error:
        if os.environ.get("CI"):
            pytest.fail(f"in CI the control plane must run: {error}", pytrace=False)
        pytest.skip(f"the control plane needs its tools: {error}")


@pytest.fixture(scope="session")
def control_plane(tools: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    """The API server with all CRDs and Kueue with its webhooks, shared by the session; nothing makes pods."""
    with ControlPlane(tmp_path_factory.mktemp("controlplane") / "shared") as plane:
        plane.load_crds()
        plane.start_kueue()
        yield plane


@pytest.fixture
def empty_control_plane(control_plane: ControlPlane) -> ControlPlane:
    """The shared API server and Kueue without any object of an earlier test."""
    control_plane.reset()
    control_plane.require_running()
    return control_plane


@pytest.fixture(scope="session")
def _shared_busy_control_plane(tools: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    with ControlPlane(tmp_path_factory.mktemp("controlplane") / "busy") as plane:
        plane.start_controller_manager()
        plane.start_kueue()
        plane.start_scheduler()
        plane.start_kwok()
        yield plane


@pytest.fixture
def busy_control_plane(_shared_busy_control_plane: ControlPlane) -> ControlPlane:
    """A second server, where pods live (scheduler, controllers, kwok), without any object of an earlier test.

    It is apart from `control_plane`, where controllers would change what acceptance tests read back.
    """
    _shared_busy_control_plane.reset()
    _shared_busy_control_plane.require_running()
    return _shared_busy_control_plane
