"""The reclaimer of a cluster: one small program that looks for idle work, and just the rights that it needs.

It runs once, since two would give every notice twice, and is replaced by ending the old one first. It has no rights on the
cluster, only a Role in each namespace of a team: read what holds cards, and where it acts, write to what it may stop and tell
by Events.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from gpuplan import conventions
from gpuplan.emit import agents, base, scraping
from gpuplan.manifests.kinds import ConfigMap, Deployment, Role, RoleBinding, Service, ServiceAccount, ServiceMonitor
from gpuplan.manifests.kinds.pod import Container, EnvVar, Probe
from gpuplan.manifests.kinds.rbac import PolicyRule
from gpuplan.manifests.set import Manifest, TextFile
from gpuplan.manifests.write import yaml_text
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.reclaim import ReclaimMode
from gpuplan.model.reclaim_kinds import Kind, kinds
from gpuplan.model.reclaim_policy import policy, text

NAME = conventions.RECLAIMER
PORT = 8080
POLICY_FILE = "policy.json"
LABELS = {conventions.LABEL_APP_NAME: NAME}
_FOLDER = "/etc/gpuplan"
_NOBODY = 65532
"""User and group that own nothing; the number that images without a root user have by custom."""
_SETTINGS = {"PYTHONDONTWRITEBYTECODE": "1"}


def watched(fleet: Fleet, cluster: Cluster) -> bool:
    """Tell whether a cluster has a reclaimer: the spec asks for one, and some team has a queue there."""
    return fleet.governance.reclaim.mode is not ReclaimMode.OFF and bool(cluster.cohorts_with_queues)


def emit(fleet: Fleet, cluster: Cluster) -> Iterator[Manifest]:
    """Yield the reclaimer, its policy, its rights, and how its metrics are scraped."""
    if not watched(fleet, cluster):
        return
    path = fleet.governance.reclaim.path
    config = agents.config_map(f"{NAME}-policy", base.RECLAIM, {POLICY_FILE: text(policy(fleet, cluster))})
    for made in (_service_account(), config, _deployment(fleet, config), _service(), _service_monitor(fleet)):
        yield base.manifest(fleet, cluster, base.RECLAIM, made, path, cluster.path)
    for team in cluster.teams:
        for namespace in team.namespaces:
            yield base.manifest(fleet, cluster, base.RECLAIM, _role(namespace, cluster, fleet), path, team.path)
            yield base.manifest(fleet, cluster, base.RECLAIM, _role_binding(namespace), path, team.path)


def _service_account() -> ServiceAccount:
    return {
        "apiVersion": "v1",
        "kind": "ServiceAccount",
        "metadata": base.namespaced(NAME, conventions.SYSTEM_NAMESPACE, base.RECLAIM),
        "automountServiceAccountToken": True,
    }


def _role(namespace: str, cluster: Cluster, fleet: Fleet) -> Role:
    """Return the rights in one namespace; they follow from the kinds that are read and stopped there."""
    acts = fleet.governance.reclaim.mode is ReclaimMode.SUSPEND
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "Role",
        "metadata": base.namespaced(NAME, namespace, base.RECLAIM),
        "rules": _rules(kinds(cluster.frameworks), acts=acts),
    }


def _rules(some: Sequence[Kind], *, acts: bool) -> list[PolicyRule]:
    """Return a rule for each group and set of verbs, and the one for Events. Who only looks may write nothing."""
    together: defaultdict[tuple[str, tuple[str, ...]], list[str]] = defaultdict(list)
    for kind in some:
        together[kind.group, ("list", "patch") if kind.stop and acts else ("list",)].append(kind.resource)
    if acts:
        together["", ("create",)].append("events")
    return [
        {"apiGroups": [group], "resources": sorted(resources), "verbs": list(verbs)}
        for (group, verbs), resources in sorted(together.items())
    ]


def _role_binding(namespace: str) -> RoleBinding:
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "RoleBinding",
        "metadata": base.namespaced(NAME, namespace, base.RECLAIM),
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": NAME},
        "subjects": [{"kind": "ServiceAccount", "name": NAME, "namespace": conventions.SYSTEM_NAMESPACE}],
    }


def _deployment(fleet: Fleet, config: ConfigMap) -> Deployment:
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": base.namespaced(NAME, conventions.SYSTEM_NAMESPACE, base.RECLAIM, labels=LABELS),
        "spec": {
            "progressDeadlineSeconds": 600,
            "replicas": 1,
            "revisionHistoryLimit": 10,
            "selector": {"matchLabels": LABELS},
            "strategy": {"type": "Recreate"},
            "template": {
                "metadata": {"labels": LABELS},
                "spec": {
                    "containers": [_container(fleet)],
                    "dnsPolicy": "ClusterFirst",
                    "restartPolicy": "Always",
                    "schedulerName": "default-scheduler",
                    "securityContext": {
                        "runAsGroup": _NOBODY,
                        "runAsNonRoot": True,
                        "runAsUser": _NOBODY,
                        "seccompProfile": {"type": "RuntimeDefault"},
                    },
                    "serviceAccount": NAME,
                    "serviceAccountName": NAME,
                    "terminationGracePeriodSeconds": 30,
                    "volumes": [agents.config_volume("policy", config)],
                },
            },
        },
    }


def _container(fleet: Fleet) -> Container:
    return {
        "name": NAME,
        "image": fleet.governance.reclaim.image,
        "imagePullPolicy": "IfNotPresent",
        "command": ["gpuplan"],
        "args": arguments(fleet),
        "env": _environment(fleet),
        "livenessProbe": _probe(failure_threshold=3),
        "ports": [{"name": "metrics", "containerPort": PORT, "protocol": "TCP"}],
        "resources": {"limits": {"memory": "512Mi"}, "requests": {"cpu": "50m", "memory": "128Mi"}},
        "securityContext": {**agents.NO_CAPABILITIES, "readOnlyRootFilesystem": True},
        "startupProbe": _probe(failure_threshold=30),
        "terminationMessagePath": agents.TERMINATION_MESSAGE,
        "terminationMessagePolicy": "FallbackToLogsOnError",
        "volumeMounts": [agents.config_mount("policy", _FOLDER)],
    }


def arguments(fleet: Fleet) -> list[str]:
    """Return what the program is started with. It acts only where the spec says `suspend`."""
    said = fleet.governance.reclaim
    made = ["reclaim", f"--policy={_FOLDER}/{POLICY_FILE}", f"--every={said.every_minutes}m", f"--listen=:{PORT}"]
    return [*made, "--act" if said.mode is ReclaimMode.SUSPEND else "--dry-run"]


def _environment(fleet: Fleet) -> list[EnvVar]:
    said = fleet.monitoring.prometheus
    tenant = {"GPUPLAN_PROMETHEUS_TENANT": said.tenant} if said.tenant else {}
    return agents.env({"GPUPLAN_PROMETHEUS": said.url, **tenant, **_SETTINGS})


def _probe(failure_threshold: int) -> Probe:
    return {
        "httpGet": {"path": "/metrics", "port": "metrics", "scheme": "HTTP"},
        "timeoutSeconds": 5,
        "periodSeconds": 10,
        "successThreshold": 1,
        "failureThreshold": failure_threshold,
    }


def _service() -> Service:
    """Return the headless Service by which it is found for scraping."""
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": base.namespaced(NAME, conventions.SYSTEM_NAMESPACE, base.RECLAIM, labels=LABELS),
        "spec": {
            "clusterIP": "None",
            "internalTrafficPolicy": "Cluster",
            "ipFamilyPolicy": "SingleStack",
            "ports": [{"name": "metrics", "port": PORT, "protocol": "TCP", "targetPort": "metrics"}],
            "selector": LABELS,
            "sessionAffinity": "None",
            "type": "ClusterIP",
        },
    }


def _service_monitor(fleet: Fleet) -> ServiceMonitor:
    """Its series bear the namespace of the work, not its own."""
    return {
        "apiVersion": "monitoring.coreos.com/v1",
        "kind": "ServiceMonitor",
        "metadata": base.namespaced(
            NAME,
            conventions.SYSTEM_NAMESPACE,
            base.RECLAIM,
            labels=fleet.monitoring.selector_labels,
        ),
        "spec": {
            "endpoints": [
                {
                    "port": "metrics",
                    "path": "/metrics",
                    "scheme": "http",
                    **scraping.timing(fleet.monitoring),
                    "honorLabels": True,
                    "relabelings": [scraping.TARGETS_OWN],
                }
            ],
            "selector": {"matchLabels": LABELS},
        },
    }


def texts(fleet: Fleet, cluster: Cluster) -> Iterator[TextFile]:
    """Yield what Argo CD must be told so that it does not start again what was suspended."""
    if watched(fleet, cluster):
        yield TextFile(
            path=f"provisioner/{cluster.name}/reclaim/ignore-differences.yaml",
            text=yaml_text(ignored_differences(cluster)),
            origin=base.origin(fleet, fleet.governance.reclaim.path),
        )


def ignored_differences(cluster: Cluster) -> dict[str, object]:
    """Return two ways of saying it, of which one is enough: for all Applications in argocd-cm, or in each team's.

    Either works by who wrote a field, so that Argo CD still sees every other difference; and without
    `RespectIgnoreDifferences` it would hide the difference and undo it all the same.
    """
    stopped = [kind for kind in kinds(cluster.frameworks) if kind.stop]
    managers = [NAME]
    return {
        "argocd-cm": {
            "data": {"resource.customizations.ignoreDifferences.all": yaml_text({"managedFieldsManagers": managers})}
        },
        "application": {
            "spec": {
                "ignoreDifferences": [
                    {"group": kind.group, "kind": kind.kind, "managedFieldsManagers": managers}
                    for kind in stopped
                    if kind.kind != "Workload"
                ],
                "syncPolicy": {"syncOptions": ["RespectIgnoreDifferences=true"]},
            }
        },
    }
