"""`gpuplan verify`."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gpuplan.cli.options import cluster_option, colour, fleet_option, log, say, today
from gpuplan.cli.outcome import report_findings, selected
from gpuplan.cli.server import NOT_REACHED, monitoring_options
from gpuplan.report import console, verify
from gpuplan.report.machine import json_text

if TYPE_CHECKING:
    from gpuplan.cluster.access import Access
    from gpuplan.manifests.set import Manifest
    from gpuplan.model.fleet import Cluster, Fleet
    from gpuplan.verify.observed import Asked, Observed
    from gpuplan.verify.verdicts import CheckDoc, Report

_FILE = click.Path(path_type=Path, exists=True, dir_okay=False)


@click.command("verify")
@fleet_option
@cluster_option
@click.option("--kubeconfig", type=_FILE, metavar="FILE", help="How the cluster is reached; as kubectl by default.")
@click.option("--context", default="", metavar="NAME", help="Context of the kubeconfig.")
@click.option(
    "--snapshot", type=_FILE, metavar="FILE", help="Judge what --save-snapshot or `kubectl get … -A -o json` wrote."
)
@click.option(
    "--save-snapshot",
    "saved",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Keep what was seen, to be judged again elsewhere or later.",
)
@monitoring_options
@click.option(
    "--fail-on",
    type=click.Choice(("fail", "unknown")),
    default="fail",
    show_default=True,
    help="From which outcome on to exit 1.",
)
@click.option(
    "--output-format", type=click.Choice(verify.FORMATS), default="table", show_default=True, help="For whom to write."
)
def command(**options: Any) -> None:
    """Check whether a live cluster is what its spec says: the acceptance checklist.

    It only reads: lists (never of Secrets), dry runs that keep nothing, and questions to Prometheus and Alertmanager where they
    are named. What cannot be seen is unknown, and said; it is no pass.

    Exit codes: 0 no check fails, 1 one does, 2 wrong usage, 3 the server could not be reached.
    """
    said = _Options(**options)
    _refuse(said)
    wanted = _wanted(said.fleet_dir, said.clusters)
    observed = _read(said, wanted) if said.snapshot else _look(said, wanted)
    if said.saved:
        _save(said.saved, observed)
    report = _judged(wanted, observed)
    _write(report, said.output_format)
    raise SystemExit(_code(report, said.fail_on))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Options:
    """The options as they were read."""

    fleet_dir: Path
    clusters: tuple[str, ...]
    kubeconfig: Path | None
    context: str
    snapshot: Path | None
    saved: Path | None
    prometheus: Access | None
    alertmanager: Access | None
    fail_on: str
    output_format: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wanted:
    """The cluster as the spec wants it."""

    fleet: Fleet
    cluster: Cluster
    manifests: tuple[Manifest, ...]


def _refuse(said: _Options) -> None:
    """Raise UsageError for words that do not go together."""
    if said.snapshot and (said.kubeconfig or said.context):
        raise click.UsageError("--snapshot is instead of a live cluster: leave out --kubeconfig and --context.")
    if said.snapshot and said.saved:
        raise click.UsageError("--save-snapshot is for a live cluster; with --snapshot there is a file already.")
    if said.saved and not said.saved.absolute().parent.is_dir():
        raise click.UsageError(f"--save-snapshot: there is no folder {said.saved.absolute().parent}.")


def _wanted(fleet_dir: Path, clusters: tuple[str, ...]) -> _Wanted:
    """Return the one cluster that is named, or the only one, with what is rendered for it."""
    from gpuplan import pipeline  # noqa: PLC0415 - start-up: --help needs no compiler
    from gpuplan.pipeline.one import render_cluster  # noqa: PLC0415

    checked = pipeline.check(fleet_dir, today())
    if checked.fleet is None or not checked.ok:
        report_findings(checked.findings, "full", stream=sys.stderr)
        raise SystemExit(2)
    chosen = selected(checked.fleet, clusters)
    if len(chosen) != 1:
        names = ", ".join(one.name for one in checked.fleet.clusters)
        raise click.UsageError(f"One run looks at one cluster; name it with --cluster ({names}).")
    manifests, _ = render_cluster(checked.fleet, chosen[0])
    return _Wanted(fleet=checked.fleet, cluster=chosen[0], manifests=manifests)


def _look(said: _Options, wanted: _Wanted) -> Observed:
    """Return what is seen of the live cluster, or end with the exit code for a server that gave no answer."""
    from gpuplan.cluster.kube import Fault, connect  # noqa: PLC0415 - see above
    from gpuplan.verify.collect import collect  # noqa: PLC0415
    from gpuplan.verify.probes import probes  # noqa: PLC0415

    kube = connect("gpuplan-verify", said.kubeconfig, said.context)
    if isinstance(kube, Fault):
        raise click.UsageError(kube.summary)
    prometheus, alertmanager = _asked(said, wanted)
    seen = collect(kube, probes(wanted.fleet, wanted.cluster), prometheus=prometheus, alertmanager=alertmanager)
    if isinstance(seen, Fault):
        log(f"gpuplan: {seen.summary}")
        raise SystemExit(NOT_REACHED)
    return seen


def _read(said: _Options, wanted: _Wanted) -> Observed:
    """Return what a file says was seen; servers that are named are asked now."""
    from dataclasses import replace  # noqa: PLC0415 - see above

    from gpuplan.verify import saved  # noqa: PLC0415

    file = said.snapshot
    assert file is not None  # noqa: S101 - whoever calls has looked
    try:
        written = file.read_bytes()
    except OSError as error:
        raise click.UsageError(f"--snapshot: cannot read {file}: {error.strerror}") from None
    seen = saved.read(written)
    if isinstance(seen, str):
        raise click.UsageError(f"--snapshot {file}: {seen}.")
    prometheus, alertmanager = _asked(said, wanted)
    return replace(seen, prometheus=prometheus or seen.prometheus, alertmanager=alertmanager or seen.alertmanager)


def _asked(said: _Options, wanted: _Wanted) -> tuple[Asked | None, Asked | None]:
    """Ask the servers that are named."""
    from gpuplan.cluster.alertmanager import AlertmanagerStatus  # noqa: PLC0415 - see above
    from gpuplan.cluster.prometheus import Prometheus  # noqa: PLC0415
    from gpuplan.verify.monitoring import ask_alertmanager, ask_prometheus, queries  # noqa: PLC0415

    prometheus: Asked | None = None
    alertmanager: Asked | None = None
    if said.prometheus:
        with Prometheus(said.prometheus) as metrics:
            prometheus = ask_prometheus(metrics, queries(wanted.fleet, wanted.cluster, wanted.manifests))
    if said.alertmanager:
        with AlertmanagerStatus(said.alertmanager) as alerts:
            alertmanager = ask_alertmanager(alerts)
    return prometheus, alertmanager


def _save(file: Path, observed: Observed) -> None:
    """Write what was seen for its owner alone: it names much of the cluster."""
    from gpuplan.verify import saved  # noqa: PLC0415 - see above

    try:
        file.touch(mode=0o600)
        file.write_text(saved.text(observed), encoding="utf-8")
    except OSError as error:
        raise click.UsageError(f"--save-snapshot: cannot write {file}: {error.strerror}") from None
    log(f"Wrote {file}. It names nodes, accounts and policies of the cluster: keep it as you keep those.")


def _judged(wanted: _Wanted, observed: Observed) -> Report:
    from gpuplan.verify.judge import judge  # noqa: PLC0415 - see above
    from gpuplan.verify.scene import Scene  # noqa: PLC0415

    return judge(Scene(fleet=wanted.fleet, cluster=wanted.cluster, manifests=wanted.manifests, observed=observed))


def _write(report: Report, output_format: str) -> None:
    docs = _docs()
    if output_format == "json":
        say(json_text(verify.data(report, docs)), nl=False)
    elif output_format == "markdown":
        say(verify.markdown(report, docs), nl=False)
    elif output_format == "junit":
        say(verify.junit(report, docs), nl=False)
    else:
        say(console.drawn(verify.overview(report, docs), colour=colour(sys.stdout)), nl=False)


def _docs() -> dict[str, CheckDoc]:
    from gpuplan.verify.checks import CHECKS  # noqa: PLC0415 - see above

    return {doc.id: doc for doc, _ in CHECKS}


def _code(report: Report, fail_on: str) -> int:
    from gpuplan.verify.verdicts import Outcome  # noqa: PLC0415 - see above

    failing = (Outcome.FAIL, Outcome.UNKNOWN) if fail_on == "unknown" else (Outcome.FAIL,)
    return int(any(report.of(outcome) for outcome in failing))
