"""The worst case of a floor, against a search through every placement that others could choose."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from gpuplan.model.fragmentation import Floor, floors, room, room_left, tolerable
from tests.build import fleet

# --- The oracle: no formula, only pods put onto nodes one by one. -------------------------------------------------------

Occupied = tuple[int, ...]
"""Pieces that others hold on each node."""


def placements(nodes: Sequence[int], rights: Sequence[tuple[int, int]]) -> frozenset[Occupied]:
    """Every occupation that holders can bring about; a holder is (pieces by right, pieces of its largest pod)."""
    reached = {(0,) * len(nodes)}
    for pieces, largest in rights:
        reached = {end for start in reached for end in _spread(nodes, start, pieces, largest)}
    return frozenset(reached)


def _spread(nodes: Sequence[int], start: Occupied, pieces: int, largest: int) -> set[Occupied]:
    """Every occupation that one holder reaches from another by starting pods, or none."""
    seen = {(start, pieces)}
    todo = list(seen)
    while todo:
        occupied, left = todo.pop()
        for index, capacity in enumerate(nodes):
            for pod in range(1, min(largest, left, capacity - occupied[index]) + 1):
                after = (*occupied[:index], occupied[index] + pod, *occupied[index + 1 :])
                if (after, left - pod) not in seen:
                    seen.add((after, left - pod))
                    todo.append((after, left - pod))
    return {occupied for occupied, _ in seen}


def started(nodes: Sequence[int], occupied: Occupied, pod: int) -> int:
    """How many pods of one size a scheduler starts beside the others: it goes on until none fits."""
    free = [capacity - taken for capacity, taken in zip(nodes, occupied, strict=True)]
    count = 0
    while any(pieces >= pod for pieces in free):
        free[next(index for index, pieces in enumerate(free) if pieces >= pod)] -= pod
        count += 1
    return count


def worst(nodes: Sequence[int], rights: Sequence[tuple[int, int]], pod: int) -> int:
    return min(started(nodes, occupied, pod) for occupied in placements(nodes, rights))


SMALL_NODES = st.lists(st.integers(1, 4), min_size=1, max_size=3)


@settings(deadline=None)
@given(
    nodes=SMALL_NODES,
    pod=st.integers(1, 4),
    rights=st.lists(st.tuples(st.integers(0, 4), st.integers(1, 4)), max_size=3),
)
def test_the_worst_case_is_what_the_search_through_all_placements_finds(
    nodes: list[int], pod: int, rights: list[tuple[int, int]]
) -> None:
    others = sum(pieces for pieces, _ in rights)
    assert room_left(Counter(nodes), pod, others) == worst(nodes, rights, pod)


@given(nodes=SMALL_NODES, pod=st.integers(1, 4))
def test_empty_nodes_hold_what_a_scheduler_starts_on_them(nodes: list[int], pod: int) -> None:
    assert room(Counter(nodes), pod) == started(nodes, (0,) * len(nodes), pod)


@given(nodes=SMALL_NODES, pod=st.integers(1, 4), pods=st.integers(0, 6))
def test_one_piece_above_the_tolerable_breaks_the_floor_and_none_below_does(
    nodes: list[int], pod: int, pods: int
) -> None:
    counted, most = Counter(nodes), tolerable(Counter(nodes), pod, pods)
    safe = [others for others in range(sum(nodes) + 1) if room_left(counted, pod, others) >= pods]
    assert most == max(safe, default=-1)


# --- Whole fleets. ------------------------------------------------------------------------------------------------------

HEAD = """
apiVersion: gpuplan.dev/v1alpha1
metadata: {name: acme}
clusters: {eu: {kubernetes: "1.36"}}
cardTiers: {train: {cards: [h100-sxm-80gb]}}
"""


@dataclass(frozen=True)
class Queue:
    """A drawn queue, each with a task pool of its own."""

    service: str
    floor: int
    borrow: int
    pod: int


def spec(nodes: Sequence[int], queues: Sequence[Queue]) -> str:
    """Write a fleet down: nodes of one flavor, one task pool and team for each queue."""
    lines = [HEAD, "nodePools:"]
    lines += [
        f"  n{index}: {{cluster: eu, tier: train, nodes: 1, cardsPerNode: {cards}, selectedBy: {{labels: {{pool: gpu}}}}}}"
        for index, cards in enumerate(nodes)
    ]
    lines.append("taskPools:")
    for index, queue in enumerate(queues):
        pool = f", pool: {{train: {queue.floor}}}" if queue.service == "shared" else ""
        job = f"largestJob: {{cardsPerPod: {queue.pod}}}"
        lines.append(f"  p{index}: {{kind: experiment, service: {queue.service}, tiers: [train], {job}{pool}}}")
    lines.append("teams:")
    for index, queue in enumerate(queues):
        amount = {
            "shared": f"{{cap: {queue.floor}}}",
            "reclaimable": f"{{cap: {queue.floor}}}",
        }.get(queue.service, f"{{guaranteed: {queue.floor}, borrow: {queue.borrow}}}")
        lines.append(f"  t{index}: {{namespaces: [t{index}], quotas: {{p{index}: {{train: {amount}}}}}}}")
    return "\n".join(lines)


def judged(text: str) -> dict[str, Floor]:
    (cluster,) = fleet(text).clusters
    return {floor.queue.team.name: floor for floor in floors(cluster.flavors, cluster.cohorts)}


def rights_against(service: str, others: Iterator[Queue]) -> Iterator[tuple[int, int]]:
    """What others need not give back: no reclaimable work, and borrowed pieces only where a queued floor wants them."""
    for other in others:
        if other.service == "reclaimable":
            continue
        stubborn = service == "queued" and other.service in ("guaranteed", "queued")
        yield other.floor + (other.borrow if stubborn else 0), other.pod


@st.composite
def small_fleets(draw: st.DrawFn) -> tuple[list[int], list[Queue]]:
    """Up to three nodes of up to four cards, and up to four queues that own no more than there is."""
    nodes = draw(st.lists(st.integers(1, 4), min_size=1, max_size=3))
    free = sum(nodes)
    queues: list[Queue] = []
    while free and len(queues) < 4:
        service = draw(st.sampled_from(["guaranteed", "guaranteed", "queued", "shared", "reclaimable"]))
        floor = draw(st.integers(1, free))
        queues.append(Queue(service=service, floor=floor, borrow=draw(st.integers(0, 2)), pod=draw(st.integers(1, 4))))
        free -= 0 if service == "reclaimable" else floor
    return nodes, queues


@given(drawn=small_fleets())
@settings(max_examples=200, deadline=None)
def test_a_floor_is_called_safe_exactly_when_no_placement_of_the_others_breaks_it(
    drawn: tuple[list[int], list[Queue]],
) -> None:
    nodes, queues = drawn
    found = judged(spec(nodes, queues))
    for index, queue in enumerate(queues):
        if queue.service not in ("guaranteed", "queued"):
            assert f"t{index}" not in found
            continue
        pod = min(queue.pod, queue.floor)
        wanted = min(queue.floor // pod, started(nodes, (0,) * len(nodes), pod))
        others = list(rights_against(queue.service, iter(queues[:index] + queues[index + 1 :])))
        rights = _within(others, sum(nodes) - queue.floor)
        event(f"broken: {found[f't{index}'].broken}")
        assert found[f"t{index}"].broken == any(worst(nodes, part, pod) < wanted for part in rights)


def _within(rights: list[tuple[int, int]], free: int) -> Iterator[list[tuple[int, int]]]:
    """Every way in which holders can share what the floor leaves free: the floor's own quota is there."""
    if not rights:
        yield []
        return
    (pieces, pod), *rest = rights
    for taken in range(min(pieces, free) + 1):
        for others in _within(rest, free - taken):
            yield [(taken, pod), *others]


TWO_NODES = """
nodePools:
  a: {cluster: eu, tier: train, nodes: 2, cardsPerNode: 8, selectedBy: {nfd: {}}}
taskPools:
  pretrain: {kind: training, service: guaranteed, tiers: [train], largestJob: {cardsPerPod: 8}}
  notebooks: {kind: experiment, service: shared, tiers: [train], pool: {train: 2}}
  scratch: {kind: experiment, service: reclaimable, tiers: [train]}
teams:
  vision: {namespaces: [vision], quotas: {pretrain: {train: {guaranteed: 8}}}}
  nlp: {namespaces: [nlp], quotas: {notebooks: {}, scratch: {}}}
"""


def test_two_single_cards_on_two_nodes_break_a_floor_of_one_whole_node() -> None:
    (floor,) = judged(HEAD + TWO_NODES).values()
    assert (floor.pod, floor.pods, floor.others, floor.left, floor.tolerable) == (8, 1, 2, 0, 1)
    assert [holder.name for holder in floor.holders] == ["notebooks"]
    assert floor.broken_by_smaller


def test_one_single_card_does_not() -> None:
    (floor,) = judged((HEAD + TWO_NODES).replace("pool: {train: 2}", "pool: {train: 1}")).values()
    assert not floor.broken


def test_pods_as_large_as_ours_break_a_floor_only_if_they_run_smaller_ones() -> None:
    text = (
        HEAD
        + TWO_NODES.replace("nlp: {namespaces: [nlp], quotas: {notebooks: {}, scratch: {}}}", "")
        + ("  nlp: {namespaces: [nlp], quotas: {pretrain: {train: {guaranteed: 8}}}}")
    )
    for floor in judged(text).values():
        assert (floor.left, floor.left_beside_whole) == (0, 1)
        assert floor.broken
        assert not floor.broken_by_smaller


def test_a_queued_floor_does_not_get_back_what_guaranteed_work_borrows() -> None:
    text = HEAD + TWO_NODES.replace("service: shared", "service: guaranteed").replace(", pool: {train: 2}", "").replace(
        "notebooks: {}", "notebooks: {train: {guaranteed: 1, borrow: 1}}"
    )
    safe, broken = (
        judged(text)["vision"],
        judged(
            text.replace("pretrain: {kind: training, service: guaranteed", "pretrain: {kind: training, service: queued")
        )["vision"],
    )
    assert (safe.others, safe.broken) == (1, False)
    assert (broken.others, broken.broken) == (2, True)


def test_a_job_that_must_sit_on_one_host_needs_room_for_all_its_pods_there() -> None:
    text = (HEAD + TWO_NODES).replace(
        "largestJob: {cardsPerPod: 8}", "largestJob: {pods: 8}, topology: {required: kubernetes.io/hostname}"
    )
    assert judged(text)["vision"].pod == 8


def test_nodes_of_different_size_are_counted_apart() -> None:
    nodes = {8: 2, 4: 3}
    assert room(nodes, 8) == 2
    assert [room_left(nodes, 4, others) for others in (0, 1, 5, 6, 25)] == [7, 6, 2, 2, 0]


@pytest.mark.parametrize("others", [0, 1, 7, 100])
def test_single_pieces_always_find_what_is_left(others: int) -> None:
    assert room_left({8: 4}, 1, others) == max(32 - others, 0)
