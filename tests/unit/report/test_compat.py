"""The matrix of `gpuplan compat` and the rules say the same, since both ask one judgement."""

from __future__ import annotations

import dataclasses
import json

import pytest

from gpuplan import rules
from gpuplan.diagnostics import Severity
from gpuplan.model.fleet import Fleet
from gpuplan.report import compat
from gpuplan.rules import judge_cluster, judge_driver
from gpuplan.rules.judgement import Verdict
from gpuplan.versions import required
from tests.build import resolved
from tests.rules.cases import Case, cases
from tests.unit.emit.fleets import place

RULES = {
    "container runtime": "cluster/runtime-not-on-os",
    "driver branch": "driver/branch-ended",
    "last branch": "driver/card-needs-older-branch",
    "least driver": "driver/card-needs-newer-driver",
}
"""What is judged -> the rule that says so, one finding a cluster or pool."""
AREAS = ("cluster", "driver", "release")
CASES = [case for case in cases() if case.rule.split("/")[0] in AREAS]


def fleet_of(case: Case) -> Fleet | None:
    return resolved(case.text)[0]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_cell_is_not_ok_exactly_where_its_rule_has_something_to_say(case: Case) -> None:
    fleet = fleet_of(case)
    if fleet is None:
        return
    found = [finding for finding in rules.check(fleet) if finding.rule in RULES.values()]
    failing = {cell.aspect for m in compat.matrices(fleet, fleet.clusters) for cell in m.all_cells if cell.fails}
    assert {RULES[aspect] for aspect in failing & RULES.keys()} == {finding.rule for finding in found}


@pytest.mark.parametrize("case", CASES, ids=str)
def test_what_is_bad_is_an_error(case: Case) -> None:
    fleet = fleet_of(case)
    if fleet is None:
        return
    bad = [c for m in compat.matrices(fleet, fleet.clusters) for c in m.all_cells if c.verdict is Verdict.BAD]
    assert not bad or any(finding.severity is Severity.ERROR for finding in rules.check(fleet))


def test_every_known_cell_has_a_source_and_a_day() -> None:
    made = compat.matrices(here := place("a: {}, b: {tier: big}", "stack: operator").fleet, here.clusters)
    cells = [cell for matrix in made for cell in matrix.all_cells]
    assert {cell.aspect for cell in cells} >= {
        *RULES,
        "Kueue",
        "GPU Operator",
        "distribution",
        "operating system",
        "modules",
    }
    for cell in cells:
        assert cell.source.startswith("https://"), cell
        assert cell.checked is not None, cell
    known = compat.days(made)
    assert known is not None
    assert known[0] <= known[1]


def test_pools_with_one_card_and_driver_are_one_line() -> None:
    fleet = place("a: {}, b: {sharing: {mig: {profiles: {1g.5gb: 7}}}}, c: {driver: {branch: '595'}}").fleet
    (matrix,) = compat.matrices(fleet, fleet.clusters)
    assert [(pairing.pools, pairing.branch) for pairing in matrix.pairings] == [(("a", "b"), "580"), (("c",), "595")]


def test_others_drivers_are_unknown_unless_the_spec_says_which_they_are() -> None:
    fleet = place("a: {stack: external, driver: {kernelModules: open}}, b: {stack: external}, c: {tier: amd}").fleet
    (matrix,) = compat.matrices(fleet, fleet.clusters)
    silent, said, other = matrix.pairings
    assert (silent.driver, said.driver, other.cells) == ("not said", "580 auto", ())
    assert {cell.verdict for cell in silent.cells if cell.aspect in RULES} == {Verdict.UNKNOWN}
    assert {cell.verdict for cell in said.cells} == {Verdict.OK}


@pytest.mark.parametrize(
    ("version", "verdict"), [("v25.10.1", Verdict.WARN), ("v26.3.2", Verdict.OK), ("v26.7.0", Verdict.OK)]
)
def test_an_operator_of_an_ended_line_is_warned_of_and_a_deprecated_one_is_not(version: str, verdict: Verdict) -> None:
    fleet = place("a: {}", f"stack: operator, components: {{gpuOperator: {{version: {version}}}}}").fleet
    (cell,) = {judge_cluster.operator_life(fleet, cluster) for cluster in fleet.clusters}
    assert cell.verdict is verdict


def test_a_limit_that_nobody_has_read_at_its_source_only_warns() -> None:
    fleet = place("a: {driver: {branch: '580'}}").fleet
    pool = fleet.clusters[0].pools[0]
    limits = fleet.catalog.driver_limits(pool.card)
    assert limits is not None
    read = dataclasses.replace(limits, min_driver=required("595.10"), unchecked=frozenset())
    unread = dataclasses.replace(read, unchecked=frozenset({"min_driver"}))
    verdicts = [judge_driver.oldest_driver(fleet, pool, one).verdict for one in (read, unread)]
    assert verdicts == [Verdict.BAD, Verdict.WARN]


def test_the_branches_of_nvidias_drivers_are_not_said_to_run_on_other_cards() -> None:
    pools = "a: {tier: amd}, b: {tier: amd, driver: {preinstalled: true}}, c: {stack: external, driver: {kernelModules: open}}"
    fleet = place(pools, "stack: operator").fleet
    made = compat.matrices(fleet, fleet.clusters)
    built = fleet.catalog.vendors.of(fleet.clusters[0].pools[0].card).driver
    assert [pairing.driver for pairing in made[0].pairings] == [built, "not said", "not said"]
    told = compat.data(fleet, made)["clusters"][0]["drivers"]
    assert [(one["branch"], one["kernelModules"], one["driver"]) for one in told] == [
        (None, None, built),
        (None, None, "not said"),
        (None, None, "not said"),
    ]
    assert {cell["here"] for cell in told[2]["cells"] if cell["what"] in RULES} == {"not said"}


def test_a_program_gets_all_that_a_person_sees() -> None:
    fleet = place("a: {}").fleet
    made = compat.matrices(fleet, fleet.clusters)
    said = json.loads(json.dumps(compat.data(fleet, made)))
    (cluster,) = said["clusters"]
    assert [cell["what"] for cell in cluster["cells"]] == [cell.aspect for cell in made[0].cells]
    assert {cell["verdict"] for cell in cluster["drivers"][0]["cells"]} <= {verdict.value for verdict in Verdict}
    assert said["factsRead"]["oldest"] <= said["factsRead"]["newest"]
