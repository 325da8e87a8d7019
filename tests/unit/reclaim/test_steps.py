"""In which order people are told and work is suspended, and that a crash between any two steps does no harm."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from gpuplan import conventions
from gpuplan.model.reclaim_policy import ReclaimPolicy
from gpuplan.reclaim.decide import decide
from gpuplan.reclaim.observed import Owner, PodUse, Suspended
from gpuplan.reclaim.steps import Count, CreateEvent, Patch, PostAlert, Step, back, steps, tell
from gpuplan.reclaim.verdicts import Action
from tests.unit.reclaim.scenery import NOW, ago, card, owner, policy, seen, told

BUSY = PodUse(cards=(card(peak=0.9),))


def taken(one: Owner, use: PodUse | None = None, by: ReclaimPolicy | None = None) -> tuple[Step, ...]:
    """The steps for one owner."""
    observed = seen(one, use={one.pods[0].name: use} if use else None)
    (found,) = decide(by or policy(), observed, NOW).reclamations
    return steps(by or policy(), found, NOW)


def kinds(some: tuple[Step, ...]) -> list[type[Step]]:
    return [type(one) for one in some]


def notes(step: Step) -> Mapping[str, Any]:
    assert isinstance(step, Patch)
    annotations: Mapping[str, Any] = step.change["metadata"]["annotations"]
    return annotations


def test_people_are_told_before_the_grace_begins() -> None:
    event, alert, patch = taken(owner())
    assert isinstance(event, CreateEvent)
    assert (event.reason, str(event.about)) == ("GpuWorkIdle", "Job vision/a")
    assert "2026-11-30T14:30:00Z" in event.message
    assert isinstance(alert, PostAlert)
    assert alert.labels["team"] == "vision"
    assert notes(patch) == {"gpuplan.dev/reclaim-notice-at": "2026-11-30T14:00:00Z"}
    assert isinstance(patch, Patch)
    assert "spec" not in patch.change
    assert patch.version == "7"


def test_to_suspend_and_to_note_it_is_one_patch_against_the_version_that_was_judged() -> None:
    patch, event, count, mark, resolved = taken(owner(notes=told(31)))
    assert isinstance(patch, Patch)
    assert patch.version == "7"
    assert patch.change["spec"] == {"active": False}
    assert notes(patch)["gpuplan.dev/reclaim-reason"] == "idle"
    assert notes(patch)["gpuplan.dev/reclaimed-at"] == "2026-11-30T14:00:00Z"
    assert notes(patch)["gpuplan.dev/reclaim-notice-at"] is None
    assert notes(patch)["gpuplan.dev/reclaim-untold"]
    assert isinstance(resolved, PostAlert)
    assert resolved.until == NOW
    assert isinstance(event, CreateEvent)
    assert event.reason == "GpuWorkReclaimed"
    assert isinstance(count, Count)
    assert notes(mark) == {"gpuplan.dev/reclaim-untold": None}


def test_what_was_left_after_a_crash_is_the_same_as_what_would_have_followed() -> None:
    one = owner(notes=told(31))
    patch, *followed, _ = taken(one)
    assert one.target
    noted = {key: value for key, value in notes(patch).items() if value is not None}
    target = owner(notes=noted).target
    assert target
    left = tell(Suspended(owner=one.reference, target=target, at=NOW, untold=True))
    assert [one for one in left if not isinstance(one, Patch)] == [
        one for one in followed if not isinstance(one, Patch)
    ]
    assert notes(left[-1]) == {"gpuplan.dev/reclaim-untold": None}


@pytest.mark.parametrize("use", [None, BUSY])
def test_an_event_keeps_its_name_until_the_notes_have_changed(use: PodUse | None) -> None:
    def name(noted: Mapping[str, str]) -> str:
        first = taken(owner(notes=noted), use)[0]
        assert isinstance(first, CreateEvent)
        return first.name

    before = told(500)
    assert name(before) == name(before)
    assert name(before) != name({**told(400)})
    assert name(before) != name({**before, conventions.ANNOTATION_RECLAIM_WITHDRAWN_AT: "2026-11-30T10:00:00Z"})


def test_a_notice_and_its_withdrawal_have_events_of_their_own() -> None:
    given, withdrawn = taken(owner(notes=told(200)))[0], taken(owner(notes=told(200)), BUSY)[0]
    assert isinstance(given, CreateEvent)
    assert isinstance(withdrawn, CreateEvent)
    assert given.name != withdrawn.name


def test_a_withdrawn_notice_is_taken_off_and_resolved() -> None:
    event, alert, patch = taken(owner(notes=told(10)), BUSY)
    assert isinstance(event, CreateEvent)
    assert not event.warning
    assert isinstance(alert, PostAlert)
    assert (alert.since, alert.until) == (ago(10), NOW)
    assert notes(patch) == {
        "gpuplan.dev/reclaim-notice-at": None,
        "gpuplan.dev/reclaim-withdrawn-at": "2026-11-30T14:00:00Z",
    }


def test_alertmanager_is_reminded_while_the_grace_runs_and_nothing_is_written() -> None:
    (alert,) = taken(owner(notes=told(10)))
    assert isinstance(alert, PostAlert)
    assert alert.since == ago(10)
    assert alert.until > NOW


@pytest.mark.parametrize(
    ("ways", "expected"),
    [
        (("event",), [CreateEvent, Patch]),
        (("alertmanager",), [PostAlert, Patch]),
        (("event", "alertmanager"), [CreateEvent, PostAlert, Patch]),
    ],
)
def test_people_are_told_in_the_ways_that_the_policy_says(ways: tuple[str, ...], expected: list[type[Step]]) -> None:
    assert kinds(taken(owner(), by=policy(notice=ways))) == expected


def test_who_cannot_be_stopped_is_told_and_nothing_is_noted() -> None:
    assert kinds(taken(owner(kind="Pod", by=""))) == [CreateEvent, PostAlert]


@pytest.mark.parametrize(
    ("kind", "stop"),
    [
        ("Workload", {"active": False}),
        ("Job", {"suspend": True}),
        ("JobSet", {"suspend": True}),
        ("MPIJob", {"runPolicy": {"suspend": True}}),
        ("Deployment", {"replicas": 0}),
        ("StatefulSet", {"replicas": 0}),
        ("LeaderWorkerSet", {"replicas": 0}),
    ],
)
def test_each_kind_is_stopped_in_its_own_way_and_people_are_told_how_to_go_on(
    kind: str, stop: Mapping[str, Any]
) -> None:
    one = owner(by=kind, kind=kind, notes=told(31), replicas=3)
    patch = taken(one)[0]
    assert isinstance(patch, Patch)
    assert patch.change["spec"] == stop
    assert one.target
    command = back(one.target)
    if "replicas" in stop:
        assert notes(patch)["gpuplan.dev/reclaim-replicas"] == "3"
        assert command.endswith("--replicas=3")
    elif kind == "Workload":
        assert command == "kubectl delete -n vision workloads.kueue.x-k8s.io/workload-a"
    else:
        undone = json.loads(command.partition(" -p ")[2].strip("'"))
        assert json.dumps(undone).lower().translate(_SWAP) == json.dumps({"spec": stop}).lower().translate(_SWAP)
        assert undone != {"spec": stop}


_SWAP = str.maketrans("", "", "truefals")
"""Takes `true` and `false` out, so that only the shape is compared."""


def test_nothing_is_done_about_work_that_is_spared() -> None:
    assert taken(owner(), BUSY) == ()
    assert Action.NONE.value == "none"
