"""Writing the tree: lock, finish what a killed run left, plan, stage, swap, clean up."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from gpuplan.diagnostics import Diagnostics
from gpuplan.output import findings
from gpuplan.output.files import KeptFile, OutputFile
from gpuplan.output.index import INDEX_FILE, sha256
from gpuplan.output.journal import BusyError, Journal, Site, journal_of
from gpuplan.output.plan import WritePlan, plan_write
from gpuplan.output.scan import Stamp, stamp
from gpuplan.output.stage import accounted_for, build, remove, rescue
from gpuplan.output.swap import Guarantee, put_in_place, sync_file_system, sync_folder

PATIENCE_SECONDS = 30.0
"""How long a render waits for another one of the same folder."""

TICK_NANOSECONDS = 50_000_000
"""Longer than a tick of the clock by which file systems date files; on Linux 10 ms at most."""
COARSE_NANOSECONDS = 2_000_000_000
"""The step of the coarsest file systems, which know no parts of seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteReport:
    """What a write did. `guarantee` is None when nothing had to change; `unchanged` counts files."""

    written: tuple[str, ...]
    removed: tuple[str, ...]
    unchanged: int
    guarantee: Guarantee | None
    index: str
    """SHA-256 of the tree's index."""
    stamps: Mapping[str, Stamp] = field(repr=False)
    """Of every file of ours in the tree, but for those so new that an edit might leave no trace in their time."""


def write_tree(
    root: Path,
    files: Iterable[OutputFile | KeptFile],
    *,
    version: str,
    allow_empty: bool = False,
    prefer: Guarantee = Guarantee.EXCHANGE,
    patience: float = PATIENCE_SECONDS,
) -> tuple[WriteReport | None, Diagnostics]:
    """Make the tree at `root` hold these files and their index; entries of others stay as they are.

    All of it happens or nothing: a kill at any moment leaves the old tree or the new one (see `Guarantee`), and so does
    every refusal, which comes back as a finding. The next call finishes what a killed one left. `version` is gpuplan's
    own; `patience` is how many seconds to wait for another writer. There is no report where nothing was written for a
    reason. Raises NotKeptError with the tree as it was.
    """
    site = Site(Path(os.path.realpath(root)))
    try:
        if Path.cwd().is_relative_to(site.root):
            return None, (findings.runs_inside(root),)
        site.root.parent.mkdir(parents=True, exist_ok=True)
        with journal_of(site, patience) as journal:
            recover(site, journal)
            plan, problems = plan_write(root, files, version=version, allow_empty=allow_empty)
            return (None, problems) if plan is None else _commit(plan, site, journal, prefer)
    except BusyError:
        return None, (findings.BUSY.found(f"another gpuplan is writing {root}", at=findings.at_file(root)),)
    except OSError as error:
        return None, (findings.refused(error, root),)


def recover(site: Site, journal: Journal) -> None:
    """Bring the site of a killed run to the old tree or the new one, with nothing beside it. Raises OSError."""
    if not (site.stage.exists() or site.old.exists() or site.trash.exists()):
        return
    journal.finished = False
    remove(site.trash)
    staged = journal.staged()
    if site.old.exists() and not site.root.exists():  # killed between two renames
        complete = staged is not None and _inode(site.stage) == staged
        (site.stage if complete else site.old).rename(site.root)
    exchanged = staged is not None and _inode(site.root) == staged
    for leftover, holds_old_tree in ((site.stage, exchanged), (site.old, True)):
        if leftover.exists() and holds_old_tree:
            rescue(leftover, site.root, accounted_for(leftover, site.root))
            leftover.rename(site.trash)
            remove(site.trash)
        remove(leftover)
    journal.clear()
    journal.finished = True


def _commit(plan: WritePlan, site: Site, journal: Journal, prefer: Guarantee) -> tuple[WriteReport, Diagnostics]:
    """Stage the next tree, put it in place, remove the old one. Raises OSError with the old tree in place."""
    if plan.changes_nothing:
        return _report(plan, None, {}), ()
    journal.finished = False
    try:
        site.stage.mkdir()
        journal.record(site.stage.stat().st_ino)
        stamps = build(plan, site.stage)
        sync_file_system(site.stage)
        guarantee = put_in_place(site.stage, site.root, site.old, prefer)
    except BaseException:  # also Ctrl-C: whatever ends the write, no half tree stays beside the old one
        with contextlib.suppress(OSError):
            recover(site, journal)
        raise
    return _report(plan, guarantee, stamps), _clean_up(plan, site, journal)


def _clean_up(plan: WritePlan, site: Site, journal: Journal) -> Diagnostics:
    """Remove the old tree; the new one is in place whatever happens here."""
    try:
        sync_folder(site.root.parent)
        for leftover in (site.stage, site.old):
            if leftover.exists():
                rescue(leftover, site.root, plan.seen)
                leftover.rename(site.trash)
                remove(site.trash)
    except OSError as error:
        where = error.filename or site.root
        return (findings.LEFTOVER.found(f"cannot remove the old tree: {error}", at=findings.at_file(where)),)
    journal.finished = True
    return ()


def _report(plan: WritePlan, guarantee: Guarantee | None, new: Mapping[str, Stamp]) -> WriteReport:
    """Say what was done, at the moment when the tree is in place."""
    now = time.time_ns()
    stamps = {**{path: stamp(plan.seen[path]) for path in plan.unchanged}, **new}
    return WriteReport(
        written=plan.written,
        removed=plan.removed,
        unchanged=len(plan.unchanged),
        guarantee=guarantee,
        index=sha256(plan.content[INDEX_FILE]),
        stamps={path: one for path, one in stamps.items() if one[1] < now - _doubtful(one[1])},
    )


def _doubtful(modified: int) -> int:
    """Return for how many nanoseconds two changes of a file can have the same time: a tick of the clock, or whole seconds."""
    return COARSE_NANOSECONDS if modified % 1_000_000_000 == 0 else TICK_NANOSECONDS


def _inode(folder: Path) -> int | None:
    return folder.stat().st_ino if folder.exists() else None
