"""What an import says of files that it cannot take over as they stand."""

from __future__ import annotations

import datetime
from pathlib import Path

from gpuplan.importer import Imported, imported
from gpuplan.importer.reading import Source, from_files
from gpuplan.inventory.assumed import Assumed

QUEUE = """\
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: team}
spec: {namespaceSelector: {}, stopPolicy: None, queueingStrategy: STRATEGY}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: work}
spec: {clusterQueue: team}
"""
STRICT = QUEUE.replace("STRATEGY", "StrictFIFO")


def read(folder: Path, **files: str) -> Source:
    for name, text in files.items():
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    return from_files([folder], Assumed(), "prod")


def made(source: Source) -> Imported:
    return imported(source.inventories, "acme", datetime.date(2026, 11, 30))


def fates(one: Imported) -> list[tuple[str, str]]:
    return [(line.object, line.fate.value) for line in one.account if line.fate.value != "added"]


def test_a_queue_that_names_no_namespace_is_kept_in_the_one_that_kubectl_takes(tmp_path: Path) -> None:
    one = made(read(tmp_path, a=STRICT))
    assert ("LocalQueue work", "kept") in fates(one)
    assert "# The file names no namespace: default is taken." in one.text


def test_the_second_of_two_queues_of_one_name_is_said_to_be_lost(tmp_path: Path) -> None:
    one = made(read(tmp_path, a=STRICT, b=QUEUE.replace("STRATEGY", "BestEffortFIFO")))
    assert [fate for name, fate in fates(one) if name == "ClusterQueue team"] == ["kept", "lost"]


def test_a_copy_of_a_queue_is_no_second_queue(tmp_path: Path) -> None:
    one = made(read(tmp_path, a=STRICT, b=STRICT))
    assert [fate for name, fate in fates(one) if name == "ClusterQueue team"] == ["kept"]


def test_patches_and_templates_that_were_not_taken_over_are_named(tmp_path: Path) -> None:
    patch = "apiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: team}\nspec: {stopPolicy: Hold}\n"
    template = STRICT.replace("name: team", "name: '{{ .Values.name }}'")
    notes = read(
        tmp_path, a=STRICT, kustomization="resources: [a.yaml]\npatches: [{path: p.yaml}]\n", p=patch, t=template
    )
    assert [note.partition(":")[0] for note in notes.notes] == [
        "ClusterQueue team",
        "1 template not read; import what `helm template` or the like makes of them.",
    ]
