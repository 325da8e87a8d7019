"""One value set in the text of a spec, or taken out: nothing else changes, and the way back gives the very same text."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuplan.diagnostics import Diagnostic
from gpuplan.moving.stack_text import edited, names
from gpuplan.plan.parts import ABSENT, Edit
from gpuplan.source.yamltext import parse_text
from tests.generated import fleets

FILE = Path("fleet/pools.yaml")
STACK = ("nodePools", "a", "stack")

BLOCK = """# pools
nodePools:
  a:
    # theirs
    cluster: eu   # Frankfurt
    selectedBy:
      labels:
        pool: a
        # no more of them
    # what it runs
    driver: {branch: "580"}
  b: {cluster: eu}
"""


def put(text: str, path: tuple[str, ...], value: object) -> str:
    made = edited({FILE: text}, [Edit(path=path, value=value)])  # type: ignore[arg-type]  # a word, or ABSENT
    assert not isinstance(made, Diagnostic), made.summary
    return made[FILE]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            BLOCK,
            BLOCK.replace("        # no more of them\n", "        # no more of them\n    stack: external\n"),
            id="in a block, behind the key before it and the comments of that",
        ),
        pytest.param(
            "nodePools: {a: {cluster: eu, tier: x, driver: {branch: '580'}}}\n",
            "nodePools: {a: {cluster: eu, tier: x, stack: external, driver: {branch: '580'}}}\n",
            id="in brackets",
        ),
        pytest.param(
            "nodePools:\n  a:   # first\n    # of two\n    driver: {branch: '580'}\n",
            "nodePools:\n  a:   # first\n    stack: external\n    # of two\n    driver: {branch: '580'}\n",
            id="ahead of the first key, and of what is said of it",
        ),
        pytest.param("nodePools: {a: {}}\n", "nodePools: {a: {stack: external}}\n", id="in empty brackets"),
        pytest.param(
            "nodePools:\n  a:\n    cluster: eu",
            "nodePools:\n  a:\n    cluster: eu\n    stack: external",
            id="at the end",
        ),
        pytest.param(
            "---\ncardTiers: {}\n---\nnodePools: {a: {cluster: eu}}\n",
            "---\ncardTiers: {}\n---\nnodePools: {a: {cluster: eu, stack: external}}\n",
            id="in a second document",
        ),
        pytest.param(
            "\ufeffnodePools:\r\n  a:\r\n    cluster: eu\r\n",
            "\ufeffnodePools:\r\n  a:\r\n    cluster: eu\r\n    stack: external\r\n",
            id="with the line ends and the mark of the file",
        ),
    ],
)
def test_a_key_is_added_where_fmt_would_have_it_and_taken_out_again_without_a_trace(text: str, expected: str) -> None:
    made = put(text, STACK, "external")
    assert made == expected
    assert put(made, STACK, ABSENT) == text


def test_a_value_that_stands_there_is_replaced_and_its_comment_stays() -> None:
    text = "nodePools:\n  a:\n    stack: 'manual'   # for now\n"
    assert put(text, STACK, "external") == "nodePools:\n  a:\n    stack: external   # for now\n"


def test_what_is_already_so_is_left_as_it_is() -> None:
    assert put(BLOCK, STACK, ABSENT) == BLOCK


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("x: &x {cluster: eu}\nnodePools: {a: *x}\n", id="an alias"),
        pytest.param("nodePools: {a: &x {cluster: eu}, b: *x}\n", id="an anchor that others share"),
        pytest.param("nodePools: {b: {cluster: eu}}\n", id="a pool that is not there"),
    ],
)
def test_an_edit_that_would_reach_further_is_refused_and_names_the_place(text: str) -> None:
    found = edited({FILE: text}, [Edit(path=STACK, value="external")])
    assert isinstance(found, Diagnostic)
    assert "nodePools.a" in found.summary
    assert found.at.file == "fleet/pools.yaml"


def test_the_file_that_holds_the_entry_is_the_one_that_changes() -> None:
    others = Path("fleet/a.yaml")
    texts = {others: "nodePools: {b: {cluster: eu}}\n", FILE: "nodePools: {a: {cluster: eu}}\n"}
    made = edited(texts, [Edit(path=STACK, value="external")])
    assert not isinstance(made, Diagnostic)
    assert made[others] == texts[others]
    assert names(made, STACK) == "external"
    assert names(texts, STACK) is ABSENT


@given(fleets(), st.data())
@settings(max_examples=40, deadline=None)
def test_any_pool_of_any_fleet_gets_a_stack_and_loses_it_without_a_trace(text: str, data: st.DataObject) -> None:
    pools = [name for one in parse_text("f", text).documents for name in one.plain().get("nodePools", {})]  # type: ignore[union-attr]  # a mapping
    path = ("nodePools", data.draw(st.sampled_from(pools)), "stack")
    was = names({FILE: text}, path)
    made = put(text, path, "external")
    assert names({FILE: made}, path) == "external"
    back = put(made, path, was)
    assert back == text or was is not ABSENT
    assert [one.plain() for one in parse_text("f", back).documents] == [
        one.plain() for one in parse_text("f", text).documents
    ]
