"""A fleet that can raise every alert there is, the example, and their runbooks."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from pathlib import Path

from gpuplan import pipeline
from gpuplan.emit.monitoring import publish
from gpuplan.manifests.set import TextFile
from gpuplan.model.fleet import Fleet
from gpuplan.report import alert_runbooks
from gpuplan.report.alert_runbooks import Raised
from tests.build import TODAY, fleet

TEMPLATES = Path(alert_runbooks.__file__).parent / "templates" / "alerts"
EVERYTHING = """
apiVersion: gpuplan.dev/v1alpha1
metadata: {name: acme}
clusters:
  eu: {kubernetes: "1.36", release: "2026.08"}
  us: {kubernetes: "1.36", distribution: talos, stack: operator}
  ap: {kubernetes: "1.36", stack: operator}
cardTiers:
  big: {cards: [h100-sxm-80gb], costPerCardHour: "2 USD"}
  serve: {cards: [l40s], costPerCardHour: "1 USD"}
  amd: {cards: [mi300x], costPerCardHour: "2 USD"}
defaults: {nodePool: {nodes: 8, cardsPerNode: 8, selectedBy: {nfd: {}}, driver: {branch: "580"}}}
nodePools:
  big: {cluster: eu, tier: big}
  serve: {cluster: eu, tier: serve}
  amd: {cluster: eu, tier: amd, stack: operator, driver: {preinstalled: true}}
  far: {cluster: us, tier: big}
  farther: {cluster: ap, tier: big}
taskPools:
  pretrain: {kind: training, service: guaranteed, tiers: [big]}
  nightly: {kind: batchInference, service: queued, tiers: [serve]}
  shared: {kind: experiment, service: shared, tiers: [serve], pool: {serve: 8}}
  chat: {kind: onlineInference, service: guaranteed, tiers: [serve], serving: {engine: vllm, slo: {latencyMilliseconds: 500}}}
  vision-api: {kind: onlineInference, service: guaranteed, tiers: [serve], serving: {engine: triton, slo: {latencyMilliseconds: 500}}}
teams:
  nlp:
    namespaces: [nlp]
    quotas:
      pretrain: {clusters: {eu: {big: {guaranteed: 16}}}}
      chat: {serve: {guaranteed: 8}}
      nightly: {serve: {guaranteed: 8}}
      shared: {}
  vision: {namespaces: [vision], quotas: {vision-api: {serve: {guaranteed: 8}}, shared: {}}}
monitoring: {releases: {argocd: [eu], rollouts: [eu]}, alertmanager: {url: "http://alertmanager.monitoring:9093"}}
governance:
  reclaim: {mode: suspend, image: registry.acme.io/gpuplan:1.0}
  nodeHealth: {clusters: [eu], controller: nodeReadiness, conditions: [{type: GpuHealthy}]}
"""
"""A fleet that can raise every alert there is."""


@functools.cache
def everything() -> Fleet:
    return fleet(EVERYTHING)


@functools.cache
def example() -> Fleet:
    checked = pipeline.check(Path(__file__).parents[3] / "fleet", TODAY)
    assert checked.fleet is not None
    return checked.fleet


FLEETS = {"everything": everything, "example": example}


def raised(made: Fleet) -> dict[str, Raised]:
    return alert_runbooks.raised(made, publish.of_fleet(made))


def written(made: Fleet) -> Iterator[TextFile]:
    return alert_runbooks.texts(made, publish.of_fleet(made))


@functools.cache
def runbooks(name: str) -> dict[str, str]:
    """Return the runbooks of a fleet by the lower-case name of their alert."""
    return {Path(text.path).stem: text.text for text in written(FLEETS[name]())}


def fences(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def stems() -> set[str]:
    return {path.name.removesuffix(".md.j2") for path in TEMPLATES.glob("[!_]*.j2")}


PAGES = sorted(stems())


def page(name: str) -> str:
    return runbooks("everything")[name]
