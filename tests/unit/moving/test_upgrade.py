"""Which steps an upgrade has, in which order, what restarts, what is refused and with which road."""

from __future__ import annotations

from typing import Any

import pytest

from gpuplan import pipeline
from gpuplan.moving.upgrade import Step, Upgrade
from gpuplan.moving.upgrade_edits import edit
from gpuplan.rules.judgement import Verdict
from tests.unit.moving.upgrading import done, fleet, spec, target, upgraded, versions

OPERATOR = {"stack": "operator"}
SET = target("2026.08")
PINNED = {"driver": {"branch": "580"}}


def parts(made: Upgrade) -> list[str]:
    assert not made.refused, [finding.summary for finding in made.refused]
    return [step.move.part.name for step in made.steps]


def step(made: Upgrade, part: str) -> Step:
    return next(one for one in made.steps if one.move.part.name == part)


def test_manual_agents_move_one_by_one_and_the_set_is_named_last() -> None:
    made = upgraded(spec({}, {"a": PINNED}), SET)
    assert parts(made) == ["nfd", "kueue", "toolkit", "plugin", "exporter", "release"]


def test_an_operator_moves_with_its_agents_in_one_step() -> None:
    made = upgraded(spec(OPERATOR, {"a": PINNED}), SET)
    assert parts(made) == ["nfd", "kueue", "operator", "release"]
    assert {"gpuOperator", "devicePlugin", "dcgmExporter"} <= set(step(made, "operator").move.components)


def test_drivers_follow_the_set_pool_by_pool_behind_the_agents_stateful_serving_last() -> None:
    chat = {"kind": "onlineInference", "service": "guaranteed", "tiers": ["serve"], "stateful": {"drainSeconds": 900}}
    data = spec(
        OPERATOR,
        {
            "big": {"nodes": 9},
            "chat": {"tier": "serve", "nodes": 1},
            "small": {"selectedBy": {"labels": {"pool": "s"}}},
        },
        taskPools={"chat": chat},
    )
    data["cardTiers"]["serve"] = {"cards": ["l40s"], "suits": ["onlineInference"]}
    made = upgraded(data, SET)
    assert [one.move.pool for one in made.steps if one.move.pool] == ["small", "big", "chat"]
    assert parts(made).index("operator") < parts(made).index("driver")
    stateful = [one.number for one in made.steps if any(restart.stateful for restart in one.restarts)]
    assert stateful == [step(made, "operator").number, made.steps[-2].number]


def test_an_upgrade_to_the_same_set_is_empty() -> None:
    made = upgraded(spec({"release": "2026.08"}), SET)
    assert made.is_empty
    assert made.steps == ()


def test_an_older_override_goes_with_the_set_and_a_newer_one_stays() -> None:
    overrides = {"nfd": {"version": "v0.17.3"}, "kueue": {"version": "v0.20.0"}}
    made = upgraded(spec({"components": overrides}, {"a": PINNED}), SET)
    changes = {one.component: one for one in made.changes}
    assert str(changes["nfd"].new) == "v0.19.0"
    assert changes["kueue"].pinned
    assert str(changes["kueue"].new) == "v0.20.0"
    assert "kueue" not in parts(made)


def test_an_override_of_the_set_that_is_there_is_taken_out() -> None:
    data = spec({"release": "2026.08", "components": {"nfd": {"version": "v0.18.0"}}})
    made = upgraded(data, SET)
    assert parts(made) == ["nfd"]
    change = edit(fleet(data), made, made.steps[0])
    assert (change.write, change.remove) == ({}, ("clusters.eu.components.nfd",))


def test_kubernetes_goes_minor_by_minor_and_waits_for_what_is_not_tested_on_it_yet() -> None:
    made = upgraded(spec({"kubernetes": "1.33", **OPERATOR}, {"a": PINNED}), target("2026.08", "1.36"))
    moves = [str(one.move.kubernetes or one.move.part.name) for one in made.steps]
    assert moves == ["1.34", "1.35", "nfd", "kueue", "operator", "release", "1.36"]
    assert all(one.untried.is_clean for one in made.steps)
    assert made.point_of_no_return == 1


def test_a_patch_release_of_the_kubernetes_that_is_asked_for_is_there_already() -> None:
    assert upgraded(spec({"kubernetes": "1.35.2+rke2r1"}), target(kubernetes="1.35")).is_empty
    assert parts(upgraded(spec({"kubernetes": "1.35.2"}), target(kubernetes="1.35.4"))) == ["kubernetes"]


def test_a_state_that_nobody_has_tried_is_taken_where_there_is_no_other_and_said() -> None:
    made = upgraded(spec({"kubernetes": "1.33"}, {"a": PINNED}), SET)
    aspects = {cell.aspect for one in made.steps for _, cell in one.untried.cells}
    assert aspects == {"Kueue", "release 2026.08"}
    assert all(cell.verdict is Verdict.WARN for one in made.steps for _, cell in one.untried.cells)


def test_what_is_needed_first_goes_first_though_nobody_has_tried_it_there() -> None:
    made = upgraded(spec({"kubernetes": "1.32", **OPERATOR}), SET)
    assert not step(made, "operator").untried.is_clean
    assert step(made, "driver").number > step(made, "operator").number


def test_the_step_that_rewrites_what_kueue_has_stored_is_a_point_of_no_return() -> None:
    data = spec({"components": {"kueue": {"version": "v0.15.2"}}})
    assert upgraded(data, target(kueue="v0.16.1")).point_of_no_return == 1
    data["clusters"]["eu"]["components"]["kueue"]["version"] = "v0.16.1"
    assert upgraded(data, target(kueue="v0.19.2")).point_of_no_return == 0


@pytest.mark.parametrize(
    ("cluster", "wanted", "rule", "road"),
    [
        pytest.param(
            {**OPERATOR, "components": {"gpuOperator": {"version": "v24.9.2"}}},
            SET,
            "render/upgrade-too-far",
            ("v24.9.2", "25.3", "25.10", "26.3", "v26.7.0"),
            id="over lines of the operator",
        ),
        pytest.param(
            {"components": {"kueue": {"version": "v0.15.2"}}},
            SET,
            "render/upgrade-skips-stop",
            ("v0.15.2", "0.16", "v0.19.2"),
            id="past a version of Kueue with work to do",
        ),
        pytest.param({"release": "2026.08"}, target("2026.05"), "render/downgrade", None, id="back to an older set"),
        pytest.param({}, target(kubernetes="1.33"), "render/downgrade", None, id="an older Kubernetes"),
        pytest.param(
            {"kubernetes": "1.33"},
            target(kueue="v0.19.0"),
            "release/known-bad-version",
            None,
            id="a version that is known to break",
        ),
    ],
)
def test_a_jump_is_refused_with_its_line_and_its_road(
    cluster: dict[str, Any], wanted: Any, rule: str, road: tuple[str, ...] | None
) -> None:
    made = upgraded(spec(cluster), wanted)
    assert made.steps == ()
    assert rule in {finding.rule for finding in made.refused}
    assert all(finding.at.file == "fleet/fleet.yaml" and finding.at.line > 1 for finding in made.refused)
    assert (made.road.stations if made.road else None) == road


def test_a_card_that_the_sets_driver_no_longer_drives_is_found_before_anything_moves() -> None:
    data = spec(OPERATOR, {"a": {"tier": "old", "selectedBy": {"labels": {"pool": "a"}}}})
    data["cardTiers"] = {"old": {"cards": ["v100-sxm2-32gb"]}}
    made = upgraded(data, SET)
    assert made.steps == ()
    assert {finding.rule for finding in made.refused} == {"upgrade/no-way", "driver/card-needs-older-branch"}
    data["nodePools"]["a"]["driver"] = {"branch": "580"}
    assert parts(upgraded(data, SET))[-1] == "release"


def test_an_operator_that_nothing_uses_may_jump_as_it_likes() -> None:
    made = upgraded(spec({"components": {"gpuOperator": {"version": "v24.9.2"}}}, {"a": PINNED}), SET)
    assert not made.refused


def test_a_way_back_says_what_is_known_of_it() -> None:
    made = upgraded(spec({"components": {"kueue": {"version": "v0.16.1"}}}), target(kueue="v0.15.2"))
    ((change, row),) = made.back
    assert change.component == "kueue"
    assert row.one_way


@pytest.mark.parametrize(
    ("pool", "cluster", "part", "pods", "survive"),
    [
        ({}, {}, "plugin", "nvidia-device-plugin", True),
        ({"sharing": {"mps": {"replicas": 4}}}, {}, "plugin", "MPS control daemon", False),
        ({"sharing": {"mps": {"replicas": 4}}}, OPERATOR, "operator", "MPS control daemon", False),
        ({"sharing": {"mig": {"profiles": {"1g.5gb": 7}}}}, {}, "mig", "nvidia-mig-manager", True),
        ({}, OPERATOR, "operator", "driver pods", False),
        ({"driver": {"preinstalled": True, "branch": "580"}}, OPERATOR, "operator", "all agents", True),
        ({}, {}, "kueue", "kueue-controller-manager", True),
    ],
)
def test_it_is_said_which_pods_restart_and_whether_work_survives(
    pool: dict[str, Any], cluster: dict[str, Any], part: str, pods: str, survive: bool
) -> None:
    found = [one for one in step(upgraded(spec(cluster, {"a": pool}), SET), part).restarts if pods in one.pods]
    assert [one.survives for one in found] == [survive]
    assert found[0].fact.source.startswith("https://")


def test_single_agents_of_an_operator_restart_without_its_drivers() -> None:
    made = upgraded(spec(OPERATOR, {"a": PINNED}), target(dcgmExporter="4.6.0-4.8.3"))
    assert [restart.fact.id for one in made.steps for restart in one.restarts] == ["operator/agents-roll"]
    assert {cell.aspect for _, cell in made.steps[0].untried.cells} == {"exporter and DCGM"}


@pytest.mark.parametrize(
    ("problem", "cluster", "pool", "met"),
    [
        ("mig-manager-old-libraries", {"os": "rhel8"}, {"sharing": {"mig": {"profiles": {"1g.5gb": 7}}}}, True),
        ("mig-manager-old-libraries", {"os": "rhel9"}, {"sharing": {"mig": {"profiles": {"1g.5gb": 7}}}}, False),
        ("mig-manager-old-libraries", {"os": "rhel8"}, {}, False),
        ("dcgm-exporter-mig-crash", {}, {"sharing": {"mig": {"profiles": {"1g.5gb": 7}}}}, True),
        ("dcgm-exporter-mig-crash", {}, {}, False),
        ("gpu-operator-rhel-tags", {**OPERATOR, "os": "rhel9"}, {}, True),
        ("gpu-operator-rhel-tags", OPERATOR, {}, False),
        ("gpu-operator-rhel-tags", {"os": "rhel9"}, {}, False),
        ("kueue-pods-ready-default", {"kueue": "external"}, {}, True),
        ("kueue-pods-ready-default", {}, {}, False),
        ("nfd-reconciles-less", {}, {}, True),
        ("nfd-reconciles-less", {}, {"selectedBy": {"labels": {"pool": "a"}}}, False),
    ],
)
def test_a_known_problem_is_told_where_it_applies(
    problem: str, cluster: dict[str, Any], pool: dict[str, Any], met: bool
) -> None:
    made = upgraded(spec(cluster, {"a": {**PINNED, **pool}}), SET)
    assert not made.refused
    assert (problem in {one.problem.name for each in made.steps for one in each.problems}) is met


@pytest.mark.parametrize("stack", ["manual", "operator"])
def test_the_edits_done_one_after_another_give_the_target(stack: str) -> None:
    data = spec({"stack": stack, "kubernetes": "1.34"}, {"a": {}, "b": {"selectedBy": {"labels": {"pool": "b"}}}})
    made = upgraded(data, target("2026.08", "1.36"))
    first = fleet(data)
    for one in made.steps:
        data = done(data, edit(first, made, one))
        assert versions(fleet(data).clusters[0]) == versions(one.passage.after[1]), one.title
    (last,) = fleet(data).clusters
    assert last.release.name == "2026.08"
    assert data["clusters"]["eu"].get("components", {}) == {}


def test_after_each_merge_the_steps_that_are_left_are_the_same() -> None:
    data = spec(OPERATOR, {"a": {}})
    made = upgraded(data, SET)
    titles = [one.title for one in made.steps]
    first = fleet(data)
    for number, one in enumerate(made.steps, start=1):
        data = done(data, edit(first, made, one))
        assert [left.title for left in upgraded(data, SET).steps] == titles[number:]


@pytest.mark.parametrize("stack", ["manual", "operator"])
def test_each_step_changes_objects_without_a_word_from_render_and_the_sets_name_changes_none(stack: str) -> None:
    made = upgraded(spec({"stack": stack}, {"a": {}}), SET)
    for one in made.steps:
        before, after = (pipeline.render(state[0])[0] for state in (one.passage.before, one.passage.after))
        old = {path: manifest.object for path, manifest in before.placed.items()}
        new = {path: manifest.object for path, manifest in after.placed.items()}
        told = pipeline.transitions(one.passage.after[0], after, old.get)
        assert [finding.summary for finding in told if finding.rule.startswith("render/upgrade")] == []
        stated = {"nfd", "toolkit", "release", *(["driver"] if stack == "manual" else [])}
        assert (old != new) is (one.move.part.name not in stated), one.title
