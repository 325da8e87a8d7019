"""What a server or Kueue's webhooks would refuse of adopted objects is found by `check`, at its place in the spec."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuplan.diagnostics import Severity
from gpuplan.pipeline import check, render
from gpuplan.rules.adoption import REFUSED
from tests.build import TODAY, fleet
from tests.controlplane.lint_refusals import REFUSALS
from tests.rules.cases import as_marks, judged, marks

FLEET = """
apiVersion: gpuplan.dev/v1alpha1
metadata: {name: acme}
clusters: {eu: {kubernetes: "1.36"}}
delivery: {argocd: {repoURL: https://git.acme.io/platform/fleet.git}}
cardTiers: {train: {cards: [h100-sxm-80gb]}}
nodePools:
  a: {cluster: eu, tier: train, nodes: 1, cardsPerNode: 8, selectedBy: {labels: {zone: eu-1a}}, driver: {branch: "580"}}
"""
BROKEN = (
    FLEET
    + """
adopted:
  eu:
    topologies:
      racks:
        levels:
        - nodeLabel: kubernetes.io/hostname   # <- error kueue/topology-levels
        - nodeLabel: a/b
    resourceFlavors:
      any:
        topologyName: racks   # <- error kueue/topology-without-labels
      h100:
        tolerations:
        - key: a
          operator: Exists
          value: b   # <- error kueue/flavor-toleration-invalid
    cohorts:
      a:
        fairSharing:
          weight: 1n   # <- error kueue/weight-too-small
    clusterQueues:
      vision:
        resourceGroups:
        - coveredResources: [cpu]
          flavors:
          - name: any
            resources:
            - name: cpu
              nominalQuota: 1
              borrowingLimit: 2   # <- error kueue/limit-without-cohort
        - coveredResources: [nvidia.com/gpu, memory]
          flavors:
          - name: h100
            resources:
            - name: nvidia.com/gpu
              nominalQuota: 1
            - name: memory
              nominalQuota: 2
              lendingLimit: 1   # <- error kueue/limit-without-cohort
        preemption:   # <- error kueue/preemption-contradiction
          borrowWithinCohort: {policy: LowerPriority}
    localQueues: {vision/default-queue: {clusterQueue: vision}}
"""
)


def test_every_rule_that_the_server_bears_out_is_asked() -> None:
    assert set(REFUSED) == REFUSALS.keys()


def test_errors_stand_on_the_line_that_is_wrong() -> None:
    expected = marks(BROKEN)
    found = tuple(one for one in judged(BROKEN) if one.severity is Severity.ERROR)
    assert as_marks(found, expected) == expected, [f"{one.at} {one.rule} {one.summary}" for one in found]


NOT_FINE = (
    FLEET
    + """
adopted:
  eu:
    resourceFlavors: {any: {}}
    clusterQueues:
      alone:
        cohortName: alone
        namespaceSelector: {}
        resourceGroups:
        - coveredResources: [nvidia.com/gpu]
          flavors: [{name: elsewhere, resources: [{name: nvidia.com/gpu, nominalQuota: 0}]}]
    priorityClasses: {all: {value: 5, globalDefault: true}}
"""
)


def test_what_merely_is_not_fine_stays_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "fleet.yaml").write_text(NOT_FINE, encoding="utf-8")
    said = {one.rule for one in check(tmp_path, TODAY).findings if one.severity is not Severity.INFO}
    assert said == {"adopted/reference-to-nothing"}


BESIDE = (
    NOT_FINE.replace("[nvidia.com/gpu]", "[cpu]").replace("name: nvidia.com/gpu", "name: cpu")
    + """
taskPools: {pretrain: {kind: training, service: guaranteed, tiers: [train]}}
teams: {nlp: {namespaces: [nlp], quotas: {pretrain: {train: {guaranteed: 8}}}}}
"""
)


@pytest.mark.parametrize("text", [NOT_FINE, BESIDE], ids=["alone", "beside task pools"])
def test_the_second_look_at_the_output_says_nothing_of_it(text: str) -> None:
    _, found = render(fleet(text))
    assert not found
