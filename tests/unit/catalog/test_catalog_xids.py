"""XID classes: which codes mean a broken card and which only a broken program."""

from __future__ import annotations

import itertools

import pytest

from gpuplan import catalog

XIDS = catalog.load().xids
DRAINING = "46|48|54|62|64|74|79|95|109|110|119|120|136|140|142|143|144|145|146|147|148|149|150|151|155|156|158"


def test_no_code_is_in_two_classes() -> None:
    codes = list(itertools.chain.from_iterable(xid_class.codes for xid_class in XIDS.values()))
    assert len(codes) == len(set(codes))


def test_the_codes_that_drain_a_node_are_these() -> None:
    codes = sorted(code for xid_class in XIDS.values() if xid_class.drains for code in xid_class.codes)
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
    assert xid_class.drains is xid_class.name.startswith("drain-")
    assert xid_class.drains is xid_class.action.startswith("drain")
    assert xid_class.summary
    assert not xid_class.summary.endswith(".")
