"""Changes that look harmless in the spec: what is easily overlooked of them, and what is not to be blamed on them."""

from __future__ import annotations

from gpuplan.plan import plan
from gpuplan.plan.parts import Effect
from tests.plan.kinds import BASE
from tests.unit.plan.two import comparison, edited, effects

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


def asked(old: str, new: str) -> dict[str, tuple[str, ...]]:
    return {approval.role: approval.owners for approval in plan(comparison(old, new)).approvals}


def test_who_is_named_before_is_asked_whether_others_take_their_place() -> None:
    new = edited(
        BASE,
        ('owners: ["@acme/nlp-leads"]', 'owners: ["@acme/others"]'),
        ('owners: ["@acme/eu"]', "owners: []"),
        ('  approvals: {owners: ["@acme/gpu-platform"]}\n', ""),
    )
    assert [(effect.fact, effect.subject) for effect in effects(BASE, new)] == [
        ("approval/owners-changed", "team nlp"),
        ("approval/owners-changed", "cluster eu"),
        ("approval/owners-changed", "platform"),
    ]
    assert asked(BASE, new) == {
        "team nlp": ("@acme/nlp-leads",),
        "cluster eu": ("@acme/eu",),
        "platform": ("@acme/gpu-platform",),
    }
    assert not plan(comparison(BASE, new)).empty


def test_another_name_is_no_way_past_the_owners() -> None:
    new = edited(
        BASE,
        ("  vision:\n", "  sight:\n"),
        ('owners: ["@acme/vision-leads"]', 'owners: ["@acme/others"]'),
        ("delivery:\n", "moved: [{from: teams.vision, to: teams.sight}]\ndelivery:\n"),
    )
    assert asked(BASE, new)["team sight"] == ("@acme/vision-leads",)


def test_a_fleet_with_another_name_has_one_tree_with_another_name_in_each_cluster() -> None:
    found = told(BASE, edited(BASE, ("metadata: {name: acme}", "metadata: {name: other}")), "task-pool/")
    assert [(effect.fact, effect.cluster, effect.subject) for effect in found] == [
        ("task-pool/moved", "eu", "quota tree"),
        ("task-pool/moved", "us", "quota tree"),
    ]


def test_another_version_of_kueue_restarts_it_once() -> None:
    old = edited(BASE, ('release: "2026.08"\n    owners', 'release: "2026.05"\n    owners'))
    facts = [effect.fact for effect in told(old, BASE, "kueue/", "release/kueue")]
    assert facts == ["release/kueue"]


def test_a_queue_that_has_nothing_of_a_flavor_on_either_side_has_no_row_that_changes() -> None:
    new = edited(
        BASE,
        ("{1g.5gb: 7}", "{2g.10gb: 3}"),
        ("pool: {lab: 112}", "pool: {lab: 48}"),
        ("lab: {cap: 56}", "lab: {cap: 24}"),
    )
    rows = plan(comparison(BASE, new)).quotas
    assert not [
        row
        for row in rows
        if row.changed and not (row.old.guaranteed or row.old.borrowable or row.new.guaranteed or row.new.borrowable)
    ]
