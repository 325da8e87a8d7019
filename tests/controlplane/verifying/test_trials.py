"""Trials under accounts of their own: with just the rights that they are documented to need, and without any."""

from __future__ import annotations

from collections.abc import Iterable

from gpuplan.cluster.kube import Kube, connect
from gpuplan.cluster.rights import Right
from gpuplan.verify.checks import rails_enforced
from gpuplan.verify.collect import collect
from gpuplan.verify.observed import Observed
from gpuplan.verify.probes import probe_rights, probes
from gpuplan.verify.verdicts import Outcome, Verdict
from tests.controlplane.rights import account, used
from tests.controlplane.verifying.bed import Bed


def verdicts(bed: Bed, name: str, granted: Iterable[Right]) -> list[Verdict]:
    """Look as an account with some rights, and judge the trials."""
    kube = connect("gpuplan-verify", account(bed.plane, name, granted))
    assert isinstance(kube, Kube)
    seen = collect(kube, probes(bed.fleet, bed.cluster))
    assert isinstance(seen, Observed), seen
    return list(rails_enforced.check(bed.scene(seen)))


def test_trials_use_the_rights_that_they_are_documented_to_need(bed: Bed) -> None:
    granted = probe_rights(bed.fleet, bed.cluster)

    found = verdicts(bed, "trials", granted)

    assert {one.outcome for one in found} == {Outcome.PASS}
    created = {grant for grant in used(bed.plane, "trials") if grant[0] == "create"}
    assert created == {right.grant for right in granted}


def test_who_may_not_create_work_cannot_see_whether_rails_act(bed: Bed) -> None:
    found = verdicts(bed, "reader", ())

    assert {(one.outcome, one.summary) for one in found} == {
        (Outcome.UNKNOWN, "who asks may not create it, not even for a trial")
    }
    assert 'User "system:serviceaccount:audited:reader" cannot create resource' in found[0].evidence[0]
