"""Two other ways of delivery in Argo CD 3.6: it renders by our plugin, or an ApplicationSet makes the Applications.

Neither may touch what runs when it begins, and neither may take it away when something goes wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.controlplane.argocd import API, NAMESPACE
from tests.controlplane.client import Object, reference
from tests.controlplane.delivery.parts import application_sets, know_cluster, look_at, plugin_server
from tests.controlplane.delivery.repository import CLUSTER
from tests.controlplane.delivery.repository import ROOT as SOURCES
from tests.controlplane.delivery.stage import APPLICATION, ROOT, Delivery

FITS = "chat: {serve: {guaranteed: 16}}"
SET = reference(API, "ApplicationSet", "acme", NAMESPACE)


def documented(mark: str) -> Any:
    """Return the YAML of `docs/argocd.md` that holds this mark."""
    text = (SOURCES / "docs" / "argocd.md").read_text(encoding="utf-8")
    (block,) = (block for block in re.findall(r"```yaml\n(.*?)```", text, re.DOTALL) if mark in block)
    return yaml.safe_load(block)


@pytest.fixture
def rendered_by_plugin(delivered: Delivery, tmp_path: Path) -> Iterator[Delivery]:
    """The plugin server as our page configures it, and the cluster's Application rendered by it; undone afterwards."""
    (tmp_path / "plugin.yaml").write_text(yaml.safe_dump(documented("kind: ConfigManagementPlugin")), encoding="utf-8")
    source = documented("# in an Application, instead of")["source"]
    client = delivered.plane.client
    root, app = (client.get(reference(API, "Application", name, NAMESPACE)) for name in (ROOT, APPLICATION))
    with plugin_server(delivered.argo, tmp_path):
        # The root would heal what we do to its Application.
        client.patch(root, {"spec": {"syncPolicy": {"automated": None}}})
        client.patch(app, {"spec": {"source": {**source, "repoURL": delivered.repository.url, "directory": None}}})
        yield delivered
        client.patch(app, {"spec": {"source": {**app["spec"]["source"], "plugin": None}}})
        client.patch(root, {"spec": {"syncPolicy": root["spec"]["syncPolicy"]}})
    delivered.sync(delivered.repository.head)


def test_the_plugin_makes_what_is_rendered_and_where_it_fails_nothing_is_taken_away(
    rendered_by_plugin: Delivery,
) -> None:
    argo, repository = rendered_by_plugin.argo, rendered_by_plugin.repository
    before = rendered_by_plugin.versions()
    argo.refresh(APPLICATION, hard=True)
    status = argo.wait_until_synced(APPLICATION, repository.head)["status"]
    assert status["sourceType"] == "Plugin"
    assert len(status["resources"]) == len(repository.objects())
    repository.edit("teams.yaml", FITS, "chat: {serve: {guaranteed: 160}}")
    repository.commit("More than there is")
    argo.refresh(APPLICATION, hard=True)
    status = argo.application(APPLICATION)["status"]
    (condition,) = status["conditions"]
    assert condition["type"] == "ComparisonError"
    assert "fleet/teams.yaml" in condition["message"]
    assert status["sync"]["status"] == "Unknown"
    assert rendered_by_plugin.versions() == before
    repository.edit("teams.yaml", "chat: {serve: {guaranteed: 160}}", FITS)
    repository.commit("As before")


def test_an_application_set_takes_over_and_keeps_what_its_list_no_longer_names(delivered: Delivery) -> None:
    argo, repository = delivered.argo, delivered.repository
    before = delivered.versions()
    # A set is not healthy while it knows none of its clusters.
    for name in ("lab-us", "trial-ie"):
        know_cluster(delivered.plane.client, f"https://{name}.k8s.acme.example:6443")
    with application_sets(argo, delivered.plane):
        revision = repository.change("clusters.yaml", "  argocd:\n", "  argocd:\n    mode: applicationSet\n")
        delivered.sync_root(revision)
        argo.wait_for(APPLICATION, made_by_the_set, what="be made by the set")
        argo.refresh(APPLICATION)
        argo.wait_until_synced(APPLICATION, revision)
        assert delivered.versions() == before
        repository.rewrite(SET, without_the_cluster)
        delivered.sync_root(repository.commit("Without the cluster"))
        assert CLUSTER not in str(delivered.plane.client.get(SET)["spec"]["generators"])
        look_at(delivered.plane, "acme")
        assert made_by_the_set(argo.application(APPLICATION))
        assert delivered.versions() == before


def made_by_the_set(app: Mapping[str, Any]) -> bool:
    """Tell whether an Application exists and belongs to an ApplicationSet."""
    return any(owner["kind"] == "ApplicationSet" for owner in app["metadata"].get("ownerReferences", []))


def without_the_cluster(made: Object) -> Object:
    (generator,) = made["spec"]["generators"]
    left = [element for element in generator["list"]["elements"] if element["cluster"] != CLUSTER]
    return {**made, "spec": {**made["spec"], "generators": [{"list": {"elements": left}}]}}
