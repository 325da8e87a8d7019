"""Nodes that keep the labels they were born with when their pool moves."""

from __future__ import annotations

import pytest
import yaml

from gpuplan.emit.emitters import emit
from gpuplan.pipeline import silent, transitions
from tests.unit.emit.fleets import Place, place

MAKERS = {
    "kubelet": "kubeadm",
    "capi": "kubeadm",
    "eks": "eks",
    "gke": "gke",
    "talos": "talos",
}
"""What makes nodes by a snippet, and a distribution on which it does."""


def moved(before: Place, after: Place) -> list[str]:
    """Return what has to be typed for the nodes that are there."""
    old = {text.path: yaml.safe_load(text.text) for text in emit(before.fleet, silent).texts}
    told = transitions(after.fleet, emit(after.fleet, silent), old.get)
    return [str(one.fix).partition("`")[2].partition("`")[0] for one in told if one.rule == "render/nodes-keep-labels"]


def pools(first: str, second: str, maker: str = "kubelet") -> Place:
    by = f"selectedBy: {{provisioner: {maker}}}"
    return place(f"a: {{{by}, {first}}}, b: {{tier: big, {by}, {second}}}", f"distribution: {MAKERS[maker]}")


@pytest.mark.parametrize("maker", MAKERS)
def test_when_the_operator_comes_the_nodes_of_other_pools_are_kept_from_it(maker: str) -> None:
    before, after = (pools("stack: manual", f"stack: {stack}", maker) for stack in ("manual", "operator"))
    label = "nvidia.com/gpu.deploy.operands"
    assert moved(before, after) == [f"kubectl label nodes -l gpuplan.dev/pool=a {label}=false --overwrite"]


def test_nodes_that_move_to_the_operator_are_no_longer_kept_from_it_and_back_again() -> None:
    away, here = (pools(f"stack: {stack}", "stack: operator") for stack in ("manual", "operator"))
    label = "nvidia.com/gpu.deploy.operands"
    assert moved(away, here) == [f"kubectl label nodes -l gpuplan.dev/pool=a {label}- --overwrite"]
    assert moved(here, away) == [f"kubectl label nodes -l gpuplan.dev/pool=a {label}=false --overwrite"]


@pytest.mark.parametrize(
    ("stack", "more"), [("manual", ""), ("operator", " nvidia.com/device-plugin.config=time-slicing-4")]
)
def test_agents_learn_from_labels_that_cards_are_shared(stack: str, more: str) -> None:
    whole, shared = (
        pools(f"stack: {stack}, tier: desk, sharing: {how}", f"stack: {stack}")
        for how in ("exclusive", "{timeSlicing: {replicas: 4}}")
    )
    label = f"gpuplan.dev/sharing=time-slicing-4{more}"
    assert moved(whole, shared) == [f"kubectl label nodes -l gpuplan.dev/pool=a {label} --overwrite"]


def test_nodes_whose_cards_are_cut_are_labelled_by_their_runbook() -> None:
    whole, cut = (
        pools(f"stack: manual, sharing: {how}", "stack: manual")
        for how in ("exclusive", "{mig: {profiles: {1g.5gb: 7}}}")
    )
    assert moved(whole, cut) == []


def test_nothing_is_asked_for_where_nfd_labels_nodes_or_nothing_changes() -> None:
    before, after = (place(f"a: {{}}, b: {{tier: big, stack: {stack}}}") for stack in ("manual", "operator"))
    assert moved(before, after) == []
    same = pools("stack: manual", "stack: operator")
    assert moved(same, same) == []


def test_a_pool_that_is_new_has_no_nodes_yet() -> None:
    assert moved(place("b: {tier: big}"), pools("stack: manual", "stack: operator")) == []
