"""Argo CD 3.6 brings what changes in Git to the example's cluster: no more, no less, and not before somebody confirms.

Each test changes something else, and leaves it changed, as owners of a fleet do.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any

from tests.controlplane.client import reference
from tests.controlplane.delivery.repository import CLUSTER, Key, planned_key
from tests.controlplane.delivery.stage import APPLICATION, Delivery

KUEUE_API = "kueue.x-k8s.io/v1beta2"
GROUPS = "    groups: [recsys-engineers]\n"
FINETUNE = "      finetune: {train/h100-sxm-80gb: {guaranteed: 8, borrow: 8}}\n"
RULE = ("monitoring.coreos.com/v1", "PrometheusRule gpu-system/gpuplan-gpu-state")
LAB = "namespaces: [robotics, robotics-sim]"
MORE_LAB = "namespaces: [robotics, robotics-sim, robotics-lab]"
CHAT = "chat: {serve: {guaranteed: 8}}"


def differing(before: Mapping[Key, object], after: Mapping[Key, object]) -> set[Key]:
    """Return what is not in both, or not the same in both."""
    return {one for one in before.keys() | after.keys() if before.get(one) != after.get(one)}


def changed_by(delivered: Delivery, name: str, old: str, new: str) -> set[Key]:
    """Change the spec in Git, and return what has changed in the cluster: what changed in Git, and what the plan named."""
    before, rendered = delivered.contents(), delivered.repository.objects()
    delivered.sync(delivered.repository.change(name, old, new))
    changed = differing(before, delivered.contents())
    assert changed == differing(rendered, delivered.repository.objects())
    assert changed == {*map(planned_key, delivered.repository.planned())}
    return changed


def test_an_edit_in_git_changes_exactly_the_objects_that_the_plan_names(delivered: Delivery) -> None:
    changed = changed_by(delivered, "teams.yaml", "borrow: 32, lend: 32", "borrow: 24, lend: 32")
    assert (KUEUE_API, "ClusterQueue vision-pretrain") in changed


def test_a_namespace_comes_with_all_that_is_in_it_and_stays_when_it_leaves_the_fleet(delivered: Delivery) -> None:
    before = delivered.live().keys()
    changed_by(delivered, "teams.yaml", LAB, MORE_LAB)
    new = delivered.live().keys() - before
    assert {one.split()[0] for _, one in new} >= {"Namespace", "LocalQueue", "RoleBinding"}
    revision = delivered.repository.change("teams.yaml", MORE_LAB, LAB)
    # At worst the Application hears of it first, and waits for a person: until its project lets go of the namespace.
    delivered.argo.refresh(APPLICATION)
    delivered.argo.wait_for(APPLICATION, waits, what="wait for a person")
    delivered.sync(revision)
    stayed = new & delivered.live().keys()
    assert {one for _, one in stayed} >= {"Namespace robotics-lab", "LocalQueue robotics-lab/finetune"}


def test_what_needs_no_confirmation_goes_at_once(delivered: Delivery) -> None:
    before = delivered.live().keys()
    changed = changed_by(delivered, "teams.yaml", GROUPS, "")
    gone = before - delivered.live().keys()
    assert gone
    assert gone <= changed
    assert {one.split()[0] for _, one in gone} == {"RoleBinding"}


def waits(app: Mapping[str, Any]) -> bool:
    """Tell whether an Application waits until a person confirms that it may delete something."""
    state = app["status"].get("operationState", {})
    return state.get("phase") == "Running" and "pruning confirmation" in state.get("message", "")


def needs_a_person(resource: Mapping[str, Any]) -> bool:
    """Tell whether Argo CD is to delete this, and asks a person first."""
    return bool(resource.get("requiresPruning") and resource.get("requiresDeletionConfirmation"))


def test_a_queue_that_leaves_the_fleet_stays_until_a_person_confirms_and_later_commits_wait_with_it(
    delivered: Delivery,
) -> None:
    queue = (KUEUE_API, "ClusterQueue recsys-finetune")
    below = (KUEUE_API, "LocalQueue recsys/finetune")
    delivered.repository.change("teams.yaml", FINETUNE, "")
    planned = delivered.repository.planned()
    delivered.argo.refresh(APPLICATION)
    waiting = delivered.argo.wait_for(APPLICATION, waits, what="wait for a person")
    assert "ClusterQueue/recsys-finetune" in waiting["status"]["operationState"]["message"]
    leaving = {one["name"] for one in waiting["status"]["resources"] if needs_a_person(one)}
    assert leaving == {one["name"] for one in planned if one["action"] == "-" and one["confirmed"]}
    before = delivered.contents()
    assert {queue, below} <= before.keys()
    later = delivered.repository.change("policy.yaml", "thermalMarginCelsius: 3", "thermalMarginCelsius: 4")
    delivered.argo.refresh(APPLICATION)
    assert waits(delivered.argo.application(APPLICATION))
    assert delivered.contents() == before
    delivered.argo.confirm_deletions(APPLICATION)
    delivered.sync(later)
    after = delivered.contents()
    assert {queue, below}.isdisjoint(after)
    assert {one for one in after if after[one] != before[one]} >= {RULE}


def test_self_heal_undoes_a_hand_edit_and_leaves_an_emergency_hold(delivered: Delivery) -> None:
    client = delivered.plane.client
    queue = reference(KUEUE_API, "ClusterQueue", "nlp-pretrain")
    before = client.get(queue)["spec"]
    client.patch(queue, {"spec": {"stopPolicy": "Hold", "cohortName": "elsewhere"}})
    delivered.plane.wait_for(lambda: client.get(queue)["spec"]["cohortName"] == before["cohortName"], what="self-heal")
    app = delivered.argo.wait_until_synced(APPLICATION, delivered.repository.head)
    assert client.get(queue)["spec"] == {**before, "stopPolicy": "Hold"}
    assert app["status"]["health"]["status"] == "Healthy"
    client.patch(queue, {"spec": {"stopPolicy": "None"}})


def test_self_heal_makes_again_what_somebody_deleted(delivered: Delivery) -> None:
    client = delivered.plane.client
    queue = client.get(reference(KUEUE_API, "LocalQueue", "chat", "nlp"))
    client.delete(queue)

    def came_back() -> bool:
        found = client.find(queue)
        return found is not None and found["metadata"]["uid"] != queue["metadata"]["uid"]

    delivered.plane.wait_for(came_back, what="the queue to come back")


def freeze() -> str:
    """Return a window of some hours that denies, and has been open for one; a fleet cannot be frozen for ever."""
    begun = datetime.datetime.now(datetime.UTC) - datetime.timedelta(hours=1)
    window = f'{{name: freeze, kind: deny, schedule: "{begun:%M %H} * * *", duration: 4h, clusters: [{CLUSTER}]}}'
    return f"governance:\n  maintenance: {{windows: [{window}]}}\n"


def test_a_freeze_keeps_changes_off_until_it_ends(delivered: Delivery) -> None:
    frozen = freeze()
    synced = delivered.sync(delivered.repository.change("policy.yaml", "governance:\n", frozen))
    before = delivered.contents()
    delivered.repository.change("teams.yaml", CHAT, CHAT.replace("8", "4"))
    delivered.argo.refresh(APPLICATION)
    app = delivered.argo.application(APPLICATION)
    assert app["status"]["sync"]["status"] == "OutOfSync"
    # Whether to sync was decided in the look that found it so.
    assert "operation" not in app
    assert app["status"]["operationState"] == synced["status"]["operationState"]
    assert delivered.contents() == before
    delivered.sync(delivered.repository.change("policy.yaml", frozen, "governance:\n"))
    assert delivered.contents()[KUEUE_API, "ClusterQueue nlp-chat"] != before[KUEUE_API, "ClusterQueue nlp-chat"]
