"""Options that several commands share, spelt once."""

from __future__ import annotations

import contextlib
import datetime
import os
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TextIO, TypeVar

import click

from gpuplan.cli import completing
from gpuplan.report.findings import FORMATS
from gpuplan.report.terminal import wants_colour
from gpuplan.spec.base import DNS_LABEL

_BLANK_LINE = "\r\033[K"
"""Takes a terminal back to the start of its line and clears it."""

F = TypeVar("F", bound=Callable[..., Any])


def dns_name(ctx: click.Context, param: click.Parameter, value: str) -> str:
    """Refuse what is no name of the spec; a callback of options."""
    if not re.fullmatch(DNS_LABEL, value):
        raise click.BadParameter(f"{value!r} is no name: it takes lower-case letters, digits and '-'.", ctx, param)
    return value


def fleet_option(function: F) -> F:
    """Add `--fleet DIR`."""
    return click.option(
        "--fleet",
        "fleet_dir",
        type=click.Path(path_type=Path),
        default=Path("fleet"),
        show_default=True,
        metavar="DIR",
        shell_complete=completing.folders,
        help="The folder of the spec.",
    )(function)


def out_option(function: F) -> F:
    """Add `--out DIR`."""
    return click.option(
        "--out",
        "out_dir",
        type=click.Path(path_type=Path, file_okay=False),
        default=Path("rendered"),
        show_default=True,
        metavar="DIR",
        shell_complete=completing.folders,
        help="The folder of the output.",
    )(function)


def cluster_option(function: F) -> F:
    """Add `--cluster NAME`, which may be repeated."""
    return click.option(
        "--cluster",
        "clusters",
        multiple=True,
        metavar="NAME",
        shell_complete=completing.clusters,
        help="Only this cluster; may be repeated.",
    )(function)


def findings_format_option(function: F) -> F:
    """Add `--output-format` for commands whose result is findings."""
    return click.option(
        "--output-format",
        "output_format",
        type=click.Choice(FORMATS),
        default="full",
        show_default=True,
        help="How findings are written.",
    )(function)


def json_option(function: F) -> F:
    """Add `--output-format text|json` for commands whose result is data."""
    return click.option(
        "--output-format",
        "output_format",
        type=click.Choice(("text", "json")),
        default="text",
        show_default=True,
        help="For people, or for programs.",
    )(function)


def today() -> datetime.date:
    """Return the day for which dates are judged: GPUPLAN_TODAY if set, so that a run can be repeated, else today in UTC."""
    said = os.environ.get("GPUPLAN_TODAY")
    if not said:
        return datetime.datetime.now(tz=datetime.UTC).date()
    try:
        return datetime.date.fromisoformat(said)
    except ValueError:
        raise click.UsageError(f"GPUPLAN_TODAY is {said!r}, which is no date such as 2026-11-30.") from None


def colour(stream: TextIO) -> bool:
    """Tell whether a stream gets colour (NO_COLOR, FORCE_COLOR, or a terminal)."""
    return wants_colour(os.environ, is_terminal=stream.isatty())


def say(text: str, *, nl: bool = True) -> None:
    """Write the result to stdout, with the colours that are in it: whoever made it has asked `colour`."""
    click.echo(text, nl=nl, color=True)


def log(text: str) -> None:
    """Write a line about what is done to stderr."""
    click.echo(text, err=True)


@contextlib.contextmanager
def progress() -> Iterator[Callable[[str, int, int], None]]:
    """Give a function that keeps one line on a terminal up to date, and take the line away at the end.

    It says nothing in a pipe, nor for a fleet of one cluster.
    """
    shown = False

    def show(name: str, number: int, total: int) -> None:
        nonlocal shown
        if total > 1 and sys.stderr.isatty():
            shown = True
            sys.stderr.write(f"{_BLANK_LINE}compiling {name} ({number} of {total})")
            sys.stderr.flush()

    try:
        yield show
    finally:
        if shown:
            sys.stderr.write(_BLANK_LINE)
            sys.stderr.flush()
