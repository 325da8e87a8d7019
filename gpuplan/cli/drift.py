"""`gpuplan drift`."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gpuplan.cli.options import cluster_option, colour, log, out_option, say
from gpuplan.cli.outcome import refuse_unknown_clusters, report_findings
from gpuplan.cli.server import NOT_REACHED
from gpuplan.conventions import application_name
from gpuplan.manifests.set import HUB_AREA
from gpuplan.report import console, drift

if TYPE_CHECKING:
    from gpuplan.drift.judge import Rendered
    from gpuplan.drift.tree import Tree

_FILE = click.Path(path_type=Path, exists=True, dir_okay=False)
_NEVER_WRAPPED = 1_000_000
"""Columns: a path that is cut in two can be neither searched for nor copied."""


@click.command("drift")
@out_option
@cluster_option
@click.option(
    "--argocd", is_flag=True, help="Look at the objects of Argo CD's cluster instead (projects, Applications)."
)
@click.option("--kubeconfig", type=_FILE, metavar="FILE", help="How the cluster is reached; as kubectl by default.")
@click.option("--context", default="", metavar="NAME", help="Context of the kubeconfig.")
@click.option(
    "--output-format", type=click.Choice(drift.FORMATS), default="text", show_default=True, help="For whom to write."
)
def command(
    out_dir: Path,
    clusters: tuple[str, ...],
    *,
    argocd: bool,
    kubeconfig: Path | None,
    context: str,
    output_format: str,
) -> None:
    """Say what in a live cluster is not as rendered, path by path, and who changed it.

    The server tries to apply each object and keeps nothing. It needs the rights to list and to patch; without the latter it
    compares what it reads, and says that the view is partial. Nothing is written.

    Exit codes: 0 no drift, 1 drift, 2 wrong usage, 3 the server could not be reached.
    """
    whole = _tree(out_dir)
    cluster = None if argocd else _cluster(clusters, whole.clusters)
    looked = _look(out_dir, whole, cluster, kubeconfig, context)
    _write(looked, output_format)
    raise SystemExit(1 if looked.report.findings else 0)


def _look(out_dir: Path, whole: Tree, cluster: str | None, kubeconfig: Path | None, context: str) -> drift.Looked:
    """Look at the objects of a cluster, or of Argo CD's. Ends the command where the server cannot be reached."""
    from gpuplan.cluster import drifting  # noqa: PLC0415 - start-up: --help needs no HTTP
    from gpuplan.cluster.kube import Fault, connect  # noqa: PLC0415
    from gpuplan.drift import rights, tree  # noqa: PLC0415
    from gpuplan.drift.foreign import ours  # noqa: PLC0415
    from gpuplan.drift.judge import judge  # noqa: PLC0415
    from gpuplan.source.objects import read_object  # noqa: PLC0415

    rendered = _objects(whole, cluster)
    kube = connect(drifting.MANAGER, kubeconfig, context)
    if isinstance(kube, Fault):
        raise click.UsageError(kube.summary)
    objects = [one.object for one in rendered]
    sight = drifting.look(kube, objects, rights.QUOTAS if cluster else (), rights.COMPARED)
    if isinstance(sight, Fault):
        log(f"gpuplan: {sight.summary}")
        raise SystemExit(NOT_REACHED)
    mine = ours(objects, application_name(cluster) if cluster else "")
    report = judge(rendered, mine, sight, tree.unlisted(out_dir, read_object, whole, cluster))
    what = f"cluster {cluster}" if cluster else HUB_AREA
    return drift.Looked(report=report, what=what, tree=str(out_dir), server=kube.server)


def _tree(out_dir: Path) -> Tree:
    """Return the rendered tree. One that cannot be read is wrong usage; files that somebody edited are said."""
    from gpuplan.diagnostics import Diagnostic  # noqa: PLC0415 - see above
    from gpuplan.drift.tree import read  # noqa: PLC0415
    from gpuplan.source.objects import read_object  # noqa: PLC0415

    whole = read(out_dir, read_object)
    if isinstance(whole, Diagnostic):
        report_findings((whole,), "full", stream=sys.stderr)
        raise SystemExit(2)
    if not whole.objects:
        raise click.UsageError(
            f"{out_dir} is no rendered tree: it has no index that lists objects. See `gpuplan render`."
        )
    if whole.lost:
        names = ", ".join(whole.lost[:3])
        raise click.UsageError(f"{out_dir} is not whole: {names} cannot be read. Run `gpuplan render`.")
    for file in whole.edited:
        log(f"gpuplan: {out_dir / file} is not as it was rendered; it is compared as it is.")
    return whole


def _objects(whole: Tree, cluster: str | None) -> list[Rendered]:
    from gpuplan.drift.judge import Rendered  # noqa: PLC0415 - see above

    found = [Rendered(file, one.object) for file, one in whole.objects.items() if one.cluster == cluster]
    if not found:
        raise click.UsageError("The tree has no objects for Argo CD's cluster.")
    return found


def _cluster(named: Sequence[str], known: Sequence[str]) -> str:
    """Return the one cluster that is meant. Raises UsageError."""
    refuse_unknown_clusters(named, known)
    chosen = tuple(dict.fromkeys(named)) or tuple(known)
    if len(chosen) != 1:
        raise click.UsageError(f"One run looks at one cluster; name it with --cluster ({', '.join(known)}).")
    return chosen[0]


def _write(looked: drift.Looked, output_format: str) -> None:
    if output_format == "json":
        say(json.dumps(drift.data(looked), indent=2))
    elif output_format == "markdown":
        say(drift.markdown(looked), nl=False)
    else:
        say(console.drawn(drift.overview(looked), colour=colour(sys.stdout), width=_NEVER_WRAPPED), nl=False)
