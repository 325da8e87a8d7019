"""Argo CD 3.6 itself syncs the example's cluster: the first time, and again.

The Applications of Kueue's and the GPU Operator's charts are left out, as their repositories are out of reach here; Kueue
runs as in all our tests. In the project and the Application two addresses are those of the test: the repository's and
the API server's. All else is as rendered.
"""

from __future__ import annotations

import itertools
from collections import defaultdict

from gpuplan.conventions import ANNOTATION_SYNC_WAVE
from tests.controlplane.delivery.stage import APPLICATION, Delivery


def test_the_project_permits_every_object_and_the_first_sync_ends_synced_and_healthy(delivered: Delivery) -> None:
    first = delivered.first
    status = first.application["status"]
    results = status["operationState"]["syncResult"]["resources"]
    assert status.get("conditions", []) == []
    assert {result["status"] for result in results} == {"Synced"}
    assert len(results) == len(first.rendered) == len(status["resources"])
    assert first.live.keys() == first.rendered.keys()


def test_every_wave_was_made_before_the_next(delivered: Delivery) -> None:
    made: defaultdict[int, set[str]] = defaultdict(set)
    for key, obj in delivered.first.rendered.items():
        wave = int(obj["metadata"].get("annotations", {}).get(ANNOTATION_SYNC_WAVE, "0"))
        made[wave].add(delivered.first.live[key]["metadata"]["creationTimestamp"])
    assert len(made) > 8
    for wave, following in itertools.pairwise(sorted(made)):
        assert max(made[wave]) < min(made[following]), f"wave {wave} before wave {following}"


def test_a_second_sync_changes_nothing_even_if_it_applies_every_object_again(delivered: Delivery) -> None:
    before = delivered.versions()
    delivered.argo.refresh(APPLICATION, hard=True)
    status = delivered.argo.application(APPLICATION)["status"]
    assert {resource["status"] for resource in status["resources"]} == {status["sync"]["status"]} == {"Synced"}
    # The rendered option ApplyOutOfSyncOnly would leave nothing to apply.
    operation = delivered.argo.synchronize(APPLICATION, "ServerSideApply=true")["status"]["operationState"]
    assert operation["phase"] == "Succeeded"
    assert len(operation["syncResult"]["resources"]) == len(delivered.repository.objects())
    assert delivered.versions() == before
