"""What each change on the queue side does: the whole of it, and nothing for what has no effect."""

from __future__ import annotations

import pytest

from gpuplan import conventions
from gpuplan.catalog import effects as facts
from gpuplan.plan.live import LiveCluster, LiveNodes, LiveQueue
from gpuplan.plan.parts import ObjectChange
from tests.unit.plan.queue_cases_objects import ENTRIES
from tests.unit.plan.queue_cases_otherwise import FAR, OTHERWISE
from tests.unit.plan.queue_cases_quotas import NUMBERS
from tests.unit.plan.queue_cases_rules import RULES
from tests.unit.plan.queue_fleet import BASE, HEAD, Case, own_facts, queue_effects, told
from tests.unit.plan.two import comparison, edited, effects

CASES = (*NUMBERS, *ENTRIES, *RULES, *OTHERWISE)

QUIET: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = (
    ("nothing", ()),
    ("who answers alerts", (("[nlp-eng]", "[nlp-eng]\n    alerts: {receiver: nlp-oncall}"),)),
    ("who pays", (("[nlp-eng]", "[nlp-eng]\n    costCenter: cc-1"),)),
    ("who is asked", (("[nlp-eng]", "[nlp-eng]\n    owners: [nlp-leads]"),)),
    ("the order of namespaces", (("[vision, sight]", "[sight, vision]"),)),
    ("a default that is written down", (("borrow: 16", "borrow: 16, lend: 64"),)),
    ("what a task pool's work costs", (("{cards: [t4]}", '{cards: [t4], costPerCardHour: "1 EUR"}'),)),
)
"""Changes that nobody on the queue side notices."""

HARMLESS: tuple[tuple[str, tuple[str, ...]], ...] = (("Namespace", ("metadata", "labels", "gpuplan.dev/cost-center")),)
"""Kinds and places of changes that no effect explains on purpose: labels that only we and the bill read."""

ALONG = frozenset({conventions.KUEUE_METRICS})
"""Names of objects that come and go with another that is told: Prometheus' rights, with what it scrapes."""


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_change_does_what_the_table_says_and_nothing_else(case: Case) -> None:
    assert told(queue_effects(case.old, case.new)) == list(case.told)


@pytest.mark.parametrize(("_name", "edits"), QUIET, ids=[name for name, _ in QUIET])
def test_what_nobody_notices_is_not_told(_name: str, edits: tuple[tuple[str, str], ...]) -> None:
    assert queue_effects(BASE, edited(BASE, *edits)) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [*((case.old, case.new) for case in CASES), *((BASE, edited(BASE, *edits)) for _, edits in QUIET)],
    ids=[*(case.name for case in CASES), *(name for name, _ in QUIET)],
)
def test_every_object_that_changes_is_explained_or_harmless_on_purpose(old: str, new: str) -> None:
    explained = {ref for effect in effects(old, new) for ref in effect.objects}
    left = [change for change in comparison(old, new).objects if change.ref not in explained and not _harmless(change)]
    assert left == []


def _harmless(change: ObjectChange) -> bool:
    kind = change.ref.key.kind
    if change.ref.key.name in ALONG:
        return True
    return bool(change.changes) and all((kind, one.path) in HARMLESS for one in change.changes)


NOT_MADE_BY_A_SPEC = frozenset(
    {
        "priority/immutable",
        "priority/value-changed",
        "task-pool/moved",
        "task-pool/preemption-changed",
        "task-pool/stopped",
    }
)
"""Facts of trees that people or other versions wrote: `test_effects_trees` has them."""
NOT_OF_A_CHANGE = frozenset({"live/quota-above-schedulable"})
"""Facts of what runs now, below."""


def test_the_tables_reach_every_fact_of_the_queue_side() -> None:
    reached = {effect.fact for case in CASES for effect in queue_effects(case.old, case.new)}
    assert own_facts() - reached == NOT_MADE_BY_A_SPEC | NOT_OF_A_CHANGE


def test_every_effect_has_a_fact_with_a_source() -> None:
    assert {effect.fact for case in CASES for effect in queue_effects(case.old, case.new)} <= facts.read().keys()


SAID: tuple[tuple[tuple[tuple[str, str], ...], str], ...] = (
    (
        (("guaranteed: 64, borrow: 16", "guaranteed: 48"),),
        (
            "queue nlp-pretrain: guaranteed 64 → 48 of train-h100-sxm-80gb (-16 cards); nobody is evicted, it admits nothing more until "
            "16 are free"
        ),
    ),
    (
        (("guaranteed: 64", "guaranteed: 48"),),
        (
            "queue nlp-pretrain: guaranteed 64 → 48 of train-h100-sxm-80gb (-16 cards); nobody is evicted, what it uses above that is "
            "borrowed from then on"
        ),
    ),
    (
        (("desk: {guaranteed: 16}", "desk: {guaranteed: 6}"),),
        (
            "queue nlp-chat: guaranteed 16 → 6 of desk-t4-time-slicing-4 (-10 pieces, 2.5 cards); nobody is evicted, it admits nothing "
            "more until 10 are free"
        ),
    ),
    (
        (("weight: 2", "weight: 1"),),
        "task pool notebooks: fair share of nlp 67 % → 50 % and vision 33 % → 50 %",
    ),
    (
        (("      tune: {train: {guaranteed: 32}}\n", ""),),
        (
            "queue vision-tune goes, with 32 guaranteed of train-h100-sxm-80gb; what runs goes on, what waits never starts; a person must "
            "confirm that it goes"
        ),
    ),
)


@pytest.mark.parametrize(("edits", "words"), SAID, ids=lambda value: str(value)[:50])
def test_a_summary_has_the_names_and_numbers_that_a_reviewer_looks_for(
    edits: tuple[tuple[str, str], ...], words: str
) -> None:
    assert words in [effect.summary for effect in queue_effects(BASE, edited(BASE, *edits))]


MOVED = "moved: [{from: clusters.eu, to: clusters.europe}]"
FAR_AWAY = edited(BASE, *FAR)
RENAMED = edited(BASE.replace("cluster: eu", "cluster: europe"), ("{eu: {", "{europe: {"), (HEAD, f"{HEAD}\n{MOVED}"))


@pytest.mark.parametrize(
    ("old", "new"), [(BASE, FAR_AWAY), (FAR_AWAY, BASE), (BASE, RENAMED)], ids=["+", "-", "renamed"]
)
def test_what_a_whole_cluster_brings_or_takes_along_is_not_told_queue_by_queue(old: str, new: str) -> None:
    assert queue_effects(old, new) == []


AS_SET = f"{HEAD}\ndelivery: {{argocd: {{mode: applicationSet}}}}"


@pytest.mark.parametrize("head", [HEAD, AS_SET], ids=["application", "applicationSet"])
def test_who_syncs_a_cluster_makes_no_difference_to_what_leaves(head: str) -> None:
    old = edited(BASE, (HEAD, head))
    gone = queue_effects(old, edited(old, ("[vision, sight]", "[vision]"), ("      scratch: {}\n", "")))
    assert [(effect.fact, effect.summary.rpartition("; ")[2][:26]) for effect in gone[:2]] == [
        ("queue/removed", "a person must confirm that"),
        ("namespace/let-go", "namespace sight is let go:"),
    ]


# --- What a snapshot of the cluster adds. -------------------------------------------------------------------------------

FLAVOR = "train-h100-sxm-80gb"
GPU = "nvidia.com/gpu"


def _using(queue: str, pieces: int, *, admitted: int = 1, pending: int = 0) -> dict[str, LiveCluster]:
    work = LiveQueue(admitted=admitted, pending=pending, usage={(FLAVOR, GPU): pieces})
    return {"eu": LiveCluster(queues={queue: work})}


TAKEN_OVER = next(case for case in NUMBERS if case.name == "a cut floor that another floor takes over")


@pytest.mark.parametrize(
    ("used", "risk", "words"),
    [
        (20, "low", "20 in use now, nobody is evicted"),
        (48, "disruptive", "48 in use now, the cut itself evicts nobody, but 8 of what runs are only borrowed"),
        (80, "disruptive", "it admits nothing more until 40 are free"),
    ],
)
def test_a_cut_is_judged_by_what_is_in_use_where_somebody_looked(used: int, risk: str, words: str) -> None:
    cut = next(
        effect
        for effect in queue_effects(TAKEN_OVER.old, TAKEN_OVER.new, _using("nlp-pretrain", used))
        if effect.fact == "quota/guaranteed-cut"
    )
    assert cut.risk.value == risk
    assert words in cut.summary


@pytest.mark.parametrize(
    ("admitted", "pending", "risk", "words"),
    [
        (0, 0, "low", "it is empty now"),
        (3, 0, "disruptive", "3 workloads run on, 0 waiting ones never start"),
        (3, 1, "destructive", "3 workloads run on, 1 waiting one never start"),
    ],
)
def test_a_queue_that_goes_is_judged_by_the_work_in_it(admitted: int, pending: int, risk: str, words: str) -> None:
    live = _using("vision-tune", 4, admitted=admitted, pending=pending)
    gone = queue_effects(BASE, edited(BASE, ("      tune: {train: {guaranteed: 32}}\n", "")), live)[0]
    assert (gone.fact, gone.risk.value) == ("queue/removed", risk)
    assert words in gone.summary


def _nodes(schedulable: int) -> dict[str, LiveCluster]:
    nodes = LiveNodes(present=18, schedulable=schedulable, allocatable={GPU: 8 * schedulable})
    return {"eu": LiveCluster(pools={"h100": nodes})}


@pytest.mark.parametrize(
    ("schedulable", "edits", "expected"),
    [
        (16, (), []),  # the rest absorbs what is in repair (C11)
        (15, (), ["low live/quota-above-schedulable of flavor train-h100-sxm-80gb, nvidia.com/gpu"]),
        (
            16,
            (("guaranteed: 64", "guaranteed: 68"),),  # more is promised than nodes give out (C43)
            ["disruptive live/quota-above-schedulable of flavor train-h100-sxm-80gb, nvidia.com/gpu"],
        ),
    ],
)
def test_floors_above_what_nodes_offer_are_told(
    schedulable: int, edits: tuple[tuple[str, str], ...], expected: list[str]
) -> None:
    some = queue_effects(BASE, edited(BASE, *edits), _nodes(schedulable))
    assert [line for line in told(some) if " live/" in line] == expected


def test_by_how_much_floors_are_above_what_nodes_offer_is_told() -> None:
    found = [one for one in queue_effects(BASE, BASE, _nodes(15)) if one.fact == "live/quota-above-schedulable"]
    assert "own 128, schedulable nodes offer 120: 8 too many (before: 8)" in found[0].summary
