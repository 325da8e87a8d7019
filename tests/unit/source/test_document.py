"""Where keys and values stand, and how a path finds them."""

from __future__ import annotations

import pytest

from gpuplan.diagnostics import KeyPath, Span
from gpuplan.source.document import Document, Scalar, split_lines
from gpuplan.source.yamltext import parse_text

FLEET = """\
nodePools:
  h100-a:
    nodes: 16
    taints: [{key: nvidia.com/gpu}, {key: b}]   # two
    sharing:
      mig: {profiles: {1g.5gb: 7}}
  # the end

teams: {}
"""


def read(text: str) -> Document:
    parsed = parse_text("fleet/a.yaml", text)
    assert parsed.findings == ()
    (document,) = parsed.documents
    return document


@pytest.mark.parametrize(
    ("path", "key", "value"),
    [
        (("nodePools",), "1:1", "2:3"),
        (("nodePools", "h100-a", "nodes"), "3:5", "3:12"),
        (("nodePools", "h100-a", "taints"), "4:5", "4:13"),
        (("nodePools", "h100-a", "taints", 1), "4:37", "4:37"),
        (("nodePools", "h100-a", "taints", 1, "key"), "4:38", "4:43"),
        # what the document lacks: the closest ancestor
        (("nodePools", "h100-a", "tier"), "2:3", "3:5"),
        (("nodePools", "h100-a", "taints", 7, "key"), "4:5", "4:13"),
        (("nodePools", "h100-a", "nodes", "x"), "3:5", "3:12"),
        (("unknown",), "1:1", "1:1"),
        ((), "1:1", "1:1"),
        # a union's tag in the path
        (("nodePools", "h100-a", "sharing", "MigSharing", "mig", "profiles", "1g.5gb"), "6:24", "6:32"),
    ],
)
def test_a_path_leads_to_its_key_and_its_value(path: KeyPath, key: str, value: str) -> None:
    document = read(FLEET)
    assert str(document.span_at(path)) == f"fleet/a.yaml:{key}"
    assert str(document.span_at(path, key=False)) == f"fleet/a.yaml:{value}"


def test_find_returns_the_node_or_none() -> None:
    document = read(FLEET)
    node = document.find(("nodePools", "h100-a", "taints", 0, "key"))
    assert isinstance(node, Scalar)
    assert node.value == "nvidia.com/gpu"
    assert document.find(("nodePools", "l40s")) is None
    assert document.find(("nodePools", 0)) is None
    assert document.find(("nodePools", "h100-a", "taints", -1)) is None
    assert document.find(()) is document.root


def test_a_block_ends_with_its_last_value_and_not_with_the_comment_below() -> None:
    document = read(FLEET)
    assert document.span_at(("nodePools",), key=False) == Span("fleet/a.yaml", 2, 3, 6, 35)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("start", ["", "\ufeff"])
def test_line_ends_and_byte_order_marks_do_not_move_a_position(start: str, end: str) -> None:
    document = read(start + FLEET.replace("\n", end))
    assert str(document.span_at(("nodePools", "h100-a", "taints", 1, "key"))) == "fleet/a.yaml:4:38"
    assert document.lines[3].startswith("    taints: [")


def test_columns_count_characters_and_not_bytes_or_cells() -> None:
    document = read('é: {"日本": 🎉x, e\u0301: 1}\n')
    assert document.span_at(("é", "日本"), key=False) == Span("fleet/a.yaml", 1, 11, 1, 13)
    assert document.span_at(("é", "e\u0301")) == Span("fleet/a.yaml", 1, 15, 1, 17)


def test_a_tab_between_key_and_value_counts_as_one_column() -> None:
    assert str(read("a:\tb\n").span_at(("a",), key=False)) == "fleet/a.yaml:1:4"


def test_plain_gives_the_python_data() -> None:
    assert read(FLEET).plain() == {
        "nodePools": {
            "h100-a": {
                "nodes": 16,
                "taints": [{"key": "nvidia.com/gpu"}, {"key": "b"}],
                "sharing": {"mig": {"profiles": {"1g.5gb": 7}}},
            }
        },
        "teams": {},
    }


def test_what_was_written_stays_at_hand_beside_what_it_means() -> None:
    node = read("kubernetes: 1.30\n").find(("kubernetes",))
    assert isinstance(node, Scalar)
    assert (node.value, node.text, node.style) == (1.3, "1.30", "")


def test_an_alias_repeats_a_value_and_a_scalar_stands_where_the_alias_stands() -> None:
    document = read("a: &n 4\nb: *n\nc: &m {x: 1}\nd: *m\n")
    assert document.plain() == {"a": 4, "b": 4, "c": {"x": 1}, "d": {"x": 1}}
    assert str(document.span_at(("b",), key=False)) == "fleet/a.yaml:2:4"
    assert str(document.span_at(("d", "x"))) == "fleet/a.yaml:3:8"


def test_data_of_two_aliases_is_not_shared() -> None:
    data = read("a: &x [1]\nb: *x\n").plain()
    assert data["a"] == data["b"]
    assert data["a"] is not data["b"]


def test_an_anchor_set_again_counts_from_there_on() -> None:
    assert read("a: &x 1\nb: *x\nc: &x 2\nd: *x\n").plain() == {"a": 1, "b": 1, "c": 2, "d": 2}


def test_an_anchor_inside_a_value_of_the_same_anchor_is_the_later_one() -> None:
    assert read("a: &x [&x 1]\nb: *x\n").plain() == {"a": [1], "b": 1}


def test_lines_are_counted_as_yaml_1_2_counts_them() -> None:
    assert split_lines("a\n") == split_lines("a") == ("a", "")
    assert split_lines("a\nb\r\nc\rd\x0be\x85f\u2028g") == ("a", "b", "c", "d\x0be\x85f\u2028g", "")
