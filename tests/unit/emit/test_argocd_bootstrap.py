"""What a person gives Argo CD once: the root, and the health of kinds that Argo CD knows nothing of."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings

from gpuplan.emit import argocd
from gpuplan.emit.argocd import bootstrap, health
from gpuplan.emit.emitters import emit
from gpuplan.manifests.set import Manifest, ManifestSet
from gpuplan.model.fleet import Fleet
from gpuplan.pipeline import check
from gpuplan.validate import validate
from tests.build import TODAY, fleet, resolved
from tests.controlplane.client import reference
from tests.controlplane.controlplane import ControlPlane
from tests.generated import fleets

SPEC = """
apiVersion: gpuplan.dev/v1alpha1
metadata: {name: acme}
clusters:
  root-acme: {kubernetes: "1.36"}
  acme: {kubernetes: "1.36", stack: operator, kueue: external}
cardTiers: {serve: {cards: [l40s]}}
nodePools:
  a: {cluster: root-acme, tier: serve, nodes: 1, cardsPerNode: 4, selectedBy: {nfd: {}}}
  b: {cluster: acme, tier: serve, nodes: 1, cardsPerNode: 4, selectedBy: {nfd: {}}, driver: {preinstalled: true}}
delivery: {argocd: {repoURL: https://git.example/gpu.git, path: ./out/, namespace: gitops%s}}
"""
ONE_BY_ONE = SPEC % ""
AS_SET = SPEC % ", mode: applicationSet"


def files(text: str) -> dict[str, Any]:
    """Return the files of the folder as YAML, by name."""
    return {made.path.removeprefix("bootstrap/"): yaml.safe_load(made.text) for made in bootstrap.texts(fleet(text))}


@pytest.mark.parametrize("text", [ONE_BY_ONE, AS_SET])
def test_the_root_syncs_the_folder_of_all_others_and_may_hold_exactly_them(text: str) -> None:
    made = files(text)
    application, project = made["root-application.yaml"], made["root-project.yaml"]
    permitted = {(one["group"], one["kind"]) for one in project["spec"]["namespaceResourceWhitelist"]}
    synced = [one.key for one in argocd.emit(fleet(text), ())]
    assert application["spec"]["source"]["path"] == "out/argocd"
    assert application["spec"]["project"] == project["metadata"]["name"]
    assert project["spec"]["destinations"] == [application["spec"]["destination"]]
    assert {(key.api_version.partition("/")[0], key.kind) for key in synced} <= permitted
    assert {key.namespace for key in synced} == {application["spec"]["destination"]["namespace"]}
    assert "clusterResourceWhitelist" not in project["spec"]


def test_the_root_has_no_name_that_an_application_of_the_fleet_has() -> None:
    names = {one.key.name for one in argocd.emit(fleet(ONE_BY_ONE), ())}
    made = files(ONE_BY_ONE)
    assert not names & {
        made["root-application.yaml"]["metadata"]["name"],
        made["root-project.yaml"]["metadata"]["name"],
    }


def test_an_application_that_leaves_is_confirmed_and_nothing_dies_with_the_root() -> None:
    root = files(ONE_BY_ONE)["root-application.yaml"]
    assert {"Prune=confirm", "Delete=confirm"} <= set(root["spec"]["syncPolicy"]["syncOptions"])
    assert "finalizers" not in root["metadata"]


def test_the_api_server_would_take_the_root() -> None:
    built = fleet(ONE_BY_ONE)
    origin = next(bootstrap.texts(built)).origin
    made = [one for one in files(ONE_BY_ONE).values() if one.get("kind") in ("AppProject", "Application")]
    placed = ManifestSet.of(Manifest(object=one, cluster=None, area="argocd", origin=origin) for one in made)
    assert len(placed) == 2
    assert validate(placed) == ()


def test_the_health_texts_are_a_part_of_the_config_map_and_the_same_in_the_charts_values() -> None:
    made = files(ONE_BY_ONE)
    config_map = made["argocd-cm.health.yaml"]
    assert (config_map["metadata"]["name"], config_map["metadata"]["namespace"]) == ("argocd-cm", "gitops")
    assert all(key.startswith("resource.customizations.health.") for key in config_map["data"])
    assert made["argo-cd.values.yaml"] == {"configs": {"cm": config_map["data"]}}


def known(manifests: ManifestSet, built: Fleet) -> set[tuple[str, str]]:
    """Return (API group, kind) of all that a fleet has and whose health we know, its charts' ClusterPolicy included."""
    rendered = {(one.key.api_version.rpartition("/")[0], one.key.kind) for one in manifests}
    by_charts = {("nvidia.com", "ClusterPolicy") for cluster in built.clusters if cluster.operator_pools}
    return (rendered | by_charts | {("argoproj.io", "Application")}) & health.TEXTS.keys()


def test_the_health_of_the_kinds_of_the_example_is_told_and_of_no_others() -> None:
    checked = check(Path("fleet"), TODAY)
    assert checked.fleet is not None
    assert set(bootstrap.kinds(checked.fleet)) == known(emit(checked.fleet, lambda *_: None), checked.fleet)


@settings(max_examples=10, deadline=None, suppress_health_check=[*HealthCheck])
@given(fleets())
def test_the_health_of_the_kinds_of_generated_fleets_is_told_and_of_no_others(text: str) -> None:
    made, _ = resolved(text)
    assert made is not None
    assert set(bootstrap.kinds(made)) == known(emit(made, lambda *_: None), made)


@pytest.mark.parametrize("stem", sorted(set(health.TEXTS.values())))
def test_each_health_text_ends_in_an_answer_and_stands_in_yaml_as_it_is_written(stem: str) -> None:
    text = health.text(stem)
    assert text.rstrip().splitlines()[-1] == "return hs"
    assert yaml.safe_load(yaml.safe_dump({"data": text}))["data"] == text


def test_a_server_side_apply_of_the_health_texts_leaves_all_else_in_the_config_map_alone(
    empty_control_plane: ControlPlane,
) -> None:
    client = empty_control_plane.client
    client.apply(reference("v1", "Namespace", "gitops"))
    theirs = {**reference("v1", "ConfigMap", "argocd-cm", "gitops"), "data": {"url": "https://argocd.acme.example"}}
    client.apply(theirs, manager="their-installer")
    ours = files(ONE_BY_ONE)["argocd-cm.health.yaml"]
    for _ in range(2):
        made = client.apply(ours, manager="gpuplan")
        assert made["data"] == {**theirs["data"], **ours["data"]}
    (dropped, *_) = ours["data"]
    fewer = {**ours, "data": {key: text for key, text in ours["data"].items() if key != dropped}}
    assert client.apply(fewer, manager="gpuplan")["data"] == {**theirs["data"], **fewer["data"]}
