"""A render that keeps what stays as it is leaves the same tree, and says the same, as one that makes everything."""

from __future__ import annotations

import contextlib
import io
import os
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from hypothesis import assume
from hypothesis import strategies as st

from gpuplan import pipeline
from gpuplan.cli import run
from gpuplan.model.fleet import Fleet
from gpuplan.output import KeptFile
from gpuplan.pipeline import memory, tree
from gpuplan.pipeline.parts import Render
from gpuplan.report import runbooks
from tests.build import TODAY
from tests.generated import Spec, plain_text, specs
from tests.generated.mutating import mutated
from tests.unit.test_generated import EXAMPLES, for_every

Files = Mapping[str, str]
"""Files of `fleet/` by name."""


@st.composite
def spread(draw: st.DrawFn, spec: Spec) -> Files:
    """Return the spec over one or two files, its entries dealt out at random."""
    parts: list[Spec] = [{}, {}]
    for section, value in spec.items():
        if section in ("nodePools", "teams", "taskPools", "cardTiers", "clusters"):
            for name, entry in value.items():
                parts[draw(st.integers(0, 1))].setdefault(section, {})[name] = entry
        else:
            parts[0][section] = value
    return {f"{number}.yaml": plain_text(part) for number, part in enumerate(parts) if part}


@contextlib.contextmanager
def working_in(folder: Path) -> Iterator[None]:
    """Stand in a folder, with a cache of its own."""
    before, home = Path.cwd(), os.environ.get("XDG_CACHE_HOME")
    os.chdir(folder)
    os.environ |= {"XDG_CACHE_HOME": str(folder / "cache"), memory.SWITCH: "on", "GPUPLAN_TODAY": TODAY.isoformat()}
    try:
        yield
    finally:
        os.chdir(before)
        del os.environ[memory.SWITCH], os.environ["GPUPLAN_TODAY"], os.environ["XDG_CACHE_HOME"]
        os.environ |= {"XDG_CACHE_HOME": home} if home else {}


def put(files: Files) -> None:
    Path("fleet").mkdir(exist_ok=True)
    for old in Path("fleet").iterdir():
        old.unlink()
    for name, text in files.items():
        Path("fleet", name).write_text(text, encoding="utf-8")


def rendered(*options: str) -> tuple[int, str, dict[str, bytes]]:
    """Render, and return the exit code, what is said of the spec and the tree, and the tree."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(io.StringIO()):
        code = run(["render", *options])
    found = {path.as_posix(): path.read_bytes() for path in Path("rendered").rglob("*") if path.is_file()}
    return code, said.getvalue(), found


def disturbed(how: str, path: str) -> None:
    """Do to a file of the tree, or to the memory of it, what people and accidents do."""
    file = Path(path)
    if how == "memory":
        for one in Path("cache").rglob("*.json"):
            one.write_bytes(one.read_bytes()[:-7])
    elif not file.is_file():
        return
    elif how == "edit":  # of the same size
        text = file.read_bytes()
        file.write_bytes(text[:-2] + bytes([text[-2] ^ 1]) + text[-1:])
    elif how == "delete":
        file.unlink()
    elif how == "touch":
        file.touch()
    elif how == "index":
        Path("rendered/.gpuplan.json").unlink(missing_ok=True)


HOW = ("edit", "delete", "touch", "index", "memory", "nothing", "nothing")
STEPS = st.lists(st.tuples(st.sampled_from(HOW), st.integers(0, 10**6)), min_size=2, max_size=4)


def test_any_series_of_edits_gives_the_tree_and_the_words_of_full_renders() -> None:
    seen: Counter[str] = Counter()

    @for_every(
        specs().flatmap(lambda spec: st.tuples(spread(spec), mutated(spec).flatmap(spread), STEPS)), EXAMPLES // 2
    )
    def judge(drawn: tuple[Files, Files, list[tuple[str, int]]]) -> None:
        first, second, steps = drawn
        with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
            folders = (Path(one), Path(other))
            for number, (how, which) in enumerate(steps):
                outcomes = []
                for folder, options in zip(folders, ((), ("--no-cache",)), strict=True):
                    with working_in(folder):
                        put(second if number % 2 else first)
                        outcomes.append(rendered(*options))
                        seen[f"exit {outcomes[-1][0]}"] += 1
                        files = sorted(outcomes[-1][2])
                        disturbed(how, files[which % len(files)] if files else "")
                assert outcomes[0] == outcomes[1], how

    judge()
    assert seen["exit 0"] > seen.total() / 3, seen


def fleet_in(files: Files) -> Fleet:
    """Resolve the files of `fleet/`; what the rules refuse is no matter of the property."""
    put(files)
    made = pipeline.check(Path("fleet"), TODAY)
    assume(made.ok)
    assert made.fleet is not None
    return made.fleet


def job(fleet: Fleet) -> Render:
    return Render(fleet=fleet, fleet_dir="fleet", root=Path("rendered"), texts=runbooks.texts)


def test_whenever_the_bytes_of_a_part_differ_it_is_not_kept() -> None:
    seen: Counter[str] = Counter()

    @for_every(
        specs().flatmap(lambda spec: st.tuples(spread(spec), st.one_of(spread(spec), mutated(spec).flatmap(spread))))
    )
    def judge(pair: tuple[Files, Files]) -> None:
        with tempfile.TemporaryDirectory() as folder, working_in(Path(folder)):
            old = fleet_in(pair[0])
            before = tree.whole(job(old), None, 1, pipeline.silent).parts
            put(pair[0])
            assume(rendered()[0] == 0)
            new = job(fleet_in(pair[1]))
            file = memory.place(new.root, os.environ)
            assert file is not None
            parts = tree.whole(new, tree.last_render(new, file), 1, pipeline.silent).parts
            fresh = tree.whole(new, None, 1, pipeline.silent).parts
            for name, part in parts.items():
                if any(isinstance(one, KeptFile) for one in part.files):
                    seen["kept"] += 1
                    assert {one.path for one in part.files} == {one.path for one in fresh[name].files}
                    assert set(before[name].files) == set(fresh[name].files), name
                else:
                    seen["made"] += 1

    judge()
    assert min(seen["kept"], seen["made"]) > 5, seen
