"""A rendered tree as drift reads it."""

from __future__ import annotations

import json
from pathlib import Path

from gpuplan.diagnostics import Diagnostic
from gpuplan.drift.tree import read, unlisted
from gpuplan.output.index import INDEX_FILE, sha256
from gpuplan.source.objects import read_object

CONFIG = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: %s, namespace: x}\n"


def tree(root: Path, listed: dict[str, str], others: dict[str, str]) -> None:
    """Write a tree; the index lists only some of its files."""
    for file, text in {**listed, **others}.items():
        (root / file).parent.mkdir(parents=True, exist_ok=True)
        (root / file).write_text(text, encoding="utf-8")
    files = {file: {"sha256": sha256(text.encode()), "source": ["fleet/a.yaml"]} for file, text in listed.items()}
    (root / INDEX_FILE).write_text(json.dumps({"formatVersion": 1, "gpuplan": "0", "files": files}), encoding="utf-8")


def test_objects_come_by_the_index_with_their_cluster_and_texts_are_none(tmp_path: Path) -> None:
    listed = {
        "clusters/eu/10-a/configmap-x-a.yaml": CONFIG % "a",
        "argocd/b.yaml": CONFIG % "b",
        "runbooks/r.md": "# r",
        "provisioner/eu/pool.yaml": CONFIG % "p",
    }
    tree(tmp_path, listed, {})

    found = read(tmp_path, read_object)

    assert not isinstance(found, Diagnostic)
    assert {file: one.cluster for file, one in found.objects.items()} == {
        "argocd/b.yaml": None,
        "clusters/eu/10-a/configmap-x-a.yaml": "eu",
    }
    assert (found.clusters, found.edited, found.lost) == (("eu",), (), ())


def test_files_that_were_edited_or_lost_are_named_and_those_of_others_are_known(tmp_path: Path) -> None:
    files = {f"clusters/eu/10-a/{name}.yaml": CONFIG % name for name in ("kept", "edited", "lost", "broken")}
    tree(tmp_path, files, {"clusters/eu/mine.yaml": CONFIG % "mine", "clusters/us/theirs.yaml": CONFIG % "theirs"})
    folder = tmp_path / "clusters/eu/10-a"
    (folder / "edited.yaml").write_text((CONFIG % "edited") + "data: {a: b}\n", encoding="utf-8")
    (folder / "lost.yaml").unlink()
    (folder / "broken.yaml").write_text("kind: ConfigMap\n", encoding="utf-8")

    found = read(tmp_path, read_object)

    assert not isinstance(found, Diagnostic)
    assert found.edited == ("clusters/eu/10-a/edited.yaml",)
    assert found.lost == ("clusters/eu/10-a/broken.yaml", "clusters/eu/10-a/lost.yaml")
    assert {one.name for one in unlisted(tmp_path, read_object, found, "eu")} == {"mine"}


def test_an_index_that_makes_no_sense_is_a_finding(tmp_path: Path) -> None:
    (tmp_path / INDEX_FILE).write_text("{", encoding="utf-8")

    assert isinstance(read(tmp_path, read_object), Diagnostic)
