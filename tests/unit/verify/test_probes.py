"""Trials: which there are, what they ask for, and the rights that they need."""

from __future__ import annotations

from collections import Counter

import pytest

from gpuplan import conventions
from gpuplan.emit.workloads import WORKLOADS
from gpuplan.model.fleet import Fleet
from gpuplan.verify.probe_work import SPECS, good, kind_of
from gpuplan.verify.probes import OUTSIDE, Probe, exempt_users, planned, probe_rights, probes
from tests import build
from tests.unit.verify.policy_scenery import SPEC, fleet


def trials(of: Fleet) -> dict[str, Probe]:
    return {one.name: one for one in planned(of, of.clusters[0])}


def test_each_rail_is_broken_for_each_task_pool_that_it_is_about() -> None:
    counted = Counter(
        (one.rail, one.work.labels.get(conventions.LABEL_QUEUE_NAME, "")) for one in trials(fleet()).values()
    )
    assert counted == {
        ("", "chat"): 3,
        ("", "pretrain"): 2,
        (conventions.POLICY_QUEUE_REQUIRED, ""): 2,
        (conventions.POLICY_PRIORITY_BAND, "gpuplan-verify-nobodys"): 1,
        (conventions.POLICY_PRIORITY_BAND, "pretrain"): 3,
        (conventions.POLICY_PRIORITY_BAND, "chat"): 3,
        (conventions.POLICY_TOPOLOGY, "pretrain"): 1,
        (conventions.POLICY_PRODUCED_RESOURCES, "pretrain"): 1,
        (conventions.POLICY_PRODUCED_RESOURCES, "chat"): 1,
        (conventions.POLICY_STATEFUL_SERVING, "chat"): 2,
    }


def test_a_pool_forges_the_highest_priority_that_is_not_its_own() -> None:
    found = {
        name: one.work.labels[conventions.LABEL_PRIORITY_CLASS]
        for name, one in trials(fleet()).items()
        if "/forged" in name
    }
    assert found == {
        "gpuplan-priority-band/pretrain/forged": "queued-high",
        "gpuplan-priority-band/chat/forged": "guaranteed-high",
    }


def test_a_namespace_that_is_a_team_s_is_not_taken_for_nobody_s() -> None:
    own = build.fleet(SPEC.replace("namespaces: [vision]", f"namespaces: [{OUTSIDE}]"))
    queued = [one for one in planned(own, own.clusters[0]) if one.rail == conventions.POLICY_QUEUE_REQUIRED]
    assert [one.work.namespace for one in queued] == [OUTSIDE]


def test_without_a_team_there_is_nothing_to_try() -> None:
    empty = build.fleet(SPEC.split("teams:")[0])
    assert probes(empty, empty.clusters[0]) == {}


def test_names_are_the_server_s_to_give_so_that_nothing_is_in_the_way() -> None:
    for made in probes(fleet(), fleet().clusters[0]).values():
        assert "name" not in made["metadata"]
        assert made["metadata"]["generateName"] == "gpuplan-verify-"


def test_the_rights_are_to_create_just_the_kinds_that_are_tried() -> None:
    asked = {
        (right.verb, right.group, right.resource): right.dry_run for right in probe_rights(fleet(), fleet().clusters[0])
    }
    assert asked == {
        ("create", "authentication.k8s.io", "selfsubjectreviews"): False,
        ("create", "", "pods"): True,
        ("create", "apps", "deployments"): True,
        ("create", "apps", "statefulsets"): True,
        ("create", "batch", "jobs"): True,
        ("create", "jobset.x-k8s.io", "jobsets"): True,
        ("create", "leaderworkerset.x-k8s.io", "leaderworkersets"): True,
    }


def test_exempt_users_of_the_spec_are_exempt_from_the_rail_of_queues_alone() -> None:
    more = SPEC.replace("guardRails: {", 'guardRails: {exemptUsers: ["ci-bot"], ')
    own = build.fleet(more)
    exempt = [
        rail
        for rail in (conventions.POLICY_QUEUE_REQUIRED, conventions.POLICY_PRIORITY_BAND)
        if "ci-bot" in exempt_users(own, own.clusters[0], rail)
    ]
    assert exempt == [conventions.POLICY_QUEUE_REQUIRED]
    assert conventions.KUEUE_USER in exempt_users(own, own.clusters[0], conventions.POLICY_PRIORITY_BAND)


def test_every_framework_of_a_task_pool_can_be_written() -> None:
    written = {*SPECS, "Pod"}
    assert {one.kind for one in WORKLOADS if one.framework} == written


@pytest.mark.parametrize(
    ("pool", "asked", "claims", "scheduler"),
    [
        ("{tier: train, nodes: 2, cardsPerNode: 8}", "nvidia.com/gpu", [], ""),
        (
            "{tier: train, nodes: 2, cardsPerNode: 8, sharing: {timeSlicing: {replicas: 4}}}",
            "nvidia.com/gpu.shared",
            [],
            "",
        ),
        ("{tier: train, nodes: 2, cardsPerNode: 8, exposure: dra}", "", ["pretrain-1"], ""),
        (
            "{tier: train, nodes: 2, cardsPerNode: 8, sharing: {hami: {split: 4}}}",
            "nvidia.com/gpu",
            [],
            "hami-scheduler",
        ),
    ],
    ids=["whole", "shares", "claims", "hami"],
)
def test_good_work_asks_for_cards_as_its_pool_offers_them(
    pool: str, asked: str, claims: list[str], scheduler: str
) -> None:
    text = SPEC.replace("{tier: train, nodes: 2, cardsPerNode: 8}", pool)
    own = build.fleet(text.replace("pretrain: {train: {guaranteed: 16}}", "pretrain: {train: {guaranteed: 1}}"))
    cohort = next(one for one in own.clusters[0].cohorts if one.task_pool.name == "pretrain")
    spec = good(cohort, kind_of("job"), "vision", own.catalog.hami).object["spec"]["template"]["spec"]
    (container,) = spec["containers"]
    cards = [name for name in container["resources"]["limits"] if name not in {"cpu", "memory"}]
    assert cards == ([asked] if asked else [])
    assert [one["resourceClaimTemplateName"] for one in spec.get("resourceClaims", [])] == claims
    assert spec.get("schedulerName", "") == scheduler
