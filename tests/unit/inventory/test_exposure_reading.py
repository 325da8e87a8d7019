"""What nodes offer by their profiles and layouts: the numbers that people expect of their own files."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplan import catalog
from gpuplan.inventory.assumed import Assumed
from gpuplan.inventory.cards.exposure import Profile, capacity, produced, product_label, profiles
from gpuplan.inventory.cards.labelled import card_of_product, labelled
from gpuplan.inventory.cards.live import standing
from gpuplan.inventory.cards.mig_cuts import layouts_in_use
from gpuplan.inventory.cards.mig_tables import tables
from gpuplan.inventory.cards.operator import namespace, operators
from gpuplan.inventory.grouping import inventories
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.reading.read import read_paths
from gpuplan.model.sharing import MigStrategy

CASES = Path(__file__).parents[2] / "cases" / "inputs"


def inventory(text: str, tmp_path: Path) -> Inventory:
    """Read a text as a file of somebody's."""
    path = tmp_path / "file.yaml"
    path.write_text(text, encoding="utf-8")
    return read(path)


def read(path: Path) -> Inventory:
    found = read_paths([path])
    return inventories(found.objects, found.configs, Assumed())[""]


def case(name: str) -> Inventory:
    return read(CASES / f"{name}.yaml")


def profile(name: str, key: str) -> Profile:
    return next(one for one in profiles(case(name)) if one.name == key)


WHOLE: dict[str, int] = {}


@pytest.mark.parametrize(
    ("name", "key", "cards", "offered"),
    [
        ("C02", "shared-4", 1, {"nvidia.com/gpu": 4}),
        ("C08", "default", 1, {"nvidia.com/gpu": 4}),
        ("C19", "l40-shared", 8, {"nvidia.com/gpu": 32}),
        ("C40", "", 2, {"nvidia.com/gpu": 8}),
        ("C59", "", 2, {"nvidia.com/gpu": 8}),
        ("C73", "p3.2xlarge", 1, {"nvidia.com/gpu": 4}),
        ("C73", "p3.8xlarge", 4, {"nvidia.com/gpu": 32}),
    ],
)
def test_a_profile_makes_so_many_shares_of_the_cards_of_a_node(
    name: str, key: str, cards: int, offered: dict[str, int]
) -> None:
    assert capacity([WHOLE] * cards, profile(name, key).sharing) == offered


def test_slices_of_strategy_single_are_shared_as_cards() -> None:
    a800 = [{"2g.20gb": 3}] * 4
    assert capacity(a800, profile("C19", "a800").sharing, "single") == {"nvidia.com/gpu": 12}
    assert capacity(a800, profile("C19", "a800-shared").sharing, "single") == {"nvidia.com/gpu": 72}


def test_where_both_kinds_are_written_mps_counts() -> None:
    assert capacity([WHOLE], profile("C76", "").sharing) == {"nvidia.com/gpu": 4}


def test_a_sharing_entry_for_what_a_node_lacks_is_passed_over_and_a_rename_moves_the_name(tmp_path: Path) -> None:
    text = """
version: v1
sharing:
  timeSlicing:
    renameByDefault: true
    resources: [{name: nvidia.com/gpu, replicas: 15}, {name: mig-1g.5gb, replicas: 2}]
"""
    (one,) = profiles(inventory(text, tmp_path))
    assert capacity([WHOLE] * 4, one.sharing) == {"nvidia.com/gpu.shared": 60}
    both = capacity([WHOLE, {"1g.5gb": 7}], one.sharing, "mixed")
    assert both == {"nvidia.com/gpu.shared": 15, "nvidia.com/mig-1g.5gb.shared": 14}
    assert product_label("NVIDIA-A30", sharing=one.sharing) == "NVIDIA-A30"


@pytest.mark.parametrize(
    ("product", "cuts", "key", "strategy", "label"),
    [
        ("NVIDIA-A800-80GB-PCIe", [{"2g.20gb": 3}], "a800", "single", "NVIDIA-A800-80GB-PCIe-MIG-2g.20gb"),
        (
            "NVIDIA-A800-80GB-PCIe",
            [{"2g.20gb": 3}],
            "a800-shared",
            "single",
            "NVIDIA-A800-80GB-PCIe-MIG-2g.20gb-SHARED",
        ),
        ("NVIDIA-L40", [WHOLE], "l40-shared", "none", "NVIDIA-L40-SHARED"),
        ("NVIDIA-A100-SXM4-40GB", [{"1g.5gb": 7}, {}], "a800", "single", "NVIDIA-A100-SXM4-40GB-MIG-INVALID"),
        ("NVIDIA-A100-SXM4-40GB", [{"1g.5gb+me": 1}], "a800", "single", "NVIDIA-A100-SXM4-40GB-MIG-1g.5gb.me"),
        ("NVIDIA-A100-SXM4-40GB", [{"1g.5gb": 7}], "a800", "mixed", "NVIDIA-A100-SXM4-40GB"),
    ],
)
def test_feature_discovery_appends_what_is_done_to_the_cards(
    product: str, cuts: list[dict[str, int]], key: str, strategy: str, label: str
) -> None:
    assert product_label(product, cuts, profile("C19", key).sharing, strategy) == label


@pytest.mark.parametrize(
    "card", [one for one in catalog.load().cards.values() if one.vendor.value == "nvidia"], ids=lambda card: card.name
)
def test_a_product_label_leads_back_to_its_card_whatever_is_appended(card: catalog.Card) -> None:
    known = Inventory()
    for label in (
        card.product_name,
        f"{card.product_name}-SHARED",
        f"{card.product_name}-MIG-1g.5gb.me-SHARED",
        f"{card.product_name}-MIG-INVALID",
    ):
        found = card_of_product(label, known)
        assert found is not None
        assert found.product_name == card.product_name


def test_a_table_gives_every_card_of_a_node_its_instances() -> None:
    (table,) = tables(case("C52"))
    cuts = table.layouts["by-service"].cuts(8)
    assert capacity(cuts, None, "mixed") == {
        "nvidia.com/gpu": 0,
        "nvidia.com/mig-1g.10gb": 7,
        "nvidia.com/mig-1g.20gb": 4,
        "nvidia.com/mig-7g.80gb": 6,
    }
    assert capacity(cuts, None, "single") == {"nvidia.com/gpu": 0}


def test_later_entries_win_and_filters_and_indexes_beyond_the_node_are_passed_over(tmp_path: Path) -> None:
    text = """
version: v1
mig-configs:
  a:
    - {devices: all, mig-enabled: true, mig-devices: {1g.5gb: 7}}
    - {devices: [1, 9], mig-enabled: false}
    - {device-filter: ["0x20B210DE"], devices: [0], mig-enabled: true, mig-devices: {2g.20gb: 3}}
"""
    (table,) = tables(inventory(text, tmp_path))
    cards = catalog.load().cards
    layout = table.layouts["a"]
    assert layout.cuts(3, cards["a100-sxm-40gb"]) == [{"1g.5gb": 7}, {}, {"1g.5gb": 7}]
    assert layout.cuts(2, cards["a100-sxm-80gb"]) == [{"2g.20gb": 3}, {}]


def test_a_resource_beside_the_instances_that_use_up_the_cards_is_stale() -> None:
    known = case("C58")
    (node,) = labelled(known)
    found = standing(node, known, layouts_in_use(known))
    assert found is not None
    assert (found.cards, found.stale) == (2, ("nvidia.com/gpu",))
    assert found.offered == {"nvidia.com/gpu": 0, "nvidia.com/mig-3g.20gb": 4}


def test_cards_are_counted_by_what_nodes_list_and_not_by_their_labels() -> None:
    known = case("C29")
    standings = [standing(node, known, {}) for node in labelled(known)]
    assert [one.offered if one else None for one in standings] == [{"nvidia.com/gpu": 8}, None]


def test_a_node_with_cards_cut_in_different_ways_lists_each_name_and_its_whole_cards() -> None:
    """C35: the first card in small slices, the second in large ones, the rest whole."""
    cuts = [{"2g.20gb": 3, "1g.10gb": 1}, {"4g.40gb": 1, "3g.40gb": 1}, *[WHOLE] * 6]
    assert capacity(cuts, None, "mixed") == {
        "nvidia.com/gpu": 6,
        "nvidia.com/mig-2g.20gb": 3,
        "nvidia.com/mig-1g.10gb": 1,
        "nvidia.com/mig-4g.40gb": 1,
        "nvidia.com/mig-3g.40gb": 1,
    }


@pytest.mark.parametrize(("replicas", "cards", "shares"), [(15, 4, 60), (10, 2, 20)])
def test_shares_are_cards_times_replicas(replicas: int, cards: int, shares: int, tmp_path: Path) -> None:
    """C50, C83."""
    text = f"version: v1\nsharing: {{timeSlicing: {{resources: [{{name: gpu, replicas: {replicas}}}]}}}}\n"
    (one,) = profiles(inventory(text, tmp_path))
    assert capacity([WHOLE] * cards, one.sharing) == {"nvidia.com/gpu": shares}


@pytest.mark.parametrize(("layout", "resource", "count"), [("1g.5gb", "mig-1g.5gb", 7), ("2g.10gb", "mig-2g.10gb", 3)])
def test_under_mixed_each_slice_has_a_name_of_its_own(layout: str, resource: str, count: int) -> None:
    assert produced([{layout: count}], "mixed")[f"nvidia.com/{resource}"] == count


CUTS = st.lists(st.dictionaries(st.sampled_from(["1g.5gb", "2g.10gb", "1g.5gb+me"]), st.integers(1, 7)), max_size=8)


@given(cuts=CUTS, strategy=st.sampled_from([one.value for one in MigStrategy]))
def test_what_a_node_offers_are_its_whole_cards_and_its_instances(cuts: list[dict[str, int]], strategy: str) -> None:
    offered = produced(cuts, strategy)
    assert "nvidia.com/gpu" in offered
    if strategy == "mixed":
        assert sum(offered.values()) == sum(sum(cut.values()) or 1 for cut in cuts)
        assert offered["nvidia.com/gpu"] == sum(not cut for cut in cuts)
    elif strategy == "none":
        assert offered == {"nvidia.com/gpu": len(cuts)}
    else:
        assert offered.keys() == {"nvidia.com/gpu"}


def test_a_policy_and_the_values_of_the_chart_are_read_alike(tmp_path: Path) -> None:
    policy = """
apiVersion: nvidia.com/v1
kind: ClusterPolicy
metadata: {name: p}
spec: {mig: {strategy: single}, devicePlugin: {config: {name: profiles, default: a}}}
"""
    values = "mig: {strategy: single}\ndevicePlugin: {config: {name: profiles, default: a}}\n"
    release = """
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: o, namespace: nvidia}
spec: {chart: {spec: {chart: gpu-operator}}, values: {mig: {strategy: single}, devicePlugin: {config: {name: profiles, default: a}}}}
"""
    for text in (policy, values, release):
        (one,) = operators(inventory(text, tmp_path))
        ref = one.config("devicePlugin")
        assert (one.strategy.text(), ref.name, ref.default.text()) == ("single", "profiles", "a")
    assert namespace(inventory(release, tmp_path)) == "nvidia"
    assert namespace(inventory(policy, tmp_path)) == ""


def test_values_for_another_cluster_are_left_out(tmp_path: Path) -> None:
    text = """
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {{name: o, namespace: argocd}}
spec:
  destination: {{server: "{server}", namespace: gpu-operator}}
  source: {{chart: gpu-operator, helm: {{valuesObject: {{migManager: {{config: {{name: a}}}}}}}}}}
"""
    here = inventory(text.format(server="https://kubernetes.default.svc"), tmp_path)
    there = inventory(text.format(server="https://prod.example:6443"), tmp_path)
    assert [len(list(operators(one))) for one in (here, there)] == [1, 0]
    assert len(list(operators(there, anywhere=True))) == 1
