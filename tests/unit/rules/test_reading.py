"""Keys and values beside a reader's list: where a key belongs, what is nearest, and nothing raised by any YAML."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuplan.catalog import keys
from gpuplan.catalog._load import DATA
from gpuplan.diagnostics import Diagnostic, Span
from gpuplan.inventory.assumed import Assumed
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.items import Config, Format, Item
from gpuplan.inventory.places import OnePlace
from gpuplan.rules.misfits import misfits
from gpuplan.rules.op import unknown_value_key
from gpuplan.rules.share import field_ignored
from gpuplan.rules.strays import nearest_key, strays
from gpuplan.versions import parse, required

LISTS = sorted(file.stem for file in (DATA / "keys").glob("*.yaml"))
SCALARS: st.SearchStrategy[Any] = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["all", "10m", "1g.5gb"])
)
NAMES = st.sampled_from(
    sorted({key.name for name in LISTS for _, key in keys.walk(keys.load(name).root)} | {"", "[]", "*", "x-a"})
)
TREES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES | st.integers(), inner, max_size=4),
    max_leaves=20,
)


def found(data: object, name: str, version: str = "") -> list[str]:
    return [one.where for one in strays(Item.plain(data).root, keys.load(name), parse(version))]


def advised(data: object, name: str) -> list[str]:
    known = keys.load(name)
    return [nearest_key(one, known) for one in strays(Item.plain(data).root, known, None)]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (
            {"flags": {"renameByDefault": True}},
            "`renameByDefault` belongs under `sharing.timeSlicing` or `sharing.mps`.",
        ),
        (
            {"flags": {"renameByDefault": True}, "sharing": {"mps": {"resources": []}}},
            "`renameByDefault` belongs under `sharing.mps`.",
        ),
        ({"flags": {"migStrategie": "none"}}, "Did you mean `migStrategy`?"),
        ({"passDeviceSpecs": True}, "`passDeviceSpecs` belongs under `flags.plugin`."),
        ({"sharing": {"timeSlicing": {"renamebydefault": True}}}, "Did you mean `renameByDefault`?"),
        ({"flags": {"zzz": 1}}, ""),
        ({"sharing": {"resources": [{}]}}, "`resources` belongs under `sharing.timeSlicing` or `sharing.mps`."),
        ({"sharing": {"time-slicing": {}}}, "Did you mean `timeSlicing`?"),
    ],
)
def test_the_advice_is_where_the_key_belongs_or_the_nearest_beside_it(data: object, said: str) -> None:
    assert advised(data, "device-plugin-config") == [said]


def test_a_key_at_the_top_that_was_written_deeper_is_sent_up() -> None:
    assert advised({"devicePlugin": {"tolerations": [{}]}}, "device-plugin-values") == [
        "`tolerations` belongs at the top."
    ]


def judged(rule: ModuleType, data: object, kind: Format, assumed: Assumed | None = None) -> list[Diagnostic]:
    config = Config(data, OnePlace(Span("-", 1, 1, 1, 1)), format=kind)
    return list(rule.judge(Inventory(configs=(config,), assumed=assumed or Assumed())))


def test_values_that_are_mostly_others_are_left_alone() -> None:
    own = {"driver": {"enabled": True}, "toolkit": {"enabled": True}, "loki": {"a": 1}}
    found = judged(unknown_value_key, own, Format.OPERATOR_VALUES)
    assert [one.summary for one in found] == ["The chart of the GPU Operator 26.7 does not read `loki`"]
    others = {**own, "grafana": {"a": 1}, "tempo": {"a": 1}}
    assert judged(unknown_value_key, others, Format.OPERATOR_VALUES) == []


@pytest.mark.parametrize(("cards", "said"), [(2, "2 x 4 = 8 shares"), (None, "n x 4 shares")])
def test_a_selection_of_cards_that_is_ignored_says_how_many_shares_there_are(cards: int | None, said: str) -> None:
    data = {"sharing": {"timeSlicing": {"resources": [{"name": "nvidia.com/gpu", "replicas": 4, "devices": [0]}]}}}
    (found,) = judged(field_ignored, data, Format.PLUGIN, Assumed(cards_per_node=cards))
    assert said in str(found.detail)


def test_what_is_open_is_not_looked_into() -> None:
    assert (
        found({"operator": {"resources": {"limits": {"any": 1}}, "affinity": {"x": {"y": 1}}}}, "gpu-operator-values")
        == []
    )


@pytest.mark.parametrize(
    ("version", "where"),
    [("24.9.2", ["driver.secretEnv"]), ("25.10.0", ["driver.useOpenKernelModules"]), ("26.3.0", None)],
)
def test_a_version_has_its_own_keys(version: str, where: list[str] | None) -> None:
    data = {"driver": {"secretEnv": "a", "useOpenKernelModules": True}}
    assert found(data, "gpu-operator-values", version) == (where or ["driver.useOpenKernelModules"])


@pytest.mark.parametrize(
    ("kind", "value", "taken"),
    [
        ("qps", 300, True),
        ("qps", 1.5, True),
        ("qps", True, False),
        ("burst", 1.0, True),
        ("burst", 1.5, False),
        ("burst", "1", False),
        ("burst", None, True),
    ],
)
def test_numbers_are_taken_as_go_decodes_them(kind: str, value: object, *, taken: bool) -> None:
    data = Item.plain({"clientConnection": {kind: value}}).root
    assert (list(misfits(data, keys.load("kueue-configuration-v1beta2"), converts=False)) == []) is taken


@pytest.mark.parametrize("text", ["10m", "1h30m", "0", "1.5h", "-3s", ".5s"])
def test_durations_as_go_writes_them_are_taken(text: str) -> None:
    data = Item.plain({"waitForPodsReady": {"timeout": text}}).root
    assert list(misfits(data, keys.load("kueue-configuration-v1beta2"), converts=False)) == []


@pytest.mark.parametrize("text", ["10", "10 m", "10min", "m", "", 10])
def test_durations_that_go_cannot_read_are_refused(text: object) -> None:
    data = Item.plain({"waitForPodsReady": {"timeout": text}}).root
    assert len(list(misfits(data, keys.load("kueue-configuration-v1beta2"), converts=False))) == 1


@given(data=TREES, name=st.sampled_from(LISTS), version=st.sampled_from(["", "0.1", "26.3.1", "99.1"]))
@settings(max_examples=300, deadline=None)
def test_whatever_the_yaml_holds_nothing_is_raised(data: object, name: str, version: str) -> None:
    known = keys.load(name)
    root = Item.plain(data).root
    for stray in strays(root, known, required(version) if version else None):
        assert isinstance(nearest_key(stray, known), str)
    for converts in (True, False):
        assert all(one.wanted and one.written for one in misfits(root, known, converts=converts))
