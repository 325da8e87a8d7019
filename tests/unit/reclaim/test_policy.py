"""The policy of a cluster, from the spec to the ConfigMap and back."""

from __future__ import annotations

import dataclasses
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplan.model.reclaim import ReclaimMode
from gpuplan.model.reclaim_policy import ReclaimPolicy, policy, read, text
from tests import build
from tests.unit.reclaim import scenery

FLEET = """
apiVersion: gpuplan.dev/v1alpha1
metadata: {name: acme}
clusters: {eu: {kubernetes: "1.36"}}
cardTiers: {train: {cards: [h100-sxm-80gb]}, serve: {cards: [l40s]}, lab: {cards: [a100-sxm-40gb]}, desk: {cards: [t4]}}
defaults: {nodePool: {cluster: eu, selectedBy: {nfd: {}}, topologyLabels: provided}}
nodePools:
  h100: {tier: train, nodes: 2, cardsPerNode: 8}
  l40s: {tier: serve, nodes: 2, cardsPerNode: 4}
  a100: {tier: lab, nodes: 1, cardsPerNode: 8, sharing: {mig: {profiles: {1g.5gb: 7}, strategy: mixed}}}
  t4: {tier: desk, nodes: 1, cardsPerNode: 4, sharing: {timeSlicing: {replicas: 4}}}
taskPools:
  pretrain: {kind: training, service: guaranteed, tiers: [train]}
  finetune: {kind: training, service: queued, tiers: [train], reclaim: {idleMinutes: 120}}
  batch: {kind: batchInference, service: reclaimable, tiers: [train], reclaim: {enabled: false}}
  chat: {kind: onlineInference, service: queued, tiers: [serve]}
  notebooks: {kind: experiment, service: shared, tiers: [lab], pool: {lab: 56}}
  desks: {kind: experiment, service: shared, tiers: [desk], pool: {desk: 16}}
teams:
  vision:
    namespaces: [vision, vision-batch]
    quotas:
      pretrain: {train: {guaranteed: 8}}
      finetune: {train: {guaranteed: 4}}
      batch: {}
      chat: {serve: {guaranteed: 4}}
      notebooks: {}
      desks: {}
governance: {reclaim: {mode: dryRun, image: registry.acme.io/gpuplan:1, idle: {graceMinutes: 15}}}
"""


def made(more: str = "") -> ReclaimPolicy:
    fleet = build.fleet(FLEET + more)
    return policy(fleet, fleet.clusters[0])


def test_guaranteed_stateful_and_online_work_is_never_taken_unless_somebody_asks() -> None:
    enabled = {name: pool.enabled for name, pool in made().pools.items()}
    assert enabled == {
        "pretrain": False,
        "finetune": True,
        "batch": False,
        "chat": False,
        "notebooks": True,
        "desks": True,
    }


def test_each_pool_has_its_own_numbers_else_the_fleets() -> None:
    finetune = made().pools["finetune"]
    assert (finetune.idle_minutes, finetune.grace_minutes, finetune.threshold_percent) == (120, 15, 2)


def test_cards_instances_and_shares_are_kept_apart() -> None:
    assert made().resources == ("nvidia.com/gpu", "nvidia.com/mig-1g.5gb")
    assert made().shared_resources == ("nvidia.com/gpu.shared",)
    assert made().shared_pools == ("t4",)


@pytest.mark.parametrize("sharing", ["hami: {split: 4}", "timeSlicing: {replicas: 4, renameByDefault: false}"])
def test_a_name_that_another_pool_shares_still_counts_cards_and_the_pool_tells(sharing: str) -> None:
    fleet = build.resolved(FLEET.replace("timeSlicing: {replicas: 4}", sharing).replace("desk: 16", "desk: 4"))[0]
    assert fleet is not None
    found = policy(fleet, fleet.clusters[0])
    assert "nvidia.com/gpu" in found.resources
    assert found.shared_pools == ("t4",)


def test_teams_power_and_addresses_are_the_fleets() -> None:
    found = made("monitoring: {alertmanager: {url: 'http://alertmanager:9093'}}")
    assert found.mode is ReclaimMode.DRY_RUN
    assert found.teams == {"vision": "vision", "vision-batch": "vision"}
    assert found.busy_watts["h100"] == 350
    assert (found.alertmanager_url, found.notice) == ("http://alertmanager:9093", ("event", "alertmanager"))


def test_without_an_address_notices_are_events() -> None:
    assert (made().alertmanager_url, made().notice) == ("", ("event",))


def test_a_policy_is_read_back_as_it_was_written() -> None:
    assert read(text(made())) == made()
    assert text(made()) == text(made())


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"formatVersion": "0"}, "format 1"),
        ({"extra": 1}, "extra"),
        ({"mode": "always"}, "always"),
        ({"max_per_hour": "ten"}, "whole number"),
        ({"alertmanager_url": 5}, "text"),
        ({"pools": []}, "wrong kind"),
        ({"pools": {"a": {"enabled": True}}}, "wrong kind"),
    ],
)
def test_what_is_no_policy_is_refused_in_words(changed: dict[str, object], words: str) -> None:
    refused = read(json.dumps({**json.loads(text(made())), **changed}))
    assert isinstance(refused, str)
    assert words in refused


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


@given(st.sampled_from([field.name for field in dataclasses.fields(ReclaimPolicy)]), json_values)
def test_whatever_a_policy_holds_it_is_read_or_refused(key: str, value: object) -> None:
    found = read(json.dumps({**json.loads(text(scenery.policy())), key: value}))
    assert isinstance(found, str | ReclaimPolicy)


@pytest.mark.parametrize("written", ["", "[]", "mode: off"])
def test_what_is_no_json_is_refused_in_words(written: str) -> None:
    assert isinstance(read(written), str)
