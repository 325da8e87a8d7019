"""A good cluster passes every check; each fault is found by its check with the right evidence, alone and among all others."""

from __future__ import annotations

import importlib
import pkgutil
import re
import time
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

import tests.controlplane.verifying as here
from gpuplan.verify.verdicts import Outcome, Report, Verdict
from tests.controlplane.verifying.bed import Bed, Fault
from tests.controlplane.verifying.conftest import all_is_well


def _faults() -> Iterator[Fault]:
    """Yield the faults of all modules `faults_*.py`, in the order of their names."""
    for module in sorted(one.name for one in pkgutil.iter_modules(here.__path__) if one.name.startswith("faults_")):
        yield from importlib.import_module(f"{here.__name__}.{module}").FAULTS


FAULTS = tuple(_faults())
SETTLING_SECONDS = 45.0
PAUSE_SECONDS = 1.0


def failed(report: Report) -> list[str]:
    """Return what failed, a line each."""
    return [f"{one.check} {one.subject}: {one.summary} {list(one.evidence)}" for one in report.of(Outcome.FAIL)]


def tells(verdict: Verdict, fault: Fault) -> bool:
    """Tell whether a verdict is that of a fault."""
    said = (verdict.subject, verdict.summary, *verdict.evidence)
    return verdict.check == fault.check and any(re.search(fault.evidence, line) for line in said)


def found(report: Report, fault: Fault) -> bool:
    """Tell whether the report has a fault."""
    return any(tells(verdict, fault) for verdict in report.of(Outcome.FAIL))


def settled(bed: Bed, checks: set[str]) -> Report:
    """Look until just these checks fail, or until it is clear that they will not: a real cluster takes its time."""
    end = time.monotonic() + SETTLING_SECONDS
    while True:
        report = bed.report()
        if {one.check for one in report.of(Outcome.FAIL)} == checks or time.monotonic() > end:
            return report
        time.sleep(PAUSE_SECONDS)


def test_a_good_cluster_passes_every_check(bed: Bed) -> None:
    report = settled(bed, set())
    assert failed(report) == []
    assert {one.check for one in report.of(Outcome.UNKNOWN)} == set()
    assert report.partial == ()


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_is_found_by_its_check_and_by_no_other(bed: Bed, fault: Fault) -> None:
    with ExitStack() as undone:
        undone.callback(all_is_well, bed)
        undone.callback(fault.plant(bed))
        report = settled(bed, {fault.check, *fault.also})
    assert found(report, fault), failed(report)
    assert {one.check for one in report.of(Outcome.FAIL)} == {fault.check, *fault.also}, failed(report)


def test_all_faults_together_are_all_found(bed: Bed) -> None:
    together = [fault for fault in FAULTS if not fault.apart]
    with ExitStack() as undone:
        undone.callback(all_is_well, bed)
        for fault in together:
            undone.callback(fault.plant(bed))
        report = bed.report()
    assert [fault.name for fault in together if not found(report, fault)] == [], "\n".join(failed(report))


def test_nothing_is_left_of_the_faults(bed: Bed) -> None:
    assert failed(settled(bed, set())) == []
