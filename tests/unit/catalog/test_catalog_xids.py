"""XID classes: which codes mean a broken card and which only a broken program."""

from __future__ import annotations

import itertools

import pytest

from gpuplan import catalog
from gpuplan.catalog.xids import Reaction, judged

XIDS = catalog.load().xids
DRAINING = "46|48|54|62|64|74|79|95|109|110|119|120|136|140|142|143|144|145|146|147|148|149|150|151|155|156|158"


def test_no_code_is_in_two_classes() -> None:
    codes = list(itertools.chain.from_iterable(xid_class.codes for xid_class in XIDS.values()))
    assert len(codes) == len(set(codes))


def test_the_codes_that_drain_a_node_are_these() -> None:
    codes = sorted(
        code for xid_class in XIDS.values() if xid_class.reaction is Reaction.DRAIN for code in xid_class.codes
    )
    assert "|".join(map(str, codes)) == DRAINING


@pytest.mark.parametrize(
    ("code", "name"),
    [
        (13, "application"),
        (31, "application"),
        (94, "application"),
        (45, "context"),
        (154, "context"),
        (63, "informational"),
        (92, "informational"),
        (48, "drain-workflow"),
        (149, "drain-workflow"),
        (79, "drain-node"),
        (95, "drain-reset"),
        (78, "update-software"),
        (171, "too-new"),
    ],
)
def test_a_code_has_its_class(code: int, name: str) -> None:
    assert [xid_class.name for xid_class in XIDS.values() if code in xid_class.codes] == [name]


@pytest.mark.parametrize("xid_class", XIDS.values(), ids=lambda xid_class: xid_class.name)
def test_a_class_is_sorted_and_says_what_to_do(xid_class: catalog.XidClass) -> None:
    assert list(xid_class.codes) == sorted(xid_class.codes)
    drains = xid_class.reaction is Reaction.DRAIN
    assert drains is xid_class.name.startswith("drain-")
    assert drains is xid_class.action.startswith("drain")
    assert xid_class.summary
    assert not xid_class.summary.endswith(".")


@pytest.mark.parametrize(
    ("drain", "ignore", "code", "reaction"),
    [
        ((), (), 79, Reaction.DRAIN),
        ((), (), 45, Reaction.NONE),
        ((), (), 171, Reaction.UNKNOWN),
        ((63,), (), 63, Reaction.DRAIN),
        ((13,), (), 13, Reaction.DRAIN),
        ((), (109,), 109, Reaction.NONE),
        ((), (999,), 999, Reaction.NONE),
        ((109,), (109,), 109, Reaction.DRAIN),
    ],
)
def test_a_fleet_judges_codes_otherwise_and_doubt_drains(
    drain: tuple[int, ...], ignore: tuple[int, ...], code: int, reaction: Reaction
) -> None:
    found = judged(XIDS, drain, ignore)
    assert [chosen for chosen, codes in found.items() if code in codes] == [reaction]
    assert all(list(codes) == sorted(codes) for codes in found.values())
