"""Values as JSON knows them, with the strings that YAML readers are known to take for something else."""

from __future__ import annotations

from hypothesis import strategies as st

AWKWARD = (
    *("on", "off", "y", "N", "yes", "No", "true", "False", "null", "Null", "~", "", "nan", ".nan", "Infinity", "-.inf"),
    *("1e3", "25921e05", "0o17", "017", "0x1F", "0b11", "1_000", "08", "12:30:45", "1.5", ".5", "+1", "-0", "1e+16"),
    *("2026-01-01", "2026-01-01T00:00:00Z", "=", "<<", "!tag", "&anchor", "*alias", "%directive", "@at", "`tick`", "?"),
    *(
        "-",
        "- item",
        "key: value",
        "key:",
        "#comment",
        "a #b",
        "{}",
        "[x]",
        "|",
        ">",
        "'",
        '"',
        "\\",
        "\\n",
        ",",
        "---",
    ),
    *("a\nb", "a\n", "a\n\n", "\n", "\na", " a", "a ", " a\nb", "a\n  b\n", "a \nb", "a\t\nb", "a\n\tb", "\ta\nb"),
    *("a\r\nb", "a\rb", "\x00", "\x07", "\x1b[31m", "\x7f", "\x85", "a\x85b\nc", "\xa0", "a\xa0b\nc", "\u2028\nx"),
    *(
        "\u2029",
        "\ufeff",
        "\ufeffa\nb",
        "\ufffe",
        "\u200b",
        "\u202e",
        "é",
        "日本\n語",
        "🙂",
        "👩\u200d🚀\nx",
        "\U0010ffff",
    ),
    *("a\n---\nb", "a\n...\nb\n", "#!/bin/sh\nset -eu\n", "{{ $labels.gpu }}", "nvcr.io/nvidia/cuda:13.0", "/dev/shm"),
    *("_1", "n/a", "e3", "x" * 2000, "x\n" * 50, "  \n", "\n \n", "a\n \nb", "nvidia.com/gpu"),
)
"""Strings that one reader or another is known to change."""

texts = st.one_of(
    st.sampled_from(AWKWARD),
    st.text(st.characters(exclude_categories=["Cs"])),
    st.text("ab1 \n\t:#-|>'\"\\{}[]&*!%,?@`~\r.eE+_"),
)
numbers = st.one_of(st.integers(-(2**63), 2**64 - 1), st.floats(allow_nan=False, allow_infinity=False))
values = st.recursive(
    st.one_of(st.none(), st.booleans(), numbers, texts),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(texts, inner, max_size=4)),
    max_leaves=12,
)
