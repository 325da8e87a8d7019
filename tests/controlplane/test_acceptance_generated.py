"""What `check` accepts, a real API server with a real Kueue takes, keeps as written, and makes work."""

from __future__ import annotations

import time
from collections import Counter

from hypothesis import HealthCheck, assume, given, seed, settings

from gpuplan.manifests.set import ManifestSet
from tests.controlplane.controlplane import ControlPlane
from tests.controlplane.trial import Written, accepted, compiled, trial
from tests.generated import fleets

SEED = 20_260_901
FLEETS = 200
"""Fleets that have to be accepted; each is one example."""
REFUSED = 0.15
"""The part of the generated fleets that `check` may refuse."""

SLOW = (HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example, HealthCheck.filter_too_much)


def loads(manifests: ManifestSet) -> list[list[Written]]:
    """Return what goes onto one server at a time: the objects of each cluster, and those of the hub beside the first."""
    hub = compiled(manifests.in_cluster(None))
    return [
        compiled(manifests.in_cluster(name)) + (hub if number == 0 else [])
        for number, name in enumerate(manifests.clusters)
    ]


def test_a_real_server_and_kueue_take_every_generated_fleet_and_keep_it_unchanged(control_plane: ControlPlane) -> None:
    seen: Counter[str] = Counter()

    # A failing fleet shrinks for 5 minutes at most, which is Hypothesis' own limit; small fleets take a third of a second.
    @seed(SEED)
    @settings(max_examples=FLEETS, deadline=None, database=None, report_multiple_bugs=False, suppress_health_check=SLOW)
    @given(fleets())
    def takes(text: str) -> None:
        manifests = accepted(text)
        seen["refused by check"] += manifests is None
        assume(manifests is not None)
        assert manifests is not None
        for load in loads(manifests):
            assert trial(control_plane, load) == []
            seen["servers filled"] += 1
            seen["objects"] += len(load)
        seen["fleets"] += 1

    began = time.monotonic()
    takes()
    seconds = time.monotonic() - began
    print(f"{dict(seen)} in {seconds:.0f} s, {seen['objects'] / seconds:.0f} objects/s")
    control_plane.reset()
    assert seen["fleets"] >= FLEETS
    assert seen["refused by check"] <= REFUSED * seen["fleets"]
