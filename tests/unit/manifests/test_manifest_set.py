"""ManifestSet: identity, order and files of rendered objects."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplan.diagnostics import Origin, Span
from gpuplan.manifests.set import Manifest, ManifestSet, ObjectKey, TextFile, file_name

ORIGIN = Origin(("teams", "vision"), Span("fleet/teams.yaml", 3, 1, 3, 7))


def manifest(
    kind: str = "ConfigMap",
    name: str = "config",
    *,
    namespace: str = "",
    cluster: str | None = "prod-eu",
    area: str = "10-base",
    api_version: str = "v1",
) -> Manifest:
    metadata = {"name": name, "namespace": namespace} if namespace else {"name": name}
    thing = {"apiVersion": api_version, "kind": kind, "metadata": metadata}
    return Manifest(object=thing, cluster=cluster, area=area, origin=ORIGIN)


def text(path: str) -> TextFile:
    return TextFile(path=path, text="x\n", origin=ORIGIN)


def paths(*manifests: Manifest) -> list[str]:
    return list(ManifestSet.of(manifests).placed)


@pytest.mark.parametrize(
    ("given_object", "path"),
    [
        (manifest("Namespace", "vision"), "clusters/prod-eu/10-base/namespace-vision.yaml"),
        (
            manifest("LocalQueue", "pretrain", namespace="vision", area="40-queues"),
            "clusters/prod-eu/40-queues/localqueue-vision-pretrain.yaml",
        ),
        (
            manifest("Application", "gpuplan-prod-eu", namespace="argocd", cluster=None, area="argocd"),
            "argocd/application-argocd-gpuplan-prod-eu.yaml",
        ),
        (
            manifest("ClusterRole", "gpuplan:queue-viewer"),
            "clusters/prod-eu/10-base/clusterrole-gpuplan%3aqueue-viewer.yaml",
        ),
        (manifest("ClusterRole", "Viewer"), "clusters/prod-eu/10-base/clusterrole-%56iewer.yaml"),
        (manifest("ClusterRole", "../é"), "clusters/prod-eu/10-base/clusterrole-..%2f%c3%a9.yaml"),
    ],
)
def test_the_file_of_an_object_follows_from_its_identity(given_object: Manifest, path: str) -> None:
    assert paths(given_object) == [path]


def test_names_that_would_share_a_file_are_told_apart_by_a_dot() -> None:
    assert paths(
        manifest("LocalQueue", "batch-tune", namespace="vision"),
        manifest("LocalQueue", "tune", namespace="vision-batch"),
        manifest("LocalQueue", "tune", namespace="nlp"),
    ) == [
        "clusters/prod-eu/10-base/localqueue-nlp-tune.yaml",
        "clusters/prod-eu/10-base/localqueue-vision.batch-tune.yaml",
        "clusters/prod-eu/10-base/localqueue-vision-batch.tune.yaml",
    ]


def test_a_name_with_a_dot_that_meets_the_dotted_form_is_dotted_too() -> None:
    clash = [
        manifest("ConfigMap", "c", namespace="a-b"),
        manifest("ConfigMap", "b-c", namespace="a"),
        manifest("ConfigMap", "b.c", namespace="a"),
    ]
    assert paths(*clash) == [f"clusters/prod-eu/10-base/configmap-{name}.yaml" for name in ("a.b-c", "a.b.c", "a-b.c")]


names = st.text("abAB-.:", min_size=1, max_size=4)
namespaces = st.text("ab-", min_size=1, max_size=4)
keys = st.builds(ObjectKey, st.just("v1"), st.sampled_from(["ConfigMap", "Role"]), namespaces, names)


@given(st.sets(keys, max_size=30))
def test_no_two_objects_share_a_file_even_where_case_does_not_count(some: set[ObjectKey]) -> None:
    placed = ManifestSet.of(manifest(key.kind, key.name, namespace=key.namespace) for key in some).placed
    assert len({path.casefold() for path in placed}) == len(some)
    assert all(path == path.lower() for path in placed)


def test_objects_come_by_cluster_area_and_key_whatever_order_they_were_made_in() -> None:
    wanted = [
        manifest("AppProject", "gpuplan", namespace="argocd", cluster=None, area="argocd"),
        manifest("Namespace", "b", cluster="lab", area="10-base"),
        manifest("ConfigMap", "a", namespace="a", cluster="lab", area="20-agents"),
        manifest("Namespace", "a", cluster="prod-eu", area="10-base"),
        manifest("Namespace", "b", cluster="prod-eu", area="10-base"),
    ]
    for seed in range(5):
        assert list(ManifestSet.of(random.Random(seed).sample(wanted, len(wanted)))) == wanted


def test_an_object_is_found_by_cluster_and_key() -> None:
    here, there = manifest("Namespace", "vision"), manifest("Namespace", "vision", cluster="lab")
    both = ManifestSet.of([here, there])
    key = ObjectKey("v1", "Namespace", "", "vision")
    assert both.get("prod-eu", key) is here
    assert both.get("lab", key) is there
    assert both.get(None, key) is None


def test_objects_are_found_by_cluster_and_kind() -> None:
    hub = manifest("AppProject", "gpuplan", cluster=None, area="argocd")
    base, queue = manifest("Namespace", "vision"), manifest("Cohort", "acme", area="40-queues")
    everything = ManifestSet.of([queue, base, hub])
    assert everything.clusters == ("prod-eu",)
    assert everything.in_cluster("prod-eu") == (base, queue)
    assert everything.in_cluster(None) == (hub,)
    assert everything.of_kind("Cohort") == (queue,)
    assert len(everything) == 3


def test_the_same_object_twice_in_a_cluster_is_a_bug() -> None:
    with pytest.raises(ValueError, match=r"Namespace vision \(v1\) is made twice for cluster prod-eu"):
        ManifestSet.of([manifest("Namespace", "vision"), manifest("Namespace", "vision", area="20-other")])


def test_one_kind_and_name_of_two_api_groups_cannot_share_a_folder() -> None:
    with pytest.raises(ValueError, match="several objects share a file"):
        ManifestSet.of([manifest("Topology", "x", api_version="a/v1"), manifest("Topology", "x", api_version="b/v1")])


@pytest.mark.parametrize("area", ["queues", "4-queues", "40-Queues", "40-queues/", "../x", "argocd"])
def test_an_area_of_a_cluster_is_two_digits_and_words(area: str) -> None:
    with pytest.raises(ValueError, match="not an area"):
        ManifestSet.of([manifest(area=area)])


def test_a_file_name_past_what_a_file_system_holds_is_a_bug() -> None:
    with pytest.raises(ValueError, match="longer than 255"):
        file_name(ObjectKey("v1", "ConfigMap", "n" * 63, "x" * 200))


def test_texts_come_by_path_beside_the_objects() -> None:
    assert [file.path for file in ManifestSet.of([], [text("provisioner/b.md"), text("provisioner/a.yaml")]).texts] == [
        "provisioner/a.yaml",
        "provisioner/b.md",
    ]


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "../x", "a/../b", "a//b", "Notes.md", ".gpuplan.json", "a/", "", "a/.b"]
)
def test_a_text_lies_inside_the_tree_in_lower_case(path: str) -> None:
    with pytest.raises(ValueError, match="not a path for a text file"):
        ManifestSet.of([], [text(path)])


def test_a_text_that_argo_cd_would_read_as_a_manifest_is_a_bug() -> None:
    with pytest.raises(ValueError, match="not a path for a text file"):
        ManifestSet.of([], [text("clusters/prod-eu/values.yaml")])
    assert ManifestSet.of([], [text("clusters/prod-eu/notes.md")]).texts


def test_two_texts_with_one_path_are_a_bug() -> None:
    with pytest.raises(ValueError, match="two files have the path"):
        ManifestSet.of([], [text("provisioner/a.md"), text("provisioner/a.md")])
