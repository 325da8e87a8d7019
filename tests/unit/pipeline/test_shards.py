"""Shards: each cluster in exactly one, of about the same weight, and hardly any moves when a cluster comes."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuplan import pipeline
from gpuplan.model.fleet import Cluster
from gpuplan.output import Stale, check_tree, write_tree
from gpuplan.output.partial import Share, share_of
from gpuplan.pipeline import tree
from gpuplan.pipeline.parts import Render
from gpuplan.pipeline.shards import OF_SHARED, Shard, members
from gpuplan.pipeline.weights import weight
from gpuplan.report import runbooks
from tests.build import fleet

VERSION = "1"


def clusters(count: int) -> tuple[Cluster, ...]:
    """Return clusters of one pool, every fourth of them with ten."""
    names = [f"c-{number:02}" for number in range(count)]
    pools = [
        f"  {name}-{pool}: {{cluster: {name}, tier: serve, nodes: 2, cardsPerNode: 4, selectedBy: {{labels: {{pool: a}}}}}}"
        for number, name in enumerate(names)
        for pool in range(10 if number % 4 == 0 else 1)
    ]
    return fleet(
        "\n".join(
            [
                "apiVersion: gpuplan.dev/v1alpha1",
                "metadata: {name: tiny}",
                "cardTiers: {serve: {cards: [l40s]}}",
                "clusters:",
                *(f'  {name}: {{kubernetes: "1.36"}}' for name in names),
                "nodePools:",
                *pools,
            ]
        )
    ).clusters


@pytest.mark.parametrize("count", [1, 2, 3, 8, 60])
def test_each_cluster_is_in_exactly_one_shard(count: int) -> None:
    every = clusters(40)
    dealt = [one.name for number in range(1, count + 1) for one in members(every, Shard(number=number, count=count))]
    assert sorted(dealt) == [cluster.name for cluster in every]


@pytest.mark.parametrize("count", [2, 3, 8])
def test_shards_are_balanced_with_what_clusters_share_counted_as_the_first_s(count: int) -> None:
    every = clusters(40)
    total = sum(map(weight, every))
    loads = [sum(map(weight, members(every, Shard(number=number, count=count)))) for number in range(1, count + 1)]
    loads[0] += OF_SHARED * total
    even = (1 + OF_SHARED) * total / count
    assert max(loads) < max(1.3 * even, 1.01 * OF_SHARED * total)


def test_a_new_cluster_moves_few_others() -> None:
    before, after = clusters(40), clusters(41)

    def at(every: tuple[Cluster, ...]) -> dict[str, int]:
        return {one.name: number for number in range(1, 6) for one in members(every, Shard(number=number, count=5))}

    old, new = at(before), at(after)
    assert sum(old[name] != new[name] for name in old) <= 8


SPEC = """
apiVersion: gpuplan.dev/v1alpha1
metadata: {name: tiny}
clusters: {a: {kubernetes: "1.36"}, b: {kubernetes: "1.36"}, c: {kubernetes: "1.35"}, d: {kubernetes: "1.36"}}
cardTiers: {serve: {cards: [l40s]}}
nodePools:
  pa: {cluster: a, tier: serve, nodes: 2, cardsPerNode: 4, selectedBy: {labels: {pool: a}}}
  pb: {cluster: b, tier: serve, nodes: 2, cardsPerNode: 4, selectedBy: {labels: {pool: b}}}
  pc: {cluster: c, tier: serve, nodes: 2, cardsPerNode: 4, selectedBy: {labels: {pool: c}}}
"""


@pytest.mark.parametrize("count", [1, 2, 3, 6])
def test_the_shards_find_together_what_one_run_finds_and_each_file_once(tmp_path: Path, count: int) -> None:
    root = tmp_path / "rendered"
    render = Render(fleet=fleet(SPEC), fleet_dir="fleet", root=root, texts=runbooks.texts)
    whole = tree.whole(render, None, 1, pipeline.silent)
    write_tree(root, whole.files, version=VERSION)
    ours = sorted(file.path for file in whole.files)
    for path in ours[::7]:
        (root / path).write_bytes(b"edited\n")
    for path in ours[3::11]:
        (root / path).unlink(missing_ok=True)
    expected = check_tree(root, whole.files, version=VERSION)
    found: list[Stale] = []
    for number in range(1, count + 1):
        shard = Shard(number=number, count=count)
        share = Share(
            clusters=frozenset(cluster.name for cluster in members(render.fleet.clusters, shard)),
            fleet=frozenset(cluster.name for cluster in render.fleet.clusters),
            with_shared=shard.has_shared,
        )
        part = tree.sharded(render, shard, 1, pipeline.silent)
        files, problems = share_of(root, part.files, share, look=False)
        assert problems == ()
        found += check_tree(root, files, version=VERSION)
    assert sorted(found) == sorted(expected)
