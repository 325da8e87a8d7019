"""Who is taken and who is spared, and why: every guard, and how far an idle owner comes."""

from __future__ import annotations

import dataclasses
import datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplan.reclaim.decide import decide
from gpuplan.reclaim.observed import CardUse, Distrust, Observations, Owner, PodUse, Suspended
from gpuplan.reclaim.verdicts import Action, Reclamation, Verdict
from tests.unit.reclaim.scenery import NOW, POOL, ago, busy, card, owner, pod, policy, reference, seen, told


def judged(observed: Observations, **changed: object) -> list[Reclamation]:
    return list(decide(policy(**changed), observed, NOW).reclamations)


def alone(one: Owner, use: PodUse | None = None, **changed: object) -> Reclamation:
    """Judge one owner; `use` is that of its first pod."""
    (found,) = judged(seen(one, use={one.pods[0].name: use} if use else None), **changed)
    return found


EIGHT = tuple(pod(f"a-{number}") for number in range(8))
ONE_OF_EIGHT_BUSY = {"a-3": PodUse(cards=(card(peak=0.4),))}


@pytest.mark.parametrize(
    ("verdict", "one", "use"),
    [
        (Verdict.UNWATCHED, owner(queue=""), None),
        (Verdict.UNWATCHED, owner(queue="elsewhere"), None),
        (Verdict.UNWATCHED, owner(reference=reference(namespace="kube-system")), None),
        (Verdict.PROTECTED, owner(queue="chat"), None),
        (Verdict.EXEMPT, owner(exempt=True), None),
        (Verdict.EXEMPT, owner(exempt=True, exempt_until="2026-11-30"), None),
        (Verdict.EXEMPT, owner(exempt=True, exempt_until="christmas"), None),
        (Verdict.SUSPENDED, owner(stopped=True), None),
        (Verdict.STARTING, owner(pods=[pod(running=False)]), None),
        (Verdict.STARTING, owner(pods=[pod(), pod("a-1", running=False, devices=0)]), None),
        (Verdict.YOUNG, owner(pods=[pod(started=ago(89))]), None),
        (Verdict.YOUNG, owner(pods=[pod(), pod("a-1", started=ago(5))]), None),
        (Verdict.ACTIVE, owner(), PodUse(cards=(card(peak=0.02),))),
        (Verdict.ACTIVE, owner(pods=[pod("a-0", devices=0), pod("b-0")]), PodUse(cards=(card(peak=0.5),))),
        (Verdict.NOT_COVERED, owner(pods=[pod("a-0", devices=0), pod("b-0")]), PodUse(cards=(card(),))),
        (Verdict.ACTIVE, owner(pods=[pod(devices=2)]), PodUse(cards=(card(), card(peak=0.5)))),
        (Verdict.ACTIVE, owner(), PodUse(cards=(card(),), memory_peak=0.1)),
        (Verdict.SHARED_CARD, owner(pods=[pod(shared=True, devices=0)]), None),
        (Verdict.SHARED_CARD, owner(), PodUse(cards=(card(holders=2),))),
        (Verdict.DEVICES_UNKNOWN, owner(pods=[pod(claims=True, devices=0)]), None),
        (Verdict.NO_DATA, owner(), PodUse()),
        (Verdict.STALE, owner(), PodUse(cards=(card(age_seconds=181.0),))),
        (Verdict.STALE, owner(), PodUse(cards=(card(age_seconds=-61.0),))),
        (Verdict.IMPLAUSIBLE, owner(), PodUse(cards=(card(peak=None),))),
        (Verdict.IMPLAUSIBLE, owner(), PodUse(cards=(card(watts=351.0),))),
        (Verdict.NOT_COVERED, owner(), PodUse(cards=(card(minutes=47),))),
        (Verdict.NOT_COVERED, owner(pods=[pod(devices=2)]), PodUse(cards=(card(),))),
        (Verdict.NOT_COVERED, owner(), PodUse(cards=(card(), card()))),
        (Verdict.NOT_COVERED, owner(), PodUse(cards=(card(node="h100-7"),))),
        (Verdict.NOTICE, owner(), None),
        (Verdict.NOTICE, owner(), PodUse(cards=(card(minutes=48, peak=0.019, watts=350.0),), memory_peak=0.019)),
        (Verdict.NOTICE, owner(), PodUse(cards=(card(watts=900.0, pool="of-unknown-power"),))),
        (Verdict.NOTICE, owner(exempt=True, exempt_until="2026-11-29"), None),
        (Verdict.NOTICE, owner(pods=[pod(), pod("launcher", devices=0)]), None),
        (Verdict.NOTICE_ONLY, owner(kind="Pod", by=""), None),
        (Verdict.NOTICE_ONLY, owner(kind="RayCluster", by=""), None),
        (Verdict.IN_GRACE, owner(notes=told(29)), None),
        (Verdict.IDLE, owner(notes=told(30)), None),
    ],
)
def test_each_verdict_has_its_case(verdict: Verdict, one: Owner, use: PodUse | None) -> None:
    chat = dataclasses.replace(POOL, enabled=False)
    found = alone(one, use, pools={"notebooks": POOL, "chat": chat})
    assert found.verdict is verdict, found.why
    assert found.why
    assert not found.why.endswith(".")


def test_one_busy_pod_of_eight_spares_the_whole_owner() -> None:
    (found,) = judged(seen(owner(pods=EIGHT, notes=told(40)), use=ONE_OF_EIGHT_BUSY))
    assert (found.verdict, found.action) == (Verdict.ACTIVE, Action.WITHDRAW)


def test_eight_idle_pods_are_one_owner() -> None:
    (found,) = judged(seen(owner(pods=EIGHT)))
    assert (found.verdict, found.action) == (Verdict.NOTICE, Action.NOTIFY)


def test_activity_counts_even_where_other_cards_report_nothing() -> None:
    (found,) = judged(
        seen(owner(pods=[pod(), pod("a-1")]), use={"a-0": PodUse(cards=(card(peak=1.0),)), "a-1": PodUse()})
    )
    assert found.verdict is Verdict.ACTIVE


@pytest.mark.parametrize("minutes", [91, 600, -5])
def test_a_notice_that_is_too_old_or_from_the_future_is_given_anew(minutes: int) -> None:
    found = alone(owner(notes=told(minutes)))
    assert (found.verdict, found.action) == (Verdict.NOTICE, Action.NOTIFY)


def test_a_notice_that_nobody_can_read_is_given_anew() -> None:
    note = dict.fromkeys(told(0), "yesterday")
    assert alone(owner(notes=note)).action is Action.NOTIFY


@pytest.mark.parametrize(
    ("pool", "verdict"), [("desk", Verdict.SHARED_CARD), ("", Verdict.SHARED_CARD), ("h100", Verdict.NOTICE)]
)
def test_where_the_name_of_a_resource_does_not_tell_the_pool_of_the_card_does(pool: str, verdict: Verdict) -> None:
    assert alone(owner(), PodUse(cards=(card(pool=pool),)), shared_pools=("desk",)).verdict is verdict


def test_a_notice_of_active_work_is_withdrawn_and_one_of_unknown_work_stands() -> None:
    assert alone(owner(notes=told(10)), PodUse(cards=(card(peak=0.5),))).action is Action.WITHDRAW
    assert alone(owner(notes=told(10)), PodUse()).action is Action.NONE


@pytest.mark.parametrize(
    ("distrust", "verdict"),
    [(Distrust.UNREACHABLE, Verdict.PROMETHEUS_UNREACHABLE), (Distrust.PARTIAL, Verdict.PROMETHEUS_PARTIAL)],
)
def test_nothing_happens_while_prometheus_is_not_trusted(distrust: Distrust, verdict: Verdict) -> None:
    found = judged(seen(owner("a", notes=told(45)), owner("b"), distrust=distrust))
    assert [(one.verdict, one.action) for one in found] == [(verdict, Action.NONE)] * 2


def test_what_needs_no_prometheus_is_known_without_it() -> None:
    found = judged(seen(owner("a", exempt=True), owner("b", queue=""), distrust=Distrust.UNREACHABLE))
    assert [one.verdict for one in found] == [Verdict.EXEMPT, Verdict.UNWATCHED]


def test_too_much_idle_at_once_opens_the_circuit() -> None:
    active, use = busy()
    found = decide(policy(), seen(*(owner(name, notes=told(40)) for name in "abc"), active, use=use), NOW)
    assert found.circuit_open
    assert [one.action for one in found.reclamations] == [Action.NONE] * 4
    assert [one.verdict for one in found.reclamations] == [Verdict.CIRCUIT_OPEN] * 3 + [Verdict.ACTIVE]


def test_as_much_as_is_allowed_may_be_idle() -> None:
    idle = [owner(name) for name in "abc"]
    active = [busy(f"busy-{number}") for number in range(3)]
    uses = {name: use for _, one in active for name, use in one.items()}
    assert not decide(policy(), seen(*idle, *(one for one, _ in active), use=uses), NOW).circuit_open


def test_two_idle_works_of_two_are_believed() -> None:
    assert not decide(policy(), seen(owner("a"), owner("b")), NOW).circuit_open


def earlier(minutes: float) -> Suspended:
    before = owner("earlier")
    assert before.target
    return Suspended(owner=before.reference, target=before.target, at=ago(minutes), untold=False)


def test_no_more_are_taken_in_an_hour_than_the_policy_says() -> None:
    due = [owner("a", notes=told(31)), owner("b", notes=told(50), pods=[pod("b-0", devices=4)])]
    found = judged(seen(*due, suspended=[earlier(59), earlier(61)]), max_per_hour=2)
    assert [one.verdict for one in found] == [Verdict.RATE_LIMITED, Verdict.IDLE]
    assert [one.action for one in found] == [Action.REMIND, Action.SUSPEND]


def test_among_those_told_at_once_who_holds_most_goes_first() -> None:
    due = [owner("a", notes=told(40)), owner("b", notes=told(40), pods=[pod("b-0", devices=4)])]
    assert [one.verdict for one in judged(seen(*due), max_per_hour=1)] == [Verdict.RATE_LIMITED, Verdict.IDLE]


use_of_cards = st.builds(
    CardUse,
    device=st.just("card 0"),
    node=st.sampled_from(["h100-0", "h100-0", "h100-1"]),
    peak=st.none() | st.floats(0, 1.01),
    minutes=st.integers(0, 61),
    age_seconds=st.floats(-1000, 1000),
    holders=st.integers(1, 3),
    watts=st.none() | st.floats(0, 1000),
    pool=st.sampled_from(["h100", "other"]),
)


@given(
    st.lists(st.lists(use_of_cards, max_size=3), min_size=1, max_size=4),
    st.none() | st.integers(-100, 500),
    st.sampled_from([None, *Distrust]),
)
def test_only_work_whose_every_card_is_proven_idle_and_whose_grace_is_over_is_taken(
    cards: list[list[CardUse]], notice: int | None, distrust: Distrust | None
) -> None:
    pods = [pod(f"a-{number}", devices=2) for number in range(len(cards))]
    one = owner(pods=pods, notes=None if notice is None else told(notice))
    use = {f"a-{number}": PodUse(cards=tuple(some)) for number, some in enumerate(cards)}

    (found,) = judged(seen(one, use=use, distrust=distrust))

    proven = all(
        len(some) == 2
        and all(
            one.peak is not None
            and one.peak < 0.02
            and one.minutes >= 48
            and -60 <= one.age_seconds <= 180
            and one.holders == 1
            and one.node == "h100-0"
            for one in some
        )
        for some in cards
    )
    if found.action is Action.SUSPEND:
        assert proven
        assert distrust is None
        assert notice is not None
        assert 30 <= notice <= 90
    if found.verdict.is_idle:
        assert proven


def test_every_verdict_is_explained_where_people_read() -> None:
    page = Path("docs/reclaim.md").read_text(encoding="utf-8")
    assert [verdict.value for verdict in Verdict if f"`{verdict.value}`" not in page] == []


def test_nothing_depends_on_the_zone_of_now() -> None:
    elsewhere = NOW.astimezone(datetime.timezone(datetime.timedelta(hours=9)))
    one = seen(owner(exempt=True, exempt_until="2026-11-30", notes=told(31)))
    assert decide(policy(), one, elsewhere).reclamations[0].verdict is Verdict.EXEMPT


@pytest.mark.parametrize(("minutes", "verdict"), [(47, Verdict.YOUNG), (48, Verdict.NOTICE)])
def test_what_an_earlier_pod_of_the_same_name_left_undone_says_nothing_of_a_young_one(
    minutes: int, verdict: Verdict
) -> None:
    hasty = dataclasses.replace(POOL, minimum_age_minutes=10)
    assert alone(owner(pods=[pod(started=ago(minutes))]), pools={"notebooks": hasty}).verdict is verdict
