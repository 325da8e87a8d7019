"""Which objects are judged as a server would: no patches; and how amounts are read."""

from __future__ import annotations

from pathlib import Path

from gpuplan.inventory.assumed import Assumed
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.items import Item
from gpuplan.inventory.reading.read import read_paths
from gpuplan.lint import lint
from gpuplan.rules import written

QUEUE = "apiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {{name: {name}}}\nspec: {{{spec}}}\n"
DEPLOYMENT = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec: {template: {spec: {containers: [{name: a, image: b}]}}}\n"


def folder(tmp_path: Path, **files: str) -> Path:
    for name, text in files.items():
        path = tmp_path / f"{name.replace('__', '/')}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path


def whole(tmp_path: Path) -> list[str]:
    read = read_paths([tmp_path])
    return [one.name for one in written.whole(Inventory(objects=read.objects))]


def test_an_object_with_a_merge_key_is_a_patch(tmp_path: Path) -> None:
    folder(tmp_path, a=QUEUE.format(name="a", spec="$patch: delete"), b=QUEUE.format(name="b", spec=""))
    assert whole(tmp_path) == ["b"]


def missing(path: Path) -> list[str]:
    found = lint([path], Assumed()).findings
    return [one.summary for one in found if one.rule == "manifest/schema"]


def test_what_a_patch_leaves_out_is_not_missing(tmp_path: Path) -> None:
    folder(tmp_path, deployment=DEPLOYMENT, small_patch=DEPLOYMENT)
    assert missing(tmp_path / "deployment.yaml") == ["Deployment a: `spec.selector` is missing"]
    assert missing(tmp_path / "small_patch.yaml") == []


def test_amounts_past_what_kubernetes_counts_with_are_cut_to_the_largest() -> None:
    amounts = Item.plain({"a": "1e30", "b": "-1e30", "c": "4", "d": "many", "e": True, "f": None}).root
    read = {key: written.amount(view) for key, view in amounts.entries()}
    assert [str(read[key]) for key in "abc"] == [str(written.LARGEST), str(-written.LARGEST), "4"]
    assert [read[key] for key in "def"] == [None] * 3
