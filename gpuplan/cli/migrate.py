"""`gpuplan migrate`."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

import click

from gpuplan import pipeline, states
from gpuplan.cli.options import fleet_option, log, today
from gpuplan.cli.outcome import errors_of, report_findings
from gpuplan.cli.rewriting import Rewrite, Words, named, rewriting_options, settle, texts_below
from gpuplan.diagnostics import Diagnostic, ordered
from gpuplan.format.migrate import migrated
from gpuplan.format.migrations import Step, finished_moves, renamed_rules
from gpuplan.model.digest import Digester
from gpuplan.model.fleet import Fleet
from gpuplan.pipeline.changed import NO_PART_OF_OUTPUT
from gpuplan.source.document import Mapping as YamlMapping
from gpuplan.source.folder import read_fleet

WORDS = Words(done="migrated", due="would be migrated", fine="up to date")
NO_MEANING = NO_PART_OF_OUTPUT | {"moved"}
"""Fields of a fleet that a migration may change: `moved` is for plans alone, and holds what the base no longer needs."""


@click.command("migrate")
@fleet_option
@click.option(
    "--base",
    metavar="REF|DIR",
    help="The state that plans compare with: `moved` loses the renames that are in it already. Without it, they stay.",
)
@rewriting_options
def command(fleet_dir: Path, base: str | None, *, check_only: bool, show_diff: bool) -> None:
    """Rewrite old spellings of the spec into the newest, in place, comments kept.

    Files are written only if the whole fleet is proved to mean the same.

    Exit code 0 if all is up to date now, 1 with --check or --diff if a file would change, or if the fleet has errors.
    """
    steps = (*renamed_rules(), *_moves(base, fleet_dir))
    texts, unreadable = texts_below((fleet_dir,))
    before = pipeline.check(fleet_dir, today())
    if unreadable or before.fleet is None:
        report_findings(errors_of(ordered((*unreadable, *before.findings))), "full", stream=sys.stderr)
        log("Nothing was migrated: what a fleet with such errors means is not known.")
        raise SystemExit(1)
    found: list[Diagnostic] = []
    rewrites, told = [], []
    for path, text in texts:
        made = migrated(named(path), text, steps)
        found += made.findings
        if made.text is not None and made.text != text:
            rewrites.append(Rewrite(file=named(path), path=path, old=text, new=made.text))
            told += [f"{named(path)} {change}." for change in made.changes]
    _prove(before.fleet, fleet_dir, {**dict(texts), **{one.path: one.new for one in rewrites if one.path}})
    for line in told:
        log(line)
    code = settle(rewrites, len(texts), WORDS, check_only=check_only, show_diff=show_diff, faults=ordered(found))
    raise SystemExit(code)


def _moves(base: str | None, fleet_dir: Path) -> tuple[Step, ...]:
    """Return the step for `moved` where a base is named. Raises UsageError where it cannot be read."""
    if base is None:
        return ()
    if not base:  # a variable that nobody set
        raise click.UsageError("--base is empty: name a git ref, or a folder.")
    with tempfile.TemporaryDirectory(prefix="gpuplan-migrate-") as taken:
        place = states.in_git(base, fleet_dir, Path("rendered"), Path(taken))
        if not isinstance(place, states.Place):
            if not Path(base).is_dir():
                raise click.UsageError(f"--base {base}: name a git ref, or a folder with a spec.")
            place = states.in_folder(base, Path(base), fleet_dir)
        documents, unreadable = read_fleet(place.fleet) if place.fleet else (None, ())
    if documents is None:
        why = f": {unreadable[0].summary}" if unreadable else ", since it has no spec"
        raise click.UsageError(f"--base {base} cannot be compared with{why}.")
    names: set[str] = set()
    for document in documents:
        for section, entry in document.root.entries.items():
            if isinstance(entry.value, YamlMapping):
                names |= {f"{section}.{name}" for name in entry.value.entries}
    return (finished_moves(names),)


def _prove(before: Fleet, fleet_dir: Path, texts: Mapping[Path, str]) -> None:
    """Raise AssertionError, a fault of ours, unless the new texts resolve to the same fleet."""
    with tempfile.TemporaryDirectory(prefix="gpuplan-migrate-") as folder:
        for path, text in texts.items():
            copy = Path(folder) / path.relative_to(fleet_dir)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text(text, encoding="utf-8", newline="")
        after = pipeline.check(Path(folder), today())
    if after.fleet is None or _meaning(after.fleet) != _meaning(before):
        raise AssertionError("the migrated fleet would not mean the same; nothing was written")


def _meaning(fleet: Fleet) -> str:
    return Digester(NO_MEANING).digest((fleet, fleet.catalog.cards))
