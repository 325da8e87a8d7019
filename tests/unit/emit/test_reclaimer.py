"""The reclaimer as it is rendered: nothing where nobody asks, no more rights than it needs, and what Argo CD is told."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from gpuplan.emit import reclaim
from gpuplan.emit.emitters import emit
from gpuplan.manifests.set import ManifestSet
from gpuplan.model import reclaim_policy
from gpuplan.validate.references import references
from gpuplan.validate.schemas import violations
from tests.build import fleet
from tests.controlplane.reclaiming import granted
from tests.unit.reclaim.test_policy import FLEET

OFF = FLEET.replace("mode: dryRun", "mode: 'off'")
SUSPEND = FLEET.replace("mode: dryRun", "mode: suspend")


def rendered(text: str = FLEET) -> ManifestSet:
    made = fleet(text)
    (cluster,) = made.clusters
    return ManifestSet.of(reclaim.emit(made, cluster), reclaim.texts(made, cluster))


def only(kind: str, text: str = FLEET) -> dict[str, Any]:
    (found,) = rendered(text).of_kind(kind)
    return dict(found.object)


def container(text: str = FLEET) -> dict[str, Any]:
    (found,) = only("Deployment", text)["spec"]["template"]["spec"]["containers"]
    return dict(found)


def test_nothing_is_rendered_while_reclaiming_is_off() -> None:
    assert not list(rendered(OFF))
    assert not rendered(OFF).texts


def test_every_emitter_together_renders_what_schemas_take_and_references_find() -> None:
    made = emit(fleet(FLEET), lambda *_: None)
    mine = [one for one in made if one.area == "90-reclaim"]
    present = {(one.key.kind, one.key.namespace, one.key.name) for one in made}
    assert len(mine) == 9
    assert not [found for found in violations(made) if "gpuplan-reclaim" in found.summary]
    assert {target for one in mine for target in references(one)} <= present


@pytest.mark.parametrize(("text", "flag"), [(FLEET, "--dry-run"), (SUSPEND, "--act")])
def test_it_acts_only_where_the_spec_says_suspend(text: str, flag: str) -> None:
    made = container(text)
    assert made["command"] == ["gpuplan"]
    assert made["args"] == ["reclaim", "--policy=/etc/gpuplan/policy.json", "--every=5m", "--listen=:8080", flag]


def test_its_policy_is_the_one_of_the_cluster_and_a_change_starts_it_anew() -> None:
    def config(text: str) -> dict[str, Any]:
        return only("ConfigMap", text)

    made = fleet(FLEET)
    assert reclaim_policy.read(config(FLEET)["data"]["policy.json"]) == reclaim_policy.policy(made, made.clusters[0])
    volume = only("Deployment")["spec"]["template"]["spec"]["volumes"][0]
    assert volume["configMap"]["name"] == config(FLEET)["metadata"]["name"]
    assert config(FLEET)["metadata"]["name"] != config(SUSPEND)["metadata"]["name"]


def test_it_asks_the_clusters_prometheus_as_its_tenant() -> None:
    text = f"{FLEET}\nmonitoring: {{prometheus: {{url: 'http://mimir/prometheus', tenant: gpus}}}}\n"
    found = {one["name"]: one["value"] for one in container(text)["env"]}
    assert found["GPUPLAN_PROMETHEUS"] == "http://mimir/prometheus"
    assert found["GPUPLAN_PROMETHEUS_TENANT"] == "gpus"


def test_it_runs_as_nobody_who_can_write_nothing() -> None:
    pod = only("Deployment")["spec"]["template"]["spec"]
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert container()["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"]},
        "readOnlyRootFilesystem": True,
    }


def test_two_never_run_at_once() -> None:
    spec = only("Deployment")["spec"]
    assert (spec["replicas"], spec["strategy"]) == (1, {"type": "Recreate"})


def test_it_has_rights_in_team_namespaces_alone_and_in_each_of_them() -> None:
    made = rendered()
    assert {one.key.namespace for one in made.of_kind("Role")} == {"vision", "vision-batch"}
    assert {one.key.namespace for one in made.of_kind("RoleBinding")} == {"vision", "vision-batch"}
    assert not made.of_kind("ClusterRole")
    assert not made.of_kind("ClusterRoleBinding")


def test_its_rights_are_to_read_what_holds_cards_to_write_to_what_it_stops_and_to_tell() -> None:
    role = rendered(SUSPEND).of_kind("Role")[0].object
    assert role["rules"] == [
        {"apiGroups": [""], "resources": ["events"], "verbs": ["create"]},
        {"apiGroups": [""], "resources": ["pods"], "verbs": ["list"]},
        {"apiGroups": ["apps"], "resources": ["replicasets"], "verbs": ["list"]},
        {"apiGroups": ["apps"], "resources": ["deployments", "statefulsets"], "verbs": ["list", "patch"]},
        {"apiGroups": ["batch"], "resources": ["jobs"], "verbs": ["list", "patch"]},
        {"apiGroups": ["jobset.x-k8s.io"], "resources": ["jobsets"], "verbs": ["list", "patch"]},
        {"apiGroups": ["kueue.x-k8s.io"], "resources": ["workloads"], "verbs": ["list", "patch"]},
        {
            "apiGroups": ["leaderworkerset.x-k8s.io"],
            "resources": ["leaderworkersets"],
            "verbs": ["list", "patch"],
        },
    ]


def test_who_only_looks_may_write_nothing() -> None:
    looking, acting = (granted(rendered(text).of_kind("Role")[0].object) for text in (FLEET, SUSPEND))
    assert {verb for verb, _, _ in looking} == {"list"}
    assert looking == {right for right in acting if right[0] == "list"}


def test_its_series_keep_the_namespace_of_the_work() -> None:
    (endpoint,) = only("ServiceMonitor")["spec"]["endpoints"]
    assert endpoint["honorLabels"] is True
    assert {"regex": "(pod|namespace|container|service|endpoint)", "action": "labeldrop"} in endpoint["relabelings"]
    assert (
        only("ServiceMonitor")["spec"]["selector"]["matchLabels"].items()
        <= only("Service")["metadata"]["labels"].items()
    )


def test_argo_cd_is_told_in_both_ways_not_to_start_again_what_was_suspended() -> None:
    (snippet,) = rendered().texts
    assert snippet.path == "provisioner/eu/reclaim/ignore-differences.yaml"
    said = yaml.safe_load(snippet.text)
    setting = said["argocd-cm"]["data"]["resource.customizations.ignoreDifferences.all"]
    assert yaml.safe_load(setting) == {"managedFieldsManagers": ["gpuplan-reclaim"]}
    spec = said["application"]["spec"]
    assert spec["syncPolicy"]["syncOptions"] == ["RespectIgnoreDifferences=true"]
    kinds = {(one["group"], one["kind"]) for one in spec["ignoreDifferences"]}
    assert {("apps", "Deployment"), ("apps", "StatefulSet"), ("batch", "Job")} <= kinds
    assert all(one["managedFieldsManagers"] == ["gpuplan-reclaim"] for one in spec["ignoreDifferences"])
