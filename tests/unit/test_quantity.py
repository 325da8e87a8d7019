"""Quantities: exact sums, and the text that the API server would print."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplan.quantity import Quantity, canonical

quantities = st.builds(
    Quantity, st.integers(-(2**62), 2**62) | st.integers(-5000, 5000).map(lambda n: n * 10**9), st.booleans()
)


def quantity(text: str) -> Quantity:
    found = Quantity.parse(text)
    assert found is not None
    return found


# The right column is what k8s.io/apimachinery v0.36.3 prints, tried with its own ParseQuantity and String.
@pytest.mark.parametrize(
    ("written", "printed"),
    [
        ("0", "0"),
        ("0Ki", "0"),
        ("-0", "0"),
        ("4", "4"),
        ("12000m", "12"),
        ("98304Mi", "96Gi"),
        ("1536Gi", "1536Gi"),
        ("1800Gi", "1800Gi"),
        ("1024Gi", "1Ti"),
        ("0.5", "500m"),
        (".5", "500m"),
        ("0.5Gi", "512Mi"),
        ("0.5Ki", "512"),
        ("1023", "1023"),
        ("1024", "1024"),
        ("1000", "1k"),
        ("1500", "1500"),
        ("1500000", "1500k"),
        ("1E", "1E"),
        ("90", "90"),
        ("-1500Mi", "-1500Mi"),
        ("1.8Ti", "1979120929996800m"),
        ("100n", "100n"),
        ("0.0000000001", "1n"),
        ("9223372036854775807", "9223372036854775807"),
    ],
)
def test_a_quantity_is_printed_as_the_api_server_prints_it(written: str, printed: str) -> None:
    assert canonical(written) == printed


@pytest.mark.parametrize(
    ("written", "printed"), [("1e3", "1k"), ("1E3", "1k"), ("5e-3", "5m"), ("5.", "5"), ("1.500", "1500m")]
)
def test_forms_that_the_server_would_keep_as_they_are_get_the_one_common_form(written: str, printed: str) -> None:
    assert canonical(written) == printed


def test_a_binary_amount_without_a_binary_suffix_is_printed_in_the_form_that_stays() -> None:
    # The server prints 812.5Ki as 832000, and 832000 as 832k: only the last comes back as it went.
    assert canonical("812.5Ki") == "832k"


NO_QUANTITIES = (
    *("", "lots", "4 Gi", "4gi", "4GiB", "1.2.3", "--1", ".", "Gi", "1e", "1ee3", "٣", "1_000", "9" * 5000),
    *("1e999999999", "10E", "8Ei"),
)


@pytest.mark.parametrize("written", NO_QUANTITIES)
def test_what_is_no_quantity_or_past_what_kubernetes_counts_is_none(written: str) -> None:
    assert Quantity.parse(written) is None


@pytest.mark.parametrize(
    "number", [True, float("nan"), float("inf"), pytest.param(10**5000, id="a number of 5001 digits")]
)
def test_a_number_of_yaml_that_is_no_quantity_is_none(number: float) -> None:
    assert Quantity.parse(number) is None


def test_numbers_of_yaml_are_read_as_well_as_strings() -> None:
    assert [canonical(number) for number in (12, 0.5, 1e-06)] == ["12", "500m", "1u"]


@pytest.mark.parametrize(
    ("per_node", "nodes", "total"),
    [
        ("8", 2, "16"),
        ("90", 2, "180"),
        ("1.5Ti", 2, "3Ti"),
        ("1536Gi", 2, "3Ti"),
        ("1800Gi", 2, "3600Gi"),
        ("0.5", 2, "1"),
    ],
)
def test_a_pool_has_the_exact_total_of_its_nodes(per_node: str, nodes: int, total: str) -> None:
    assert str(quantity(per_node) * nodes) == total


@given(quantities)
def test_what_is_printed_is_read_back_as_the_same_amount_and_printed_the_same(some: Quantity) -> None:
    again = quantity(str(some))
    assert again == some
    assert str(again) == str(some)


@given(quantities, quantities)
def test_sums_and_differences_are_exact(one: Quantity, other: Quantity) -> None:
    assert (one + other).nanos == one.nanos + other.nanos
    assert (one + other) - other == one


@given(st.fractions(min_value=-1000, max_value=1000))
def test_a_part_finer_than_a_billionth_is_rounded_away_from_zero(amount: Fraction) -> None:
    nanos = Quantity.of(amount).nanos
    assert abs(amount) <= Fraction(abs(nanos), 10**9) < abs(amount) + Fraction(1, 10**9)


def test_equal_amounts_are_equal_however_they_are_written() -> None:
    assert quantity("12000m") == quantity("12")
    assert quantity("1Ki") == quantity("1024")
    assert quantity("1Gi") > quantity("1G")


def test_the_first_amount_that_is_not_zero_decides_the_suffixes_of_a_sum() -> None:
    assert str(quantity("0") + quantity("1Gi")) == "1Gi"
    assert str(quantity("1G") + quantity("1Gi")) == "2073741824"


@pytest.mark.parametrize(("written", "value"), [("500m", 1), ("1500m", 2), ("-500m", 0), ("3", 3), ("1Ki", 1024)])
def test_the_value_in_whole_units_is_rounded_up(written: str, value: int) -> None:
    assert quantity(written).value == value
