"""Health of kinds that Argo CD knows nothing of and would call healthy at once: Lua for its ConfigMap `argocd-cm`.

The texts are the `.lua` files beside this module. Argo CD waits for health between waves, ends a sync as failed where it
meets `Degraded`, and waits for ever for `Progressing`: so what time or another object may still put right is `Progressing`,
what only a person can is `Degraded`, and what a person wants so, such as a queue on hold, is `Healthy`.

Sources: Kueue 0.19, reasons of the condition `Active`; GPU Operator, states and conditions of its two kinds; Argo CD 3.6,
custom health checks (read 2026-11-30).
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from pathlib import Path

KUEUE_GROUP = "kueue.x-k8s.io"
NVIDIA_GROUP = "nvidia.com"

TEXTS = {
    ("argoproj.io", "Application"): "application",
    (KUEUE_GROUP, "ClusterQueue"): "queue",
    (KUEUE_GROUP, "LocalQueue"): "queue",
    (NVIDIA_GROUP, "ClusterPolicy"): "cluster_policy",
    (NVIDIA_GROUP, "NVIDIADriver"): "nvidia_driver",
}
"""(API group, kind) of each kind that we know the health of, and the stem of its file."""


def settings(kinds: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return the entries of `argocd-cm` for those of the kinds, as (API group, kind), that have a text here; sorted.

    >>> list(settings([("kueue.x-k8s.io", "ClusterQueue"), ("", "ConfigMap")]))
    ['resource.customizations.health.kueue.x-k8s.io_ClusterQueue']
    """
    known = sorted(set(kinds) & TEXTS.keys())
    return {f"resource.customizations.health.{group}_{kind}": text(TEXTS[group, kind]) for group, kind in known}


@functools.cache
def text(stem: str) -> str:
    """Return the Lua of one of the files. An unknown stem is a fault of ours and raises FileNotFoundError."""
    return (Path(__file__).parent / f"{stem}.lua").read_text(encoding="utf-8")
