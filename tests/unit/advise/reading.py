"""From the folder of a team to its record, by the road of the command."""

from __future__ import annotations

import datetime
from pathlib import Path

from gpuplan.advise import advise
from gpuplan.advise.record import Record
from gpuplan.diagnostics import has_errors
from gpuplan.model.answers import NO_ANSWERS, Answers
from gpuplan.model.fleet import Fleet
from gpuplan.spec.answers import parse_answers
from tests.build import resolved

DAY = datetime.date(2026, 12, 1)
TEAMS = Path(__file__).parent / "teams"


def fleet_of(text: str) -> Fleet:
    made, found = resolved(text)
    assert made is not None, found
    assert not has_errors(found), [f"{one.at} {one.summary}" for one in found]
    return made


def answers_of(text: str) -> Answers:
    made, found = parse_answers("answers.yaml", text)
    assert made is not None, found
    assert not found, found
    return made


def record_of(fleet: str, answers: str = "") -> Record:
    said = answers_of(answers) if answers else NO_ANSWERS
    return advise(fleet_of(fleet), said, DAY, "answers.yaml" if answers else "")


def team(name: str) -> Record:
    folder = TEAMS / name
    return record_of(
        (folder / "fleet.yaml").read_text(encoding="utf-8"), (folder / "answers.yaml").read_text(encoding="utf-8")
    )
