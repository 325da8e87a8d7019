"""A scenario, from what exporters show to the alerts that fire: real scrapes for the labels, the real rule engine for the hours."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gpuplan import conventions
from gpuplan.emit.emitters import emit
from gpuplan.emit.monitoring import publish
from gpuplan.manifests.set import ManifestSet
from gpuplan.manifests.write import yaml_text
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.pipeline import silent
from tests.scenarios import exporters, world
from tests.scenarios.exposition import Values
from tests.scenarios.scraping import Target, stored
from tests.scenarios.world import World

KUBE_STATE_METRICS: Mapping[str, Any] = {"honorLabels": True}
"""How the kube-prometheus-stack scrapes it; the settings that we render say so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """The fleet, its cluster, and all that is rendered for it."""

    fleet: Fleet
    cluster: Cluster
    manifests: ManifestSet

    @classmethod
    def of(cls, fleet: Fleet) -> Site:
        """Render a fleet with one cluster."""
        return cls(fleet=fleet, cluster=fleet.clusters[0], manifests=emit(fleet, silent))

    @property
    def counters(self) -> tuple[str, ...]:
        """The fields in the exporter's list."""
        (made,) = (one.object for one in self.manifests.of_kind("ConfigMap") if "counters.csv" in one.object["data"])  # type: ignore[operator]  # a ConfigMap
        lines: list[str] = made["data"]["counters.csv"].splitlines()  # type: ignore[index]  # a ConfigMap
        return tuple(line.split(",")[0] for line in lines)

    def endpoint(self, name: str) -> Mapping[str, Any]:
        """Return the endpoint of a monitor that we render."""
        spec: Mapping[str, Any] = next(
            one.object["spec"]  # type: ignore[misc]  # a monitor
            for kind in ("ServiceMonitor", "PodMonitor")
            for one in self.manifests.of_kind(kind)
            if one.key.name == name
        )
        (endpoint,) = spec.get("endpoints") or spec["podMetricsEndpoints"]
        return dict(endpoint)


def targets(site: Site, seen: World) -> Iterator[Target]:
    """Yield every target of a world, scraped by the monitors that the site renders."""
    for node in seen.nodes.values():
        yield Target(
            name=f"dcgm-{node.name}",
            endpoint=site.endpoint(conventions.DCGM_EXPORTER),
            discovered=discovered("gpu-system", f"nvidia-dcgm-exporter-{node.name}", node.name, pool=node.pool),
            series=tuple(world.cards(site.counters, seen, node)),
        )
    yield Target(
        name="kube-state-metrics",
        endpoint=KUBE_STATE_METRICS,
        discovered=discovered("monitoring", "kube-state-metrics-0", "h1"),
        series=tuple(exporters.kube_state_metrics(seen)),
    )
    for role in seen.kueue_roles:
        yield Target(
            name=f"kueue-{role}",
            endpoint=site.endpoint(conventions.KUEUE_METRICS),
            discovered=discovered("kueue-system", f"kueue-controller-manager-{role}", "h1"),
            series=tuple(exporters.kueue(site.cluster, seen, role)),
        )
    yield Target(
        name="vllm",
        endpoint=site.endpoint(conventions.serving_monitor_name("chat")),
        discovered=discovered("nlp", "chat-nlp", "l1"),
        series=tuple(exporters.vllm(seen)),
    )
    yield Target(
        name="argocd",
        endpoint=site.endpoint(conventions.release_monitor_name("argocd")),
        discovered=discovered("argocd", "argocd-application-controller-0", "h1"),
        series=tuple(exporters.argocd(seen)),
    )


def discovered(namespace: str, pod: str, node: str, pool: str = "") -> dict[str, str]:
    """Return what discovery and the operator know of a target."""
    known = {"namespace": namespace, "pod": pod, "container": "main", "service": pod, "endpoint": "metrics"}
    known |= {"__meta_kubernetes_pod_node_name": node, "__meta_kubernetes_namespace": namespace}
    if pool:
        known["__meta_kubernetes_pod_label_gpuplan_dev_pool"] = pool
    return known


def series(prometheus: Path, folder: Path, site: Site, seen: World, minutes: int) -> dict[str, str]:
    """Return what Prometheus stores over the minutes of a scenario: series -> values in promtool's notation.

    A target that does not answer leaves nothing, and its `up` is 0.
    """
    every = tuple(targets(site, seen))
    labels = stored(prometheus, folder, every)
    found: dict[str, str] = {}
    for target in every:
        answers = _answers(seen, target.name)
        found[_name({"__name__": "up", **_of_target(labels, target)})] = notation(_up(answers), minutes)
        for number, one in enumerate(target.series):
            stored_as = labels.get((target.name, number))
            if stored_as:
                key = _name(stored_as)
                assert key not in found, f"two series of {target.name} are stored as {key}"
                found[key] = notation(_while(answers, one.values), minutes)
    return found


def _up(answers: Values) -> Values:
    return lambda minute: 1 if answers(minute) else 0


def _while(answers: Values, values: Values) -> Values:
    return lambda minute: values(minute) if answers(minute) else None


def _answers(seen: World, target: str) -> Values:
    node = seen.nodes.get(target.removeprefix("dcgm-"))
    return node.reports if node and target.startswith("dcgm-") else lambda _: 1


def _of_target(labels: Mapping[tuple[str, int], Mapping[str, str]], target: Target) -> dict[str, str]:
    own = next(found for (name, _), found in labels.items() if name == target.name)
    return {key: own[key] for key in ("instance", "job")}


def _name(labels: Mapping[str, str]) -> str:
    inside = ", ".join(f'{key}="{value}"' for key, value in sorted(labels.items()) if key != "__name__")
    return f"{labels['__name__']}{{{inside}}}"


def notation(values: Values, minutes: int) -> str:
    """Return values, one a minute, in promtool's notation; a series that disappears is marked stale, as by a scrape."""
    words: list[str] = []
    shown = [values(minute) for minute in range(minutes + 1)]
    at = 0
    while at < len(shown):
        value = shown[at]
        if value is None:
            if at and shown[at - 1] is not None:
                words.append("stale")
                at += 1
            gap = next((end for end in range(at, len(shown)) if shown[end] is not None), len(shown)) - at
            words.extend([f"_x{gap}"] if gap else [])
            at += gap
            continue
        step, end = _run(shown, at)
        words.append(_word(value, step, end - at))
        at = end
    return " ".join(words)


def _run(shown: Sequence[float | None], at: int) -> tuple[float, int]:
    """Return the step of the straight line that begins here, and the index after its last value."""
    first = shown[at]
    following = shown[at + 1] if at + 1 < len(shown) else None
    if first is None or following is None:
        return 0, at + 1
    step, end = following - first, at + 2
    while end < len(shown):
        value, before = shown[end], shown[end - 1]
        if value is None or before is None or value - before != step:
            break
        end += 1
    return step, end


def _word(value: float, step: float, count: int) -> str:
    if count == 1:
        return f"{value!r}"
    if not step:
        return f"{value!r}x{count - 1}"
    return f"{value!r}{'+' if step > 0 else '-'}{abs(step)!r}x{count - 1}"


def write_rules(folder: Path, site: Site) -> list[str]:
    """Write the rules that we render for the site; returns their file names."""
    names = []
    for file in publish.texts(site.fleet, site.cluster, publish.groups(site.fleet, site.cluster)):
        if file.path.endswith(".rules.yaml"):
            name = Path(file.path).name
            (folder / name).write_text(file.text, encoding="utf-8")
            names.append(name)
    return names


def run(promtool: Path, folder: Path, test: Mapping[str, Any]) -> str:
    """Run one of promtool's tests; returns what it says where it fails, else an empty text."""
    (folder / "scenario.yaml").write_text(yaml_text(test), encoding="utf-8")
    done = subprocess.run(
        [promtool, "test", "rules", "scenario.yaml"], cwd=folder, capture_output=True, text=True, check=False
    )
    return "" if done.returncode == 0 else done.stdout + done.stderr
