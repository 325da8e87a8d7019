"""`gpuplan explain`."""

from __future__ import annotations

import sys

import click

from gpuplan.cli import completing
from gpuplan.cli.options import colour, say
from gpuplan.report import console
from gpuplan.report import explain as report
from gpuplan.spec.reference import explain
from gpuplan.suggest import meant


@click.command("explain")
@click.argument("path", default="", shell_complete=completing.keys)
def command(path: str) -> None:
    """Explain a key of the spec, such as nodePools.*.sharing.mig.

    Any name or number may stand for the `*`: nodePools.h100-a.sharing and suppress.0.rule say the same.
    """
    segments = tuple("*" if part.isdecimal() else part for part in path.split(".") if part)
    key = explain(segments)
    if key is None:
        raise click.UsageError(_unknown(segments))
    say(console.drawn(report.explained(key), colour=colour(sys.stdout)), nl=False)


def _unknown(path: tuple[str, ...]) -> str:
    """Say how far a path that the spec does not have is known, and what comes next there."""
    depth = next(depth for depth in range(len(path)) if explain(path[: depth + 1]) is None)
    known = explain(path[:depth])
    place = ".".join(path[:depth]) or "The spec"
    if known is None or not known.children:
        return f"{place} has no keys below it."
    if known.children == ("*",):
        return f"{place} is a list; {place}.* is an entry of it."
    hint = meant(path[depth], known.children, f"It has {', '.join(known.children)}.")
    return f"{place} has no key {path[depth]!r}. {hint}"
