"""States of the past from Git: the files of some folders as they were at a commit.

Git runs as a program, with a time limit and without prompts. Files are taken out byte by byte, past every filter and
attribute that `git archive` or a checkout would heed: a rendered tree has hashes. No ref or path reaches git as an option.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from gpuplan.diagnostics import Diagnostic, Span
from gpuplan.source import git_findings as findings
from gpuplan.suggest import meant

SECONDS: Final = 120
"""After so long git is stopped: a tree of 20,000 files takes two seconds."""
_ENVIRONMENT: Final = {"GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
_REMOTE_BRANCH: Final = re.compile(r"(?P<remote>[\w.-]+)/(?P<branch>[\w./-]+)")
_LINK: Final = "120000"
_HEAD_WORDS: Final = 3
_PATHS_AT_ONCE: Final = 500
"""Paths of one command: a system limits the length of its line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkout:
    """What was taken out: the commit's whole hash, and for each folder that was asked for where its files are now.

    A folder that the commit does not have does not exist there either.
    """

    commit: str
    folders: tuple[Path, ...]
    changed: tuple[frozenset[str], ...] | None = None
    """The files that are there now, or were there then, and differ: their paths below each folder. None if not asked for."""


class _GitError(Exception):
    """Git refused or failed. Never leaves this module: it becomes a finding."""


class _GitAbsentError(Exception):
    """There is no git. Never leaves this module."""


def checkout(ref: str, paths: Sequence[Path], into: Path, *, changed_only: bool = False) -> Checkout | Diagnostic:
    """Write the files below `paths` as they were at `ref` into the folder `into`, at their places below the repository's root.

    `paths` are folders of one repository, in which the current folder need not be. Links that would lead out of `into` become
    files that hold their target, as on systems without links. With `changed_only` what the work tree still has is left out.
    """
    place = Span(ref, 1, 1, 1, 1)
    start = _existing(paths[0])
    try:
        return _checkout(ref, paths, into, start, changed_only=changed_only)
    except _GitAbsentError:
        return findings.ABSENT.found(f"cannot read {ref}: there is no program git", at=place)
    except _GitError as error:
        return findings.FAILED.found(f"git could not read {ref}: {error}", at=place)


def _checkout(ref: str, paths: Sequence[Path], into: Path, start: Path, *, changed_only: bool) -> Checkout | Diagnostic:
    place = Span(ref, 1, 1, 1, 1)
    try:
        root = Path(os.fsdecode(_git(start, "rev-parse", "--show-toplevel").rstrip(b"\n")))
    except _GitError as error:
        return findings.NO_REPOSITORY.found(f"cannot read {ref} of {paths[0]}: {error}", at=place)
    inner = [_below(path, root) for path in paths]
    for path, found in zip(paths, inner, strict=True):
        if found is None:
            return findings.OUTSIDE.found(f"{path} is not in the repository {root}", at=place)
    commit = _commit(root, ref)
    if isinstance(commit, Diagnostic):
        return commit
    wanted = [path for path in inner if path is not None]
    folders = tuple(into / path for path in wanted)
    if not changed_only:
        _write(root, _entries(root, commit, wanted), into)
        return Checkout(commit=commit, folders=folders)
    changed = _changed(root, commit, wanted)
    _write(root, _entries(root, commit, sorted(changed)), into)
    below = (frozenset(_inner(path, file) for file in changed if _is_in(path, file)) for path in wanted)
    return Checkout(commit=commit, folders=folders, changed=tuple(below))


def _changed(root: Path, commit: str, paths: Sequence[str]) -> frozenset[str]:
    """Return what differs from a commit in the work tree: changed files, those that went, and those that git should know."""
    literal = ("--literal-pathspecs",)
    plain = ("--name-only", "--no-renames", "--no-ext-diff", "--no-textconv", "--ignore-submodules", "--no-relative")
    differing = _git(root, *literal, "diff", *plain, "-z", commit, "--", *paths)
    unknown = _git(root, *literal, "ls-files", "--others", "--exclude-standard", "-z", "--", *paths)
    return frozenset(os.fsdecode(path) for path in (differing + unknown).split(b"\0") if path)


def _is_in(folder: str, file: str) -> bool:
    return folder in (".", file) or file.startswith(f"{folder}/")


def _inner(folder: str, file: str) -> str:
    """Return the path of a file below a folder; empty for the file itself."""
    return file if folder == "." else file[len(folder) + 1 :]


def _existing(path: Path) -> Path:
    """Return the nearest folder above a path that exists."""
    folder = Path(os.path.realpath(path))
    while not folder.is_dir():
        folder = folder.parent
    return folder


def _below(path: Path, root: Path) -> str | None:
    """Return a path below the root of the repository, None for one that is elsewhere."""
    real = Path(os.path.realpath(path))
    return real.relative_to(os.path.realpath(root)).as_posix() if real.is_relative_to(os.path.realpath(root)) else None


def _commit(root: Path, ref: str) -> str | Diagnostic:
    try:
        found = _git(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}")
    except _GitError:
        return _unknown(root, ref)
    return found.decode().strip()


def _unknown(root: Path, ref: str) -> Diagnostic:
    """Say that a ref is not known, and what to do: fetch it into a shallow clone, or the nearest name."""
    place = Span(ref, 1, 1, 1, 1)
    if _git(root, "rev-parse", "--is-shallow-repository").strip() == b"true":
        return findings.UNKNOWN_REF.found(
            f"this shallow clone does not hold {ref}",
            at=place,
            detail="CI systems fetch the newest commit alone unless told otherwise.",
            fix=_fetch(ref),
        )
    names = _git(root, "for-each-ref", "--format=%(refname:short)", "refs/heads", "refs/remotes", "refs/tags")
    known = names.decode(errors="replace").split()
    hint = meant(ref, known, findings.UNKNOWN_REF.fix)
    return findings.UNKNOWN_REF.found(f"the repository knows no commit, branch or tag {ref!r}", at=place, fix=hint)


def _fetch(ref: str) -> str:
    remote = _REMOTE_BRANCH.fullmatch(ref)
    if remote is None:
        return "Fetch its history first: `git fetch --unshallow`, or `fetch-depth: 0` in the checkout step."
    branch = f"{remote['branch']}:refs/remotes/{ref}"
    return (
        f"Fetch it first: `git fetch --depth=1 {remote['remote']} {branch}`, or `fetch-depth: 0` in the checkout step."
    )


def _write(root: Path, wanted: Iterable[tuple[str, str, str]], into: Path) -> None:
    entries = list(wanted)
    for (mode, _, path), content in zip(entries, _contents(root, entries), strict=True):
        target = into / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if mode == _LINK and _stays(target, os.fsdecode(content), into):
            target.symlink_to(os.fsdecode(content))
        else:
            target.write_bytes(content)


def _contents(root: Path, entries: Sequence[tuple[str, str, str]]) -> list[bytes]:
    """Return the content of each entry. Git answers `HASH blob SIZE`, the bytes and a line feed, or `HASH missing`."""
    answer = _git(root, "cat-file", "--batch", said="".join(f"{blob}\n" for _, blob, _ in entries).encode())
    found: list[bytes] = []
    start = 0
    for _, _, path in entries:
        end = answer.index(b"\n", start)
        head = answer[start:end].split()
        if len(head) != _HEAD_WORDS:
            raise _GitError(f"{path} is missing from the repository")
        start = end + 1 + int(head[2])
        found.append(answer[end + 1 : start])
        start += 1
    return found


def _entries(root: Path, commit: str, paths: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """Yield (mode, hash, path) of each file; submodules are none."""
    at_once = (paths[start : start + _PATHS_AT_ONCE] for start in range(0, len(paths), _PATHS_AT_ONCE))
    tree = ("--literal-pathspecs", "ls-tree", "-r", "-z", "--full-tree", commit)
    for line in (line for some in at_once for line in _git(root, *tree, "--", *some).split(b"\0") if line):
        head, _, path = line.partition(b"\t")
        mode, kind, blob = head.decode().split()
        name = os.fsdecode(path)
        if kind == "blob" and ".." not in PurePosixPath(name).parts:
            yield mode, blob, name


def _stays(link: Path, target: str, root: Path) -> bool:
    """Tell whether a link leads to a place inside the folder."""
    return Path(os.path.realpath(link.parent / target)).is_relative_to(os.path.realpath(root))


def _git(folder: Path, *arguments: str, said: bytes = b"") -> bytes:
    """Run git in a folder and return what it writes. Raises _GitError with its last words."""
    try:
        done = subprocess.run(  # noqa: S603 - no shell, and no ref or path can be an option
            ["git", "-C", str(folder), *arguments],  # noqa: S607 - the git that the user's shell would find
            input=said,
            capture_output=True,
            check=False,
            timeout=SECONDS,
            env={**os.environ, **_ENVIRONMENT},
        )
    except FileNotFoundError:
        raise _GitAbsentError from None
    except subprocess.TimeoutExpired:
        raise _GitError(f"it took more than {SECONDS} seconds") from None
    if done.returncode:
        words = done.stderr.decode(errors="replace").strip().splitlines()
        raise _GitError(words[0].removeprefix("fatal: ") if words else f"exit code {done.returncode}")
    return done.stdout
