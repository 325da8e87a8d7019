"""`gpuplan lint`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click

from gpuplan.cli.assuming import assume_option, facts
from gpuplan.cli.options import log, say
from gpuplan.cli.outcome import report_findings
from gpuplan.diagnostics import Diagnostics, Severity
from gpuplan.inventory.items import Format
from gpuplan.inventory.reading.read import Read
from gpuplan.inventory.reading.texts import PassedOver
from gpuplan.lint import Linted, lint
from gpuplan.report.findings import FORMATS
from gpuplan.report.lint import as_json
from gpuplan.suggest import meant
from gpuplan.words import counted

FAIL_ON = {"error": Severity.ERROR, "warn": Severity.WARNING, "info": Severity.INFO}


class PathOrStdin(click.ParamType[Path]):
    """A file, a folder, or `-`. An empty word, such as an unset variable leaves, is none: it would mean the whole folder."""

    name = "path"

    def convert(self, value: str | Path, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """Read a path."""
        if not str(value).strip():
            self.fail("a path is empty.", param, ctx)
        return Path(value)


def _known(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...]:
    """Refuse to leave out what no rule is called."""
    from gpuplan.report.book import BOOK  # noqa: PLC0415 - only where a rule is left out

    areas = {f"{rule.partition('/')[0]}/" for rule in BOOK}
    for one in value:
        if one not in BOOK and one not in areas:
            raise click.BadParameter(
                f"no rule is called {one!r}. {meant(one, (*BOOK, *areas), '')}".rstrip(), ctx, param
            )
    return value


@click.command("lint")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...", type=PathOrStdin())
@click.option(
    "--as",
    "as_format",
    type=click.Choice([one.value for one in Format]),
    help="Format of the files, where their content does not tell it.",
)
@assume_option
@click.option(
    "--fail-on",
    type=click.Choice(list(FAIL_ON)),
    default="error",
    show_default=True,
    help="The mildest finding that makes the exit code 1.",
)
@click.option(
    "--ignore",
    "ignored",
    multiple=True,
    metavar="RULE",
    callback=_known,
    help="Leave out a rule, or an area as `mon/`; may be repeated.",
)
@click.option(
    "--output-format",
    type=click.Choice(FORMATS),
    default="full",
    show_default=True,
    help="How findings are written.",
)
def command(
    paths: tuple[Path, ...],
    as_format: str | None,
    assumptions: tuple[str, ...],
    fail_on: str,
    ignored: tuple[str, ...],
    output_format: str,
) -> None:
    """Find what is wrong in manifests and configurations as they are, without a spec.

    PATHs are files and folders, `-` is stdin: Kubernetes objects, Kueue's configuration, device plugin configurations, MIG
    tables, DCGM counters, and the values of charts. Exit code 0 if nothing as bad as --fail-on was found, 1 otherwise.
    """
    made = lint(paths, facts(assumptions), Format(as_format) if as_format else None)
    found = tuple(finding for finding in made.findings if not _is_ignored(finding.rule, ignored))
    if output_format == "json":
        say(as_json(found), nl=False)
    else:
        report_findings(found, output_format)
    log(_summary(made))
    raise SystemExit(1 if _fails(found, FAIL_ON[fail_on]) else 0)


def _is_ignored(rule: str, ignored: tuple[str, ...]) -> bool:
    return any(rule == one or (one.endswith("/") and rule.startswith(one)) for one in ignored)


def _fails(found: Diagnostics, mildest: Severity) -> bool:
    return any(finding.severity.rank <= mildest.rank for finding in found)


_HINTS: tuple[tuple[Callable[[Read], bool], str], ...] = (
    (
        lambda read: not read.objects and not read.configs and not read.findings,
        "Nothing there is of a kind that gpuplan knows; `--as FORMAT` says what a configuration is.",
    ),
    (
        lambda read: PassedOver.TEMPLATE in read.passed_over,
        "Templates say nothing before they are filled in: `helm template … | gpuplan lint -`.",
    ),
)
"""What to do about what was not looked at, by when it is worth saying."""


def _summary(made: Linted) -> str:
    """Say what was looked at, and what was not, so that nobody takes silence about a file for praise."""
    read = made.read
    looked = f"{counted(len(read.objects), 'object')} and {counted(len(read.configs), 'configuration')}"
    left = [_counted(number, reason.value) for reason, number in read.passed_over.items()]
    hints = [hint for holds, hint in _HINTS if holds(read)]
    passed_over = f" Passed over: {', '.join(left)}." if left else ""
    return "\n".join([f"Looked at {looked}.{passed_over}", *hints])


def _counted(number: int, phrase: str) -> str:
    """Return a number with a phrase whose first word is its noun."""
    noun, space, rest = phrase.partition(" ")
    return counted(number, noun) + space + rest
