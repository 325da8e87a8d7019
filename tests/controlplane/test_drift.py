"""`gpuplan drift` on a real server: none after a sync of every example, each edit by hand with its path and its author."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, seed, settings

from gpuplan import catalog
from gpuplan.cluster.drifting import MANAGER, DriftSight, look
from gpuplan.cluster.kube import Fault, Kube, connect
from gpuplan.conventions import application_name
from gpuplan.drift.foreign import ours
from gpuplan.drift.judge import Rendered, judge
from gpuplan.drift.parts import Report
from gpuplan.drift.rights import COMPARED, QUOTAS, needed
from gpuplan.manifests.write import object_text
from gpuplan.report.starter import fleet_text
from tests.controlplane import newer_fields
from tests.controlplane import rights as rights_of
from tests.controlplane.acceptance import apply_manifests
from tests.controlplane.apiserver import AUDITED
from tests.controlplane.client import Object, reference
from tests.controlplane.controlplane import ControlPlane
from tests.controlplane.handmade import EDITS, FREE_FLAVOR, GPU_SYSTEM, RECREATED, WARNS, by_hand, change, post
from tests.controlplane.reclaiming import kubeconfig
from tests.controlplane.test_acceptance_generated import LIMITS
from tests.controlplane.trial import accepted, on_disk
from tests.generated import fleets

RENDERED = Path(__file__).parents[2] / "rendered"
CLUSTERS = sorted(folder.name for folder in (RENDERED / "clusters").iterdir())
DOCS = Path(__file__).parents[2] / "docs" / "drift.md"
ACCOUNTS = f"system:serviceaccount:{AUDITED}"
LIMIT_SECONDS = 120


def run(tree: Path, config: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run the command."""
    where = ["--out", str(tree), "--kubeconfig", str(config), "--output-format", "json"]
    program = [sys.executable, "-m", "gpuplan", "drift", *where, *options]
    return subprocess.run(program, capture_output=True, text=True, check=False, timeout=LIMIT_SECONDS)


def drift(tree: Path, config: Path, *options: str) -> tuple[int, dict[str, Any]]:
    """Run the command; return its exit code and what it says."""
    done = run(tree, config, *options)
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)


def on_cluster(tree: Path, cluster: str) -> list[Object]:
    """Return what was rendered for a cluster."""
    return [one.obj for one in on_disk(tree / "clusters" / cluster)]


def synced(plane: ControlPlane, objects: Sequence[Object]) -> Sequence[Object]:
    """Apply objects, and make the namespaces that others own."""
    make_room(plane, objects)
    assert apply_manifests(plane.client, objects) == []
    return objects


def make_room(plane: ControlPlane, objects: Sequence[Object]) -> None:
    """Make the namespaces that objects live in and others own."""
    used = {made["metadata"].get("namespace", "") for made in objects} - {""}
    for name in sorted(used - {made["metadata"]["name"] for made in objects if made["kind"] == "Namespace"}):
        plane.client.apply(reference("v1", "Namespace", name), manager="harness")


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example's tree as the test server's CRDs know it, with one flavor that may be changed."""
    root = tmp_path_factory.mktemp("tree") / "rendered"
    shutil.copytree(RENDERED, root)
    for path in sorted((root / "clusters").rglob("*.yaml")):
        made = yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
        known = newer_fields.without(made)
        if made["metadata"]["name"] == FREE_FLAVOR:
            known = {**made, "spec": {key: value for key, value in made["spec"].items() if key != "topologyName"}}
        if known != made:
            path.write_text(object_text(known), encoding="utf-8")
    return root


@pytest.mark.parametrize("cluster", CLUSTERS)
def test_a_fresh_sync_has_no_drift_and_the_rights_used_are_those_documented(
    empty_control_plane: ControlPlane, tree: Path, cluster: str
) -> None:
    objects = synced(empty_control_plane, on_cluster(tree, cluster))
    granted = needed({made["kind"] for made in objects})
    config = rights_of.account(empty_control_plane, f"drift-{cluster}", granted)

    code, said = drift(tree, config, "--cluster", cluster)

    assert (code, said["findings"], said["notes"], said["unseen"]) == (0, [], [], [])
    assert said["looked"] == len(objects)
    assert rights_of.used(empty_control_plane, f"drift-{cluster}") == {right.grant for right in granted}
    assert kept_writes(empty_control_plane, f"drift-{cluster}") == []


def test_argo_cds_own_objects_are_looked_at_where_it_runs(empty_control_plane: ControlPlane, tree: Path) -> None:
    objects = synced(empty_control_plane, [one.obj for one in on_disk(tree / "argocd")])
    (whole, *_) = [made for made in objects if made["kind"] == "Application"]
    stranger = {**whole, "metadata": {"name": "stranger", "namespace": whole["metadata"]["namespace"]}}
    post(empty_control_plane.client, stranger, "kubectl-create")

    code, said = drift(tree, empty_control_plane.kubeconfig, "--argocd")

    assert (code, said["unseen"]) == (1, [])
    assert [(one["name"], one["fate"]) for one in said["findings"]] == [("stranger", "foreign")]


def test_neither_the_starter_nor_a_generated_fleet_has_drift_after_a_sync(control_plane: ControlPlane) -> None:
    starter = fleet_text(catalog.load(), name="acme", cluster="prod", card="l40s", nodes=4, cards_per_node=4)
    looked = [after_sync(control_plane, starter)]
    assert looked[0] is not None

    @seed(20_261_201)
    @settings(LIMITS, max_examples=6)
    @given(fleets())
    def has_none(text: str) -> None:
        looked.append(after_sync(control_plane, text))

    has_none()
    control_plane.reset()
    assert [one for one in looked if one and (one.findings or one.notes or one.unseen)] == []
    assert sum(one.looked for one in looked if one) > 100


def after_sync(plane: ControlPlane, text: str) -> Report | None:
    """Sync the first cluster of a fleet to an empty server, and look for drift; None where `check` refuses the fleet."""
    manifests = accepted(text)
    if manifests is None:
        return None
    name = manifests.clusters[0]
    plane.reset()
    objects = [newer_fields.without(one.object) for one in manifests.in_cluster(name)]
    synced(plane, objects)
    kube = connect(MANAGER, plane.kubeconfig)
    assert isinstance(kube, Kube)
    sight = look(kube, objects, QUOTAS, COMPARED)
    assert isinstance(sight, DriftSight)
    return judge([Rendered("", one) for one in objects], ours(objects, application_name(name)), sight)


def test_an_account_can_be_held_to_dry_runs(empty_control_plane: ControlPlane, tree: Path) -> None:
    objects = synced(empty_control_plane, on_cluster(tree, "lab-us"))
    config = rights_of.account(empty_control_plane, "drift-held", needed({made["kind"] for made in objects}))
    (policy,) = re.findall(r"```yaml\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)
    for made in yaml.safe_load_all(policy):
        text = json.dumps(made).replace("system:serviceaccount:gpu-system:gpuplan-drift", f"{ACCOUNTS}:drift-held")
        empty_control_plane.client.apply(json.loads(text))
    kube = connect("somebody", config)
    assert isinstance(kube, Kube)
    path = empty_control_plane.client.path(reference("v1", "Namespace", GPU_SYSTEM))

    def is_held() -> bool:
        return isinstance(answer := kube.merge(path, {"metadata": {"labels": {"x": "y"}}}), Fault) and (
            "only dry runs" in answer.summary
        )

    empty_control_plane.wait_for(is_held, what="the policy to take hold")

    code, said = drift(tree, config, "--cluster", "lab-us")

    assert (said["unseen"], {one["name"] for one in said["findings"]}) == ([], set())
    assert code == 0


def test_a_sync_that_does_not_apply_on_the_server_has_no_drift_either(
    empty_control_plane: ControlPlane, tree: Path
) -> None:
    objects = on_cluster(tree, "lab-us")
    make_room(empty_control_plane, objects)
    for made in sorted(objects, key=lambda one: one["kind"] != "Namespace"):
        post(empty_control_plane.client, made, "argocd-controller")

    code, said = drift(tree, empty_control_plane.kubeconfig, "--cluster", "lab-us")

    assert (code, said["findings"], said["unseen"]) == (0, [], [])


def kept_writes(plane: ControlPlane, account: str) -> list[str]:
    """Return the requests of an account that are more than reading and dry runs."""
    events = map(json.loads, plane.audit_log.read_text(encoding="utf-8").splitlines())
    mine = [event for event in events if event["user"]["username"].endswith(f":{account}")]
    assert mine
    reading = ("get", "list")
    return [one["requestURI"] for one in mine if one["verb"] not in reading and "dryRun=All" not in one["requestURI"]]


@pytest.fixture(scope="module")
def edited(control_plane: ControlPlane, tree: Path) -> Iterator[ControlPlane]:
    """Cluster prod-eu after a sync and all edits."""
    control_plane.reset()
    objects = synced(control_plane, on_cluster(tree, "prod-eu"))
    for edit in EDITS:
        change(control_plane.client, edit)
    by_hand(control_plane.client, objects)
    yield control_plane
    control_plane.reset()


def seen_of(said: Mapping[str, Any], fate: str) -> dict[tuple[str, str, str], Any]:
    """Return the findings of one fate, by kind, namespace and name."""
    return {(one["kind"], one["namespace"], one["name"]): one for one in said["findings"] if one["fate"] == fate}


def test_every_edit_is_found_at_its_path_with_its_author(edited: ControlPlane, tree: Path) -> None:
    code, said = drift(tree, edited.kubeconfig, "--cluster", "prod-eu")

    assert code == 1
    assert not said["partial"]
    changed = seen_of(said, "changed")
    assert {key: authors(one) for key, one in changed.items()} == {
        **{(edit.kind, edit.namespace, edit.name): [(edit.path, [edit.manager])] for edit in EDITS},
        **{key: [(path, ["kubectl-replace"])] for key, path in RECREATED.items()},
        ("Namespace", "", "search"): [('metadata.labels["gpuplan.dev/team"]', [])],
    }
    assert {key for key, one in changed.items() if "an apply would fail" in one["why"]} == {*RECREATED, WARNS}


def authors(finding: Mapping[str, Any]) -> list[tuple[str, list[str]]]:
    """Return each path that differs and the managers that own it."""
    return [(one["path"], [who["manager"] for who in one["by"]]) for one in finding["differences"]]


def test_what_is_gone_added_or_stopped_is_told_apart(edited: ControlPlane, tree: Path) -> None:
    _, said = drift(tree, edited.kubeconfig, "--cluster", "prod-eu")

    assert [*seen_of(said, "missing")] == [("PriorityClass", "", "gpuplan-queued")]
    foreign = seen_of(said, "foreign")
    assert [*foreign] == [("ClusterQueue", "", "spare"), ("ResourceQuota", "vision", "stopped")]
    assert [[who["manager"] for who in one["by"]] for one in foreign.values()] == [["kubectl-create"]] * 2
    deleting = seen_of(said, "deleting")
    assert [*deleting] == [("ResourceFlavor", "", "train-h200-141gb")]
    assert "kueue.x-k8s.io/resource-in-use" in deleting["ResourceFlavor", "", "train-h200-141gb"]["why"]
    notes = [(one["name"], one["path"], [who["manager"] for who in one["by"]]) for one in said["notes"]]
    assert notes == [("search-nightly", "spec.stopPolicy", ["kubectl-edit"])]


def test_an_account_that_may_only_list_finds_the_same_and_calls_its_view_partial(
    edited: ControlPlane, tree: Path
) -> None:
    _, whole = drift(tree, edited.kubeconfig, "--cluster", "prod-eu")
    kinds = {made["kind"] for made in on_cluster(tree, "prod-eu")}
    granted = [right for right in needed(kinds) if right.verb == "list" and right.resource != "localqueues"]
    config = rights_of.account(edited, "drift-reader", granted)

    code, said = drift(tree, config, "--cluster", "prod-eu")

    assert code == 1
    places = [(one["name"], one["fate"], [place["path"] for place in one["differences"]]) for one in whole["findings"]]
    found = [(one["name"], one["fate"], [place["path"] for place in one["differences"]]) for one in said["findings"]]
    assert found == [place for place in places if place[0] != "chat" or place[1] != "changed"]
    assert said["partial"]
    assert said["tried"] == 0
    unseen = {(one["kind"], one["what"]) for one in said["unseen"]}
    assert ("LocalQueue", "not read") in unseen
    assert ("LocalQueue", "not listed, so foreign ones are not seen") in unseen
    compared = {kind for kind, what in unseen if what.startswith("compared")}
    assert compared == kinds - {"LocalQueue", *COMPARED}
    used = rights_of.used(edited, "drift-reader")
    assert {verb for verb, *_ in used - {right.grant for right in granted}} == {"get", "list", "patch"}
    assert kept_writes(edited, "drift-reader") == []


def test_a_server_that_is_away_is_said_with_its_own_exit_code(tree: Path, tmp_path: Path) -> None:
    config = kubeconfig(tmp_path, "http://127.0.0.1:9", "token")
    done = run(tree, config, "--cluster", "prod-eu")

    assert (done.returncode, done.stdout) == (3, "")
    assert "cannot be reached" in done.stderr
