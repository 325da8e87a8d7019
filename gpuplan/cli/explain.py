"""`gpuplan explain`."""

from __future__ import annotations

import sys

import click

from gpuplan.cli.options import colour
from gpuplan.report import console
from gpuplan.report import explain as report
from gpuplan.spec.reference import Key, explain
from gpuplan.suggest import nearest


@click.command("explain")
@click.argument("path", default="")
def command(path: str) -> None:
    """Explain a key of the spec, such as nodePools.*.sharing.mig.

    Any name may stand for the `*`: nodePools.h100-a.sharing says the same.
    """
    segments = tuple(part for part in path.split(".") if part)
    key = explain(segments)
    if key is None:
        _unknown(segments)
    else:
        click.echo(console.drawn(report.explained(key), colour=colour(sys.stdout)), nl=False)


def _unknown(segments: tuple[str, ...]) -> None:
    """Say how far the path is known and what comes next there."""
    known: Key | None = None
    depth = 0
    for depth in range(len(segments)):
        here = explain(segments[:depth])
        if here is None or explain(segments[: depth + 1]) is None:
            known = here
            break
    if known is None:
        raise SystemExit(1)
    guess = nearest(segments[depth], list(known.children))
    place = ".".join(known.path) or "The spec"
    click.echo(f"{place} has no key {segments[depth]!r}." + (f" Did you mean {guess!r}?" if guess else ""), err=True)
    click.echo("It has: " + ", ".join(known.children or ("no keys",)), err=True)
    raise SystemExit(1)
