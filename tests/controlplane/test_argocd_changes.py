"""Argo CD 3.6 brings what changes in Git to the example's cluster: no more, no less, and not before somebody confirms.

Each test starts from what the one before it left, as a cluster does; none needs an earlier one to have run.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.controlplane.argocd_repository import Key
from tests.controlplane.argocd_stage import APPLICATION, CLUSTER, PROJECT, Delivery, synced
from tests.controlplane.client import Object, reference
from tests.controlplane.controlplane import ControlPlane

KUEUE_API = "kueue.x-k8s.io/v1beta2"
QUEUE = reference(KUEUE_API, "ClusterQueue", "recsys-finetune")
QUEUE_KEY = (KUEUE_API, "ClusterQueue recsys-finetune")
LOCAL_QUEUE_KEY = (KUEUE_API, "LocalQueue recsys/finetune")
QUOTA = "      finetune: {train/h100-sxm-80gb: {guaranteed: 8, borrow: 8}}\n"
MORE = "      finetune: {train/h100-sxm-80gb: {guaranteed: 8, borrow: 16}}\n"
ALWAYS = """governance:
  maintenance:
    windows:
    - {name: freeze, kind: deny, schedule: "* * * * *", duration: 2h, clusters: [prod-eu]}
"""


@pytest.fixture(scope="module")
def delivered(
    argocd: Path, _shared_busy_control_plane: ControlPlane, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Delivery]:
    with synced(_shared_busy_control_plane, tmp_path_factory.mktemp("argocd")) as made:
        yield made


@pytest.fixture
def delivery(delivered: Delivery) -> Iterator[Delivery]:
    """The example in the cluster; what a test changed in Git is taken back after it."""
    yield delivered
    delivered.restore()


def planned(before: dict[Key, Object], after: dict[Key, Object]) -> set[Key]:
    """Return the objects that two renders do not have in common."""
    return {one for one in before.keys() | after.keys() if before.get(one) != after.get(one)}


@pytest.mark.parametrize(
    ("name", "old", "new", "kinds"),
    [
        pytest.param("teams.yaml", QUOTA, MORE, {"ClusterQueue"}, id="a quota"),
        pytest.param(
            "teams.yaml", "namespaces: [recsys]", "namespaces: [recsys, recsys-lab]", {"Namespace"}, id="a namespace"
        ),
        pytest.param("teams.yaml", "    groups: [recsys-engineers]\n", "", {"RoleBinding"}, id="a group"),
        pytest.param("policy.yaml", "queueWaitMinutes: 45", "queueWaitMinutes: 50", {"PrometheusRule"}, id="an alert"),
    ],
)
def test_an_edit_in_git_changes_exactly_the_objects_whose_files_changed(
    delivery: Delivery, name: str, old: str, new: str, kinds: set[str]
) -> None:
    before, rendered = delivery.contents(), delivery.repository.objects(CLUSTER)
    delivery.sync(delivery.repository.change(name, old, new))
    after = delivery.contents()
    changed = {one for one in before.keys() | after.keys() if before.get(one) != after.get(one)}
    assert changed == planned(dict(rendered), dict(delivery.repository.objects(CLUSTER)))
    assert {one.split()[0] for _, one in changed} >= kinds


def waits(app: Any) -> bool:
    """Tell whether an Application waits until a person confirms that it may delete something."""
    state = app["status"].get("operationState", {})
    return state.get("phase") == "Running" and "pruning confirmation" in state.get("message", "")


def test_a_queue_that_leaves_the_fleet_stays_until_a_person_confirms(delivery: Delivery) -> None:
    revision = delivery.repository.change("teams.yaml", QUOTA, "")
    delivery.argo.refresh(APPLICATION)
    waiting = delivery.argo.wait_for(APPLICATION, waits, what="wait for a person")
    assert "ClusterQueue/recsys-finetune" in waiting["status"]["operationState"]["message"]
    assert QUEUE_KEY in delivery.live()
    delivery.argo.confirm_deletions(APPLICATION)
    delivery.argo.wait_until_synced(APPLICATION, revision)
    assert {QUEUE_KEY, LOCAL_QUEUE_KEY}.isdisjoint(delivery.live())


def test_what_needs_no_confirmation_goes_at_once(delivery: Delivery) -> None:
    before = delivery.live().keys()
    delivery.sync(delivery.repository.change("teams.yaml", "    groups: [recsys-engineers]\n", ""))
    gone = before - delivery.live().keys()
    assert gone
    assert {one.split()[0] for _, one in gone} == {"RoleBinding"}


def test_self_heal_undoes_a_hand_edit_and_leaves_an_emergency_hold(delivery: Delivery) -> None:
    client = delivery.plane.client
    before = delivery.live()[QUEUE_KEY]["spec"]
    edited = [dict(group, flavors=[]) for group in before["resourceGroups"]]
    assert edited
    client.patch(QUEUE, {"spec": {"stopPolicy": "Hold", "cohortName": "elsewhere"}})
    delivery.plane.wait_for(lambda: client.get(QUEUE)["spec"]["cohortName"] == before["cohortName"], what="self-heal")
    delivery.argo.wait_until_synced(APPLICATION, delivery.repository.head)
    assert client.get(QUEUE)["spec"] == {**before, "stopPolicy": "Hold"}
    client.patch(QUEUE, {"spec": {"stopPolicy": "None"}})


def test_self_heal_makes_again_what_somebody_deleted(delivery: Delivery) -> None:
    client = delivery.plane.client
    queue = delivery.live()[LOCAL_QUEUE_KEY]
    client.delete(queue)

    def came_back() -> bool:
        found = client.find(queue)
        return found is not None and found["metadata"]["uid"] != queue["metadata"]["uid"]

    delivery.plane.wait_for(came_back, what="the queue to come back")


def test_a_freeze_keeps_changes_off_until_it_ends(delivery: Delivery) -> None:
    frozen = delivery.repository.change("policy.yaml", "governance:\n", ALWAYS)
    delivery.install("AppProject", PROJECT)
    delivery.repository.change("teams.yaml", QUOTA, MORE)
    before = delivery.contents()
    delivery.argo.refresh(APPLICATION)
    app = delivery.argo.application(APPLICATION)
    assert app["status"]["sync"]["status"] == "OutOfSync"
    assert "operation" not in app
    assert app["status"]["operationState"]["syncResult"]["revision"] != frozen
    assert delivery.contents() == before
    thawed = delivery.repository.change("policy.yaml", ALWAYS, "governance:\n")
    delivery.install("AppProject", PROJECT)
    delivery.sync(thawed)
    assert delivery.contents()[QUEUE_KEY] != before[QUEUE_KEY]
