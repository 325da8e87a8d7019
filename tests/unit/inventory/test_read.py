"""Files as people have them become objects and configurations, with the place of each value in its file."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from gpuplan.inventory.items import Format
from gpuplan.inventory.reading.read import Read, read_paths
from gpuplan.inventory.reading.texts import PassedOver

JOB = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a, namespace: ns}\n"
QUEUE = "apiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata:\n  name: q\nspec:\n  cohortName: c\n"


def read(folder: Path, files: dict[str, str]) -> Read:
    """Write files into a folder and read it."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text), encoding="utf-8")
    return read_paths([folder])


def shown(found: Read) -> list[str]:
    """Objects and formats of what was read."""
    return [*map(str, found.objects), *(one.format.value for one in found.configs)]


def counts(found: Read) -> dict[PassedOver, int]:
    """What was passed over, by the reason."""
    return dict(found.passed_over)


WHOLE = {
    "documents of one file": (JOB + "---\n" + QUEUE, ["Job ns/a", "ClusterQueue q"]),
    "a list": ("apiVersion: v1\nkind: List\nitems:\n- " + JOB.replace("\n", "\n  "), ["Job ns/a"]),
    "a list of one kind": ("apiVersion: v1\nkind: NodeList\nitems: [{metadata: {name: w}}]", ["Node w"]),
    "lists in lists": ("kind: List\napiVersion: v1\nitems: [{kind: List, apiVersion: v1, items: [{kind: Node, apiVersion: v1, metadata: {name: w}}]}]", ["Node w"]),
    "JSON": ('{\n\t"apiVersion": "v1", "kind": "Node", "metadata": {"name": "w\\ud83d\\ude00"}}', ["Node w😀"]),
    "a byte order mark and CR LF": ("\ufeff" + QUEUE.replace("\n", "\r\n"), ["ClusterQueue q"]),
    "values before objects": ("migManager: {enabled: true}\n---\n" + JOB, ["Job ns/a", "gpu-operator-values"]),
    "an object that does not say its version": ("kind: ClusterQueue\nmetadata: {name: q}\n", ["ClusterQueue q"]),
    "merge keys": ("apiVersion: v1\nkind: Node\nx: &b {name: w}\nmetadata: {<<: *b}\n", ["Node w"]),
    "nothing": ("", []),
    "comments alone": ("# later\n---\n# still\n", []),
}  # fmt: skip


@pytest.mark.parametrize(("text", "items"), WHOLE.values(), ids=WHOLE)
def test_a_file_gives_its_objects_and_configurations_without_findings(
    tmp_path: Path, text: str, items: list[str]
) -> None:
    found = read(tmp_path, {"a.yaml": text})
    assert (shown(found), found.findings, found.passed_over) == (items, (), {})


PASSED = {
    "a chart's template": ("a: {{ .Values.x }}\n", PassedOver.TEMPLATE),
    "a template that is no YAML": ("{{- if .Values.x }}\na: 1\n{{- end }}\n", PassedOver.TEMPLATE),
    "a name to be filled in": ("apiVersion: v1\nkind: Node\nmetadata: {name: '{{ name }}'}\n", PassedOver.TEMPLATE),
    "a name that a program fills in": (
        "apiVersion: v1\nkind: Node\nmetadata: {name: FILLED BY THE OPERATOR}\n",
        PassedOver.TEMPLATE,
    ),
    "a name that a reader fills in": (
        "apiVersion: v1\nkind: Node\nmetadata: {name: <your-node>}\n",
        PassedOver.TEMPLATE,
    ),
    "a quota to be filled in": (QUEUE + "  resourceGroups: [{nominalQuota: '${GPUS}'}]\n", PassedOver.TEMPLATE),
    "Compose": ("version: '3'\nservices: {web: {image: x}}\n", PassedOver.UNRELATED),
    "a pipeline": ("on: push\njobs: {build: {runs-on: x}}\n", PassedOver.UNRELATED),
    "a pipeline with a key twice": ("on: push\non: pull\n", PassedOver.UNRELATED),
    "a list of values": ("- 1\n- 2\n", PassedOver.UNRELATED),
    "a chart's own page": ("apiVersion: v2\nname: gpu-operator\nversion: 1.0.0\n", PassedOver.UNRELATED),
    "values of some chart": ("replicaCount: 2\nimage: {repository: nginx}\ntolerations: []\n", PassedOver.UNRELATED),
    "a fleet": ("apiVersion: gpuplan.dev/v1alpha1\nkind: Fleet\nmetadata: {name: a}\n", PassedOver.UNRELATED),
    "a kustomization": ("apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n", PassedOver.PATCH),
    "a kustomization that does not say so": ("resources: [a.yaml]\nnamePrefix: x-\n", PassedOver.PATCH),
}


@pytest.mark.parametrize(("text", "reason"), PASSED.values(), ids=PASSED)
def test_what_is_not_ours_to_judge_is_counted_and_left_alone(tmp_path: Path, text: str, reason: PassedOver) -> None:
    found = read(tmp_path, {"a.yaml": text})
    assert (shown(found), found.findings, counts(found)) == ([], (), {reason: 1})


def test_templates_of_a_chart_are_left_alone_and_its_plain_files_are_read(tmp_path: Path) -> None:
    braces = JOB + "spec: {x: '{{ .Values.x }}'}\n"
    found = read(
        tmp_path,
        {"c/Chart.yaml": "name: c\nversion: 1\napiVersion: v2\n", "c/templates/a.yaml": braces, "c/templates/b.yaml": QUEUE, "d.yaml": braces},
    )  # fmt: skip
    assert (shown(found), counts(found)) == (
        ["ClusterQueue q", "Job ns/a"],
        {PassedOver.UNRELATED: 1, PassedOver.TEMPLATE: 1},
    )


def test_a_patch_of_a_kustomization_is_no_object(tmp_path: Path) -> None:
    files = {
        "base/q.yaml": QUEUE,
        "over/kustomization.yaml": "resources: [../base]\npatches: [{path: ./p.yaml}]\npatchesStrategicMerge: [r.yaml]\n",
        "over/p.yaml": QUEUE,
        "over/r.yaml": JOB,
    }
    found = read(tmp_path, files)
    assert (shown(found), counts(found)) == (["ClusterQueue q"], {PassedOver.PATCH: 3})


def test_a_broken_document_is_an_error_where_it_was_meant_for_a_cluster(tmp_path: Path) -> None:
    found = read(tmp_path, {"a.yaml": QUEUE + "---\n" + JOB + "spec: [1\n---\n" + JOB, "b.yaml": "some: [thing\n"})
    assert [(f.rule, f.at.line, f.at.column) for f in found.findings] == [("yaml/syntax", 11, 7)]
    assert shown(found) == ["ClusterQueue q", "Job ns/a"]


def test_a_key_that_stands_twice_is_found_in_any_document_of_a_file(tmp_path: Path) -> None:
    found = read(tmp_path, {"a.yaml": JOB + "---\n" + QUEUE + "  cohortName: d\n"})
    assert [(f.rule, f.at.line, f.also[0].at.line) for f in found.findings] == [("yaml/duplicate-key", 11, 10)]
    assert found.objects[1].spec["cohortName"].text() == "c"


def test_places_are_those_of_the_file_in_every_document_and_list(tmp_path: Path) -> None:
    listed = "apiVersion: v1\nkind: List\nitems:\n  - " + QUEUE.replace("\n", "\n    ").rstrip(" ")
    found = read(tmp_path, {"a.yaml": f"{JOB}---\n{listed}---\n{QUEUE}"})
    assert [(one.at_kind.line, one.at_kind.column) for one in found.objects] == [(2, 1), (9, 5), (16, 1)]
    assert [one.root["spec"]["cohortName"].span.column for one in found.objects[1:]] == [19, 15]


def test_a_format_that_is_named_holds_for_all_but_objects(tmp_path: Path) -> None:
    path = tmp_path / "values.txt"
    path.write_text(f"tolerations: []\n---\n{JOB}", encoding="utf-8")
    found = read_paths([path], Format.EXPORTER_VALUES)
    assert shown(found) == ["Job ns/a", "dcgm-exporter-values"]


def test_counters_are_read_from_files_of_any_ending(tmp_path: Path) -> None:
    text = "# ours\nDCGM_FI_DEV_GPU_TEMP, gauge, x\n"
    files = {"a.csv": text, "b.csv": "name,size\n", "c.txt": text}
    found = read(tmp_path, files)
    assert (shown(found), counts(found)) == (["dcgm-counters"], {PassedOver.UNRELATED: 1})
    assert shown(read_paths([tmp_path / "c.txt"])) == ["dcgm-counters"]
    assert [one.format for one in read_paths([tmp_path / "b.csv"], Format.COUNTERS).configs] == [Format.COUNTERS]
    line = found.configs[0].root.inside(text.index("DCGM"))
    assert (line.line, line.column) == (2, 1)


def test_standard_input_is_read_where_a_dash_stands() -> None:
    found = read_paths([Path("-")], stdin=QUEUE.encode)
    assert (shown(found), str(found.objects[0].at_name)) == (["ClusterQueue q"], "<stdin>:4:3")


def test_files_of_other_encodings_are_read_or_told() -> None:
    assert shown(read_paths([Path("-")], stdin=lambda: QUEUE.encode("utf-16"))) == ["ClusterQueue q"]
    for data, rule in ((b"a: \xff", "source/not-utf-8"), (b"a: \0", "source/binary")):
        found = read_paths([Path("-")], stdin=lambda data=data: data)  # type: ignore[misc]  # bound at once
        assert [(f.rule, f.at.line, f.at.column) for f in found.findings] == [(rule, 1, 4)]
