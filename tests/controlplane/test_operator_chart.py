"""The GPU Operator's own chart, rendered by Helm with our values: does it say what we mean?

The chart in the module cache is that of 25.3. Where it knows a field of the ClusterPolicy, its policy must be ours.
"""

from __future__ import annotations

import fnmatch
import json
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from gpuplan import conventions
from gpuplan.emit import gpu_operator
from gpuplan.emit.gpu_operator.cluster_policy import cluster_policy_spec
from gpuplan.emit.gpu_operator.config_maps import config_maps
from gpuplan.manifests.set import ManifestSet
from gpuplan.model.fleet import Fleet
from tests.build import fleet
from tests.controlplane import newer_fields
from tests.controlplane.acceptance import apply_manifests
from tests.controlplane.controlplane import ControlPlane
from tests.controlplane.modulefiles import GPU_OPERATOR, module_folder
from tests.controlplane.trial import accepted

CHART = "deployments/gpu-operator"
SPEC = """
apiVersion: gpuplan.dev/v1alpha1
metadata: {name: acme}
delivery: {argocd: {repoURL: https://git.acme.io/platform/fleet.git}}
clusters: {eu: {kubernetes: "1.36", stack: operator, %s}}
cardTiers: {train: {cards: [h100-sxm-80gb]}, lab: {cards: [a100-sxm-40gb]}, desk: {cards: [t4]}}
defaults: {nodePool: {cluster: eu, nodes: 3, cardsPerNode: 8, selectedBy: {nfd: {}}, driver: {branch: "580"}}}
nodePools:
  whole: {tier: train, taints: [{key: nvidia.com/gpu, value: present, effect: NoSchedule}]}
  cut: {tier: lab, sharing: {mig: {profiles: {1g.5gb: 7}}}}
  sliced: {tier: desk, sharing: {timeSlicing: {replicas: 4}}}
"""
CLUSTERS = {
    "newest": "gpuOperator: {namespace: nvidia}",
    "beside Rancher's containerd": "distribution: rke2",
    "where the provider brings the driver": "distribution: aks, kubernetes: '1.35'",
    "where upgrades are the policy's matter": 'components: {gpuOperator: {version: "26.3.2"}}',
}
Path_ = tuple[str, ...]

NOT_IN_THE_OLDER_CHART: tuple[Path_, ...] = (
    ("cdi", "nriPluginEnabled"),
    ("dcgmExporter", "hostPID"),
    ("devicePlugin", "mps", "root"),
    ("operator", "defaultRuntime"),
)
"""Fields of our policy that the chart of 25.3 renders from no value: two came later, the MPS root is the CRD's default, and
the runtime is ignored."""


def text_of(place: str) -> str:
    text = SPEC % CLUSTERS[place]
    return text.replace('kubernetes: "1.36", stack', "stack") if "kubernetes:" in CLUSTERS[place] else text


def rendered(helmrender: Path, made: Fleet) -> list[Any]:
    (cluster,) = made.clusters
    chart = module_folder(GPU_OPERATOR) / CHART
    command: list[str | Path] = [helmrender, chart, conventions.OPERATOR_RELEASE, cluster.gpu_operator.namespace]
    values = json.dumps(gpu_operator.chart_values(made, cluster))
    done = subprocess.run(command, input=values, capture_output=True, text=True, check=True)
    return [one for one in yaml.load_all(done.stdout, yaml.CSafeLoader) if one]


def of_kind(objects: list[Any], kind: str) -> list[Any]:
    return [one for one in objects if one["kind"] == kind]


def leaves(tree: object, path: Path_ = ()) -> Iterator[tuple[Path_, object]]:
    """Yield the path and value of all that is no map, and of empty maps."""
    if isinstance(tree, Mapping) and tree:
        for key, value in tree.items():
            yield from leaves(value, (*path, str(key)))
    else:
        yield path, tree


def at(tree: Any, path: Path_) -> Any:
    for key in path:
        tree = tree.get(key, {}) if isinstance(tree, Mapping) else {}
    return tree


def same(ours: object, theirs: object) -> bool:
    """Tell whether two values mean the same to the server: what we leave empty, the chart leaves out or sets to null."""
    empty: tuple[object, ...] = ({}, [], None)
    return ours == theirs or (ours in empty and theirs in empty)


@pytest.mark.parametrize("place", CLUSTERS)
def test_the_chart_makes_our_policy_of_our_values(helmrender: Path, place: str) -> None:
    made = fleet(text_of(place))
    (cluster,) = made.clusters
    (policy,) = of_kind(rendered(helmrender, made), "ClusterPolicy")
    ours = cluster_policy_spec(made, cluster, config_maps(made, cluster))
    assert policy["metadata"]["name"] == conventions.CLUSTER_POLICY
    pairs = {path: (value, at(policy["spec"], path)) for path, value in leaves(ours)}
    differing = {path: pair for path, pair in pairs.items() if not same(*pair)}
    assert differing.keys() <= set(NOT_IN_THE_OLDER_CHART), differing


def test_the_server_keeps_what_the_chart_made_as_we_mean_it(helmrender: Path, control_plane: ControlPlane) -> None:
    made = fleet(text_of("newest"))
    (policy,) = of_kind(rendered(helmrender, made), "ClusterPolicy")
    assert apply_manifests(control_plane.client, [policy]) == []
    (stored,) = control_plane.client.list("nvidia.com/v1", "ClusterPolicy")
    ours = newer_fields.without(
        {
            "apiVersion": "nvidia.com/v1",
            "kind": "ClusterPolicy",
            "spec": cluster_policy_spec(made, made.clusters[0], config_maps(made, made.clusters[0])),
        }
    )
    differing = {path for path, value in leaves(ours["spec"]) if not same(value, at(stored["spec"], path))}
    assert differing <= set(NOT_IN_THE_OLDER_CHART)
    assert stored["spec"]["operator"]["defaultRuntime"] == "docker", "the CRD's default, which the operator ignores"
    control_plane.reset()


def test_what_later_releases_added_is_on_the_list_of_newer_fields() -> None:
    newer = {field.path[1:] for field in newer_fields.NEWER_FIELDS if field.kind == newer_fields.POLICY}
    assert newer == set(NOT_IN_THE_OLDER_CHART) - {("devicePlugin", "mps", "root"), ("operator", "defaultRuntime")}


def test_the_chart_makes_no_driver_no_feature_discovery_and_no_job(helmrender: Path) -> None:
    kinds = {one["kind"] for one in rendered(helmrender, fleet(text_of("newest")))}
    assert kinds == {
        "ClusterPolicy",
        "ClusterRole",
        "ClusterRoleBinding",
        "Deployment",
        "Role",
        "RoleBinding",
        "ServiceAccount",
    }


def project(made: ManifestSet) -> Any:
    (found,) = [one.object for one in made if one.key.kind == "AppProject" and "gpu-operator" in one.key.name]
    return found["spec"]


def permits(entries: list[Any], obj: Any) -> bool:
    group = obj["apiVersion"].rpartition("/")[0]
    return any(
        (entry["group"], entry["kind"]) == (group, obj["kind"])
        and fnmatch.fnmatchcase(obj["metadata"]["name"], entry.get("name", "*"))
        for entry in entries
    )


def test_its_project_permits_all_that_the_chart_makes(helmrender: Path) -> None:
    text = text_of("newest")
    manifests = accepted(text)
    assert manifests is not None
    spec = project(manifests)
    objects = rendered(helmrender, fleet(text))
    crds = [
        yaml.load(path.read_text(), yaml.CSafeLoader)
        for path in (module_folder(GPU_OPERATOR) / CHART / "crds").iterdir()
    ]
    in_namespace = {"Deployment", "Role", "RoleBinding", "ServiceAccount"}
    for obj in (*objects, *crds):
        key = "namespaceResourceWhitelist" if obj["kind"] in in_namespace else "clusterResourceWhitelist"
        assert permits(spec[key], obj), obj["kind"]
    assert {one["namespace"] for one in spec["destinations"]} == {"nvidia"}
