"""What holds for every fleet and every answer: more nodes never speak for scripts, and no point is without a reason."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from gpuplan.advise import advise
from gpuplan.advise.case import Case
from gpuplan.advise.decide import direction
from gpuplan.advise.dimensions import DIMENSIONS, FURTHEST
from gpuplan.advise.record import Record
from gpuplan.advise.settings import settings as made_settings
from gpuplan.catalog import advice
from gpuplan.catalog.advice import Question
from gpuplan.model.answers import Answers
from gpuplan.model.fleet import Fleet
from gpuplan.report.advice import markdown
from gpuplan.report.advice_data import data
from gpuplan.report.machine import json_text
from gpuplan.rules.judgement import Judgement, Verdict
from gpuplan.spec.answers import parse_answers
from tests.build import resolved
from tests.generated import specs
from tests.generated.text import plain_text
from tests.unit.advise.reading import DAY

Spec = dict[str, Any]
FEW = 12
"""Fleets that are drawn; each is resolved twice."""


def answer(question: Question) -> st.SearchStrategy[str]:
    """An answer that the question takes, as the file has it."""
    match question.kind:
        case "number":
            return st.integers(int(question.least), min(int(question.most), 300)).map(str)
        case "flag":
            return st.sampled_from(("true", "false"))
        case "word":
            return st.sampled_from(question.words)
        case "words":
            return st.sets(st.sampled_from(question.words)).map(lambda words: f"[{', '.join(sorted(words))}]")
        case "rate":
            return st.just('"95 EUR"')


WEIGHTS = {f"weights.{name}": st.integers(0, 5).map(str) for name in advice.read().figures["weights"]}
HOURS = {
    f"hours.{name}": st.sampled_from(("1", "2.5", "40"))
    for name in ("baseManual", "baseOperator", "upgradeManual", "faultsPerNodeMonth", "perFault")
}
QUESTIONS = {key: answer(question) for key, question in advice.read().questions.items()}


@st.composite
def answers(draw: st.DrawFn) -> Answers:
    """Any answers that the reader takes: each question answered or not, some numbers in the place of ours."""
    given_ = draw(st.fixed_dictionaries({}, optional={**QUESTIONS, **WEIGHTS, **HOURS}))
    made, _ = parse_answers("answers.yaml", _text(given_))
    assume(made is not None)
    assert made is not None
    return made


def _text(given: dict[str, str]) -> str:
    lines: dict[str, list[str]] = {}
    for key, value in given.items():
        section, _, name = key.rpartition(".")
        lines.setdefault(section, []).append(f"{name}: {value}")
    top = lines.pop("", [])
    return "\n".join([*top, *(f"{section}: {{{', '.join(found)}}}" for section, found in lines.items())]) + "\n"


def fleet_of(spec: Spec) -> Fleet | None:
    return resolved(plain_text(spec))[0]


@st.composite
def grown(draw: st.DrawFn) -> tuple[Fleet, Fleet]:
    """A fleet, and the same with more nodes in some pools, and perhaps with pools that are new."""
    spec = draw(specs())
    larger = copy.deepcopy(spec)
    pools = larger["nodePools"]
    for pool in list(pools.values()):
        if pool.get("nodes") and draw(st.booleans()):
            pool["nodes"] += draw(st.integers(1, 400))
    for name in draw(st.lists(st.sampled_from(sorted(pools)), max_size=3, unique=True)):
        more = copy.deepcopy(pools[name])
        more["stack"] = draw(st.sampled_from(("manual", "operator", "external")))
        more["driver"] = {"branch": draw(st.sampled_from(("580", "595"))), "preinstalled": draw(st.booleans())}
        pools[f"more-{name}"[:60].rstrip("-")] = more
    before, after = fleet_of(spec), fleet_of(larger)
    assume(after is not None)  # a name of the copy may collide
    assert before is not None
    assert after is not None
    return before, after


CELLS = st.sampled_from(list(Verdict)).map(lambda verdict: Judgement(aspect="a", verdict=verdict, here="b", known="c"))
CASES = st.builds(
    Case,
    nodes=st.integers(1, 500),
    driver_nodes=st.integers(0, 500),
    growth=st.integers(0, 300),
    releases=st.integers(0, 40),
    people=st.none() | st.floats(0, 20),
    controllers=st.none() | st.integers(0, 5),
    privileged=st.sampled_from(("allowed", "reviewed", "forbidden")),
    air_gapped=st.booleans(),
    clouds=st.integers(0, 4),
    kinds=st.integers(1, 5),
    teams=st.integers(0, 9),
    drain_seconds=st.sampled_from((0, 60, 900)),
    driver=st.sampled_from(("operator", "nodes")),
    in_service=st.booleans(),
    now=st.sampled_from(("manual", "operator")),
    beside_operator=st.booleans(),
    kept_off=st.booleans(),
    claims=st.booleans(),
    manual_trouble=st.sampled_from(("", "no toolkit")),
    judged=st.lists(CELLS, max_size=4).map(tuple),
    image=CELLS,
)


@settings(max_examples=200, deadline=None)
@given(CASES, st.integers(1, 500), answers())
def test_more_nodes_of_its_own_kind_never_move_a_case_from_the_operator_to_scripts(
    case: Case, more: int, said: Answers
) -> None:
    case = replace(case, driver_nodes=min(case.driver_nodes, case.nodes))
    chosen = made_settings(said)
    before, after = direction(case, chosen), direction(case.with_nodes(case.nodes + more), chosen)
    assert not (before.way == "operator" and after.way == "manual")
    assert after.total >= before.total


def advised(record: Record) -> dict[tuple[str, str], str]:
    return {(group.cluster, pool): group.advised for group in record.groups for pool in group.pools}


@settings(max_examples=FEW, deadline=None)
@given(grown(), answers())
def test_more_nodes_and_more_pools_never_move_the_advice_from_the_operator_to_scripts(
    fleets: tuple[Fleet, Fleet], said: Answers
) -> None:
    before, after = (advise(fleet, said, DAY) for fleet in fleets)
    later = advised(after)
    for pool, way in advised(before).items():
        assert not (way == "operator" and later[pool] == "manual"), pool
    assert not (before.direction == "operator" and after.direction == "manual")


@settings(max_examples=FEW, deadline=None)
@given(specs(), answers())
def test_no_point_is_without_a_reason_and_a_fact_that_the_record_holds(spec: Spec, said: Answers) -> None:
    fleet = fleet_of(spec)
    assert fleet is not None
    record = advise(fleet, said, DAY)
    for group in record.groups:
        assert [score.dimension for score in group.scores] == list(DIMENSIONS)
        for score in group.scores:
            assert abs(score.made.points) <= FURTHEST
            assert score.made.reason
            assert score.made.facts
            for name in score.made.facts:
                fact = group.fact(name)
                assert fact.says
                assert fact.at or fact.assumed or name == "teams", name
            assert set(score.made.figures) <= {one.key for one in record.figures}
        assert group.total == sum(score.total for score in group.scores)


@settings(max_examples=FEW, deadline=None)
@given(specs(), answers())
def test_a_turn_turns_and_the_record_reads_the_same_twice(spec: Spec, said: Answers) -> None:
    fleet = fleet_of(spec)
    assert fleet is not None
    record = advise(fleet, said, DAY)
    again = advise(fleet, said, DAY)
    for group in record.groups:
        assert all(turn.way != group.advised for turn in group.turns)
    assert markdown(record) == markdown(again)
    assert json_text(data(record)) == json_text(data(again))
