"""One order for all the ways in which versions are written."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplan.versions import Version, parse, required

ASCENDING = (
    ("1.35.9", "1.36.0-alpha.3", "1.36.0-beta.0", "1.36.0-rc.0", "1.36.0-rc.1", "1.36", "1.36.3", "v1.37"),
    ("v0.16.1", "v0.17.1", "0.19.0", "v0.19.2", "v0.19.10"),
    ("535.309.01", "570.86.15", "570.124.06", "580", "580.173.02", "595.91.07"),
    ("4.5.3-4.8.2", "4.6.0", "4.6.0-1", "4.6.0-4.8.2", "4.6.0-4.8.3", "4.8.4"),
    ("v25.10.1", "v26.3.2", "v26.7.0"),
)


@pytest.mark.parametrize("versions", ASCENDING, ids=lambda versions: versions[0])
def test_versions_sort_by_time(versions: tuple[str, ...]) -> None:
    for earlier, later in itertools.combinations(map(required, versions), 2):
        assert earlier < later
        assert later > earlier
        assert earlier != later


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1.36", "1.36.0"),
        ("v0.19.2", "0.19.2"),
        ("1.36.3+k3s1", "1.36.3"),
        ("1.36.3-gke.1200", "1.36.3"),
        ("v1.36.3-eks-7f9249a", "1.36.3"),
        ("4.6.0-4.8.3-distroless", "4.6.0-4.8.3"),
        ("4.6.0-1-ubuntu24.04", "4.6.0-1"),
        ("v0.20.0-ubi9", "0.20.0"),
        (" 580 ", "580"),
        ("0", "0.0"),
    ],
)
def test_spellings_of_one_version_are_equal(one: str, other: str) -> None:
    assert required(one) == required(other)
    assert hash(required(one)) == hash(required(other))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "v",
        "latest",
        "1.",
        ".1",
        "1..2",
        "1.36 beta",
        "release-1.36",
        "\N{FULLWIDTH DIGIT ONE}",
        "1,36",
        "-1",
        "1.36.x",
        "1.36-",
    ],
)
def test_what_is_no_version_gives_none(text: str) -> None:
    assert parse(text) is None


def test_a_version_of_our_own_data_must_parse() -> None:
    with pytest.raises(ValueError, match="'newest'"):
        required("newest")


def test_a_version_keeps_what_was_written() -> None:
    assert str(required("v1.36.3+k3s1")) == "v1.36.3+k3s1"


def test_a_version_is_compared_with_versions_only() -> None:
    assert required("1.36") != "1.36"


@pytest.mark.parametrize(
    ("version", "prefix", "inside"),
    [
        ("580.173.02", "580", True),
        ("580", "580", True),
        ("58.1", "580", False),
        ("595.91.07", "580", False),
        ("1.36.3", "1.36", True),
        ("1.36", "1.36.3", False),
    ],
)
def test_a_version_lies_in_its_branch(version: str, prefix: str, *, inside: bool) -> None:
    assert required(version).within(required(prefix)) is inside


def test_major_and_minor_are_the_first_numbers() -> None:
    assert required("580.173.02").major == 580
    assert required("v1.36.3").minor == (1, 36)
    assert required("580").minor == (580, 0)


@given(st.text(max_size=30))
def test_any_text_parses_or_gives_none(text: str) -> None:
    assert parse(text) is None or isinstance(parse(text), Version)


numbers = st.lists(st.integers(0, 999), min_size=1, max_size=4)


@given(numbers, numbers)
def test_plain_versions_sort_as_their_numbers(one: list[int], other: list[int]) -> None:
    width = max(len(one), len(other))
    first, second = (tuple(n + [0] * (width - len(n))) for n in (one, other))
    left, right = (required(".".join(map(str, n))) for n in (one, other))
    assert (left < right) is (first < second)
    assert (left == right) is (first == second)
