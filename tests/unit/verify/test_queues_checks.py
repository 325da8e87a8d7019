"""Queues, quotas, flavors and priorities: what is found on a cluster that was edited, and what is let be."""

from __future__ import annotations

from typing import Any

import pytest

from gpuplan.verify.checks import queues_active, queues_flavors, queues_present, queues_priorities, queues_quotas
from gpuplan.verify.verdicts import Outcome
from tests.unit.verify.policy_scenery import SPEC, Edit, Live, broken, drop, failures, live, named, one, outcomes, scene

QUEUE = "vision-pretrain"
CARD = {"name": "nvidia.com/gpu", "nominalQuota": "0"}
FLAVOR = "train-h100-sxm-80gb"


def quota(seen: Live) -> dict[str, Any]:
    """Return the quota of the guaranteed queue in its first flavor."""
    found: dict[str, Any] = one(seen, "ClusterQueue", QUEUE)["spec"]["resourceGroups"][0]["flavors"][0]["resources"][0]
    return found


def condition(seen: Live, kind: str, name: str, **said: str) -> None:
    one(seen, kind, name)["status"]["conditions"][0].update(said)


@pytest.mark.parametrize("kind", ["Topology", "ResourceFlavor", "Cohort", "ClusterQueue", "LocalQueue"])
def test_each_missing_object_is_named(kind: str) -> None:
    def edit(seen: Live) -> None:
        del seen[kind][0]

    found = failures(queues_present.check(broken(edit)))
    (evidence,) = found[f"objects of kind {kind}"]
    assert evidence.startswith(f"{kind} ")
    assert evidence.endswith(" is not there")


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        pytest.param(
            lambda seen: condition(
                seen, "ClusterQueue", QUEUE, status="False", reason="FlavorNotFound", message="no x"
            ),
            "ClusterQueue vision-pretrain: Active=False, FlavorNotFound: no x",
            id="inactive",
        ),
        pytest.param(
            lambda seen: one(seen, "ClusterQueue", QUEUE)["spec"].update(stopPolicy="HoldAndDrain"),
            "ClusterQueue vision-pretrain: stopPolicy HoldAndDrain, a person holds it: "
            "nothing new is admitted and what runs is evicted",
            id="held",
        ),
        pytest.param(
            lambda seen: one(seen, "ClusterQueue", QUEUE).pop("status"),
            "ClusterQueue vision-pretrain: no condition Active, Kueue has not looked at it",
            id="never looked at",
        ),
        pytest.param(
            lambda seen: condition(seen, "LocalQueue", "pretrain", status="False", reason="Stopped", message="m"),
            "LocalQueue vision/pretrain: Active=False, Stopped: m",
            id="local queue",
        ),
    ],
)
def test_a_queue_that_takes_no_work_fails_with_its_condition(edit: Edit, expected: str) -> None:
    assert failures(queues_active.check(broken(edit))) == {f"ClusterQueue {QUEUE}": (expected,)}


def test_a_hold_says_how_to_lift_it() -> None:
    seen = live()
    one(seen, "ClusterQueue", QUEUE)["spec"]["stopPolicy"] = "Hold"
    (verdict,) = (found for found in queues_active.check(scene(seen)) if found.outcome is Outcome.FAIL)
    assert "set spec.stopPolicy to None" in verdict.fix
    assert str(verdict.at).startswith("fleet/fleet.yaml:")


QUOTAS: dict[str, tuple[Edit, str, str]] = {
    "nominal": (lambda seen: quota(seen).update(nominalQuota="24"), "ClusterQueue vision-pretrain", "24, rendered 16"),
    "borrowing": (
        lambda seen: quota(seen).pop("borrowingLimit"),
        "ClusterQueue vision-pretrain",
        "borrowingLimit: nothing",
    ),
    "lending": (lambda seen: quota(seen).update(lendingLimit="1"), "ClusterQueue vision-pretrain", "lendingLimit: 1"),
    "cohort": (
        lambda seen: one(seen, "ClusterQueue", QUEUE)["spec"].update(cohortName="chat"),
        "ClusterQueue vision-pretrain",
        "spec.cohortName: chat, rendered pretrain",
    ),
    "preemption": (
        lambda seen: one(seen, "ClusterQueue", QUEUE)["spec"]["preemption"].update(reclaimWithinCohort="Never"),
        "ClusterQueue vision-pretrain",
        "reclaimWithinCohort: Never, rendered Any",
    ),
    "weight": (
        lambda seen: one(seen, "Cohort", "chat")["spec"]["fairSharing"].update(weight="7"),
        "Cohort chat",
        "spec.fairSharing.weight: 7, rendered 1",
    ),
    "a queue of nobody's": (
        lambda seen: seen["ClusterQueue"].append({**named("ClusterQueue", "smuggled"), "spec": {"cohortName": "chat"}}),
        "Cohort chat",
        "ClusterQueue smuggled is in the cohort, which nobody rendered",
    ),
    "a cohort of nobody's": (
        lambda seen: seen["Cohort"].append({**named("Cohort", "smuggled"), "spec": {"parentName": "acme"}}),
        "Cohort acme",
        "Cohort smuggled is in the cohort, which nobody rendered",
    ),
    "a door of nobody's": (
        lambda seen: seen["LocalQueue"].append({**named("LocalQueue", "x", "attic"), "spec": {"clusterQueue": QUEUE}}),
        "ClusterQueue vision-pretrain",
        "LocalQueue attic/x feeds the queue, which nobody rendered",
    ),
}


@pytest.mark.parametrize(("edit", "subject", "expected"), QUOTAS.values(), ids=QUOTAS)
def test_an_edited_quota_tree_fails_where_it_was_edited(edit: Edit, subject: str, expected: str) -> None:
    (found,) = failures(queues_quotas.check(broken(edit))).items()
    assert found[0] == subject
    assert expected in " ".join(found[1])


def test_a_hold_is_no_edited_quota_and_another_spelling_of_a_number_neither() -> None:
    def edit(seen: Live) -> None:
        one(seen, "ClusterQueue", QUEUE)["spec"]["stopPolicy"] = "Hold"
        quota(seen)["nominalQuota"] = "16000m"

    assert failures(queues_quotas.check(broken(edit))) == {}


def test_a_flavor_that_no_node_matches_fails() -> None:
    def edit(seen: Live) -> None:
        for node in seen["Node"]:
            node["metadata"]["labels"].pop("gpuplan.dev/tier")

    found = failures(queues_flavors.check(broken(edit)))
    assert set(found) == {f"ResourceFlavor {FLAVOR}", "ResourceFlavor serve-l40s"}
    assert "gpuplan.dev/tier=train" in found[f"ResourceFlavor {FLAVOR}"][0]


@pytest.mark.parametrize("made", ["selectedBy: {provisioner: karpenter}", "selectedBy: {nfd: {}}"])
def test_no_node_is_no_fault_where_a_provisioner_makes_them_when_they_are_needed(made: str) -> None:
    text = SPEC.replace("selectedBy: {nfd: {}}", made)
    seen = live(text)
    seen["Node"] = []
    expected = Outcome.UNKNOWN if "karpenter" in made else Outcome.FAIL
    flavors = [one for one in queues_flavors.check(scene(seen, text=text)) if one.subject.startswith("ResourceFlavor")]
    assert [one.outcome for one in flavors] == [expected, expected]


def test_one_node_is_enough_for_a_flavor() -> None:
    def edit(seen: Live) -> None:
        seen["Node"] = [node for node in seen["Node"] if node["metadata"]["name"] in {"h100-1", "l40s-0"}]

    assert failures(queues_flavors.check(broken(edit))) == {}


def test_an_edited_flavor_or_topology_fails() -> None:
    def edit(seen: Live) -> None:
        one(seen, "ResourceFlavor", FLAVOR)["spec"]["nodeLabels"] = {}
        one(seen, "Topology", "train")["spec"]["levels"].pop(0)

    assert set(failures(queues_flavors.check(broken(edit)))) == {f"ResourceFlavor {FLAVOR}", "Topology train"}


def other(value: int, **more: object) -> Edit:
    return lambda seen: seen["PriorityClass"].append({**named("PriorityClass", "other"), "value": value, **more})


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        pytest.param(other(4001), "PriorityClass other: value 4001 outranks the highest band, 4000", id="above"),
        pytest.param(
            other(3001, globalDefault=True), "globalDefault with value 3001", id="default above the lowest band"
        ),
        pytest.param(other(4001, preemptionPolicy="Never"), None, id="never preempts"),
        pytest.param(other(0, globalDefault=True), None, id="default below all bands"),
        pytest.param(other(4000), None, id="as high as the highest"),
        pytest.param(
            lambda seen: drop(seen, "PriorityClass", "gpuplan-queued"),
            "PriorityClass gpuplan-queued is not there",
            id="gone",
        ),
        pytest.param(
            lambda seen: one(seen, "WorkloadPriorityClass", "queued").update(value=1),
            "WorkloadPriorityClass queued: value: 1, rendered 3000",
            id="other value",
        ),
        pytest.param(
            lambda seen: one(seen, "PriorityClass", "gpuplan-queued").update(preemptionPolicy="PreemptLowerPriority"),
            "preemptionPolicy: PreemptLowerPriority, rendered Never",
            id="may preempt",
        ),
    ],
)
def test_a_priority_fails_where_it_upsets_the_bands(edit: Edit, expected: str | None) -> None:
    found = failures(queues_priorities.check(broken(edit)))
    said = [line for evidence in found.values() for line in evidence]
    assert (expected is None and not said) or (expected is not None and len(said) == 1 and expected in said[0])


@pytest.mark.parametrize(
    "module", [queues_present, queues_active, queues_quotas, queues_flavors, queues_priorities], ids=lambda m: m.DOC.id
)
def test_a_good_cluster_passes(module: Any) -> None:
    assert outcomes(module.check(scene(live()))) == {Outcome.PASS}
