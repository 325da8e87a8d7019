"""Every finding that writing `rendered/` can give."""

from __future__ import annotations

from typing import Final

from gpuplan.diagnostics import Diagnostic, Severity, Span
from gpuplan.rulebook import RuleDoc

HAND_EDITED: Final = RuleDoc(
    id="output/hand-edited",
    severity=Severity.ERROR,
    summary="A rendered file was changed by hand",
    why="The next render would undo the change without a word, and Argo CD with it.",
    fix="Move the change into fleet/ and restore the file (`git checkout -- FILE`), or delete it and render again.",
    bad="$ sed -i s/64/72/ rendered/clusters/prod-eu/40-queues/clusterqueue-vision-pretrain.yaml",
    good="teams: {vision: {quotas: {pretrain: {train: {guaranteed: 72}}}}}",
)
IN_THE_WAY: Final = RuleDoc(
    id="output/in-the-way",
    severity=Severity.ERROR,
    summary="Something that gpuplan did not make stands where a file has to go",
    why="gpuplan removes and overwrites only what its index lists, so that nobody's work is lost.",
    fix="Move it elsewhere, or give --out another folder.",
    bad="$ ln -s ../old rendered/clusters",
    good="$ rm rendered/clusters",
)
CASE_COLLISION: Final = RuleDoc(
    id="output/case-collision",
    severity=Severity.ERROR,
    summary="Two paths differ only in the case of letters",
    why="On a file system that ignores case, as on most laptops, one of the two would replace the other at checkout.",
    fix="Rename the one that gpuplan did not make.",
    bad="$ mkdir rendered/Clusters",
    good="$ mkdir rendered/notes",
)
INDEX_UNREADABLE: Final = RuleDoc(
    id="output/index-unreadable",
    severity=Severity.ERROR,
    summary="The index of the rendered files cannot be understood",
    why="Without it gpuplan cannot tell its own files from yours, and touches none of them.",
    fix="Restore rendered/.gpuplan.json from Git; after a merge conflict take the whole folder as it was "
    "(`git restore --source=HEAD --staged --worktree rendered`), then render again.",
    bad="<<<<<<< HEAD",
    good="$ git restore --source=HEAD --staged --worktree rendered && gpuplan render",
)
EMPTY: Final = RuleDoc(
    id="output/empty",
    severity=Severity.ERROR,
    summary="The fleet makes no file at all",
    why="An empty folder tells Argo CD to prune everything that it holds.",
    fix="Check that --fleet and --cluster name what you mean; if all is to go, give --allow-empty.",
    bad="$ gpuplan render --fleet docs",
    good="$ gpuplan render --fleet fleet",
)
BUSY: Final = RuleDoc(
    id="output/busy",
    severity=Severity.ERROR,
    summary="Another gpuplan is writing the same folder",
    why="Two renders that take turns file by file would leave a mixture of both.",
    fix="Wait until the other one has ended and try again.",
    bad="$ gpuplan render & gpuplan render",
    good="$ gpuplan render && gpuplan render",
)
CANNOT_WRITE: Final = RuleDoc(
    id="output/cannot-write",
    severity=Severity.ERROR,
    summary="The system refused a step of writing the folder",
    why="The old tree is left as it was. The new one is made beside it and put in its place as a whole, so the folder "
    "above must be writable, on the same file system, and --out itself must not be a mount point.",
    fix="Make room, or give the right to write; where --out is a mount point, name a folder inside it.",
    bad="$ chmod a-w .",
    good="$ chmod u+w .",
)
LEFTOVER: Final = RuleDoc(
    id="output/leftover",
    severity=Severity.WARNING,
    summary="The old tree could not be removed after the new one took its place",
    why="The new tree is complete. The old one still lies beside it and takes room; the next render tries again.",
    fix="Remove what keeps the folder from being deleted, or delete it yourself.",
    bad="$ chmod a-w rendered/notes",
    good="$ chmod u+w rendered/notes",
)

FINDINGS: Final = (HAND_EDITED, IN_THE_WAY, CASE_COLLISION, INDEX_UNREADABLE, EMPTY, BUSY, CANNOT_WRITE, LEFTOVER)


def at_file(path: object) -> Span:
    """Return the place of a finding about a whole file."""
    return Span(str(path), 1, 1, 1, 1)


def refused(error: OSError, path: object) -> Diagnostic:
    """Say which step the system refused, and why."""
    where = error.filename or path
    return CANNOT_WRITE.found(f"cannot write {path}: {error.strerror or error} ({where})", at=at_file(where))


def runs_inside(root: object) -> Diagnostic:
    """Say that the folder cannot be replaced under our own feet."""
    return CANNOT_WRITE.found(
        f"cannot replace {root}: gpuplan runs inside it",
        at=at_file(root),
        detail="The tree is replaced as a whole, so a shell that stands in it would find itself in a removed folder.",
        fix="Run gpuplan from outside the folder that it writes.",
    )
