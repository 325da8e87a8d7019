"""Quotas find their cluster, flavor and resource, or say why they cannot; nothing is split in silence."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplan.resolve.addresses import proportional
from tests.build import fleet, resolved

HARDWARE = """\
apiVersion: gpuplan.dev/v1alpha1
metadata: {name: acme}
clusters: {eu: {kubernetes: "1.36"}, us: {kubernetes: "1.36"}}
cardTiers:
  train: {cards: [h100-sxm-80gb, h200-141gb]}
  lab: {cards: [a100-sxm-40gb]}
  serve: {cards: [l40s]}
nodePools:
  h100: {cluster: eu, tier: train, card: h100-sxm-80gb, nodes: 3, cardsPerNode: 8, selectedBy: {labels: {pool: h100}}}
  h200: {cluster: eu, tier: train, card: h200-141gb, nodes: 1, cardsPerNode: 8, selectedBy: {labels: {pool: h200}}}
  lab: {cluster: eu, tier: lab, nodes: 2, cardsPerNode: 4, selectedBy: {nfd: {}}, sharing: {mig: {profiles: {1g.5gb: 4, 3g.20gb: 1}}}}
  l40s-eu: {cluster: eu, tier: serve, nodes: 2, cardsPerNode: 4, selectedBy: {labels: {pool: l40s}}}
  l40s-us: {cluster: us, tier: serve, nodes: 2, cardsPerNode: 4, selectedBy: {labels: {pool: l40s}}}
taskPools:
  pretrain: {kind: training, service: guaranteed, tiers: [train], fallback: lastResort}
  notebooks: {kind: experiment, service: shared, tiers: [lab]}
  chat: {kind: onlineInference, service: guaranteed, tiers: [serve]}
  scratch: {kind: experiment, service: reclaimable, tiers: [lab]}
"""


def with_quota(quota: str) -> str:
    return f"{HARDWARE}teams: {{nlp: {{namespaces: [nlp], quotas: {{{quota}}}}}}}\n"


@pytest.mark.parametrize(
    ("quota", "rule", "summary", "fix"),
    [
        (
            "pretrain: {train: {guaranteed: 10, borrow: 2}}",
            "quota/ambiguous-address",
            "`train` stands for 2 things in cluster `eu`",
            "By capacity that is `train/h100-sxm-80gb: {guaranteed: 8, borrow: 2}, train/h200-141gb: {guaranteed: 2, borrow: 0}`.",
        ),
        (
            "notebooks: {lab: {cap: 5}}",
            "quota/ambiguous-address",
            "`lab` stands for 2 things in cluster `eu`",
            "By capacity that is `lab/1g.5gb: {cap: 4}, lab/3g.20gb: {cap: 1}`.",
        ),
        (
            "notebooks: {lab/2g.10gb: {cap: 5}}",
            "quota/unknown-address",
            "Nothing in cluster `eu` answers to `lab/2g.10gb`",
            "There is `lab/1g.5gb`, `lab/3g.20gb`.",
        ),
        (
            "chat: {serve: {guaranteed: 4}}",
            "quota/which-cluster",
            "Tier `serve` exists in 2 clusters: say which one `serve` means",
            "Write `clusters: {eu: {serve: …}, us: {serve: …}}` with a number for each, or for some of them.",
        ),
        (
            "chat: {train: {guaranteed: 4}}",
            "quota/tier-not-in-task-pool",
            "`train` is not in task pool `chat`, whose tiers are `serve`",
            "Add the tier to the task pool's `tiers`, or give the quota for one of its tiers.",
        ),
        (
            "pretrain: {train/h200-141gb: {cap: 4}}",
            "quota/key-not-for-service",
            "`cap` means nothing to a task pool with service `guaranteed`",
            "Use the keys of the service class, or choose another service class.",
        ),
        (
            "scratch: {weight: 2}",
            "quota/key-not-for-service",
            "`weight` means nothing to a task pool with service `reclaimable`",
            "Use the keys of the service class, or choose another service class.",
        ),
        (
            "pretrian: {}",
            "ref/unknown-name",
            "`pretrian` is not defined in `taskPools`",
            "Write `pretrain`, or define `pretrian` under `taskPools`.",
        ),
        (
            "chat: {clusters: {uk: {serve: {guaranteed: 4}}}}",
            "ref/unknown-name",
            "`uk` is not defined in `clusters`",
            "Defined are: `eu`, `us`.",
        ),
    ],
)
def test_what_cannot_be_bound_is_a_finding_with_a_way_out(quota: str, rule: str, summary: str, fix: str) -> None:
    _, findings = resolved(with_quota(quota))
    assert [(d.rule, d.summary, d.fix, d.at.line) for d in findings] == [(rule, summary, fix, 19)]


@pytest.mark.parametrize(
    ("quota", "cluster", "item", "amount"),
    [
        ("pretrain: {train/h200-141gb: {guaranteed: 4}}", "eu", ("train-h200-141gb", "nvidia.com/gpu"), (4, 0, 4)),
        (
            "pretrain: {train/h200-141gb: {guaranteed: 4, lend: 1, borrow: 2}}",
            "eu",
            ("train-h200-141gb", "nvidia.com/gpu"),
            (4, 2, 1),
        ),
        ("chat: {clusters: {us: {serve: {guaranteed: 3}}}}", "us", ("serve-l40s", "nvidia.com/gpu"), (3, 0, 3)),
    ],
)
def test_borrow_is_nothing_and_lend_is_all_unless_said(
    quota: str, cluster: str, item: tuple[str, str], amount: tuple[int, int, int]
) -> None:
    (found,) = [c for c in fleet(with_quota(quota)).clusters if c.name == cluster]
    (queue,) = [queue for cohort in found.cohorts for queue in cohort.queues]
    given = queue.amounts[item]
    assert (given.guaranteed, given.borrow, given.lend) == amount


@pytest.mark.parametrize(
    ("quota", "clusters"),
    [
        ("chat: {}", ["eu", "us"]),
        ("chat: {clusters: {us: {}}}", ["us"]),
        ("pretrain: {}", ["eu"]),
        ("chat: {clusters: {eu: {serve: {guaranteed: 1}}}}", ["eu"]),
    ],
)
def test_a_team_has_its_queue_where_it_says_or_wherever_the_task_pool_is(quota: str, clusters: list[str]) -> None:
    found = [c.name for c in fleet(with_quota(quota)).clusters if any(cohort.queues for cohort in c.cohorts)]
    assert found == clusters


def test_caps_default_to_all_that_the_pool_may_hold_or_to_all_that_there_is() -> None:
    text = HARDWARE.replace(
        "tiers: [lab]}\n  chat", "tiers: [lab], pool: {lab/1g.5gb: 20}, poolBorrow: {lab/1g.5gb: 4}}\n  chat"
    )
    text += "teams: {nlp: {namespaces: [nlp], quotas: {notebooks: {}, scratch: {}}}}\n"
    flavor = "lab-a100-sxm-40gb-mig-4x1g.5gb-1x3g.20gb"
    caps = {
        cohort.task_pool.name: {item: amount.cap for queue in cohort.queues for item, amount in queue.amounts.items()}
        for cohort in fleet(text).clusters[0].cohorts
        if cohort.queues
    }
    assert caps == {
        "notebooks": {(flavor, "nvidia.com/mig-1g.5gb"): 24, (flavor, "nvidia.com/mig-3g.20gb"): 0},
        "scratch": {(flavor, "nvidia.com/mig-1g.5gb"): 32, (flavor, "nvidia.com/mig-3g.20gb"): 8},
    }


@given(
    total=st.integers(0, 10_000),
    capacities=st.dictionaries(
        st.tuples(st.text(max_size=3), st.just("gpu")), st.integers(1, 500), min_size=1, max_size=8
    ),
)
def test_a_proportional_split_loses_nothing_and_is_fair_to_one_piece(
    total: int, capacities: dict[tuple[str, str], int]
) -> None:
    parts = proportional(total, capacities)
    whole = sum(capacities.values())
    assert sum(parts.values()) == total
    assert all(abs(parts[item] - total * capacity / whole) < 1 for item, capacity in capacities.items())


def test_single_components_may_be_overridden_and_bring_their_image_along() -> None:
    text = HARDWARE.replace(
        'us: {kubernetes: "1.36"}', 'us: {kubernetes: "1.36", components: {devicePlugin: {version: v0.19.1}}}'
    )
    plugins = {cluster.name: cluster.components["devicePlugin"].image for cluster in fleet(text).clusters}
    assert plugins == {
        "eu": "nvcr.io/nvidia/k8s-device-plugin:v0.20.0",
        "us": "nvcr.io/nvidia/k8s-device-plugin:v0.19.1",
    }


@pytest.mark.parametrize(
    ("kueue", "managed", "timeout"),
    [("external", False, 1800), ("managed", True, 1800), ("{install: external, podsReadyTimeoutSeconds: 0}", False, 0)],
)
def test_kueue_is_one_word_or_a_mapping(kueue: str, managed: bool, timeout: int) -> None:
    text = HARDWARE.replace('us: {kubernetes: "1.36"}', f'us: {{kubernetes: "1.36", kueue: {kueue}}}')
    settings = fleet(text).clusters[1].kueue
    assert (settings.managed, settings.pods_ready_timeout_seconds) == (managed, timeout)


def test_an_overridden_component_keeps_the_variant_of_its_image() -> None:
    text = HARDWARE.replace(
        'us: {kubernetes: "1.36"}', 'us: {kubernetes: "1.36", components: {dcgmExporter: {version: 4.5.3-4.8.2}}}'
    )
    images = [cluster.components["dcgmExporter"].image for cluster in fleet(text).clusters]
    assert images[1].endswith(":4.5.3-4.8.2" + images[0].rpartition("4.8.3")[2])
