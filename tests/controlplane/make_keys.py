"""Make the key lists of `gpuplan/catalog/data/keys` that modules can tell: `python -m tests.controlplane.make_keys [--check]`.

Names, types and versions only. What the module proxy does not serve is read at its source and stands in `newer_keys.yaml`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import yaml

from tests.controlplane import charts, gostructs
from tests.controlplane.charts import Keys
from tests.controlplane.modulefiles import GPU_OPERATOR, KUEUE, Module, crd_documents, module_folder

FOLDER = Path("gpuplan/catalog/data/keys")
NEWER = Path(__file__).parent / "newer_keys.yaml"
CHECKED = "2026-11-30"
OLDER_KUEUE = Module(
    path="sigs.k8s.io/kueue", version="v0.17.1", checksum="h1:r4cwg3ZFF75l7RjVbdCJgM+0RpU0MJGp7t3rLH8Zyh4="
)
OPERATOR_CHART = "deployments/gpu-operator"
NFD_CHART = f"{OPERATOR_CHART}/charts/node-feature-discovery"
OLD_FRAMEWORKS = {"v1beta1": ("kubeflow.org/mxjob",)}
"""Kinds of work that older releases knew, by the version of the API that they had."""
GATES = ("AllAlpha", "AllBeta")
"""Gates that every program with feature gates has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class List:
    """One list to be: its keys by version, oldest first, and what the file says besides."""

    name: str
    title: str
    component: str
    versions: Mapping[str, tuple[str, Keys]]
    """By version: the address of the source, and its keys."""
    words: Mapping[str, list[str]] = field(default_factory=dict)
    """By path, the values that the reader takes."""
    extra: Mapping[str, Any] = field(default_factory=dict)


def lists() -> Iterator[List]:
    """Yield all lists that modules can tell."""
    newer = yaml.load(NEWER.read_text(encoding="utf-8"), yaml.CSafeLoader)
    for one in (*operator_lists(), *kueue_lists()):
        yield replace(one, extra=newer.get(one.name, {}))


def operator_lists() -> Iterator[List]:
    """Yield the lists of the GPU Operator and of the NFD chart that it bundles."""
    root = module_folder(GPU_OPERATOR)
    crds = dict(zip(("clusterpolicy", "nvidiadriver"), crd_documents("gpu-operator"), strict=True))
    policy = charts.crd_keys(crds["clusterpolicy"], "v1")
    spec = {path.removeprefix("spec."): kind for path, kind in policy.items() if path.startswith("spec.")}
    values = charts.values_keys(root / OPERATOR_CHART, spec, ("node-feature-discovery",))
    yield List(
        name="gpu-operator-values",
        title="Values of the chart gpu-operator. A value that no template reads is dropped without a word.",
        component="gpuOperator",
        versions={"25.3": (source(GPU_OPERATOR, OPERATOR_CHART), values)},
    )
    for name, kind, version in (("clusterpolicy", "ClusterPolicy", "v1"), ("nvidiadriver", "NVIDIADriver", "v1alpha1")):
        yield List(
            name=name,
            title=f"Fields of {kind}. The API server prunes what the CRD does not have, without a word in a GitOps sync.",
            component="gpuOperator",
            versions={"25.3": (source(GPU_OPERATOR, "config/crd/bases"), charts.crd_keys(crds[name], version))},
            words=dict(charts.schema_words(charts.crd_spec(crds[name], version), "spec")),
        )
    yield List(
        name="nfd-values",
        title="Values of the chart node-feature-discovery. A value that no template reads is dropped without a word.",
        component="nfd",
        versions={"0.17": (source(GPU_OPERATOR, NFD_CHART), charts.values_keys(root / NFD_CHART))},
    )


def kueue_lists() -> Iterator[List]:
    """Yield the lists of Kueue's chart and of its configuration in both versions of its API."""
    modules = {"0.17": OLDER_KUEUE, "0.19": KUEUE}
    yield List(
        name="kueue-values",
        title="Values of the chart kueue. A value that no template reads is dropped without a word.",
        component="kueue",
        versions={
            version: (source(module, "charts/kueue"), charts.values_keys(module_folder(module) / "charts/kueue"))
            for version, module in modules.items()
        },
    )
    for api in ("v1beta1", "v1beta2"):
        yield List(
            name=f"kueue-configuration-{api}",
            title=f"Kueue's Configuration {api}. It is decoded strictly: with a key that is not here the manager does not start.",
            component="kueue",
            versions={
                version: (source(module, f"apis/config/{api}"), configuration(module_folder(module), api))
                for version, module in modules.items()
            },
            words={"integrations.frameworks[]": sorted({*frameworks(modules.values()), *OLD_FRAMEWORKS.get(api, ())})},
        )


def frameworks(modules: Iterable[Module]) -> Iterator[str]:
    """Yield the names of the kinds of work that Kueue knows."""
    for module in modules:
        for file in sorted((module_folder(module) / "pkg/controller/jobs").rglob("*.go")):
            yield from gostructs.FRAMEWORK.findall(file.read_text(encoding="utf-8"))


def configuration(root: Path, api: str) -> Keys:
    """Return the keys of Kueue's configuration, the gates that it may switch among them."""
    files = sorted((root / f"apis/config/{api}").glob("*_types.go"))
    structs = gostructs.Structs("\n".join(file.read_text(encoding="utf-8") for file in files))
    keys = {"apiVersion": "text", "kind": "text", **dict(structs.keys("Configuration"))}
    gates = gostructs.GATE.findall((root / "pkg/features/kube_features.go").read_text(encoding="utf-8"))
    del keys["featureGates.*"]
    return keys | {f"featureGates.{gate}": "flag" for gate in (*GATES, *gates)}


def source(module: Module, folder: str) -> str:
    """Return the address of a folder of a module."""
    return f"https://pkg.go.dev/{module.path}@{module.version}#{folder}"


def marked(versions: Mapping[str, tuple[str, Keys]]) -> Keys:
    """Return the type of every key with the versions that have it: `since` the first list, `until` the last."""
    names = list(versions)
    found: Keys = {}
    for path in sorted({path for _, keys in versions.values() for path in keys}):
        having = [name for name in names if path in versions[name][1]]
        since = f" since {having[0]}" if having[0] != names[0] else ""
        until = f" until {having[-1]}" if having[-1] != names[-1] else ""
        found[path] = versions[having[-1]][1][path] + since + until
    return found


def text(one: List) -> str:
    """Return the file of a list."""
    sources = {f"v{version}": {"url": url, "checked": CHECKED} for version, (url, _) in one.versions.items()}
    sources |= one.extra.get("sources", {})
    versions = {version: f"v{version}" for version in one.versions} | one.extra.get("versions", {})
    ordered = dict(sorted(versions.items(), key=lambda pair: [int(part) for part in pair[0].split(".")]))
    keys = dict(sorted((marked(one.versions) | one.extra.get("keys", {})).items()))
    lines = [
        f"# {one.title}",
        "# Made by `make schemas` (tests/controlplane/make_keys.py); not written by hand.",
        "sources:",
    ]
    lines += [f'  {key}: {{url: "{made["url"]}", checked: {made["checked"]}}}' for key, made in sources.items()]
    lines += [f"component: {one.component}"]
    lines += ["versions: {" + ", ".join(f'"{version}": {key}' for version, key in ordered.items()) + "}", "keys:"]
    lines += [f"  {path}: {kind}" for path, kind in keys.items()]
    words = dict(sorted({**one.words, **one.extra.get("words", {})}.items()))
    lines += ["words:"] if words else []
    lines += [f"  {path}: [{', '.join(map(quoted, listed))}]" for path, listed in words.items() if listed]
    return "\n".join(lines) + "\n"


def quoted(word: str) -> str:
    """Quote what a reader of YAML may take for a boolean."""
    return f'"{word}"' if word in ("on", "off") else word


def main(*, check_only: bool) -> int:
    """Write the lists, or tell whether they are fresh; returns the exit code."""
    stale = 0
    for one in lists():
        file, wanted = FOLDER / f"{one.name}.yaml", text(one)
        if not file.is_file() or file.read_text(encoding="utf-8") != wanted:
            stale = 1
            if check_only:
                sys.stderr.write(f"{file} is stale; run `make schemas`.\n")
            else:
                file.write_text(wanted, encoding="utf-8")
    return stale if check_only else 0


if __name__ == "__main__":
    sys.exit(main(check_only="--check" in sys.argv[1:]))
