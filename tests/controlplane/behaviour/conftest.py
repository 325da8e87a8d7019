"""The stage of the behaviour tests: the session's control plane with pods, whose Kueue is configured by each fleet."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.controlplane.behaviour.stage import Stage
from tests.controlplane.controlplane import ControlPlane


@pytest.fixture(scope="package")
def _stage(_shared_busy_control_plane: ControlPlane) -> Iterator[Stage]:
    yield Stage(_shared_busy_control_plane)
    _shared_busy_control_plane.start_kueue()  # with the configuration that other tests expect


@pytest.fixture
def stage(_stage: Stage, busy_control_plane: ControlPlane) -> Stage:
    """The stage, empty."""
    assert busy_control_plane is _stage.plane
    return _stage
