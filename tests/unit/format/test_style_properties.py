"""Whatever a text looks like: its values and comments stay, and a second run changes nothing."""

from __future__ import annotations

from collections import Counter
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gpuplan.format.style import in_style
from gpuplan.source.layout import lay_out
from gpuplan.source.yamltext import parse_text
from tests.unit.format.messy import messy

TEXTS = st.sampled_from(
    (
        "a",
        "nodePools",
        "train/h100-sxm-80gb",
        "1.36",
        "yes",
        "on",
        "a: b",
        "#x",
        "",
        " lead",
        "two words",
        "it's",
        'q"q',
    )
) | st.text(alphabet=st.characters(codec="utf-8", exclude_categories=("C", "Z")), max_size=8)
KEYS = st.sampled_from(("teams", "nodePools", "cluster", "tier", "nodes", "sharing", "apiVersion", "x", "y-z")) | TEXTS
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 2**40) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=12,
)
MAPPINGS = st.dictionaries(KEYS, VALUES, min_size=1, max_size=4)


def stays_and_rests(text: str) -> None:
    """Assert that a text keeps values and comments, and that its new text stays as it is."""
    styled = in_style("messy.yaml", text)
    assert styled.text is not None, [finding.summary for finding in styled.findings]
    before, after = parse_text("x", text), parse_text("x", styled.text)
    assert [d.plain() for d in before.documents] == [d.plain() for d in after.documents]
    assert _comments(text.replace("\r\n", "\n")) == _comments(styled.text)
    assert in_style("messy.yaml", styled.text).text == styled.text
    assert not any(line != line.rstrip() for line in styled.text.split("\n"))
    assert styled.text.endswith("\n")


def _comments(text: str) -> Counter[str]:
    return Counter(comment.text for comment in lay_out(text).comments)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(MAPPINGS.flatmap(messy))
def test_any_mapping_keeps_values_and_comments_and_comes_to_rest(text: str) -> None:
    stays_and_rests(text)
