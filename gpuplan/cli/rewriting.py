"""What `fmt` and `migrate` do with new texts: list them, show how they differ, or write them, all of them or none."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from gpuplan.cli.options import F, log, say
from gpuplan.cli.outcome import report_findings
from gpuplan.cli.writing import write_all
from gpuplan.diagnostics import Diagnostic, Diagnostics, has_errors
from gpuplan.report.terminal import printable
from gpuplan.source.folder import fleet_files, read_file, shown_path


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewrite:
    """A file whose text changes. `path` is None for standard input."""

    file: str
    path: Path | None
    old: str
    new: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """What a command calls its work: "reformatted", "would be reformatted", "in style already"."""

    done: str
    due: str
    fine: str


def rewriting_options(function: F) -> F:
    """Add `--check` and `--diff`."""
    check = click.option(
        "--check", "check_only", is_flag=True, help="Write nothing; exit code 1 if a file would change."
    )
    diff = click.option("--diff", "show_diff", is_flag=True, help="As --check, and show what would change.")
    return check(diff(function))


def texts_below(paths: Sequence[Path]) -> tuple[list[tuple[Path, str]], Diagnostics]:
    """Read the YAML files that are named or lie in folders that are named; a file with errors gives findings, no text."""
    found: list[Diagnostic] = []
    texts: dict[Path, str] = {}
    for path in paths:
        files, noted = fleet_files(path) if path.is_dir() or not path.exists() else ((path,), ())
        found += noted
        for file in files:
            parsed = read_file(file)
            errors = has_errors(parsed.findings)
            found += parsed.findings if errors else ()
            if parsed.documents and not errors:
                texts[file] = parsed.documents[0].text
    return list(texts.items()), tuple(found)


def settle(
    rewrites: Sequence[Rewrite], total: int, words: Words, *, check_only: bool, show_diff: bool, faults: Diagnostics
) -> int:
    """Write the new texts, or say what would be written; return the exit code."""
    dry = check_only or show_diff
    if faults:
        report_findings(faults, "full", stream=sys.stderr)
    if not dry:
        write_all({one.path.resolve(): one.new for one in rewrites if one.path is not None})
    for one in rewrites:
        if show_diff:
            say("".join(_diff(one)), nl=False)
        else:
            say(printable(one.file))
    log(_summary(len(rewrites), total - len(rewrites), words, dry=dry))
    return 1 if has_errors(faults) or (dry and rewrites) else 0


def _diff(one: Rewrite) -> Iterator[str]:
    for line in difflib.unified_diff(_lines(one.old), _lines(one.new), one.file, one.file, lineterm=""):
        yield printable(line) + "\n"


def _lines(text: str) -> list[str]:
    """Return lines by LF alone, so that another line end shows; a last line without one is marked as diffs do."""
    *lines, last = text.split("\n")
    return [*lines, last, "\\ No newline at end of file"] if last else lines


def _summary(changed: int, others: int, words: Words, *, dry: bool) -> str:
    parts = []
    if changed or not others:
        parts.append(f"{changed} {_files(changed)} {words.due if dry else words.done}")
    if others:
        parts.append(f"{others} {_files(others)} {words.fine}")
    return ", ".join(parts) + "."


def _files(count: int) -> str:
    return "file" if count == 1 else "files"


def named(path: Path) -> str:
    """Return a file's name for people."""
    return shown_path(path)
