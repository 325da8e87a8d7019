"""A GPU Operator whose custom resources lack a field that the spec asks for.

The API server drops a field that a CRD does not have, without a word: the operator would run, and do something else than the
spec says. The catalogue knows since which release line each field is accepted. A field for want of which only a metric is
coarser is a warning.

Source: the CRDs of NVIDIA/gpu-operator and the pull requests that changed them (catalogue, operator.yaml).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from gpuplan.catalog import operator
from gpuplan.diagnostics import Diagnostic, KeyPath, Severity
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.pools import NodePool
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import point

DOC = RuleDoc(
    id="operator/field-too-new",
    severity=Severity.ERROR,
    summary="A field that the cluster's GPU Operator does not know yet",
    why="The API server drops a field that the operator's CRD lacks: the operator does something else than the spec says.",
    fix="Take a newer GPU Operator, or leave out what asks for the field.",
    bad="clusters:\n  eu: {components: {gpuOperator: {version: v24.9.2}}}\n"
    "nodePools:\n  a: {driver: {branch: '580', kernelModules: open}}",
    good="clusters:\n  eu: {components: {gpuOperator: {version: v25.3.4}}}\n"
    "nodePools:\n  a: {driver: {branch: '580', kernelModules: open}}",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """A field, when a pool asks for it, by which keys of the pool, in which words, and how bad it is to go without."""

    field: str
    asks: Callable[[NodePool], bool]
    keys: KeyPath
    words: str
    severity: Severity


WISHES = (
    Wish(
        field=operator.DRIVER_KERNEL_MODULES,
        asks=lambda pool: pool.driver.kernel_modules != "auto" and not pool.driver.preinstalled,
        keys=("driver", "kernelModules"),
        words="chooses its kernel modules",
        severity=Severity.ERROR,
    ),
    Wish(
        field=operator.EXPORTER_HOST_PID,
        asks=lambda pool: pool.sharing.shared,
        keys=("sharing",),
        words="shares its cards, and only with the node's processes in sight can the exporter tell whose use is whose",
        severity=Severity.WARNING,
    ),
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each pool that asks for a field which its operator lacks."""
    for cluster in fleet.clusters:
        for pool in cluster.operator_pools:
            for wish in WISHES:
                if wish.asks(pool) and not fleet.catalog.operator.accepts(cluster.gpu_operator.version, wish.field):
                    yield _finding(fleet, cluster, pool, wish)


def _finding(fleet: Fleet, cluster: Cluster, pool: NodePool, wish: Wish) -> Diagnostic:
    since = fleet.catalog.operator.fields[wish.field].since
    return DOC.found(
        f"GPU Operator {cluster.gpu_operator.version} of cluster `{cluster.name}` has no `{wish.field}`, which came with "
        f"{since}: pool `{pool.name}` {wish.words}",
        at=point(fleet, (*pool.path, *wish.keys)),
        fix=f"Take a GPU Operator of line {since} or newer, or leave this out.",
        severity=wish.severity,
    )
