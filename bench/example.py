"""(a) The example fleet: gpuplan checks and renders it beside kubeconform, which only validates the result."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from bench.measure import Cost, cost, side_by_side, summed_up
from bench.report import Line
from tests.controlplane.toolchain import ToolchainError, tool_path

ROOT = Path(__file__).parents[1]
GPUPLAN = Path(sys.executable).with_name("gpuplan")
TIMES = 5
TEMPLATES = (
    "{{.ResourceKind}}-{{.Group}}-{{.ResourceAPIVersion}}.json",
    "{{.ResourceKind}}-{{.ResourceAPIVersion}}.json",
)
"""Names of our schemas, as kubeconform spells them: for kinds with a group, and for core kinds."""
MOST_SECONDS = 1.0


def lines() -> Iterator[Line]:
    """Render the example into a folder of its own, several times, then check it; the least of each is what it costs."""
    with tempfile.TemporaryDirectory() as scratch:
        out = Path(scratch, "rendered")
        render: list[str | Path] = [GPUPLAN, "render", "--fleet", "fleet", "--out", out]
        first = summed_up([_anew(render, out) for _ in range(TIMES)], min)
        commands: dict[str, list[str | Path]] = {"check": [*render, "--check"]}
        kubeconform, reason = _kubeconform(out)
        if kubeconform:
            commands["kubeconform"] = kubeconform
        costs = side_by_side(commands, TIMES, cwd=ROOT, pick=min)
    check = costs["check"]
    met = max(first.wall, check.wall) < MOST_SECONDS
    yield Line("gpuplan render, into an empty folder", _said(first))
    yield Line("gpuplan render --check", _said(check), f"both under {MOST_SECONDS:.0f} s wall with start-up", met)
    if reason:
        yield Line("kubeconform over the same tree", "skipped", reason)
    else:
        other = costs["kubeconform"]
        yield Line("kubeconform over the same tree", _said(other))
        yield Line("gpuplan to kubeconform", f"{check.wall / other.wall:.2f} wall  {check.cpu / other.cpu:.2f} CPU")


def _anew(render: list[str | Path], out: Path) -> Cost:
    """Render into a folder that does not exist."""
    shutil.rmtree(out, ignore_errors=True)
    return cost(render, cwd=ROOT)


def _kubeconform(tree: Path) -> tuple[list[str | Path], str]:
    """Return its command over the tree's objects, or the reason why it cannot run."""
    try:
        binary = tool_path("kubeconform")
    except ToolchainError as error:
        return [], str(error).splitlines()[0]
    schemas = [word for name in TEMPLATES for word in ("-schema-location", f"{ROOT}/schemas/kubernetes/{name}")]
    return [binary, "-strict", *schemas, tree / "argocd", tree / "clusters"], ""


def _said(measured: Cost) -> str:
    return f"{measured.wall:.2f} s wall  {measured.cpu:.2f} s CPU"
