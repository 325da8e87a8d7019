"""Files that no Argo CD brings to anybody: what a person has to take where."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from gpuplan.plan.comparison import Comparison
from gpuplan.plan.effects.reading import listed
from gpuplan.plan.parts import Action, Effect, Risk, SpecChange, TextChange

CHARTS: Mapping[str, str] = {
    "dra-driver": "NVIDIA's DRA driver",
    "hami": "HAMi",
    "kube-prometheus-stack": "kube-prometheus-stack (Alertmanager)",
    "kube-state-metrics": "kube-state-metrics",
    "kueue": "Kueue",
    "reclaim": "Argo CD",
}
"""Folders with settings of programs that others install, in words."""


def effects(comparison: Comparison) -> Iterator[Effect]:
    """Yield what a person has to bring; runbooks and rules for Prometheus, which objects hold, too, are read where they lie."""
    stay = set(comparison.new.manifests.clusters)
    for cluster, some in _by_cluster(comparison).items():
        if cluster not in stay:
            continue
        pools = [text for text in some if text.path.count("/") == 2]
        gone = [text for text in pools if text.action is Action.DELETE]
        come = [text for text in pools if text not in gone]
        if come:
            text = (
                f"{listed(text.path for text in come)}: bring it to what makes or labels the nodes; nothing else does"
            )
            yield _made("files/provisioner", cluster, "provisioner snippets", text, come)
        if gone:
            text = f"{listed(text.path for text in gone)}: take its labels and taints out of what makes or labels the nodes"
            yield _made("files/provisioner-gone", cluster, "provisioner snippets", text, gone)
        yield from _charts(cluster, [text for text in some if text not in pools])


def _by_cluster(comparison: Comparison) -> dict[str, list[TextChange]]:
    found: dict[str, list[TextChange]] = defaultdict(list)
    before = {text.path: text.text for text in comparison.old.manifests.texts}
    for text in comparison.texts:
        folder, _, rest = text.path.partition("/")
        was = comparison.moves.old_name("clusters", rest.partition("/")[0])
        moved = f"{folder}/{was}/{rest.partition('/')[2]}"
        if folder == "provisioner" and before.get(moved) != text.after:
            found[rest.partition("/")[0]].append(text)
    return found


def _charts(cluster: str, texts: list[TextChange]) -> Iterator[Effect]:
    for text in texts:
        name = text.path.split("/")[2]
        what = CHARTS.get(name, name)
        does = "no longer needs" if text.action is Action.DELETE else "takes"
        yield _made("files/values", cluster, what, f"{what}, which others install, {does} {text.path}", [text])


def _made(fact: str, cluster: str, subject: str, text: str, texts: list[TextChange]) -> Effect:
    causes: list[SpecChange] = []
    for one in texts:
        causes.extend(cause for cause in one.causes if cause not in causes)
    return Effect(fact=fact, risk=Risk.LOW, cluster=cluster, subject=subject, summary=text, causes=tuple(causes))
