"""(e) What differs between two renders of a large fleet after a change of one line: `gpuplan diff` beside what it replaces.

`git diff --no-index` names the files and lines, and kubeconform tells whether what changed is still valid; dyff compares by
meaning, if it is at hand (`python -m tests.controlplane.toolchain dyff`), and gets only the files that changed, since it
takes no folders.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from bench import fleet
from bench.growth import IN_MEMORY, ROOT
from bench.measure import Cost, side_by_side
from bench.report import Line
from gpuplan.compare.trees import diff_trees
from tests.controlplane.toolchain import ASKED_FOR, TOOLS, is_built, tool_path

TIMES = 5
CHANGED = "teams/team-007.yaml"
OLD, NEW = '"guaranteed": 8', '"guaranteed": 7'
"""The change: the first floor of a team."""
MOST_OF_OTHERS = 1.0
"""Wall time of ours to that of git and kubeconform together."""


def lines() -> Iterator[Line]:
    """Render twice, then let each tool compare, in turn."""
    with tempfile.TemporaryDirectory(dir=IN_MEMORY if IN_MEMORY.is_dir() else None) as scratch:
        sides = _rendered(Path(scratch))
        found = diff_trees(*sides)
        files = sorted({entry.file for entry in found.objects} | {text.file for text in found.texts})
        total = sum(path.is_file() for path in sides[1].rglob("*"))
        yield Line(f"{fleet.FULL}, one floor changed", f"{len(files):,} of {total:,} files differ")
        commands = _commands(sides, [file for file in files if file.startswith("clusters/")], Path(scratch))
        costs = side_by_side(commands, TIMES, cwd=_committed(sides, files, Path(scratch)))
    for name, one in costs.items():
        yield Line(f"  {name}", f"{one.wall:.2f} s wall  {one.cpu:.2f} s CPU")
    yield from _verdict(costs)


def _verdict(costs: dict[str, Cost]) -> Iterator[Line]:
    valid = costs.get("kubeconform on what changed")
    for ours, theirs, target in (
        ("gpuplan diff", "git diff --no-index", MOST_OF_OTHERS),
        ("gpuplan diff --base HEAD", "git diff HEAD", None),  # most of it is Python's start
    ):
        ratio = costs[ours].wall / (costs[theirs].wall + (valid.wall if valid else 0))
        what, figure = f"{ours} to {theirs} and kubeconform", f"{ratio:.2f} wall"
        yield Line(what, figure, f"at most {target:.0f}", ratio <= target) if target else Line(what, figure)


def _rendered(scratch: Path) -> tuple[Path, Path]:
    """Render the fleet before and after the change."""
    spec = scratch / "fleet"
    fleet.write(fleet.FULL, spec)
    trees = scratch / "old", scratch / "new"
    for tree in trees:
        command = [sys.executable, "-m", "gpuplan", "render", "--fleet", str(spec), "--out", str(tree)]
        subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
        changed = spec / CHANGED
        changed.write_text(changed.read_text(encoding="utf-8").replace(OLD, NEW, 1), encoding="utf-8")
    return trees


def _committed(sides: tuple[Path, Path], files: list[str], scratch: Path) -> Path:
    """Return a repository whose commit holds the old tree as rendered/, and its work tree what changed since."""
    root = scratch / "repository"
    shutil.copytree(sides[0], root / "rendered")
    identity = ("-c", "user.name=bench", "-c", "user.email=bench@example.com")
    for arguments in (("init", "--quiet"), ("add", "."), (*identity, "commit", "--quiet", "--message=old")):
        subprocess.run(["git", *arguments], cwd=root, capture_output=True, check=True)
    for file in files:
        shutil.copyfile(sides[1] / file, root / "rendered" / file)
    return root


def _commands(sides: tuple[Path, Path], files: list[str], scratch: Path) -> dict[str, list[str | Path]]:
    """Return each tool's command line. git and kubeconform end with a code that is no failure here, hence the shell."""
    made: dict[str, list[str | Path]] = {"gpuplan diff": [sys.executable, "-m", "gpuplan", "diff", *sides]}
    git = 'git diff --no-index "$@" > /dev/null; test $? -le 1'
    made["git diff --no-index"] = ["sh", "-c", git, "sh", *sides]
    made["gpuplan diff --base HEAD"] = [sys.executable, "-m", "gpuplan", "diff", "--base", "HEAD"]
    made["git diff HEAD"] = ["git", "--no-pager", "diff", "HEAD"]
    built = {tool.name for tool in (*TOOLS, *ASKED_FOR) if is_built(tool)}
    if "kubeconform" in built:
        schema = "{{.ResourceKind}}-{{.Group}}-{{.ResourceAPIVersion}}.json"
        location = f"{ROOT}/schemas/kubernetes/{schema}"
        objects = [sides[1] / file for file in files if (sides[1] / file).is_file()]
        made["kubeconform on what changed"] = [
            *(tool_path("kubeconform"), "-strict", "-ignore-missing-schemas", "-schema-location", location),
            *objects,
        ]
    if "dyff" in built:
        joined = [_joined(side, files, scratch / f"{side.name}.yaml") for side in sides]
        made["dyff on what changed"] = [tool_path("dyff"), "between", "--omit-header", "--detect-kubernetes", *joined]
    return made


def _joined(side: Path, files: list[str], target: Path) -> Path:
    """Write the files that changed as documents of one file."""
    with target.open("wb") as out:
        for file in files:
            if (side / file).is_file():
                out.write(b"---\n")
                with (side / file).open("rb") as source:
                    shutil.copyfileobj(source, out)
    return target
