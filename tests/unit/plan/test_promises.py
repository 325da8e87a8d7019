"""What floors are worth before and after a change."""

from __future__ import annotations

from gpuplan.plan import plan
from gpuplan.plan.promise import Promise
from tests.unit.plan.queue_fleet import BASE
from tests.unit.plan.two import comparison, edited


def promises(*edits: tuple[str, str], base: str = BASE) -> dict[str, Promise]:
    """Return the promises of a change by queue."""
    return {one.queue: one for one in plan(comparison(base, edited(base, *edits))).promises}


def test_a_change_of_no_right_promises_nothing_else() -> None:
    assert promises(("[nlp-eng]", "[nlp-lead]")) == {}


def test_a_cut_floor_is_worth_fewer_cards() -> None:
    found = promises(("guaranteed: 64", "guaranteed: 48"))
    assert list(found) == ["nlp-pretrain"]
    assert (found["nlp-pretrain"].old.cards, found["nlp-pretrain"].new.cards) == (64, 48)
    assert (found["nlp-pretrain"].team, found["nlp-pretrain"].service) == ("nlp", "guaranteed")


def test_shares_are_counted_in_pieces_and_in_cards() -> None:
    chat = promises(("desk: {guaranteed: 16}", "desk: {guaranteed: 6}"))["nlp-chat"]
    assert (chat.new.pieces, chat.new.cards) == (6, 1)


def test_a_new_floor_was_worth_nothing() -> None:
    more = promises(("scratch: {}", "scratch: {}\n      chat: {desk: {guaranteed: 4}}"))["vision-chat"]
    assert more.old.pieces == 0
    assert more.new.pieces == 4


WHOLE = edited(
    BASE, ("service: queued, tiers: [train]", "service: queued, tiers: [train], largestJob: {cardsPerPod: 8}")
)
"""All who own cards of the tier run pods of whole nodes."""


def test_a_floor_in_cards_is_no_floor_in_nodes() -> None:
    found = promises(("guaranteed: 64", "guaranteed: 60"), base=WHOLE)["nlp-pretrain"]
    # 64 cards in one-card pods of others can sit on all 18 nodes; in whole-node pods they fill 8 of them.
    assert (found.old.whole_nodes, found.new.whole_nodes) == (0, 0)
    assert (found.old.whole_nodes_if_tidy, found.new.whole_nodes_if_tidy) == (8, 7)


def test_what_others_get_can_break_a_floor_that_does_not_change() -> None:
    extra = "  extra: {kind: experiment, service: shared, tiers: [train], pool: {train: 16}}\n  scratch: {kind"
    edits = (("  scratch: {kind", extra), ("notebooks: {}", "notebooks: {}\n      extra: {}"))
    found = promises(*edits, base=WHOLE)
    assert (found["nlp-pretrain"].old.whole_nodes_if_tidy, found["nlp-pretrain"].new.whole_nodes_if_tidy) == (8, 0)
    assert found["nlp-pretrain"].old.cards == found["nlp-pretrain"].new.cards == 64


def test_a_queued_floor_is_exposed_to_guaranteed_work_that_may_borrow_it() -> None:
    tune = promises(("borrow: 16", "borrow: 8"))
    assert list(tune) == ["nlp-pretrain", "vision-tune"]
    assert (tune["vision-tune"].old.exposed, tune["vision-tune"].new.exposed) == (16, 8)
    assert tune["nlp-pretrain"].new.exposed == 0


def test_a_floor_that_lends_nothing_has_nothing_to_get_back() -> None:
    found = promises(("guaranteed: 64, borrow: 16", "guaranteed: 64, borrow: 16, lend: 0"))["nlp-pretrain"]
    assert (found.old.lent, found.old.returns_seconds) == (64, 30)
    assert (found.new.lent, found.new.returns_seconds) == (0, 0)


def test_a_floor_comes_back_as_slowly_as_the_most_patient_borrower_leaves() -> None:
    lends = edited(BASE, ("scratch: {}", "scratch: {}\n      chat: {desk: {guaranteed: 4, borrow: 4}}"))
    found = promises(("drainSeconds: 600", "drainSeconds: 900"), ("guaranteed: 16}", "guaranteed: 12}"), base=lends)
    assert (found["nlp-chat"].old.returns_seconds, found["nlp-chat"].new.returns_seconds) == (600, 900)


def test_a_team_with_another_name_keeps_its_floors() -> None:
    moved = promises(
        ("  nlp:\n", "  lang:\n"),
        ("metadata: {name: acme}", "metadata: {name: acme}\nmoved: [{from: teams.nlp, to: teams.lang}]"),
    )
    assert moved == {}
