"""Clusters: versions that go together, and where Argo CD finds them."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.generated import words

Entry = dict[str, Any]

KUBERNETES = {
    None: ("1.36", "1.34", "1.35.4", "v1.36.1+rke2r1"),
    "2026.08": ("1.36", "1.34", "1.35"),
    "2026.05": ("1.34", "1.33", "1.35"),
}
"""Release -> Kubernetes versions inside its range."""
OVERRIDES: tuple[Entry, ...] = (
    {"devicePlugin": {"version": "v0.19.2"}},
    {
        "dcgmExporter": {
            "version": "4.6.0-4.8.3",
            "image": "mirror.acme.internal/dcgm-exporter:4.6.0@sha256:" + "ab" * 32,
        }
    },
    {"kueue": {"version": "0.19.1"}},
    {"nfd": {"version": "v0.18.0"}, "migManager": {"version": "v0.15.0"}},
)
OPTIONAL: tuple[tuple[str, tuple[Any, ...]], ...] = (
    ("distribution", ("kubeadm", "rke2", "k3s", "openshift", "eks", "gke", "aks", "talos")),
    ("os", ("ubuntu24.04", "ubuntu22.04", "rhel9", "rocky9", "flatcar")),
    ("containerRuntime", ("containerd", "cri-o")),
    ("components", OVERRIDES),
    ("nvidiaRuntime", ({"default": True}, {"default": False}, {"deviceListStrategy": "volume-mounts"})),
    ("gpuOperator", ("managed", "external", {"install": "external"}, {"namespace": "nvidia-operator"})),
    ("nfd", ({"taints": True}, {"taints": False})),
)


@st.composite
def clusters(draw: st.DrawFn) -> dict[str, Entry]:
    """Return one to three clusters by name."""
    names = draw(words.names(words.CLUSTERS, draw(st.sampled_from((1, 1, 2, 3))), 49))
    return {name: draw(_cluster(name)) for name in names}


@st.composite
def _cluster(draw: st.DrawFn, name: str) -> Entry:
    release = draw(st.sampled_from(tuple(KUBERNETES)))
    made: Entry = {"kubernetes": draw(st.sampled_from(KUBERNETES[release]))}
    if release:
        made["release"] = release
    stack = draw(st.sampled_from(("", "", "manual", "operator", "operator", "external")))
    if stack:
        made["stack"] = stack
    for key, choices in OPTIONAL:
        if draw(words.SELDOM):
            made[key] = draw(st.sampled_from(choices))
    if stack == "operator" and made.get("os") == "flatcar":
        del made["os"]  # there is no driver image for it
    kueue = draw(_kueue())
    if kueue:
        made["kueue"] = kueue
    destination = draw(_destination(name))
    if destination:
        made["destination"] = destination
    return made


@st.composite
def _kueue(draw: st.DrawFn) -> Entry | str:
    """Return who installs Kueue, in a word or with more."""
    if draw(words.SELDOM):
        return draw(st.sampled_from(("managed", "external")))
    made: Entry = {}
    if draw(st.booleans()):
        made["install"] = draw(st.sampled_from(("managed", "external")))
    if draw(st.booleans()):
        made["podsReadyTimeoutSeconds"] = draw(st.sampled_from((1800, 0, 59, 3600, 2**31 - 1)))
    return made


@st.composite
def _destination(draw: st.DrawFn, cluster: str) -> Entry:
    """Return another name or an address, which no other cluster has."""
    match draw(st.sampled_from(("default", "name", "server"))):
        case "name":
            return {"name": f"{draw(words.texts())} {cluster}"}
        case "server":
            return {"server": f"https://{cluster}.{draw(st.sampled_from(('acme.internal', '10.0.0.1.nip.io')))}:6443"}
        case _:
            return {}
