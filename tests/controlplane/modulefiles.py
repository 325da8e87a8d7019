"""Files that Go modules ship beside their code: CRDs, Kueue's webhook manifests, kwok's stages.

They are read from Go's module cache when a test needs them, downloaded first where the cache lacks them, and never
committed. Each module is pinned by version and by the checksum that Go's own `go.sum` would hold for it.
"""

from __future__ import annotations

import functools
import json
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.controlplane import handwritten
from tests.controlplane.toolchain import ToolchainError, find_go, go_environment, run_go

DOWNLOAD_LIMIT_SECONDS = 600


@dataclass(frozen=True, slots=True, kw_only=True)
class Module:
    """One pinned Go module."""

    path: str
    version: str
    checksum: str
    """As in `go.sum`: the hash of the module's files."""


KUEUE = Module(path="sigs.k8s.io/kueue", version="v0.19.2", checksum="h1:mPNzr37u0nwI7ikST5QQl5gg6EgtYOAvC9ZbTgywdN8=")
KWOK = Module(path="sigs.k8s.io/kwok", version="v0.8.0", checksum="h1:OTIOTwgROqPMovcTwxICx2eYQ4AwLpSx5EpjbDKF4SQ=")
JOBSET = Module(
    path="sigs.k8s.io/jobset", version="v0.12.0", checksum="h1:YYPuV0px8Ongq/RXmJg6V0w2UC67aiR+rCMD06vhQQQ="
)
LEADER_WORKER_SET = Module(
    path="sigs.k8s.io/lws", version="v0.9.0", checksum="h1:DcJCgxjjoGOx//QHZkeKpyiblxYq70aCRZNYSfykWyI="
)
MPI_OPERATOR = Module(
    path="github.com/kubeflow/mpi-operator",
    version="v0.8.2",
    checksum="h1:7PVtV31iX3LSVW0BqRQ64w/NYNfAgP86Bmua2OEi5lg=",
)
PROMETHEUS_OPERATOR = Module(
    path="github.com/prometheus-operator/prometheus-operator",
    version="v0.85.0",
    checksum="h1:M5xLCLEoaW2IJfnuCwFzzpL+jSVQu3KGT84Pye+fW8s=",
)
GPU_OPERATOR = Module(
    path="github.com/NVIDIA/gpu-operator",
    version="v0.0.0-20250917190837-d73a0086a6ba",
    checksum="h1:LoeqwWjR0h2WRyHXmyYCPVwM/dAdKKxjE8LzyyeuqHI=",
)
KARPENTER = Module(
    path="sigs.k8s.io/karpenter", version="v1.15.0", checksum="h1:5SEptlAvsOZbNg4qg8OSdF1qi6BEZHZLA020nXY7jGw="
)
ARGO_CD = Module(
    path="github.com/argoproj/argo-cd/v3", version="v3.6.1", checksum="h1:OmhqeKiR3C//awbFrhQqFdtRI+Qiv17j8vqm3UkMj/g="
)
MODULES = (KUEUE, KWOK, JOBSET, LEADER_WORKER_SET, MPI_OPERATOR, PROMETHEUS_OPERATOR, GPU_OPERATOR, KARPENTER, ARGO_CD)

CRDS: dict[str, tuple[Module, str, str]] = {
    "kueue": (KUEUE, "config/components/crd/bases", r".*"),
    "jobset": (JOBSET, "config/components/crd/bases", r".*"),
    "leaderworkerset": (LEADER_WORKER_SET, "config/crd/bases", r"leaderworkerset\..*"),
    "mpijob": (MPI_OPERATOR, "manifests/base", r".*_mpijobs"),
    # What describes monitoring. Of the operator's own workloads, which are large, only what people have beside their rules.
    "prometheus": (
        PROMETHEUS_OPERATOR,
        "example/prometheus-operator-crd",
        r".*_(prometheusrules|servicemonitors|podmonitors|probes|alertmanagerconfigs)",
    ),
    "prometheus-servers": (PROMETHEUS_OPERATOR, "example/prometheus-operator-crd", r".*_prometheuses"),
    "gpu-operator": (GPU_OPERATOR, "config/crd/bases", r".*"),
    "nfd": (GPU_OPERATOR, "deployments/gpu-operator/charts/node-feature-discovery/crds", r".*"),
    "karpenter": (KARPENTER, "pkg/apis/crds", r"karpenter\.sh_(nodeclaims|nodepools)"),
    "argocd": (ARGO_CD, "manifests/crds", r"(application|applicationset|appproject)-crd"),
}
"""Sets of CRDs by the name of their project: the module, the folder, and which files in it (a pattern of the stem)."""

WEBHOOKS = "config/components/webhook"
"""The folder of Kueue's webhook manifests in its module."""


def crd_documents(which: str) -> Sequence[bytes]:
    """Return the YAML documents of one set of CRDs, each one CustomResourceDefinition."""
    if which == handwritten.NAME:
        return handwritten.crd_documents()
    module, folder, wanted = CRDS[which]
    files = sorted((module_folder(module) / folder).glob("*.yaml"))
    texts = [file.read_bytes() for file in files if re.fullmatch(wanted, file.stem)]
    documents = [document for text in texts for document in re.split(rb"^---\s*$", text, flags=re.MULTILINE)]
    return [document for document in documents if b"kind: CustomResourceDefinition" in document]


@functools.cache
def module_folder(module: Module) -> Path:
    """Return where a module lies in the module cache, downloading it first if need be. Raises `ToolchainError`."""
    go = find_go()
    cache = Path(run_go(go, "env", "GOMODCACHE", cwd=Path("/")).strip())
    folder = cache / f"{escaped(module.path)}@{module.version}"
    if not folder.is_dir():
        download(go, module)
    if not folder.is_dir():
        raise ToolchainError(f"{module.path}@{module.version} was downloaded, but is not at {folder}")
    return folder


def escaped(module_path: str) -> str:
    """Spell a module path as the cache does: an upper-case letter becomes `!` and its lower case."""
    return re.sub(r"[A-Z]", lambda letter: f"!{letter.group().lower()}", module_path)


def download(go: Path, module: Module) -> None:
    """Fetch a module into the module cache and compare its checksum with the pin.

    Go fetches and unpacks also a module that asks for a newer Go, and then complains; its YAML is all we want, so
    only a missing or different checksum counts.
    """
    done = subprocess.run(
        [go, "mod", "download", "-json", f"{module.path}@{module.version}"],
        cwd="/",
        env=go_environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=DOWNLOAD_LIMIT_SECONDS,
    )
    answer = json.loads(done.stdout) if done.stdout.strip() else {}
    if answer.get("Sum") != module.checksum:
        said = answer.get("Error") or done.stderr or f"checksum {answer.get('Sum')}, pinned {module.checksum}"
        raise ToolchainError(f"cannot fetch {module.path}@{module.version}: {said}")
