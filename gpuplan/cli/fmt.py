"""`gpuplan fmt`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from gpuplan.cli.options import fleet_option, say
from gpuplan.cli.outcome import report_findings
from gpuplan.cli.rewriting import Rewrite, Words, named, rewriting_options, settle, texts_below
from gpuplan.diagnostics import Diagnostic, ordered
from gpuplan.format.style import in_style

STDIN = Path("-")
WORDS = Words(done="reformatted", due="would be reformatted", fine="in style already")


@click.command("fmt")
@click.argument("paths", nargs=-1, metavar="[PATH...]", type=click.Path(exists=True, allow_dash=True, path_type=Path))
@fleet_option
@rewriting_options
def command(paths: tuple[Path, ...], fleet_dir: Path, *, check_only: bool, show_diff: bool) -> None:
    """Lay the files of the spec out in one style, comments kept.

    PATH is a file or a folder, by default the folder of the spec; `-` reads standard input and writes standard output.
    A file is written only if its new text is proved to say the same.

    Exit code 0 if all is in style now, 1 with --check or --diff if a file would change, or if a file has errors.
    """
    if STDIN in paths:
        if len(paths) > 1:
            raise click.UsageError("`-` stands alone: standard input is the only text then.")
        raise SystemExit(_standard_input(check_only=check_only, show_diff=show_diff))
    texts, unreadable = texts_below(paths or (fleet_dir,))
    found: list[Diagnostic] = [*unreadable]
    rewrites = []
    for path, text in texts:
        styled = in_style(named(path), text)
        found += styled.findings
        if styled.text is not None and styled.text != text:
            rewrites.append(Rewrite(file=named(path), path=path, old=text, new=styled.text))
    code = settle(rewrites, len(texts), WORDS, check_only=check_only, show_diff=show_diff, faults=ordered(found))
    raise SystemExit(code)


def _standard_input(*, check_only: bool, show_diff: bool) -> int:
    try:
        text = sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError:
        raise click.UsageError("standard input is not UTF-8 text.") from None
    styled = in_style("<stdin>", text)
    if styled.text is None:
        report_findings(styled.findings, "full", stream=sys.stderr)
        return 1
    if not (check_only or show_diff):
        say(styled.text, nl=False)
        return 0
    rewrites = [Rewrite(file="<stdin>", path=None, old=text, new=styled.text)] if styled.text != text else []
    return settle(rewrites, 1, WORDS, check_only=check_only, show_diff=show_diff, faults=())
