"""Claims on devices: their names, and which pools and task pools they are about."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplan import conventions
from gpuplan.catalog import load
from gpuplan.model.claims import claim_templates, claimable, dra_pools
from gpuplan.model.pools import produced_resources
from gpuplan.model.sharing import Unit
from tests.build import fleet

SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
"""A name that Kubernetes takes for a DNS subdomain, of 253 characters at most."""
PROFILES = sorted({"", *(name for known in load().mig.values() for name in known.profiles)})
TASK_POOLS = st.from_regex(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?", fullmatch=True)

SPEC = """
apiVersion: gpuplan.dev/v1alpha1
metadata: {name: acme}
clusters: {eu: {kubernetes: "1.36"}}
cardTiers: {train: {cards: [h100-sxm-80gb], topology: off}, lab: {cards: [a100-sxm-40gb], topology: off}}
defaults: {nodePool: {cluster: eu, nodes: 2, cardsPerNode: 8, selectedBy: {nfd: {}}}}
nodePools:
  h100: {tier: train}
  a100: {tier: lab, exposure: dra, sharing: {mig: {groups: [{cards: [0], profiles: {1g.5gb+me: 1, 1g.5gb: 6}}]}}}
taskPools:
  pretrain: {kind: training, service: queued, tiers: [train], largestJob: {cardsPerPod: 8}}
  slices: {kind: experiment, service: queued, tiers: [lab]}
teams: {vision: {namespaces: [vision], quotas: {pretrain: {}, slices: {}}}}
"""


@pytest.mark.parametrize("profile", PROFILES)
def test_names_of_a_unit_are_taken_by_kubernetes_and_kueue(profile: str) -> None:
    assert SUBDOMAIN.fullmatch(conventions.device_class_name(profile))
    domain, _, name = conventions.dra_resource(profile).partition("/")
    assert SUBDOMAIN.fullmatch(domain)
    assert re.fullmatch(r"[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?", name)
    assert len(name) <= conventions.MAX_LABEL_VALUE


TEMPLATE = st.tuples(TASK_POOLS, st.sampled_from(PROFILES), st.integers(1, 64))


@given(TEMPLATE, TEMPLATE)
def test_no_two_templates_share_a_name_and_none_is_too_long(
    one: tuple[str, str, int], two: tuple[str, str, int]
) -> None:
    names = [conventions.claim_template_name(*template) for template in (one, two)]
    assert (names[0] == names[1]) == (one == two)
    assert all(SUBDOMAIN.fullmatch(name) and len(name) <= 253 for name in names)


def test_only_claimed_pools_and_their_task_pools_have_anything_to_claim() -> None:
    (cluster,) = fleet(SPEC).clusters
    pretrain, slices = cluster.cohorts
    assert [pool.name for pool in dra_pools(cluster)] == ["a100"]
    assert claimable(cluster) == {
        "dra.gpuplan.dev/gpu": "",
        "dra.gpuplan.dev/mig-1g.5gb": "1g.5gb",
        "dra.gpuplan.dev/mig-1g.5gb.me": "1g.5gb+me",
    }
    assert claim_templates(pretrain) == ()
    assert [template.name for template in claim_templates(slices)] == [
        "slices-1",
        "slices-1g.5gb-1",
        "slices-1g.5gb.me-1",
    ]


def test_what_is_claimed_is_counted_by_names_of_ours_in_the_same_units() -> None:
    (cluster,) = fleet(SPEC).clusters
    (pool,) = dra_pools(cluster)
    made = {one.resource: (one.per_node, one.unit) for one in produced_resources(pool)}
    assert made["dra.gpuplan.dev/gpu"][0] == 7
    assert made["dra.gpuplan.dev/mig-1g.5gb"] == (
        6,
        Unit(part="1g.5gb", card_share=made["dra.gpuplan.dev/mig-1g.5gb"][1].card_share),
    )
    assert not any(unit.hidden for _, unit in made.values())
