"""What people and programs read of drift."""

from __future__ import annotations

from gpuplan.cluster.drifting import Name
from gpuplan.compare import ABSENT, Change, ChangeKind
from gpuplan.drift.owners import Owner
from gpuplan.drift.parts import Difference, Fate, Finding, Note, Report, Unseen
from gpuplan.report import console, drift

QUEUE = Name("kueue.x-k8s.io/v1beta2", "ClusterQueue", "", "vision-pretrain")
EDITOR = Owner(at="2026-12-01T01:00:00Z", manager="kubectl-edit", operation="Update", subresource="")


def change(path: tuple[str, ...], old: object, new: object) -> Difference:
    kind = ChangeKind.ADDED if old is ABSENT else ChangeKind.REMOVED if new is ABSENT else ChangeKind.CHANGED
    owners = (EDITOR,) if new is not ABSENT else ()
    return Difference(change=Change(path=path, kind=kind, old=old, new=new), owners=owners)


def config_map(name: str) -> Name:
    return Name("v1", "ConfigMap", "gpu-system", name)


def denied(name: str) -> Unseen:
    return Unseen(object=config_map(name), what="compared without a dry run", why="no right to patch")


LOOKED = drift.Looked(
    what="cluster prod-eu",
    tree="rendered",
    server="https://k8s.example",
    report=Report(
        looked=7,
        tried=3,
        findings=(
            Finding(
                object=QUEUE,
                fate=Fate.CHANGED,
                file="clusters/prod-eu/55-queues/q.yaml",
                differences=(
                    change(("spec", "cohortName"), "pretrain", "chat\x1b[31m|<b>"),
                    change(("metadata", "labels", "gpuplan.dev/team"), "vision", ABSENT),
                ),
            ),
            Finding(object=config_map("spare"), fate=Fate.FOREIGN, why="it bears our label", by=(EDITOR,)),
        ),
        notes=(
            Note(object=QUEUE, difference=change(("spec", "stopPolicy"), ABSENT, "Hold"), why="a person stopped it"),
        ),
        unseen=tuple(map(denied, ("a", "b", "c", "d", "e"))),
    ),
)


def test_people_read_each_path_with_both_values_and_its_author() -> None:
    text = console.drawn(drift.overview(LOOKED), colour=False, width=1000)

    assert '~ spec.cohortName: "pretrain" → "chat' in text
    assert "\x1b" not in text
    assert "by kubectl-edit (Update 2026-12-01T01:00:00Z)" in text
    assert f"by {drift.NOBODY}" in text
    assert "partial  5 ConfigMap: compared without a dry run  no right to patch" in text
    assert text.rstrip().endswith(
        "1 changed, 1 foreign (7 rendered objects, 3 of them tried by a dry run). The view is partial: there may be more."
    )


def test_a_page_holds_the_same_and_nothing_in_it_is_markup() -> None:
    text = drift.markdown(LOOKED)

    assert "## changed: `ClusterQueue vision-pretrain`" in text
    assert "- `~ spec.cohortName: " in text
    assert "## Meant to be possible" in text
    assert "## Not seen" in text
    assert "\x1b" not in text


def test_programs_get_sides_by_name_and_no_side_that_is_not_there() -> None:
    data = drift.data(LOOKED)

    changed, removed = data["findings"][0]["differences"]
    assert (changed["rendered"], changed["live"]) == ("pretrain", "chat\x1b[31m|<b>")
    assert "live" not in removed
    assert removed["by"] == []
    assert data["notes"][0]["path"] == "spec.stopPolicy"
    assert (data["drift"], data["partial"], len(data["unseen"])) == (True, True, 5)
