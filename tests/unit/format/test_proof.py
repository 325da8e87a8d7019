"""The proof before a file is written sees whatever would be lost."""

from __future__ import annotations

import pytest

from gpuplan.format import style
from gpuplan.format.proof import difference

FLEET = "# top\nkind: Fleet\nnodePools:\n  b: {nodes: 1}\n  a: {nodes: 2}   # two\nteams:\n  t: {namespaces: [x, y]}\n"


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("nodes: 2", "nodes: 3", "the value of `nodePools.a.nodes`"),
        ("nodes: 2", "nodes: 2.0", "the value of `nodePools.a.nodes`"),
        ("nodes: 2", 'nodes: "2"', "the value of `nodePools.a.nodes`"),
        ("nodes: 2", "nodes: [2]", "the value of `nodePools.a.nodes`"),
        ("[x, y]", "[y, x]", "the value of `teams.t.namespaces.0`"),
        ("[x, y]", "[x]", "the length of `teams.t.namespaces`"),
        ("   # two", "", "the comment `# two`"),
        ("# two", "# too", "the comment `# two`"),
        ("  b: {nodes: 1}\n", "", "the keys of `nodePools`"),
        ("kind: Fleet\n", "", "the sections"),
        ("kind: Fleet\n", "kind: Fleet\n---\n", "the number of documents"),
        ("[x, y]", "[x, y", "the new text"),
    ],
)
def test_a_change_is_told(old: str, new: str, told: str) -> None:
    assert told in (difference(FLEET, FLEET.replace(old, new)) or "")


def test_names_out_of_order_are_a_change_for_flavors_follow_it() -> None:
    lines = FLEET.splitlines(keepends=True)
    swapped = "".join([*lines[:3], lines[4], lines[3], *lines[5:]])
    assert difference(FLEET, swapped) == "the keys of `nodePools`"


def test_the_order_of_sections_and_the_layout_are_no_change() -> None:
    laid_out = (
        "# top\n\nteams:\n  t:\n    namespaces:\n    - x\n    - y\n"
        "nodePools: {b: {nodes: 1}, a: {nodes: 2}}  # two\nkind: 'Fleet'\n"
    )
    assert difference(FLEET, laid_out) is None


def test_a_text_that_is_not_proved_is_not_handed_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(style, "styled", lambda text: text.replace("2", "3"))
    left = style.in_style("x.yaml", FLEET)
    assert left.text is None
    assert [finding.rule for finding in left.findings] == ["fmt/not-proved"]
