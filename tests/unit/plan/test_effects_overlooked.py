"""Changes that look harmless in the spec: what is easily overlooked of them, and what is not to be blamed on them."""

from __future__ import annotations

from gpuplan.plan.parts import Effect
from tests.plan.kinds import BASE
from tests.unit.plan.two import edited, effects

CHAT = "kind: onlineInference, service: guaranteed, tiers: [serve]"


def told(old: str, new: str, *topics: str) -> list[Effect]:
    return [effect for effect in effects(old, new) if effect.fact.startswith(topics)]


def test_taints_that_nfd_no_longer_sets_leave_the_nodes_although_the_pool_keeps_them() -> None:
    without = edited(BASE, ("    nfd: {taints: true}\n", ""))
    found = told(BASE, without, "taints/")
    assert [(effect.fact, effect.subject) for effect in found] == [
        ("taints/removed", "pool a100-lab"),
        ("taints/removed", "pool l4-desk"),
    ]
    assert [effect.fact for effect in told(without, BASE, "taints/")] == ["taints/added", "taints/added"]


def test_a_taint_that_only_new_nodes_get_evicts_nobody() -> None:
    for provisioner in ("karpenter", "kubelet"):
        old = edited(BASE, ("provisioner: karpenter", f"provisioner: {provisioner}"))
        taint = f"provisioner: {provisioner}}}\n    taints: [{{key: acme.example/x, effect: NoExecute}}]"
        new = edited(old, (f"provisioner: {provisioner}}}", taint))
        assert "taints/evicts" not in {effect.fact for effect in told(old, new, "taints/")}


def test_a_framework_in_the_place_of_another_is_one_that_goes_and_one_that_comes() -> None:
    old = edited(BASE, (CHAT, f"{CHAT}, frameworks: [deployment]"))
    new = edited(BASE, (CHAT, f"{CHAT}, frameworks: [statefulset]"))
    assert [effect.fact for effect in told(old, new, "kueue/frameworks")] == [
        "kueue/frameworks-removed",
        "kueue/frameworks-added",
    ]


def test_what_is_nobodys_is_blamed_on_the_lines_of_its_owners_and_nodes_alone() -> None:
    new = edited(
        BASE,
        ("pretrain: {train: {guaranteed: 64, borrow: 32}}", "pretrain: {train: {guaranteed: 48, borrow: 32}}"),
        ("pool: {lab: 112}", "pool: {lab: 84}"),
        ("    nodes: 6\n", "    nodes: 7\n"),
    )
    blamed = {
        effect.subject: {cause.path[:2] for cause in effect.causes}
        for effect in told(BASE, new, "quota/rest", "quota/cap")
    }
    assert blamed == {
        "flavor train-h100-sxm-80gb, nvidia.com/gpu": {("teams", "nlp")},
        "flavor serve-l40s, nvidia.com/gpu": {("nodePools", "l40s-a")},
        "flavor lab-a100-sxm-40gb-mig-7x1g.5gb, nvidia.com/mig-1g.5gb": {("taskPools", "notebooks")},
    }
