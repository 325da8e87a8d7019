"""Pools that cannot go to another stack by themselves: refused with the line, the reason and the way out."""

from __future__ import annotations

import pytest

from gpuplan.moving.stack import Road
from tests.unit.moving.test_stack import FLEET, assert_sound, found, texts
from tests.unit.moving.ways import way

REFUSED = {
    "claimed": (
        FLEET.replace("lab: {cards: [a100-sxm-40gb]}", "lab: {cards: [a100-sxm-40gb], topology: off}").replace(
            "cardsPerNode: 8, selectedBy: {nfd: {}}}", "cardsPerNode: 8, selectedBy: {nfd: {}}, exposure: dra}"
        ),
        "lab-a",
        "Pods claim the devices",
    ),
    "hami": (
        FLEET.replace("lab: {cards: [a100-sxm-40gb]}", "lab: {cards: [a100-sxm-40gb], topology: off}").replace(
            "cardsPerNode: 8, selectedBy: {nfd: {}}}",
            "cardsPerNode: 8, selectedBy: {nfd: {}}, sharing: {hami: {split: 2}}}",
        ),
        "lab-a",
        "HAMi offers the cards",
    ),
    "another vendor's": (
        FLEET.replace("a100-sxm-40gb", "mi300x").replace(
            "cardsPerNode: 8, selectedBy: {nfd: {}}}", "cardsPerNode: 8, selectedBy: {nfd: {}}, stack: external}"
        ),
        "lab-a",
        "no card of NVIDIA's",
    ),
    "a provider's plugin": (
        FLEET.replace('{kubernetes: "1.36", stack: manual}', '{kubernetes: "1.36", distribution: gke}'),
        "lab-a",
        "gke runs a device plugin of its own",
    ),
    "kept off by its own label": (
        FLEET.replace(
            "cardsPerNode: 8, selectedBy: {nfd: {}}}",
            'cardsPerNode: 8, selectedBy: {labels: {pool: lab, nvidia.com/gpu.deploy.operands: "false"}}}',
        ),
        "lab-a",
        "keeps the GPU Operator off",
    ),
    "another pool that nothing can keep the operator off": (
        FLEET.replace(
            "cardsPerNode: 8, selectedBy: {nfd: {}}}",
            'cardsPerNode: 8, selectedBy: {labels: {nvidia.com/gpu.deploy.operands: "true"}}}',
        ),
        "l40s-a",
        "operator/beside-other-agents",
    ),
    "another pool that is cut": (
        FLEET.replace(
            "cardsPerNode: 8, selectedBy: {nfd: {}}}",
            "cardsPerNode: 8, selectedBy: {nfd: {}}, sharing: {mig: {profiles: {1g.5gb: 7}}}}",
        ).replace("train: {lab: {guaranteed: 16}}", "train: {lab: {guaranteed: 112}}"),
        "l40s-a",
        "mig/beside-operator",
    ),
}


@pytest.mark.parametrize(("text", "pool", "why"), REFUSED.values(), ids=REFUSED)
def test_a_pool_that_cannot_move_by_itself_is_refused_with_the_line_and_the_reason(
    text: str, pool: str, why: str
) -> None:
    findings = way(text, pool, "operator")
    assert not isinstance(findings, Road)
    assert [one.rule for one in findings] == ["stack/cannot-move"]
    assert why in findings[0].summary
    assert pool in text.splitlines()[findings[0].at.line - 1]
    assert findings[0].fix


def test_cut_pools_move_alone_where_nothing_stays_behind_and_are_sent_to_their_common_way_otherwise() -> None:
    cut = REFUSED["another pool that is cut"][0]
    road = found(cut, "lab-a")
    assert "installed" not in [place.standby for place in road.move.places]
    assert_sound(road)
    both = texts(found(texts(road)[-1], "l40s-a"))[-1]
    findings = way(both, "lab-a", "manual")
    assert not isinstance(findings, Road)
    assert "`gpuplan plan` lays out the order" in findings[0].fix
