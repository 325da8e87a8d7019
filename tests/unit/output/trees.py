"""Small trees for the tests of the tree writer."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

from gpuplan.diagnostics import Diagnostics
from gpuplan.output import OutputFile, WriteReport, write_tree
from gpuplan.output.index import INDEX_FILE

VERSION = "0.1.0"
Tree = dict[str, bytes]
"""The files below a folder, links read through; an empty folder has its path with `/` and no content."""


def outputs(files: Mapping[str, str]) -> list[OutputFile]:
    return [OutputFile(path, text.encode(), ("fleet/fleet.yaml",)) for path, text in files.items()]


def write(root: Path, files: Mapping[str, str]) -> WriteReport:
    """Write and expect success without any finding."""
    report, problems = write_tree(root, outputs(files), version=VERSION)
    assert problems == ()
    assert report is not None
    return report


def problems_of(root: Path, files: Mapping[str, str]) -> Diagnostics:
    """Write and expect to be refused, with the tree and the folder around it left as they were."""
    before, siblings = read(root), beside(root)
    report, problems = write_tree(root, outputs(files), version=VERSION)
    assert report is None
    assert read(root) == before
    assert beside(root) == siblings
    return problems


def read(root: Path) -> Tree:
    found: Tree = {}
    for folder, folders, files in os.walk(root):
        for name in files:
            path = Path(folder, name)
            found[path.relative_to(root).as_posix()] = path.read_bytes()
        if not folders and not files and folder != str(root):
            found[Path(folder).relative_to(root).as_posix() + "/"] = b""
    return found


def beside(root: Path) -> list[str]:
    """Return the names in the folder that holds the tree."""
    return sorted(path.name for path in root.parent.iterdir())


def ours(root: Path) -> Tree:
    """Read the tree without its index."""
    return {path: content for path, content in read(root).items() if path != INDEX_FILE}


def encoded(*parts: Mapping[str, str]) -> Tree:
    return {path: text.encode() for part in parts for path, text in part.items()}


def place(root: Path, files: Mapping[str, str]) -> None:
    """Put files of somebody else into the tree."""
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)


def in_child(action: Callable[[], None]) -> int:
    """Run in a forked process and return its exit code, negative for a signal; an exception is 70."""
    child = os.fork()
    if child == 0:
        code = 70
        try:
            action()
            code = 0
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
