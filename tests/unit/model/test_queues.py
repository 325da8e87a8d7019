"""Priority bands, and the resource groups that Kueue asks for."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from gpuplan.model.queues import LargestJob, Service, band, resource_groups
from tests.build import fleet

ORDER = (Service.RECLAIMABLE, Service.SHARED, Service.QUEUED, Service.GUARANTEED)


def test_the_bands_of_two_service_classes_never_touch() -> None:
    for lower, higher in pairwise(ORDER):
        assert max(band(lower).values()) < min(band(higher).values())


def test_a_band_has_three_levels_and_its_normal_one_bears_the_name_of_the_class() -> None:
    assert band(Service.QUEUED) == {"queued-low": 2900, "queued": 3000, "queued-high": 3100}


def test_every_band_is_above_a_job_without_a_priority() -> None:
    assert all(value > 0 for service in Service for value in band(service).values())


def test_a_job_asks_for_its_pods_times_what_each_asks_for() -> None:
    assert LargestJob(pods=4, per_pod=8).total == 32


HEAD = """
apiVersion: gpuplan.dev/v1alpha1
metadata: {name: acme}
clusters: {eu: {kubernetes: "1.36"}}
"""
CUTS: tuple[str, ...] = (
    "exclusive",
    "{timeSlicing: {replicas: 4}}",
    "{mig: {profiles: {1g.5gb: 7}}}",
    "{mig: {profiles: {3g.20gb: 2}}}",
    "{mig: {profiles: {1g.5gb: 3, 2g.10gb: 2}}}",
    "{mig: {profiles: {2g.10gb: 2, 3g.20gb: 1}}}",
)


def groups(cuts: list[str]) -> list[tuple[tuple[str, ...], list[str]]]:
    """The resource groups of one task pool over tiers that are cut this way: (resources, tiers)."""
    lines = [HEAD, "cardTiers:"]
    lines += [f"  t{index}: {{cards: [a100-sxm-40gb]}}" for index in range(len(cuts))]
    lines.append("nodePools:")
    lines += [
        f"  n{index}: {{cluster: eu, tier: t{index}, nodes: 1, cardsPerNode: 8, selectedBy: {{nfd: {{}}}}, sharing: {cut}}}"
        for index, cut in enumerate(cuts)
    ]
    (cluster,) = fleet("\n".join(lines)).clusters
    return [
        (group.resources, [flavor.tier.name for flavor in group.flavors]) for group in resource_groups(cluster.flavors)
    ]


def test_tiers_that_give_one_name_form_one_group_in_the_order_of_the_tiers() -> None:
    assert groups(["exclusive", "exclusive"]) == [(("nvidia.com/gpu",), ["t0", "t1"])]


def test_tiers_without_a_common_name_form_groups_of_their_own() -> None:
    assert groups([CUTS[2], "exclusive"]) == [(("nvidia.com/mig-1g.5gb",), ["t0"]), (("nvidia.com/gpu",), ["t1"])]


def test_two_tiers_that_share_nothing_are_joined_by_a_third_that_shares_with_both() -> None:
    every = ("nvidia.com/mig-1g.5gb", "nvidia.com/mig-2g.10gb", "nvidia.com/mig-3g.20gb")
    assert groups([CUTS[2], CUTS[5], CUTS[4]]) == [(every, ["t0", "t1", "t2"])]


@settings(deadline=None)
@given(cuts=st.lists(st.sampled_from(CUTS), min_size=1, max_size=6))
def test_every_name_and_every_flavor_is_in_exactly_one_group(cuts: list[str]) -> None:
    found = groups(cuts)
    names = [name for resources, _ in found for name in resources]
    tiers = [tier for _, tiers in found for tier in tiers]
    assert len(names) == len(set(names))
    assert sorted(tiers) == sorted(f"t{index}" for index in range(len(cuts)))
    assert all(list(resources) == sorted(resources) for resources, _ in found)
