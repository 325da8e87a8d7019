"""pytest fixtures around `ControlPlane`; loaded as a plugin by `tests/conftest.py`.

A test that uses one of them is marked `controlplane`. Where the tools cannot be had the test is skipped with the
reason; in CI that is a failure, since a green run must have proved something.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.controlplane.controlplane import ControlPlane
from tests.controlplane.toolchain import ToolchainError, find_go, tool_path

FIXTURES = (
    "tools",
    "alertmanager_program",
    "amtool",
    "argocd",
    "helmrender",
    "kubeconform",
    "prometheuses",
    "promtool",
    "promtools",
    "thanos",
    "victoriametrics",
    "yamlread",
)
PROGRAMS = ("etcd", "kube-apiserver", "kube-scheduler", "kube-controller-manager", "kueue", "kwok")


@pytest.hookimpl(tryfirst=True)  # before `-m` chooses
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark each test that needs a control plane."""
    for item in items:
        if set(FIXTURES) & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.controlplane)


def tool_or_skip(name: str) -> Path:
    """Return a tool's binary, built if need be. Where that cannot be: skip with the reason, or fail in CI."""
    return _had(name, lambda: tool_path(name))


def go_or_skip() -> Path:
    """Return the Go that builds our tools. Where there is none: skip with the reason, or fail in CI."""
    return _had("Go", find_go)


def _had(name: str, find: Callable[[], Path]) -> Path:
    try:
        return find()
    except ToolchainError as error:
        if os.environ.get("CI"):
            pytest.fail(f"in CI no tool may be missing: {error}", pytrace=False)
        pytest.skip(f"needs {name}: {error}")


@pytest.fixture(scope="session")
def tools(request: pytest.FixtureRequest) -> None:
    """The programs of a control plane are built; the first time on a machine this takes many minutes and says so."""
    capture = request.config.pluginmanager.getplugin("capturemanager")
    with capture.global_and_fixture_disabled() if capture else contextlib.nullcontext():
        for name in PROGRAMS:
            tool_or_skip(name)


@pytest.fixture(scope="session")
def kubeconform() -> Path:
    """The kubeconform binary."""
    return tool_or_skip("kubeconform")


@pytest.fixture(scope="session")
def promtool() -> Path:
    """The promtool binary."""
    return tool_or_skip("promtool")


@pytest.fixture(scope="session")
def promtools(promtool: Path) -> tuple[Path, ...]:
    """promtool of the newest and of the oldest Prometheus that our rules work with."""
    return promtool, tool_or_skip("promtool-2.42")


@pytest.fixture(scope="session")
def prometheuses() -> tuple[Path, ...]:
    """The newest and the oldest Prometheus that our rules work with."""
    return tool_or_skip("prometheus"), tool_or_skip("prometheus-2.42")


@pytest.fixture(scope="session")
def amtool() -> Path:
    """The amtool binary."""
    return tool_or_skip("amtool")


@pytest.fixture(scope="session")
def alertmanager_program() -> Path:
    """The Alertmanager binary."""
    return tool_or_skip("alertmanager")


@pytest.fixture(scope="session")
def thanos() -> Path:
    """Thanos, of which tests use the sidecar and the query."""
    return tool_or_skip("thanos")


@pytest.fixture(scope="session")
def victoriametrics() -> Path:
    """VictoriaMetrics' single-node server."""
    return tool_or_skip("victoria-metrics")


@pytest.fixture(scope="session")
def argocd() -> Path:
    """The binary that is Argo CD's programs, by the name that it is called by."""
    return tool_or_skip("argocd")


@pytest.fixture(scope="session")
def helmrender() -> Path:
    """The binary that renders a chart by Helm's own engine: chart, release and namespace; values as JSON on its input."""
    return tool_or_skip("helmrender")


@pytest.fixture(scope="session")
def yamlread() -> Path:
    """The binary that reads YAML as Kubernetes does: a JSON array of texts in, an array of readings out."""
    return tool_or_skip("yamlread")


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
        plane.load_crds()
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
