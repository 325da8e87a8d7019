"""`gpuplan label-nodes`."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from gpuplan.cli.options import cluster_option, colour, fleet_option, json_option, log, say, today
from gpuplan.cli.outcome import report_findings, selected
from gpuplan.cli.server import NOT_REACHED
from gpuplan.conventions import NODE_LABELLER
from gpuplan.suggest import meant

if TYPE_CHECKING:
    from gpuplan.cluster.kube import Kube
    from gpuplan.labelling.evictions import Eviction
    from gpuplan.labelling.membership import Asked
    from gpuplan.labelling.plan import LabelPlan
    from gpuplan.model.fleet import Cluster

_FILE = click.Path(path_type=Path, exists=True, dir_okay=False)
_LISTED = 8
"""Names in a message."""
_NODES, _PODS = "/api/v1/nodes", "/api/v1/pods"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Options:
    """The options as they were read."""

    fleet_dir: Path
    clusters: tuple[str, ...]
    pools: tuple[str, ...]
    names: str
    remove: bool
    kubeconfig: Path | None
    context: str
    force: bool
    yes: bool
    output_format: str


@click.command("label-nodes")
@fleet_option
@cluster_option
@click.option("--pool", "pools", multiple=True, metavar="NAME", help="Only nodes of this pool; may be repeated.")
@click.option("--nodes", "names", default="", metavar="A,B", help="Give these nodes to the pool of --pool, for good.")
@click.option("--remove", is_flag=True, help="Take the nodes of --nodes out of their pool.")
@click.option("--kubeconfig", type=_FILE, metavar="FILE", help="How the cluster is reached; as kubectl by default.")
@click.option("--context", default="", metavar="NAME", help="Context of the kubeconfig.")
@click.option("--force", is_flag=True, help="Take over labels to which others have given another value.")
@click.option("--yes", is_flag=True, help="Do it; without this it only says what would be done.")
@json_option
def command(**options: Any) -> None:
    """Put the labels and taints of the spec on live nodes, where neither NFD nor a provisioner does.

    \b
    gpuplan label-nodes                              what would be done
    gpuplan label-nodes --yes                        do it
    gpuplan label-nodes --nodes gpu-7,gpu-8 --pool lab --yes
    gpuplan label-nodes --nodes gpu-7 --remove --yes

    A node is of a pool by the spec (selectedBy: nfd.nodeNames or labels), or because somebody named it here. Only what gpuplan
    has put on a node is changed or taken away; labels and taints of others stay.

    Exit codes: 0 every node is as it should be, 1 something is to be done or could not be, 2 wrong usage, 3 the server could
    not be reached.
    """
    from gpuplan.cluster.kube import Fault, connect  # noqa: PLC0415 - start-up: --help needs no HTTP
    from gpuplan.labelling.plan import label_plan  # noqa: PLC0415

    said = _Options(**options)
    cluster = _cluster(said)
    kube = connect(NODE_LABELLER, said.kubeconfig, said.context)
    if isinstance(kube, Fault):
        raise click.UsageError(kube.summary)
    nodes = kube.list(_NODES)
    if isinstance(nodes, Fault):
        _give_up(nodes)
    asked = _asked(said, cluster, [node["metadata"]["name"] for node in nodes])
    only = () if asked.nodes else said.pools
    _carry_out(said, kube, cluster, asked, label_plan(nodes, cluster, asked, only))


def _carry_out(said: _Options, kube: Kube, cluster: Cluster, asked: Asked, plan: LabelPlan) -> NoReturn:
    """Try the plan or do it, say what came of it, and end."""
    from gpuplan.labelling.acting import Labeller  # noqa: PLC0415 - see above
    from gpuplan.labelling.change import change_of  # noqa: PLC0415
    from gpuplan.labelling.membership import place_of  # noqa: PLC0415
    from gpuplan.report import console, labelling  # noqa: PLC0415
    from gpuplan.report.machine import json_text  # noqa: PLC0415

    found, unseen = _evictions(kube, plan)
    labeller = Labeller(kube=kube, force=said.force)
    if said.yes:
        for one in found:
            log(f"gpuplan: evicts {one.namespace}/{one.pod} from {one.node}")
        tried = {
            one.node: labeller.settle(one.node, lambda node: change_of(node, cluster, place_of(node, cluster, asked)))
            for one in plan.changes
        }
    else:
        tried = {one.node: labeller.trial(one) for one in plan.changes}
    faults: Mapping[str, str] = {node: fault for node, fault in tried.items() if fault}
    made = labelling.Labelled(
        cluster=cluster.name, plan=plan, evictions=found, unseen=unseen, faults=faults, done=said.yes
    )
    if said.output_format == "json":
        say(json_text(labelling.data(made)), nl=False)
    else:
        say(console.drawn(labelling.overview(made), colour=colour(sys.stdout)), nl=False)
    raise SystemExit(1 if made.wrong or (plan.changes and not said.yes) else 0)


def _evictions(kube: Kube, plan: LabelPlan) -> tuple[tuple[Eviction, ...], str]:
    """Return the pods that the plan evicts, and why they could not be seen, where that is so."""
    from gpuplan.cluster.kube import Fault  # noqa: PLC0415 - see above
    from gpuplan.labelling.evictions import evictions, needs_pods  # noqa: PLC0415

    if not needs_pods(plan.changes):
        return (), ""
    pods = kube.list(_PODS)
    return ((), pods.summary) if isinstance(pods, Fault) else (tuple(evictions(plan.changes, pods)), "")


def _cluster(said: _Options) -> Cluster:
    """Return the one cluster that is meant, by its own name or by its pools'. A fleet with errors ends the command."""
    from gpuplan import pipeline  # noqa: PLC0415 - see above

    checked = pipeline.check(said.fleet_dir, today())
    if checked.fleet is None or not checked.ok:
        report_findings(checked.findings, "full", stream=sys.stderr)
        raise SystemExit(1)
    chosen = selected(checked.fleet, said.clusters)
    if said.pools and not said.clusters:
        homes = {pool.name: cluster for cluster in chosen for pool in cluster.pools}
        _refuse_unknown("pool", said.pools, list(homes), "The fleet")
        chosen = tuple({homes[name].name: homes[name] for name in said.pools}.values())
    if len(chosen) != 1:
        names = ", ".join(one.name for one in checked.fleet.clusters)
        raise click.UsageError(f"One run looks at one cluster; name it with --cluster ({names}).")
    _refuse_unknown("pool", said.pools, [pool.name for pool in chosen[0].pools], f"Cluster {chosen[0].name}")
    return chosen[0]


def _asked(said: _Options, cluster: Cluster, known: Sequence[str]) -> Asked:
    """Return what the options say of nodes by name. Raises UsageError."""
    from gpuplan.labelling.membership import Asked  # noqa: PLC0415 - see above

    names = frozenset(name.strip() for name in said.names.split(",") if name.strip())
    if not names and said.remove:
        raise click.UsageError("--remove is for --nodes: say which nodes leave their pool.")
    if names and bool(said.pools) == said.remove:
        raise click.UsageError("--nodes goes with one --pool, or with --remove.")
    if names and len(said.pools) > 1:
        raise click.UsageError("--nodes goes with one --pool: a node is of one pool.")
    _refuse_unknown("node", sorted(names), known, f"Cluster {cluster.name}")
    return Asked(nodes=names, pool=said.pools[0] if names and said.pools else "")


def _refuse_unknown(what: str, names: Sequence[str], known: Sequence[str], whose: str) -> None:
    for name in names:
        if name not in known:
            listed = ", ".join(known[:_LISTED]) or f"no {what}s"
            raise click.UsageError(f"No {what} is called {name!r}. {meant(name, known, f'{whose} has {listed}.')}")


def _give_up(fault: Any) -> NoReturn:
    log(f"gpuplan: {fault.summary}")
    raise SystemExit(NOT_REACHED if fault.unreachable else 1)
