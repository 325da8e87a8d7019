"""The trials of `gpuplan verify` against rails, cards and kinds of work that its own test bed does not have."""

from __future__ import annotations

import contextlib

import pytest

from gpuplan.cluster.kube import Kube, connect
from gpuplan.cluster.observing import Sight, observe
from gpuplan.verify.checks import rails_enforced
from gpuplan.verify.observed import Observed, Tried
from gpuplan.verify.probes import probes
from gpuplan.verify.scene import Scene as Judged
from gpuplan.verify.verdicts import Outcome, Verdict
from tests.controlplane.behaviour.scene import Scene
from tests.controlplane.behaviour.stage import Stage
from tests.controlplane.waiting import WaitTimeoutError

OPERATED = """
nodePools:
  h100: {tier: train, nodes: 1, cardsPerNode: 8}
  t4: {tier: desk, nodes: 1, cardsPerNode: 2, sharing: {timeSlicing: {replicas: 4}}}
taskPools:
  pretrain: {kind: training, service: guaranteed, tiers: [train], frameworks: [jobset, mpijob]}
  notebooks: {kind: experiment, service: reclaimable, tiers: [desk], frameworks: [pod]}
teams: {vision: {namespaces: [vision], quotas: {pretrain: {train: {guaranteed: 8}}, notebooks: {}}}}
governance: {podSecurity: restricted, guardRails: {queueRequired: warn, producedResources: off}}
"""
CLAIMED = """
nodePools: {h200: {tier: flat, nodes: 1, cardsPerNode: 8, exposure: dra}}
taskPools: {pretrain: {kind: training, service: queued, tiers: [flat]}}
teams: {vision: {namespaces: [vision], quotas: {pretrain: {flat: {guaranteed: 8}}}}}
governance: {guardRails: {queueRequired: deny, producedResources: deny}}
"""
SHARED = """
nodePools: {h200: {tier: flat, nodes: 1, cardsPerNode: 2, sharing: {hami: {split: 4}}}}
taskPools: {notebooks: {kind: onlineInference, service: queued, tiers: [flat], stateful: {drainSeconds: 90}}}
teams: {vision: {namespaces: [vision], quotas: {notebooks: {flat: {guaranteed: 8}}}}}
governance: {guardRails: {queueRequired: deny, producedResources: warn, statefulServing: deny}}
"""


@pytest.mark.parametrize("text", [OPERATED, CLAIMED, SHARED], ids=["operated", "claimed", "shared"])
def test_every_trial_is_answered_as_the_fleet_asks(stage: Stage, text: str) -> None:
    scene = stage.play(text)
    with contextlib.suppress(WaitTimeoutError):  # the server looks at new policies once a second
        scene.until(lambda: tried(scene) == [], "every trial to be answered as it should be")
    assert tried(scene) == []


def tried(scene: Scene) -> list[Verdict]:
    """Return the trials that do not pass now."""
    kube = connect("gpuplan-verify", scene.plane.kubeconfig)
    assert isinstance(kube, Kube)
    seen = observe(kube, rails_enforced.DOC.reads, probes(scene.fleet, scene.cluster))
    assert isinstance(seen, Sight)
    answers = {
        name: Tried(status=one.status, message=one.message, warnings=one.warnings) for name, one in seen.tried.items()
    }
    observed = Observed(kubernetes=seen.kubernetes, objects=seen.objects, refused=seen.refused, tried=answers)
    judged = Judged(fleet=scene.fleet, cluster=scene.cluster, manifests=tuple(scene.manifests), observed=observed)
    return [verdict for verdict in rails_enforced.check(judged) if verdict.outcome is not Outcome.PASS]
