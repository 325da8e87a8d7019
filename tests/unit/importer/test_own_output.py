"""What gpuplan's own output tells besides quotas comes back: delivery, versions, policy, monitoring, kinds of work."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gpuplan import pipeline
from gpuplan.importer import imported
from gpuplan.importer.account import Fate
from gpuplan.importer.own.hardware import SERVED_NOTE
from gpuplan.inventory.assumed import Assumed
from gpuplan.inventory.reading.of_manifests import inventory_of
from gpuplan.pipeline.clusters import compiled, shared
from tests.build import TODAY, fleet

BASE = """
apiVersion: gpuplan.dev/v1alpha1
metadata: {{name: acme}}
clusters: {{eu: {{kubernetes: "1.36"{cluster}}}}}
cardTiers: {{train: {{cards: [h100-sxm-80gb]}}}}
nodePools: {{a: {{cluster: eu, tier: train, nodes: 4, cardsPerNode: 8, selectedBy: {{labels: {{pool: a}}}}{pool}}}}}
taskPools: {{pretrain: {{kind: {kind}, service: guaranteed, tiers: [train]{task_pool}}}}}
teams: {{vision: {{namespaces: [vision], quotas: {{pretrain: {{train: {{guaranteed: 8}}}}}}}}}}
{rest}
"""
RECLAIM = "mode: suspend, image: registry.acme.example/gpuplan:1, notice: [event], everyMinutes: 9"
NUMBERS = {
    "exporterDownMinutes": 12,
    "cardMissingMinutes": 7,
    "thermalMarginCelsius": 4,
    "throttledPercent": 40,
    "pcieReplaysPerMinute": 32,
    "queueWaitMinutes": 45,
    "startMinutes": 16,
    "jobSuccessPercent": 70,
    "idlePercent": 25,
    "idleCards": 5,
    "starvedMinutes": 17,
    "throughputDropPercent": 15,
}
PLACES: dict[str, tuple[dict[str, str], tuple[str, ...], Any]] = {
    "how Argo CD names the cluster": (
        {"cluster": ', destination: {server: "https://eu:6443"}'},
        ("clusters", "eu", "destination"),
        {"server": "https://eu:6443"},
    ),
    "how cards are handed over": (
        {"cluster": ", nvidiaRuntime: {deviceListStrategy: volume-mounts}"},
        ("clusters", "eu", "nvidiaRuntime"),
        {"deviceListStrategy": "volume-mounts"},
    ),
    "an operator on standby": (
        {"cluster": ", operatorStandby: installed"},
        ("clusters", "eu", "operatorStandby"),
        "installed",
    ),
    "a pool that others serve beside the operator": (
        {"cluster": ", operatorStandby: installed", "pool": ", stack: external"},
        ("nodePools", "a", "stack"),
        "external",
    ),
    "a driver that is there under the operator": (
        {"cluster": ", stack: operator", "pool": ", driver: {preinstalled: true}"},
        ("nodePools", "a", "driver"),
        {"preinstalled": True},
    ),
    "the default runtime": (
        {"cluster": ", nvidiaRuntime: {default: true}"},
        ("clusters", "eu", "nvidiaRuntime"),
        {"default": True},
    ),
    "the release": ({"cluster": ', release: "2026.08"'}, ("clusters", "eu", "release"), "2026.08"),
    "a component of another version": (
        {"cluster": ', components: {devicePlugin: {version: "0.18.9"}}'},
        ("clusters", "eu", "components", "devicePlugin", "version"),
        "v0.18.9",
    ),
    "whose Kueue it is": ({"cluster": ", kueue: external"}, ("clusters", "eu", "kueue"), "external"),
    "how long Kueue waits": (
        {"cluster": ", kueue: {podsReadyTimeoutSeconds: 600}"},
        ("clusters", "eu", "kueue"),
        {"podsReadyTimeoutSeconds": 600},
    ),
    "state": (
        {"kind": "onlineInference", "task_pool": ", stateful: {drainSeconds: 900}"},
        ("taskPools", "pretrain", "stateful"),
        {"drainSeconds": 900},
    ),
    "training that is watched": ({}, ("taskPools", "pretrain", "kind"), "training"),
    "the place of pods": (
        {"task_pool": ", topology: {required: kubernetes.io/hostname}"},
        ("taskPools", "pretrain", "topology"),
        {"required": "kubernetes.io/hostname"},
    ),
    "kinds of workloads": (
        {"task_pool": ", frameworks: [mpijob]"},
        ("taskPools", "pretrain", "frameworks"),
        ["mpijob"],
    ),
    "an engine and its promise": (
        {"kind": "onlineInference", "task_pool": ", serving: {engine: vllm, slo: {latencyMilliseconds: 2500}}"},
        ("taskPools", "pretrain", "serving"),
        {"engine": "vllm", "slo": {"latencyMilliseconds": 2500, "objectivePercent": "99"}},
    ),
    "the repository": (
        {"rest": 'delivery: {argocd: {repoURL: "https://git.acme.example/f.git", path: out}}'},
        ("delivery", "argocd"),
        {"repoURL": "https://git.acme.example/f.git", "targetRevision": "main", "path": "out"},
    ),
    "labels for Prometheus": (
        {"rest": "monitoring: {selectorLabels: {prometheus: gpu}}"},
        ("monitoring", "selectorLabels"),
        {"prometheus": "gpu"},
    ),
    "counters beyond the list": (
        {"rest": "monitoring: {exporter: {extraCounters: [DCGM_FI_DEV_FAN_SPEED]}}"},
        ("monitoring", "exporter", "extraCounters"),
        ["DCGM_FI_DEV_FAN_SPEED"],
    ),
    "an exact list of counters": (
        {"rest": "monitoring: {exporter: {counters: [DCGM_FI_DEV_GPU_TEMP]}}"},
        ("monitoring", "exporter", "counters"),
        ["DCGM_FI_DEV_GPU_TEMP"],
    ),
    "no profiling": (
        {"rest": "monitoring: {exporter: {profiling: false}}"},
        ("monitoring", "exporter", "profiling"),
        False,
    ),
    "the interval": (
        {"rest": "monitoring: {exporter: {intervalSeconds: 60}}"},
        ("monitoring", "exporter", "intervalSeconds"),
        60,
    ),
    "numbers of alerts": (
        {"rest": f"monitoring: {{thresholds: {{{', '.join(f'{key}: {value}' for key, value in NUMBERS.items())}}}}}"},
        ("monitoring", "thresholds"),
        NUMBERS,
    ),
    "peak hours": (
        {"rest": 'monitoring: {peakHours: {timeZone: America/St_Johns, days: [mon, wed], from: "22:30", to: "06:00"}}'},
        ("monitoring", "peakHours"),
        {"timeZone": "America/St_Johns", "days": ["mon", "wed"], "from": "22:30", "to": "06:00"},
    ),
    "no dashboards": (
        {"rest": "monitoring: {dashboards: {enabled: false}}"},
        ("monitoring", "dashboards"),
        {"enabled": False},
    ),
    "guard rails": (
        {"rest": "governance: {guardRails: {queueRequired: deny, producedResources: off}}"},
        ("governance", "guardRails"),
        {"queueRequired": "deny", "producedResources": "off"},
    ),
    "pod security": ({"rest": "governance: {podSecurity: restricted}"}, ("governance", "podSecurity"), "restricted"),
    "the reclaimer": (
        {"rest": f"governance: {{reclaim: {{{RECLAIM}}}}}"},
        ("governance", "reclaim", "everyMinutes"),
        9,
    ),
}


def back(**parts: str) -> Any:
    """Render a small fleet and import what came out."""
    made = fleet(BASE.format(**{"cluster": "", "pool": "", "kind": "training", "task_pool": "", "rest": "", **parts}))
    (cluster,) = made.clusters
    part = compiled(made, cluster, pipeline.NO_TEXTS)
    hub = shared(made, {"eu": part.footprint}, pipeline.NO_TEXTS)
    facts = Assumed(versions={"kubernetes": cluster.kubernetes})
    return imported({"eu": inventory_of((*hub, *part.manifests), facts)}, "unnamed", TODAY)


@pytest.mark.parametrize("what", PLACES)
def test_what_the_output_tells_comes_back(what: str) -> None:
    parts, path, expected = PLACES[what]
    value: Any = back(**parts).draft.plain()
    for key in path:
        value = value[key]
    assert value == expected


def test_of_the_example_nothing_changes_and_nothing_is_lost() -> None:
    made = pipeline.check(Path("fleet"), TODAY).fleet
    assert made is not None
    parts = {cluster.name: compiled(made, cluster, pipeline.NO_TEXTS) for cluster in made.clusters}
    hub = shared(made, {name: part.footprint for name, part in parts.items()}, pipeline.NO_TEXTS)
    found = {"hub": inventory_of([one for one in hub if one.key.kind != "Application"], Assumed())}
    for cluster in made.clusters:
        own = [one for one in hub if one.key.kind == "Application" and one.key.name.endswith(f"-{cluster.name}")]
        facts = Assumed(versions={"kubernetes": cluster.kubernetes})
        found[cluster.name] = inventory_of((*own, *parts[cluster.name].manifests), facts)
    again = imported(found, "unnamed", TODAY)
    others = [f"{line.object}: {line.fate.value}" for line in again.account if line.fate is not Fate.KEPT]
    assert others == []


def test_of_a_fleet_of_defaults_nothing_changes_and_nothing_is_lost() -> None:
    made = back()
    assert made.tried.manifests is not None, [one.summary for one in made.findings]
    others = [f"{line.object}: {line.fate.value}" for line in made.account if line.fate is not Fate.KEPT]
    assert others == []


def test_that_the_operator_serves_made_nodes_is_said_to_be_a_guess() -> None:
    by_karpenter = "selectedBy: {{provisioner: karpenter}}, stack: operator, driver: {{preinstalled: true}}"
    made = fleet(
        BASE.replace("selectedBy: {{labels: {{pool: a}}}}", by_karpenter).format(
            cluster="", pool="", kind="training", task_pool="", rest=""
        )
    )
    (cluster,) = made.clusters
    found = inventory_of(compiled(made, cluster, pipeline.NO_TEXTS).manifests, Assumed())
    assert SERVED_NOTE in imported({"eu": found}, "unnamed", TODAY).draft.text().replace("\n  # ", " ")
