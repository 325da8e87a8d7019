"""`--live [CLUSTER=]FILE`: snapshots of clusters, as kubectl prints them."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path

import click

from gpuplan.cli.outcome import refuse_unknown_clusters, report_findings
from gpuplan.model.fleet import Cluster
from gpuplan.plan import State
from gpuplan.plan.live import Live, LiveCluster
from gpuplan.plan.live_reading import live_cluster
from gpuplan.plan.moves import moves


def read(snapshots: Iterable[str], old: State, new: State) -> Live:
    """Read the snapshots: each is of the cluster that stands before the `=`, or of the only one. Raises UsageError."""
    found: dict[str, LiveCluster] = {}
    renamed = moves(old, new)
    for snapshot in snapshots:
        name, file = _named(snapshot, old, new)
        if name in found:
            raise click.UsageError(f"--live {snapshot}: there is a snapshot of {name} already.")
        before = renamed.old_name("clusters", name)
        seen = _snapshot(file, _cluster(before, old, new))
        found |= dict.fromkeys((before, renamed.new_name("clusters", before)), seen)
    return found


def _named(snapshot: str, old: State, new: State) -> tuple[str, Path]:
    """Return the cluster and the file. A file of which the whole is the name needs no cluster where there is one alone."""
    names = sorted({*old.clusters, *new.clusters})
    name, equals, file = snapshot.partition("=")
    if equals and not Path(snapshot).exists():
        refuse_unknown_clusters((name,), names)
        return name, Path(file)
    if len(names) != 1:
        raise click.UsageError(
            f"--live {snapshot}: there are {len(names)} clusters. Say of which: --live CLUSTER=FILE."
        )
    return names[0], Path(snapshot)


def _cluster(name: str, old: State, new: State) -> Cluster:
    """Return the cluster as it is now, else as it will be. Raises UsageError where no side has a spec."""
    found = old.cluster(name) or new.cluster(name)
    if found is None:
        raise click.UsageError("--live needs a spec on one side: a rendered tree does not say what its nodes are.")
    return found


def _snapshot(file: Path, cluster: Cluster) -> LiveCluster:
    try:
        parsed = json.loads(file.read_bytes())
    except OSError as error:
        raise click.UsageError(f"--live: cannot read {file}: {error.strerror}") from None
    except (ValueError, RecursionError):
        raise click.UsageError(f"--live: {file} is no JSON. Write it by `kubectl get … -o json`.") from None
    seen, findings = live_cluster(parsed, cluster, str(file))
    if seen is None:
        report_findings(findings, "full", stream=sys.stderr)
        raise SystemExit(1)
    return seen
