"""What the schema of a kind says against an object: the place, the words, and what to write instead."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplan.validate.faults import Word, faults, where, without_nulls
from gpuplan.validate.lenient import UNJUDGED, checker, is_builtin
from tests.controlplane import read_kinds
from tests.controlplane.lint_sound import SOUND

NEW, JOB = ("kueue.x-k8s.io/v1beta2", "ClusterQueue"), ("batch/v1", "Job")


def queue(**spec: Any) -> dict[str, Any]:
    return {"apiVersion": NEW[0], "kind": NEW[1], "metadata": {"name": "q"}, "spec": spec}


def job(**spec: Any) -> dict[str, Any]:
    containers = [{"name": "a", "image": "b"}]
    template = {"spec": {"restartPolicy": "Never", "containers": containers}}
    return {"apiVersion": JOB[0], "kind": JOB[1], "metadata": {"name": "j"}, "spec": {"template": template, **spec}}


def found(obj: dict[str, Any]) -> list[tuple[str, Word, str]]:
    return [(where(one.path), one.word, one.fix) for one in faults(obj["apiVersion"], obj["kind"], obj)]


CASES: list[tuple[dict[str, Any], str, Word, str]] = [
    (queue(cohort="a"), "spec.cohort", Word.UNKNOWN, "Did you mean 'cohortName'?"),
    (queue(weight=1), "spec.weight", Word.UNKNOWN, "The field is `spec.fairSharing.weight`."),
    (queue(cohortName=None, cohort=None), "spec.cohort", Word.UNKNOWN, "Did you mean 'cohortName'?"),
    (queue(stopPolicy="hold"), "spec.stopPolicy", Word.VALUE, "Did you mean 'Hold'?"),
    (queue(resourceGroups={}), "spec.resourceGroups", Word.TYPE, "Write a list."),
    (
        queue(fairSharing={"weight": "much"}),
        "spec.fairSharing.weight",
        Word.VALUE,
        "Write a quantity such as `4`, `500m` or `64Gi`.",
    ),
    (queue(fairSharing={"weight": 2**63}), "spec.fairSharing.weight", Word.SIZE, "Stay within the bound."),
    (job(parallelism="4"), "spec.parallelism", Word.TYPE, "Write it without quotes: `4`."),
    (job(suspend="true"), "spec.suspend", Word.TYPE, "Write it without quotes: `true`."),
    (job(parallelism=2**31), "spec.parallelism", Word.SIZE, "Stay within the bound."),
    (job(containers=[]), "spec.containers", Word.UNKNOWN, "The field is `spec.template.spec.containers`."),
    (
        job(selector={"matchLabels": {"a": True}}),
        "spec.selector.matchLabels.a",
        Word.TYPE,
        'Put it in quotes: `"true"`.',
    ),
]


@pytest.mark.parametrize(("obj", "place", "word", "fix"), CASES, ids=lambda one: one if isinstance(one, str) else "")
def test_a_fault_names_its_place_and_what_to_write(obj: Any, place: Any, word: Any, fix: str) -> None:
    assert found(obj) == [(place, word, fix)]


def test_a_missing_field_names_what_lacks_it() -> None:
    made = job()
    del made["spec"]["template"]["spec"]["containers"][0]["name"]
    (fault,) = faults(*JOB, made)
    assert (fault.word, fault.field, where(fault.path)) == (Word.MISSING, "name", "spec.template.spec.containers[0]")


LIVE = {
    "uid": "7e",
    "resourceVersion": "5",
    "creationTimestamp": None,
    "managedFields": [{"manager": "x"}],
    "generation": 2,
}


@pytest.mark.parametrize(
    "obj",
    [
        {**queue(cohortName="a"), "metadata": {"name": "q", **LIVE}, "status": {"what": "ever"}},
        queue(namespaceSelector=None),
        job(completions=None),
        job(podReplacementPolicy=""),
        {**job(), "metadata": {"generateName": "j-"}},
    ],
    ids=["as a server gives it back", "null", "null of a number", "an empty choice", "a generated name"],
)
def test_what_a_server_adds_or_takes_for_nothing_is_no_fault(obj: Any) -> None:
    assert found(obj) == []


def test_null_in_a_list_is_nothing_to_kubernetes_and_a_fault_in_a_custom_resource() -> None:
    assert found(job(selector={"matchExpressions": [{"key": "a", "operator": "In", "values": [None]}]})) == []
    selector = {"matchExpressions": [{"key": "a", "operator": "In", "values": [None]}]}
    assert [word for _, word, _ in found(queue(namespaceSelector=selector))] == [Word.TYPE]


def test_kinds_that_nobody_knows_are_not_judged() -> None:
    for api_version, kind in (
        ("acme.io/v1", "Job"),
        ("batch/v2", "Job"),
        ("batch/v1", "job"),
        ("", ""),
        ("x" * 500, "y" * 500),
    ):
        assert checker(api_version, kind) is None
        assert list(faults(api_version, kind, {"anything": 1})) == []
    assert {"ClusterPolicy", "NVIDIADriver"} <= UNJUDGED


def test_every_kind_that_is_read_has_a_schema_that_takes_the_sound_objects() -> None:
    assert all(checker(*kind) is not None for kind in read_kinds.kinds())
    assert [found(obj) for obj in SOUND.values()] == [[]] * len(SOUND)


def test_own_apis_of_kubernetes_are_told_from_custom_ones() -> None:
    assert [is_builtin(one) for one in ("v1", "apps/v1", "rbac.authorization.k8s.io/v1")] == [True] * 3
    assert [is_builtin(one) for one in ("kueue.x-k8s.io/v1beta2", "jobset.x-k8s.io/v1alpha2", "acme.io/v1")] == [
        False
    ] * 3


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=12,
)


@given(spec=JSON)
def test_whatever_stands_in_an_object_nothing_is_raised(spec: Any) -> None:
    list(faults(*NEW, {"apiVersion": NEW[0], "kind": NEW[1], "metadata": {"name": "q"}, "spec": spec}))
    list(faults(*JOB, {"apiVersion": JOB[0], "kind": JOB[1], "metadata": spec, "spec": spec}))


@given(data=JSON)
def test_nulls_leave_mappings_and_nothing_else_does(data: Any) -> None:
    def keys(value: object) -> list[object]:
        if isinstance(value, dict):
            return [(key, keys(inner)) for key, inner in value.items() if inner is not None]
        return [keys(inner) for inner in value] if isinstance(value, list) else [value]

    assert keys(without_nulls(data)) == keys(data)
