"""What `check` accepts, a real API server with a real Kueue takes, keeps as written, and makes work."""

from __future__ import annotations

import time
from collections import Counter

from hypothesis import HealthCheck, Phase, assume, given, seed, settings

from gpuplan.manifests.set import ManifestSet
from tests.controlplane.controlplane import ControlPlane
from tests.controlplane.trial import PATIENCE_SECONDS, Written, accepted, compiled, trial
from tests.generated import fleets

SEED = 20_260_901
FLEETS = 200
"""Fleets that have to be accepted; each is one example."""
REFUSED = 0.15
"""The part of the generated fleets that `check` may refuse."""

IMPATIENCE_SECONDS = 4.0
"""How long Kueue may take once a fleet has failed, so that it shrinks in the 5 minutes that Hypothesis takes at most."""
LIMITS = settings(
    deadline=None,
    database=None,
    phases=(Phase.generate, Phase.shrink),
    report_multiple_bugs=False,
    suppress_health_check=(HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example),
)


def loads(manifests: ManifestSet) -> list[list[Written]]:
    """Return what goes onto one server at a time: the objects of each cluster, and those of the hub beside the first."""
    hub = compiled(manifests.in_cluster(None))
    return [
        compiled(manifests.in_cluster(name)) + (hub if number == 0 else [])
        for number, name in enumerate(manifests.clusters)
    ]


def test_a_real_server_and_kueue_take_every_generated_fleet_and_keep_it_unchanged(control_plane: ControlPlane) -> None:
    seen: Counter[str] = Counter()

    @seed(SEED)
    @settings(LIMITS, max_examples=FLEETS)
    @given(fleets())
    def takes(text: str) -> None:
        manifests = accepted(text)
        seen["refused by check"] += manifests is None
        assume(manifests is not None)
        assert manifests is not None
        for load in loads(manifests):
            found = trial(control_plane, load, IMPATIENCE_SECONDS if seen["failures"] else PATIENCE_SECONDS)
            seen["failures"] += bool(found)
            assert found == []
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
