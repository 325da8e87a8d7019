"""What a plan rests on: clusters that are left out are the same on both sides, and what is left shows every difference."""

from __future__ import annotations

from collections import Counter
from typing import Any

from hypothesis import assume
from hypothesis import strategies as st

from gpuplan import pipeline
from gpuplan.manifests.set import ManifestSet
from gpuplan.model.fleet import Fleet
from gpuplan.report import runbooks
from tests.generated import Spec, plain_text, specs
from tests.generated.mutating import mutated
from tests.unit.test_generated import checked, for_every

EDITED = specs().flatmap(lambda spec: st.tuples(st.just(spec), mutated(spec)))


def accepted(spec: Spec) -> Fleet:
    """Resolve a spec; what the rules refuse is no matter of the property."""
    made = checked(plain_text(spec))
    assume(made.ok)
    assert made.fleet is not None
    return made.fleet


def content(made: ManifestSet) -> dict[tuple[str, str], object]:
    """Return every object and text by what it is and where it stands."""
    objects: dict[tuple[str, str], object] = {("object", path): one.object for path, one in made.placed.items()}
    return objects | {("text", text.path): text.text for text in made.texts}


def differences(one: ManifestSet, other: ManifestSet) -> dict[tuple[str, str], Any]:
    """Return what stands at each place on one side and not, or otherwise, on the other."""
    before, after = content(one), content(other)
    pairs = {key: (before.get(key), after.get(key)) for key in before.keys() | after.keys()}
    return {key: pair for key, pair in pairs.items() if pair[0] != pair[1]}


def test_the_changed_clusters_differ_exactly_as_the_whole_fleets_do() -> None:
    seen: Counter[str] = Counter()

    @for_every(EDITED)
    def judge(pair: tuple[Spec, Spec]) -> None:
        old, new = map(accepted, pair)
        whole = differences(*(pipeline.render(fleet, texts=runbooks.texts)[0] for fleet in (old, new)))
        parts = pipeline.render_changed(old, new, runbooks.texts)
        assert differences(*parts) == whole
        seen["changed"] += bool(whole)
        seen["left out"] += len({cluster.name for cluster in new.clusters} - set(parts[1].clusters))

    judge()
    assert seen["changed"] > 5
    assert seen["left out"] > 2


def test_a_fleet_against_itself_compiles_no_cluster() -> None:
    @for_every(specs(), examples=5)
    def judge(spec: Spec) -> None:
        fleet = accepted(spec)
        assert [part.clusters for part in pipeline.render_changed(fleet, fleet, runbooks.texts)] == [(), ()]

    judge()
