"""A render of one cluster leaves the others as the last render wrote them."""

from __future__ import annotations

from pathlib import Path

from gpuplan.output import OutputFile, write_tree
from gpuplan.output.partial import only


def file(path: str, text: str) -> OutputFile:
    return OutputFile(path, text.encode(), ("fleet/a.yaml",))


OLD = [file("argocd/app.yaml", "hub 1"), file("clusters/eu/a.yaml", "eu 1"), file("clusters/us/a.yaml", "us 1")]
NEW = [
    file("argocd/app.yaml", "hub 2"),
    file("argocd/new.yaml", "hub 2"),
    file("clusters/eu/b.yaml", "eu 2"),
    file("clusters/us/b.yaml", "us 2"),
]


def tree(root: Path) -> dict[str, str]:
    return {
        path.relative_to(root).as_posix(): path.read_text()
        for path in root.rglob("*")
        if path.is_file() and not path.name.startswith(".")
    }


def test_only_the_named_cluster_and_what_nobody_has_yet_is_new(tmp_path: Path) -> None:
    root = tmp_path / "rendered"
    write_tree(root, OLD, version="1")
    files, found = only(root, NEW, ["eu"])
    assert found == ()
    write_tree(root, files, version="1")
    assert tree(root) == {
        "argocd/app.yaml": "hub 1",
        "argocd/new.yaml": "hub 2",
        "clusters/eu/b.yaml": "eu 2",
        "clusters/us/a.yaml": "us 1",
    }


def test_without_names_everything_is_new(tmp_path: Path) -> None:
    assert only(tmp_path, NEW, []) == (tuple(NEW), ())


def test_a_hand_edit_in_another_cluster_is_found_and_not_adopted(tmp_path: Path) -> None:
    root = tmp_path / "rendered"
    write_tree(root, OLD, version="1")
    (root / "clusters/us/a.yaml").write_text("mine")
    _, found = only(root, NEW, ["eu"])
    assert [(finding.rule, finding.at.file) for finding in found] == [
        ("output/hand-edited", str(root / "clusters/us/a.yaml"))
    ]


def test_the_applications_of_the_named_cluster_are_its_own(tmp_path: Path) -> None:
    names = ("gpuplan-eu", "kueue-eu", "gpuplan-prod-eu", "kueue-prod-eu")
    clusters = [file("clusters/eu/a.yaml", "1"), file("clusters/prod-eu/a.yaml", "1")]
    root = tmp_path / "rendered"
    write_tree(
        root, [*clusters, *(file(f"argocd/application-argocd-{name}.yaml", "old") for name in names)], version="1"
    )
    new = [*clusters, *(file(f"argocd/application-argocd-{name}.yaml", "new") for name in names)]
    files, _ = only(root, new, ["eu"])
    fresh = sorted(made.path for made in files if isinstance(made, OutputFile) and made.content == b"new")
    assert fresh == ["argocd/application-argocd-gpuplan-eu.yaml", "argocd/application-argocd-kueue-eu.yaml"]


def test_the_rules_of_the_named_cluster_are_its_own_and_the_runbooks_of_alerts_are_everybody_s(tmp_path: Path) -> None:
    own, theirs = ("prometheus/eu/a.rules.yaml", "runbooks/eu/mig-a.md"), ("prometheus/us/a.rules.yaml",)
    shared, first = "alert-runbooks/gputhrottled.md", "alert-runbooks/gpuxidnodedrain.md"
    root = tmp_path / "rendered"
    write_tree(root, [file(path, "old") for path in (*own, *theirs, shared)], version="1")
    files, _ = only(root, [file(path, "new") for path in (*own, *theirs, shared, first)], ["eu"])
    write_tree(root, files, version="1")
    assert tree(root) == dict.fromkeys((*own, first), "new") | dict.fromkeys((*theirs, shared), "old")
