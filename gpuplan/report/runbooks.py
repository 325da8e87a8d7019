"""Runbooks: what a person does where Git alone does not do it, with commands to copy. They lie beside the manifests.

`texts` are an argument of the pipeline, which knows no words for people.
"""

from __future__ import annotations

import functools
import shlex
from collections.abc import Iterator

from gpuplan import conventions
from gpuplan.catalog.cards import Vendor
from gpuplan.emit import amd, base
from gpuplan.emit.monitoring.alerts import RuleGroups
from gpuplan.emit.texts import Texts
from gpuplan.manifests.set import TextFile
from gpuplan.model import steps
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.lifecycle import STATE_LABEL, CardCut, MigChange, mig_changes, stable_labels
from gpuplan.model.pools import Exposure, NodePool
from gpuplan.model.sharing import SharingMode
from gpuplan.report import alert_runbooks, bootstrap
from gpuplan.report.expectations import expects
from gpuplan.report.kubectl import DEBUG_IMAGE, allocatable_path, awaited, label_path, selector
from gpuplan.report.partitions import partition_text

NODE = '"$NODE"'
"""The node at hand, in the reader's shell."""
THIS_NODE = f"--field-selector spec.nodeName={NODE}"
OPERATOR_AGENTS = (
    "gpu-feature-discovery",
    "nvidia-dcgm-exporter",
    "nvidia-device-plugin-daemonset",
    "nvidia-operator-validator",
)
"""Value of the label `app` of those of the operator's agents that a node offers no card without."""

Commands = tuple[str, ...]


def of_pools(fleet: Fleet) -> Iterator[TextFile]:
    """Yield the runbooks of every cluster's pools."""
    for cluster in fleet.clusters:
        for pool, change in mig_changes(cluster):
            if pool.card.vendor is Vendor.NVIDIA:
                text = _mig(pool, change)
                yield _file(fleet, cluster, f"mig-{pool.name}", text, pool)
        for pool in amd.operator_pools(cluster):
            if pool.sharing.mode is SharingMode.PARTITION:
                yield _file(fleet, cluster, f"partition-{pool.name}", partition_text(cluster, pool), pool)
        external = cluster.pools_on("external")
        if external:
            yield _file(fleet, cluster, "expects", expects(fleet, cluster), *external)


def _of_fleet(fleet: Fleet, rules: RuleGroups) -> Iterator[TextFile]:
    yield from alert_runbooks.texts(fleet, rules)
    yield from bootstrap.texts(fleet)


texts = Texts(of_clusters=of_pools, of_fleet=_of_fleet)
"""The runbooks of every cluster's pools, one for each alert of the fleet's rules, and how Argo CD gets the fleet."""


def _file(fleet: Fleet, cluster: Cluster, name: str, text: str, *pools: NodePool) -> TextFile:
    first, *rest = (base.origin(fleet, path) for path in (*(pool.path for pool in pools), cluster.path))
    path = f"runbooks/{cluster.name}/{name}.md"
    return TextFile(path=path, text=text, origin=first, also=tuple(rest), commented=False)


def _mig(pool: NodePool, change: MigChange) -> str:
    from gpuplan.report.templating import filled  # noqa: PLC0415 - jinja2 costs fleets that have no use for it

    return filled(
        "mig.md.j2",
        change=change,
        card=pool.card.name,
        cards_per_node=pool.cards_per_node,
        setters=steps.Setter,
        once=[(step, type(step).__name__, commands(step, change, pool)) for step in change.once],
        each=[(step, type(step).__name__, commands(step, change, pool)) for step in change.each],
        held=any(isinstance(step, steps.Hold) for step in change.once),
        claimed=pool.exposure is Exposure.DRA,
        manager=_manager(change),
        next_node=next_node(change, pool),
        state_label=STATE_LABEL,
        by_hand=[line for cut in change.cuts for line in by_hand(cut)],
        cuts=change.cuts,
    )


def _manager(change: MigChange) -> str:
    """Return the selector of the MIG manager's pods that serve the pool."""
    if change.stack == "operator":
        return selector((("app", conventions.MIG_MANAGER),))
    return selector(((conventions.LABEL_APP_NAME, conventions.MIG_MANAGER), (conventions.LABEL_POOL, change.pool)))


def next_node(change: MigChange, pool: NodePool) -> Commands:
    """Return how the reader's shell gets the next node that is still to be done."""
    chosen = selector(stable_labels(pool))
    first = "-o jsonpath='{.items[0].metadata.name}'"
    for step in change.once:
        if isinstance(step, steps.Hold):
            held = selector((*stable_labels(pool), (step.label, "false")))
            return (f'NODE="$(kubectl get nodes -l {held} {first})"', f"echo {NODE}")
    return (f"kubectl get nodes -l {chosen} --sort-by=.metadata.creationTimestamp", "read -r NODE")


def by_hand(cut: CardCut) -> Commands:
    """Return what cuts some cards of a node without the MIG manager, in an order and at places that work."""
    cards = ",".join(map(str, cut.indexes))
    if not cut.instances:
        return (f"nvidia-smi -i {cards} -mig 0",)
    wanted = ",".join(f"{profile}:{start}" for profile, start in cut.instances)
    return (
        f"nvidia-smi -i {cards} -mig 1",
        f"nvidia-smi mig -i {cards} -dci",
        f"nvidia-smi mig -i {cards} -dgi",
        f"nvidia-smi mig -i {cards} -cgi {wanted} -C",
    )


@functools.singledispatch
def commands(_step: object, _change: MigChange, _pool: NodePool) -> Commands:
    """Return what to type for a step; nothing where it is no matter of commands."""
    return ()


@commands.register
def _find(step: steps.Find, _change: MigChange, _pool: NodePool) -> Commands:
    columns = "nvidia.com/mig.config,nvidia.com/mig.config.state,nvidia.com/gpu.deploy.mig-manager"
    return ("kubectl config current-context", f"kubectl get nodes -l {selector(step.selector)} -L {columns}")


@commands.register
def _hold(step: steps.Hold, change: MigChange, pool: NodePool) -> Commands:
    chosen = selector(stable_labels(pool))
    return (
        f"kubectl label nodes -l {chosen} {step.label}=false --overwrite",
        f"kubectl cordon -l {chosen}",
        f"kubectl -n {change.namespace} get pods -l {_manager(change)} -o wide",
    )


@commands.register
def _publish(step: steps.Publish, _change: MigChange, pool: NodePool) -> Commands:
    chosen = selector(stable_labels(pool))
    return tuple(awaited(f"nodes -l {chosen}", label_path(key), value, 600) for key, value in step.labels)


@commands.register
def _cordon(_step: steps.Cordon, _change: MigChange, _pool: NodePool) -> Commands:
    return (f"kubectl cordon {NODE}",)


@commands.register
def _drain(step: steps.Drain, _change: MigChange, _pool: NodePool) -> Commands:
    options = f"--ignore-daemonsets --delete-emptydir-data --grace-period=-1 --timeout={step.timeout_seconds}s"
    return (
        f"kubectl get pods --all-namespaces {THIS_NODE} -o wide",
        "kubectl get poddisruptionbudgets --all-namespaces",
        f"kubectl drain {NODE} {options}",
    )


@commands.register
def _prepare_reset(step: steps.PrepareReset, _change: MigChange, _pool: NodePool) -> Commands:
    return (f"kubectl debug node/{NODE} --image={DEBUG_IMAGE} -it -- grep {step.module} /proc/modules",)


@commands.register
def _relabel(step: steps.Relabel, _change: MigChange, _pool: NodePool) -> Commands:
    wanted = " ".join(shlex.quote(f"{key}={value}") for key, value in step.labels)
    return (f"kubectl label node {NODE} {wanted} --overwrite",)


@commands.register
def _release(step: steps.Release, _change: MigChange, _pool: NodePool) -> Commands:
    return (
        f"kubectl label node {NODE} {step.state_label}-",
        f"kubectl label node {NODE} {step.label}=true --overwrite",
    )


@commands.register
def _await_cut(step: steps.AwaitCut, _change: MigChange, _pool: NodePool) -> Commands:
    return (awaited(f"node/{NODE}", label_path(step.state_label), "success", step.limit_seconds),)


@commands.register
def _replace(_step: steps.Replace, _change: MigChange, pool: NodePool) -> Commands:
    newest = "--sort-by=.metadata.creationTimestamp -o jsonpath='{.items[-1:].metadata.name}'"
    return (
        f"kubectl delete node {NODE}",
        f"kubectl get nodes -l {selector(stable_labels(pool))} --sort-by=.metadata.creationTimestamp",
        f'NODE="$(kubectl get nodes -l {selector(stable_labels(pool))} {newest})"',
        f"echo {NODE}",
    )


@commands.register
def _await_agents(step: steps.AwaitAgents, change: MigChange, pool: NodePool) -> Commands:
    pods = selector(((conventions.LABEL_POOL, pool.name),))
    if change.stack == "operator":
        pods = shlex.quote(f"app in ({', '.join(OPERATOR_AGENTS)})")
    wait = f"wait pod -l {pods} {THIS_NODE} --for=condition=Ready --timeout={step.limit_seconds}s"
    return (f"kubectl -n {change.namespace} {wait}",)


@commands.register
def _verify(step: steps.Verify, _change: MigChange, _pool: NodePool) -> Commands:
    if step.claimed:
        return (
            f"kubectl get pods --all-namespaces {THIS_NODE} -o wide | grep dra-driver",
            f"kubectl get resourceslices {THIS_NODE} -o yaml",
        )
    paths = ((allocatable_path(made.resource), made.per_node) for made in step.offers if made.per_node)
    waits = (awaited(f"node/{NODE}", path, amount, step.limit_seconds) for path, amount in paths)
    return (*waits, f"kubectl get node {NODE} -o jsonpath='{{.status.allocatable}}'")


@commands.register
def _uncordon(_step: steps.Uncordon, _change: MigChange, _pool: NodePool) -> Commands:
    return (f"kubectl uncordon {NODE}",)


@commands.register
def _await_work(step: steps.AwaitWork, _change: MigChange, _pool: NodePool) -> Commands:
    ready = f"--for=condition=Ready --timeout={step.limit_seconds}s"
    return tuple(
        f"kubectl -n {namespace} wait pod -l kueue.x-k8s.io/queue-name={task_pool} {ready}"
        for namespace, task_pool in step.serving
    )
