"""One Argo CD, started once for all tests here."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.controlplane.controlplane import ControlPlane
from tests.controlplane.delivery.stage import Delivery, delivery


@pytest.fixture(scope="package")
def delivered(
    argocd: Path, _shared_busy_control_plane: ControlPlane, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Delivery]:
    """The example's cluster as Argo CD left it, and as the tests before have changed it."""
    with delivery(_shared_busy_control_plane, tmp_path_factory.mktemp("argocd")) as made:
        yield made
