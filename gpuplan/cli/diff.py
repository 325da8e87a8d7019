"""`gpuplan diff`."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import click

from gpuplan.cli.options import colour, out_option, say
from gpuplan.cli.writing import form_of, write_all
from gpuplan.compare.trees import TreeDiff, diff_trees
from gpuplan.diagnostics import Diagnostic
from gpuplan.report.diff import ENDINGS, FORMS, terminal

WORK_TREE = "work tree"
DIFFERENT = 1


@click.command("diff")
@click.argument("trees", nargs=-1, type=click.Path(path_type=Path), metavar="[OLD NEW | TREE]")
@click.option("--base", metavar="REF", help="The state before: a commit, branch or tag.  [default: HEAD]")
@out_option
@click.option(
    "--output-format",
    type=click.Choice(("full", *FORMS)),
    default="full",
    show_default=True,
    help="How the differences are written.",
)
@click.option(
    "-o",
    "files",
    multiple=True,
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help=f"Write them to a file too ({', '.join(ENDINGS)}); may be repeated.",
)
@click.option("--exit-code", "tells", is_flag=True, help="Exit 1 where anything differs.")
def command(
    trees: tuple[Path, ...],
    base: str | None,
    out_dir: Path,
    output_format: str,
    files: tuple[Path, ...],
    *,
    tells: bool,
) -> None:
    """Show what differs between two folders of manifests, path by path and by meaning.

    \b
    gpuplan diff                     rendered/ at HEAD against the work tree
    gpuplan diff --base main         rendered/ at main against the work tree
    gpuplan diff --base main TREE    another folder of the repository
    gpuplan diff OLD NEW             two folders or files

    Quantities are equal by value, lists with keys are paired by them, and a default is what its absence is. `gpuplan plan`
    says what a change does.

    Exit codes: 0 fine, 2 wrong usage; with --exit-code 1 stands for differences.
    """
    forms = {file: form_of(file, ENDINGS) for file in files}
    _refuse_nonsense(trees, base)
    try:
        names, found = _of_two(*trees) if len(trees) == 2 else _of_git(base or "HEAD", trees[0] if trees else out_dir)
    except OSError as error:
        raise click.UsageError(f"cannot read {error.filename}: {error.strerror}") from None
    write_all({file: FORMS[form](found, names) for file, form in forms.items()})
    if output_format == "full":
        say(terminal(found, names, colour=colour(sys.stdout)), nl=False)
    else:
        say(FORMS[output_format](found, names), nl=False)
    raise SystemExit(DIFFERENT if tells and not found.is_empty else 0)


def _refuse_nonsense(trees: tuple[Path, ...], base: str | None) -> None:
    """Raise UsageError for arguments that do not go together."""
    if len(trees) > 2:
        raise click.UsageError("Name two trees at most: OLD and NEW.")
    if len(trees) == 2 and base is not None:
        raise click.UsageError("--base is the state before, and so is the first of two trees: name one.")
    if base == "":  # a variable that nobody set
        raise click.UsageError("--base is empty: name a commit, branch or tag, or leave it out.")
    for tree in trees:
        if not tree.exists() and (len(trees) == 2 or base is None):
            raise click.UsageError(f"There is no folder or file {tree}. A state in git is named by --base.")


def _of_two(old: Path, new: Path) -> tuple[tuple[str, str], TreeDiff]:
    return (str(old), str(new)), diff_trees(old, new)


def _of_git(ref: str, tree: Path) -> tuple[tuple[str, str], TreeDiff]:
    """Compare a tree with what a commit holds. Raises UsageError where git cannot tell."""
    from gpuplan.source.git import checkout  # noqa: PLC0415 - start-up: two folders need no git

    with tempfile.TemporaryDirectory(prefix="gpuplan-diff-") as taken:
        found = checkout(ref, (tree,), Path(taken), changed_only=True)
        if isinstance(found, Diagnostic):
            raise click.UsageError(f"{found.summary}. {found.fix}")
        if not tree.exists() and not found.folders[0].exists():  # two states without a misspelt folder are the same
            raise click.UsageError(f"There is no folder or file {tree}, neither here nor at {ref}.")
        changed = found.changed[0] if found.changed else None
        return (f"{tree} at {ref}", WORK_TREE), diff_trees(found.folders[0], tree, changed)
