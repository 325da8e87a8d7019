"""Where the tools come from, without building any."""

from __future__ import annotations

import dataclasses
import os
import re
import sys
import threading
from pathlib import Path

import pytest

from tests.controlplane import modulefiles, toolchain
from tests.controlplane.modulefiles import ARGO_CD, GPU_OPERATOR, KUEUE, KWOK, MPI_OPERATOR
from tests.controlplane.ports import PortLease
from tests.controlplane.toolchain import (
    ASKED_FOR,
    GO_MODULES,
    KUBE,
    PROMTOOL,
    TOOLS,
    ToolchainError,
    go_environment,
    graph_folder,
)
from tests.controlplane.waiting import WaitTimeoutError, wait_for


def required(graph: str, module: str) -> str:
    """Return the version of a module that a graph requires."""
    text = (GO_MODULES / graph / "go.mod").read_text(encoding="utf-8")
    found = re.search(rf"^\t(?:require )?{re.escape(module)} (v\S+)", text, re.MULTILINE)
    assert found, f"{graph} does not require {module}"
    return found.group(1)


def required_go(graph: str) -> tuple[int, int]:
    """Return the Go that a graph's modules ask for."""
    found = re.search(r"^go (\d+)\.(\d+)", (GO_MODULES / graph / "go.mod").read_text(encoding="utf-8"), re.MULTILINE)
    assert found
    return int(found.group(1)), int(found.group(2))


def test_every_tool_is_a_pinned_tool_of_its_graph_or_a_program_of_ours() -> None:
    for tool in (*TOOLS, *ASKED_FOR):
        text = (GO_MODULES / tool.graph.name / "go.mod").read_text(encoding="utf-8")
        assert tool.package.startswith("./") or re.search(
            rf"^(tool|\t)\s*{re.escape(tool.package)}$", text, re.MULTILINE
        )


def test_every_kubernetes_module_is_of_the_server_s_release() -> None:
    text = (GO_MODULES / "kube" / "go.mod").read_text(encoding="utf-8")
    assert required("kube", "k8s.io/kubernetes") == "v1.36.3"
    assert set(re.findall(r"=> k8s.io/\S+ (\S+)", text)) == {"v0.36.3"}
    assert "k8s.io/component-base/version.gitVersion=v1.36.3" in KUBE.variables


@pytest.mark.parametrize(
    ("graph", "module"), [("kube", KUEUE), ("kube", modulefiles.JOBSET), ("kwok", KWOK), ("argocd", ARGO_CD)]
)
def test_files_are_read_from_the_version_that_is_built(graph: str, module: modulefiles.Module) -> None:
    sums = (GO_MODULES / graph / "go.sum").read_text(encoding="utf-8").splitlines()
    assert required(graph, module.path) == module.version
    assert f"{module.path} {module.version} {module.checksum}" in sums


def test_another_flag_is_another_cache_folder() -> None:
    others = [dataclasses.replace(PROMTOOL, tags=()), dataclasses.replace(PROMTOOL, toolchain="go1.27.3"), KUBE]
    assert len({graph_folder(graph) for graph in (PROMTOOL, *others)}) == 4


def test_a_graph_that_needs_a_newer_go_says_which_in_go_s_own_words_and_the_others_leave_it_to_the_machine() -> None:
    chosen = {graph.name: go_environment(graph.toolchain).get("GOTOOLCHAIN") for graph in {t.graph for t in TOOLS}}
    assert chosen.pop("argocd") == "go1.27.3"
    assert set(chosen.values()) == {os.environ.get("GOTOOLCHAIN")}
    assert required_go("argocd") > toolchain.OLDEST_GO >= max(required_go(name) for name in chosen)


def test_the_cache_is_where_the_user_keeps_caches(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert graph_folder(KUBE).parent == tmp_path / "gpuplan" / "tools"


def test_without_go_the_error_says_what_is_needed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    with pytest.raises(ToolchainError, match=r"needs Go 1\.26 or newer .* found none"):
        toolchain.find_go()


def test_go_beside_python_is_found_and_an_old_one_on_the_path_is_passed_over(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for folder, version in (("old", "go1.25.9"), ("venv", "go1.26.6")):
        program = tmp_path / folder / "go"
        program.parent.mkdir()
        program.write_text(f"#!/bin/sh\necho {version}\n", encoding="utf-8")
        program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'old'}:/usr/bin:/bin")
    monkeypatch.setattr(sys, "executable", str(tmp_path / "venv" / "python"))

    assert toolchain.find_go() == tmp_path / "venv" / "go"


def test_one_caller_builds_and_the_other_waits(tmp_path: Path) -> None:
    order: list[str] = []
    inside = threading.Event()

    def second() -> None:
        inside.wait()
        with toolchain.locked(tmp_path / "x.lock"):
            order.append("second")

    other = threading.Thread(target=second)
    other.start()
    with toolchain.locked(tmp_path / "x.lock"):
        inside.set()
        other.join(timeout=0.3)
        order.append("first")
    other.join()

    assert order == ["first", "second"]


def test_a_module_path_is_spelt_as_the_cache_spells_it() -> None:
    assert modulefiles.escaped(GPU_OPERATOR.path) == "github.com/!n!v!i!d!i!a/gpu-operator"
    assert modulefiles.escaped(ARGO_CD.path) == ARGO_CD.path


@pytest.mark.usefixtures("tools")
def test_a_module_with_another_checksum_is_refused(tmp_path: Path) -> None:
    tampered = dataclasses.replace(MPI_OPERATOR, checksum="h1:other")
    with pytest.raises(ToolchainError, match="cannot fetch"):
        modulefiles.download(toolchain.find_go(), tampered)


def test_two_leases_never_hold_one_port() -> None:
    first, second = PortLease(), PortLease()
    try:
        ports = [lease.take() for lease in (first, second) for _ in range(50)]
        assert len(set(ports)) == 100
    finally:
        first.close()
        second.close()


def test_a_wait_that_ends_in_vain_tells_what_was_seen() -> None:
    with pytest.raises(WaitTimeoutError, match=r"waited 0\.1 s for rain; last seen: 0\nthe log"):
        wait_for(lambda: 0, 0.1, what="rain", evidence=lambda: "the log")
