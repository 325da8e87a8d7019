"""What differs between two folders of manifests."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuplan.compare.trees import TreeDiff, diff_trees

QUEUE = "apiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: %s}\nspec: {stopPolicy: %s}\n"


def tree(root: Path, **files: str) -> Path:
    """Write files; `__` in a name is a folder's end, and each is YAML."""
    for name, text in files.items():
        path = root / (name.replace("__", "/") + ".yaml")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    root.mkdir(exist_ok=True)
    return root


def said(diff: TreeDiff) -> list[str]:
    """Return each object that differs as a line."""
    return [f"{one.fate.value} {one.ref.cluster}/{one.ref.kind}/{one.ref.name} in {one.file}" for one in diff.objects]


def test_an_object_is_the_same_wherever_its_file_is(tmp_path: Path) -> None:
    old = tree(tmp_path / "old", a=QUEUE % ("one", "Hold") + "---\n" + QUEUE % ("two", "Hold"))
    new = tree(tmp_path / "new", b__x=QUEUE % ("two", "Hold"), c=QUEUE % ("one", "None"))
    assert said(diff_trees(old, new)) == ["changed /ClusterQueue/one in c.yaml"]
    assert diff_trees(old, new).same_meaning == ("b/x.yaml",)


def test_in_a_tree_of_ours_the_folder_says_the_cluster(tmp_path: Path) -> None:
    old = tree(tmp_path / "old", clusters__eu__a=QUEUE % ("one", "Hold"), clusters__us__a=QUEUE % ("one", "Hold"))
    new = tree(tmp_path / "new", clusters__us__a=QUEUE % ("one", "None"))
    (new / ".gpuplan.json").write_text("{}", encoding="utf-8")
    assert said(diff_trees(old, new)) == [
        "removed eu/ClusterQueue/one in clusters/eu/a.yaml",
        "changed us/ClusterQueue/one in clusters/us/a.yaml",
    ]


def test_elsewhere_files_part_objects_of_one_name(tmp_path: Path) -> None:
    old = tree(tmp_path / "old", eu__a=QUEUE % ("one", "Hold"), ie__a=QUEUE % ("one", "Hold"))
    new = tree(tmp_path / "new", ie__a=QUEUE % ("one", "None"))
    assert said(diff_trees(old, new)) == [
        "changed /ClusterQueue/one in ie/a.yaml",
        "removed /ClusterQueue/one in eu/a.yaml",
    ]


@pytest.mark.parametrize("text", ["a: [1", "- a\n", "\x00"])
def test_what_cannot_be_read_as_objects_is_compared_as_text(tmp_path: Path, text: str) -> None:
    diff = diff_trees(tree(tmp_path / "old", a="a: 1\n"), tree(tmp_path / "new", a=text))
    assert (diff.objects, [one.file for one in diff.texts], diff.is_empty) == ((), ["a.yaml"], False)


def test_bytes_that_are_no_text_differ_without_lines(tmp_path: Path) -> None:
    for side, content in (("old", b"\xff\x00"), ("new", b"\xff\x01")):
        tree(tmp_path / side)
        (tmp_path / side / "logo.png").write_bytes(content)
    (text,) = diff_trees(tmp_path / "old", tmp_path / "new").texts
    assert (text.file, text.lines) == ("logo.png", ())


def test_links_are_not_followed(tmp_path: Path) -> None:
    old, new = tree(tmp_path / "old"), tree(tmp_path / "new")
    (new / "a.yaml").symlink_to("/etc/hostname")
    (new / "round").symlink_to(".")
    assert diff_trees(old, new).is_empty
    assert diff_trees(old, new, {"a.yaml"}).is_empty


def test_a_list_of_kubectl_is_what_it_holds_and_a_side_may_be_absent(tmp_path: Path) -> None:
    listed = "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Namespace, metadata: {name: a}}\n"
    assert said(diff_trees(tmp_path / "none", tree(tmp_path / "new", x=listed))) == ["added /Namespace/a in x.yaml"]
