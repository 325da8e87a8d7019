"""What the cards say of themselves: the DCGM exporter of each pool, its counters, and how they are scraped.

Facts: NVIDIA/dcgm-exporter 4.8. The exporter spells a metric as the CSV does, so the CSV pins the names that all
rules use (`emit/counters`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from gpuplan import conventions
from gpuplan.catalog.metrics import PROFILING_PREFIX
from gpuplan.emit import agents, base, counters, scraping
from gpuplan.emit.agents import DCGM_EXPORTER, AgentPod
from gpuplan.manifests.kinds import ClusterRole, ClusterRoleBinding, ConfigMap, Service, ServiceMonitor
from gpuplan.manifests.kinds.monitoring import Endpoint, RelabelConfig
from gpuplan.manifests.kinds.pod import Container, EnvVar, Probe
from gpuplan.manifests.set import Manifest
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.monitoring import Monitoring
from gpuplan.model.pools import Exposure, NodePool
from gpuplan.model.sharing import SharingMode

PORT = 9400
COUNTERS_FILE = "counters.csv"
_COUNTERS_FOLDER = "/etc/gpuplan"
_POD_RESOURCES = "/var/lib/kubelet/pod-resources"
_POOL_OF_POD = "__meta_kubernetes_pod_label_" + base.prometheus_label(conventions.LABEL_POOL)
"""Prometheus' name of the pod label that holds the pool."""


def emit(fleet: Fleet, cluster: Cluster) -> Iterator[Manifest]:
    """Yield the exporters of all pools, with one list of counters, one Service and one ServiceMonitor."""
    pools = agents.managed_pools(cluster)
    if not pools:
        return
    claimed = any(pool.exposure is Exposure.DRA for pool in pools)
    yield agents.service_account(fleet, cluster, replace(DCGM_EXPORTER, uses_api=claimed), base.DCGM)
    if claimed:
        yield base.manifest(fleet, cluster, base.DCGM, _cluster_role(), cluster.path)
        yield base.manifest(fleet, cluster, base.DCGM, _cluster_role_binding(), cluster.path)
    config = agents.config_map(conventions.DCGM_COUNTERS, base.DCGM, {COUNTERS_FILE: counters.csv(fleet, cluster)})
    yield base.manifest(fleet, cluster, base.DCGM, config, fleet.monitoring.path)
    for pool in pools:
        pod = _pod(fleet.monitoring, cluster, pool, config)
        made = agents.daemon_set(cluster, pool, DCGM_EXPORTER, base.DCGM, pod)
        yield base.manifest(fleet, cluster, base.DCGM, made, pool.path, fleet.monitoring.path, cluster.path)
    yield base.manifest(fleet, cluster, base.DCGM, _service(), cluster.path)
    yield base.manifest(fleet, cluster, base.MONITORING, _service_monitor(fleet.monitoring), fleet.monitoring.path)


def _pod(monitoring: Monitoring, cluster: Cluster, pool: NodePool, config: ConfigMap) -> AgentPod:
    """Root, since the kubelet's socket, which tells whose a card is, is for root alone; SYS_ADMIN only where it must be.

    Twice the memory of NVIDIA's chart: with 8 cards the exporter lives close to what that allows, and the kernel ends it at
    each peak (NVIDIA/dcgm-exporter#609, pytorch/ci-infra#1011), which looks like a node that has lost its cards.

    DCGM's profiling module works for SYS_ADMIN only, and so does a look at the instances of a MIG card. On shared cards the
    exporter tells the pods apart by their processes, so it must see those of the node.
    """
    profiling = PROFILING_PREFIX in config["data"][COUNTERS_FILE]
    hidden = pool.sharing.mode is SharingMode.MIG or agents.must_be_privileged_to_see_cards(cluster)
    container: Container = {
        "name": DCGM_EXPORTER.name,
        "image": agents.image(cluster, DCGM_EXPORTER),
        "imagePullPolicy": "IfNotPresent",
        "env": _env(monitoring, pool),
        "livenessProbe": _probe(initial_delay_seconds=45),
        "ports": [{"name": "metrics", "containerPort": PORT, "protocol": "TCP"}],
        "readinessProbe": _probe(initial_delay_seconds=30),
        "resources": {
            "limits": {"memory": "1Gi"},
            "requests": {"cpu": "100m", "memory": "512Mi"},
        },
        "securityContext": agents.SYS_ADMIN if profiling or hidden else {**agents.NO_CAPABILITIES, "runAsUser": 0},
        "terminationMessagePath": agents.TERMINATION_MESSAGE,
        "terminationMessagePolicy": "File",
        "volumeMounts": [
            agents.config_mount("counters", _COUNTERS_FOLDER),
            {"name": "pod-resources", "mountPath": _POD_RESOURCES, "readOnly": True},
        ],
    }
    volumes = (
        agents.config_volume("counters", config),
        agents.host_volume("pod-resources", _POD_RESOURCES),
    )
    return AgentPod(containers=(container,), volumes=volumes, host_pid=pool.sharing.shared)


def _env(monitoring: Monitoring, pool: NodePool) -> list[EnvVar]:
    settings = {
        "DCGM_EXPORTER_COLLECTORS": f"{_COUNTERS_FOLDER}/{COUNTERS_FILE}",
        "DCGM_EXPORTER_INTERVAL": str(monitoring.interval_seconds * 1000),
        "DCGM_EXPORTER_KUBERNETES": "true",
        "DCGM_EXPORTER_LISTEN": f":{PORT}",
        **holder_settings((pool,)),
    }
    return [*agents.env({**settings, **agents.gpu_env(pool)}), agents.env_of_pod("NODE_NAME", "spec.nodeName")]


def holder_settings(pools: Iterable[NodePool]) -> dict[str, str]:
    """Return what the exporter must be told to find the pods that hold the cards of some pools.

    On shared cards that several pods hold one, and under which name if it is renamed. Where pods claim cards, it reads from
    the API server which device of a ResourceSlice is which card.
    """
    served = tuple(pools)
    settings: dict[str, str] = {}
    if any(pool.sharing.shared for pool in served):
        settings["KUBERNETES_VIRTUAL_GPUS"] = "true"
    if any(pool.exposure is Exposure.DRA for pool in served):
        settings["KUBERNETES_ENABLE_DRA"] = "true"
    if any(pool.sharing.renamed for pool in served):
        settings["NVIDIA_RESOURCE_NAMES"] = conventions.RESOURCE_GPU_SHARED
    return settings


def _probe(initial_delay_seconds: int) -> Probe:
    return {
        "httpGet": {"path": "/health", "port": "metrics", "scheme": "HTTP"},
        "initialDelaySeconds": initial_delay_seconds,
        "timeoutSeconds": 5,
        "periodSeconds": 15,
        "successThreshold": 1,
        "failureThreshold": 3,
    }


def _cluster_role() -> ClusterRole:
    """It watches pods, and the slices in which the DRA driver says which device is which card."""
    look = ["get", "list", "watch"]
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": base.metadata(conventions.DCGM_EXPORTER_ROLE, base.DCGM),
        "rules": [
            {"apiGroups": [""], "resources": ["pods"], "verbs": look},
            {"apiGroups": ["resource.k8s.io"], "resources": ["resourceslices"], "verbs": look},
        ],
    }


def _cluster_role_binding() -> ClusterRoleBinding:
    name = conventions.DCGM_EXPORTER_ROLE
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRoleBinding",
        "metadata": base.metadata(name, base.DCGM),
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": name},
        "subjects": [{"kind": "ServiceAccount", "name": DCGM_EXPORTER.name, "namespace": conventions.SYSTEM_NAMESPACE}],
    }


def _service() -> Service:
    """Return the headless Service of all exporters; its name is the `job` of every series."""
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": base.namespaced(
            DCGM_EXPORTER.name,
            conventions.SYSTEM_NAMESPACE,
            base.DCGM,
            labels={conventions.LABEL_APP_NAME: DCGM_EXPORTER.name},
        ),
        "spec": {
            "clusterIP": "None",
            "internalTrafficPolicy": "Cluster",
            "ipFamilyPolicy": "SingleStack",
            "ports": [{"name": "metrics", "port": PORT, "protocol": "TCP", "targetPort": "metrics"}],
            "selector": {conventions.LABEL_APP_NAME: DCGM_EXPORTER.name},
            "sessionAffinity": "None",
            "type": "ClusterIP",
        },
    }


def _service_monitor(monitoring: Monitoring) -> ServiceMonitor:
    """Return how the exporters are scraped. The pool comes from the exporter's pod."""
    pool: RelabelConfig = {"sourceLabels": [_POOL_OF_POD], "targetLabel": "pool", "action": "replace"}
    return {
        "apiVersion": "monitoring.coreos.com/v1",
        "kind": "ServiceMonitor",
        "metadata": base.namespaced(
            DCGM_EXPORTER.name,
            conventions.SYSTEM_NAMESPACE,
            base.MONITORING,
            labels=monitoring.selector_labels,
        ),
        "spec": {
            "endpoints": [scrape(monitoring, "metrics", [pool])],
            "selector": {"matchLabels": {conventions.LABEL_APP_NAME: DCGM_EXPORTER.name}},
        },
    }


def scrape(monitoring: Monitoring, port: str, pool: Iterable[RelabelConfig]) -> Endpoint:
    """Return how DCGM's exporters are scraped at a port of their Service. The label `pool` comes from the given steps."""
    return {"port": port, **scraping.endpoint(monitoring, pool)}
