"""What holds for every upgrade of every fleet: its steps work, compose to the target, and keep the order of what needs what."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gpuplan.catalog import load
from gpuplan.model.fleet import Fleet
from gpuplan.moving import upgrade_judge, upgrade_target
from gpuplan.moving.upgrade import Upgrade, upgrade
from gpuplan.moving.upgrade_edits import edit
from gpuplan.moving.upgrade_target import Target
from gpuplan.versions import required
from tests.build import resolved
from tests.generated import plain_text
from tests.unit.moving.upgrading import done, fleet, spec, versions

RELEASES = load().releases
QUIET = settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
KUBERNETES = st.sampled_from((None, "1.34", "1.35", "1.36"))


POOLS = st.fixed_dictionaries(
    {"nodes": st.integers(1, 9)},
    optional={
        "stack": st.sampled_from(("operator", "manual", "external")),
        "driver": st.sampled_from(({"branch": "580"}, {"branch": "595"}, {"preinstalled": True})),
        "sharing": st.sampled_from(({"mps": {"replicas": 4}}, {"mig": {"profiles": {"1g.5gb": 7}}})),
    },
)
CLUSTERS = st.fixed_dictionaries(
    {
        "release": st.sampled_from(("2026.05", "2026.05", "2026.08")),
        "kubernetes": st.sampled_from(("1.33", "1.34", "1.35", "1.35.2+rke2r1")),
    },
    optional={
        "stack": st.sampled_from(("operator", "manual", "external")),
        "kueue": st.sampled_from(("managed", "external")),
        "os": st.sampled_from(("ubuntu24.04", "rhel8", "rhel9")),
        "components": st.dictionaries(
            st.sampled_from(("kueue", "nfd", "migManager", "devicePlugin", "gpuOperator")),
            st.sampled_from(("v0.16.2", "v0.17.3", "v0.19.2", "v26.3.0")).map(lambda version: {"version": version}),
            max_size=2,
        ),
    },
)


@st.composite
def specs(draw: st.DrawFn) -> dict[str, Any]:
    """Return a small fleet: one cluster, one to three pools that labels tell apart."""
    pools = draw(st.dictionaries(st.sampled_from(("a", "b", "c")), POOLS, min_size=1))
    return spec(
        draw(CLUSTERS), {name: {**pool, "selectedBy": {"labels": {"pool": name}}} for name, pool in pools.items()}
    )


def targets() -> st.SearchStrategy[Target]:
    return st.builds(
        lambda name, kubernetes, components: Target(
            release=RELEASES[name] if name else None,
            kubernetes=required(kubernetes) if kubernetes else None,
            components={component: required(version) for component, version in components.items()},
        ),
        st.sampled_from((None, "2026.05", "2026.08", "2026.08", "2026.08")),
        KUBERNETES,
        st.dictionaries(
            st.sampled_from(("kueue", "nfd", "devicePlugin")), st.sampled_from(("v0.19.2", "v0.20.0")), max_size=1
        ),
    )


def all_of(made: Fleet, wanted: Target) -> list[Upgrade]:
    return [upgrade(made, cluster, wanted) for cluster in made.clusters]


@QUIET
@given(data=specs(), wanted=targets())
def test_each_step_leaves_a_state_that_works_or_there_is_none(data: dict[str, Any], wanted: Target) -> None:
    for one in all_of(fleet(data), wanted):
        assert not (one.refused and one.steps)
        start = upgrade_judge.state(*_first(data, one))
        for step in one.steps:
            assert not upgrade_judge.state(*step.passage.after).worse(start).fails, step.title


def _first(data: dict[str, Any], one: Upgrade) -> tuple[Fleet, Any]:
    return fleet(data), one.cluster


@QUIET
@given(data=specs(), wanted=targets())
def test_steps_compose_to_the_target_and_each_begins_where_the_last_one_ended(
    data: dict[str, Any], wanted: Target
) -> None:
    made = fleet(data)
    for one in all_of(made, wanted):
        at = one.cluster
        for step in one.steps:
            assert step.passage.before[1] == at
            assert step.passage.after[1] != at
            at = step.passage.after[1]
        if one.refused:
            continue
        expected = {name: part.version for name, part in upgrade_target.wanted(one.cluster, wanted).items()}
        assert {name: part.version for name, part in at.components.items()} == expected
        assert at.kubernetes.within(wanted.kubernetes or one.cluster.kubernetes)
        assert at.release.name == (wanted.release or one.cluster.release).name
        assert at.kueue.version == expected["kueue"]
        assert upgrade(*step.passage.after, wanted).is_empty if one.steps else True


@QUIET
@given(data=specs(), wanted=targets())
def test_no_part_goes_before_one_that_it_needs(data: dict[str, Any], wanted: Target) -> None:
    for one in all_of(fleet(data), wanted):
        order = [step.move.part for step in one.steps]
        for number, part in enumerate(order):
            later = {other.name for other in order[number + 1 :]}
            assert not later.intersection(part.after)


@QUIET
@given(data=specs())
def test_an_upgrade_to_what_is_there_is_empty(data: dict[str, Any]) -> None:
    made = fleet(data)
    for cluster in made.clusters:
        stays = Target(
            kubernetes=cluster.kubernetes, components={name: one.version for name, one in cluster.components.items()}
        )
        assert upgrade(made, cluster, stays).is_empty


@QUIET
@given(data=specs(), wanted=targets())
def test_whatever_goes_back_is_refused_and_the_way_back_is_told(data: dict[str, Any], wanted: Target) -> None:
    for one in all_of(fleet(data), wanted):
        backwards = [change for change in one.changes if change.goes_back]
        assert [change for change, _ in one.back] == backwards
        assert not backwards or "render/downgrade" in {finding.rule for finding in one.refused}


@QUIET
@given(data=specs(), wanted=targets())
def test_what_the_edits_say_is_what_the_steps_count_with(data: dict[str, Any], wanted: Target) -> None:
    made = fleet(data)
    for one in all_of(made, wanted):
        written = data
        for step in one.steps:
            written = done(written, edit(made, one, step))
            text, found = resolved(plain_text(written))
            assert text is not None, [finding.summary for finding in found]
            (now,) = (cluster for cluster in text.clusters if cluster.name == one.cluster.name)
            assert versions(now) == versions(step.passage.after[1]), step.title


def test_the_order_is_checked_when_it_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    from gpuplan.catalog import _load, upgrade_steps  # noqa: PLC0415 - what is broken here is put back

    text = (_load.DATA / "upgrade-steps.yaml").read_bytes().replace(b"place: 7", b"place: 2", 1)
    monkeypatch.setattr(_load.Table, "__init__", _reading(text))
    with pytest.raises(ValueError, match="comes before a part that it needs"):
        upgrade_steps.read.__wrapped__()


def _reading(text: bytes) -> Any:
    """Return how a table is made of other bytes than its file's."""
    from gpuplan.catalog import _load  # noqa: PLC0415

    def made(self: Any, name: str) -> None:
        content = _load.tree(text)
        self._content, self._name = content, name
        provenance = {
            key: _load.Provenance(row["url"], _day(row["checked"])) for key, row in content["sources"].items()
        }
        self._sources = provenance

    return made


def _day(text: str) -> Any:
    import datetime  # noqa: PLC0415

    return datetime.date.fromisoformat(text)
