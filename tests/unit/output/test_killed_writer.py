"""`kill -9` in the middle of a write: the old tree or the new one, never a mixture, and the next write just works.

Two ways to die. Exhaustive: a child kills itself before its n-th step, for every n, where a step is an event that
Python announces to an audit hook (open, mkdir, link, rename, remove, rmdir, chmod, the look-up of renameat2). Random: a
child that writes without end is killed from outside, so that also moments inside a system call are met.
"""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gpuplan.output import Guarantee, write_tree
from gpuplan.output.journal import Site, journal_of
from tests.unit.output.trees import VERSION, beside, encoded, in_child, ours, outputs, place, write

OLD = {"same.yaml": "s: 1\n", "d/changed.yaml": "c: 1\n", "d/removed.yaml": "r: 1\n", "gone/removed.yaml": "r: 2\n"}
NEW = {"same.yaml": "s: 1\n", "d/changed.yaml": "c: 2\n", "d/added.yaml": "a: 1\n", "new/added.yaml": "a: 2\n"}
FOREIGN = {"README.md": "mine\n", "d/notes.txt": "mine\n", "own/deep/file": "mine\n"}
STEPS = ("open", "os.", "ctypes.dlsym")


@pytest.fixture
def quick_path(tmp_path: Path) -> Iterator[Path]:
    """A folder in memory where there is one: hundreds of writes that each wait for a disk would take minutes."""
    memory = Path("/dev/shm")
    if not os.access(memory, os.W_OK):
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(dir=memory) as folder:
        yield Path(folder)


def on_step(number: int, action: Callable[[], None]) -> None:
    """Run `action` before the step with that number of this process, once. Only for a child: hooks never go away."""
    left = number

    def hook(event: str, _: object) -> None:
        nonlocal left
        if event.startswith(STEPS):
            left -= 1
            if left == 0:
                action()

    sys.addaudithook(hook)


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def write_with(root: Path, guarantee: Guarantee, files: dict[str, str] = NEW) -> None:
    assert write_tree(root, outputs(files), version=VERSION, prefer=guarantee)[1] == ()


def killed_before_each_step(root: Path, guarantee: Guarantee) -> Iterator[int]:
    """Kill a write before its first step, before its second, and so on until one lives to the end."""
    for step in range(1, 10_000):

        def doomed(step: int = step) -> None:
            on_step(step, die)
            write_with(root, guarantee)

        code = in_child(doomed)
        if code == 0:
            return
        assert code == -signal.SIGKILL
        yield step


@pytest.mark.parametrize("guarantee", Guarantee)
def test_a_write_killed_before_any_of_its_steps_leaves_the_old_tree_or_the_new_one(
    quick_path: Path, guarantee: Guarantee
) -> None:
    old, new = encoded(OLD, FOREIGN), encoded(NEW, FOREIGN)
    left: list[str] = []
    root = quick_path / "rendered"
    write(root, OLD)
    place(root, FOREIGN)
    for _ in killed_before_each_step(root, guarantee):
        found = ours(root)
        left.append(
            "old" if found == old else "new" if found == new else "none" if found == {} else f"mixture: {found}"
        )
        write(root, OLD)
        assert ours(root) == old
        assert beside(root) == ["rendered"]
    allowed = {"old", "new"} if guarantee is Guarantee.EXCHANGE else {"old", "none", "new"}
    assert set(left) == allowed, left
    assert left == sorted(left, key=["old", "none", "new"].index), "once the new tree is there it stays"
    assert len(left) > 40, "the hook sees the steps"


@pytest.mark.parametrize("guarantee", Guarantee)
def test_a_recovery_that_is_killed_itself_is_recovered_from(quick_path: Path, guarantee: Guarantee) -> None:
    root = quick_path / "rendered"
    write(root, OLD)
    place(root, FOREIGN)
    for step in killed_before_each_step(root, guarantee):

        def doomed_again(step: int = step) -> None:
            on_step(step // 2 + 1, die)
            write_with(root, guarantee)

        in_child(doomed_again)
        write(root, OLD)
        assert ours(root) == encoded(OLD, FOREIGN)
        assert beside(root) == ["rendered"]


def test_a_first_write_killed_before_any_of_its_steps_leaves_no_tree_or_the_whole_one(quick_path: Path) -> None:
    root = quick_path / "rendered"
    left: list[bool] = []
    for _ in killed_before_each_step(root, Guarantee.EXCHANGE):
        left.append(root.exists())
        assert ours(root) == (encoded(NEW) if root.exists() else {})
        write(root, NEW)
        assert beside(root) == ["rendered"]
        shutil.rmtree(root)
    assert set(left) == {False, True}


@pytest.mark.parametrize("guarantee", Guarantee)
def test_ctrl_c_at_any_step_leaves_the_old_tree_or_the_new_one_and_no_half_tree(
    quick_path: Path, guarantee: Guarantee
) -> None:
    root = quick_path / "rendered"
    write(root, OLD)
    place(root, FOREIGN)
    codes = []
    for step in range(1, 10_000):

        def interrupted(step: int = step) -> None:
            on_step(step, lambda: os.kill(os.getpid(), signal.SIGINT))
            with contextlib.suppress(KeyboardInterrupt):
                write_with(root, guarantee)
                os._exit(3)

        codes.append(in_child(interrupted))
        found = ours(root)
        assert found in (encoded(OLD, FOREIGN), encoded(NEW, FOREIGN))
        if found == encoded(OLD, FOREIGN):
            assert ".rendered.gpuplan-stage" not in beside(root)
        if codes[-1] == 3:
            break
        write(root, OLD)
        assert beside(root) == ["rendered"]
    assert codes.count(0) > 40


@pytest.mark.parametrize("guarantee", Guarantee)
def test_a_writer_killed_at_fifty_random_moments_never_leaves_a_mixture(tmp_path: Path, guarantee: Guarantee) -> None:
    root = tmp_path / "rendered"
    same = {f"c{n % 7}/same-{n}.yaml": f"{n}\n" for n in range(60)}
    trees = [same | {f"c{n}/only-in-{k}.yaml": f"{k}\n" for n in range(30)} for k in (1, 2)]
    wanted = [encoded(tree, FOREIGN) for tree in trees]
    write(root, trees[0])
    place(root, FOREIGN)
    moments = random.Random(3)

    def endless() -> None:
        for turn in range(1, 1_000_000):
            write_with(root, guarantee, trees[turn % 2])

    for turn in range(50):
        child = os.fork()
        if child == 0:
            endless()
        time.sleep(moments.uniform(0.0, 0.15))
        os.kill(child, signal.SIGKILL)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
        if guarantee is Guarantee.EXCHANGE or root.exists():
            assert ours(root) in wanted
        write(root, trees[turn % 2])
        assert ours(root) == wanted[turn % 2]
        assert beside(root) == ["rendered"]


@pytest.mark.parametrize("guarantee", Guarantee)
def test_what_somebody_saves_during_a_write_is_not_lost_at_any_step(quick_path: Path, guarantee: Guarantee) -> None:
    saved = 0
    for step in range(1, 10_000):
        root, done = quick_path / f"{step}" / "rendered", quick_path / f"{step}" / "done"
        write(root, OLD)
        place(root, FOREIGN)

        def disturbed(step: int = step, root: Path = root, done: Path = done) -> None:
            on_step(step, lambda: save(root / "d/notes.txt", "edited\n", done))
            write_with(root, guarantee)

        assert in_child(disturbed) == 0
        edit = {"d/notes.txt": "edited\n"} if done.exists() else {}
        assert ours(root) == encoded(NEW, FOREIGN, edit), step
        if not edit and saved:
            break
        saved += bool(edit)
    assert saved > 30


@pytest.mark.parametrize("guarantee", Guarantee)
def test_what_somebody_saves_before_the_write_is_killed_is_not_lost(quick_path: Path, guarantee: Guarantee) -> None:
    saved = 0
    for step in range(1, 60):
        root, done = quick_path / f"{step}" / "rendered", quick_path / f"{step}" / "done"
        write(root, OLD)
        place(root, FOREIGN)

        def doomed(step: int = step, root: Path = root, done: Path = done) -> None:
            on_step(step, lambda: save(root / "d/notes.txt", "edited\n", done))
            on_step(step + 8 + step % 13, die)
            write_with(root, guarantee)

        in_child(doomed)
        write(root, NEW)
        edit = {"d/notes.txt": "edited\n"} if done.exists() else {}
        assert ours(root) == encoded(NEW, FOREIGN, edit), step
        saved += bool(edit)
    assert saved > 30


def save(path: Path, text: str, done: Path) -> None:
    """Save as editors do, a new file beside the old one and then a rename; make `done` when that worked."""
    if path.parent.exists():
        path.with_name("notes.txt~").write_text(text)
        path.with_name("notes.txt~").replace(path)
        done.touch()


def test_a_lock_file_that_was_removed_before_it_was_locked_is_no_lock(quick_path: Path) -> None:
    site = Site(quick_path / "rendered")

    def child() -> None:
        removed = False

        def hook(event: str, _: object) -> None:
            nonlocal removed
            if event == "fcntl.flock" and not removed:
                removed = True
                site.journal.unlink()

        sys.addaudithook(hook)
        with journal_of(site, patience=0):
            assert site.journal.exists()

    assert in_child(child) == 0


def test_two_writers_at_once_take_turns(quick_path: Path) -> None:
    root = quick_path / "rendered"
    write(root, OLD)

    def busy(files: dict[str, str]) -> None:
        for _ in range(25):
            write_with(root, Guarantee.EXCHANGE, files)

    children = []
    for files in (OLD, NEW):
        child = os.fork()
        if child == 0:
            code = 70
            try:
                busy(files)
                code = 0
            finally:
                os._exit(code)
        children.append(child)
    assert [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children] == [0, 0]
    assert ours(root) in (encoded(OLD), encoded(NEW))
    assert beside(root) == ["rendered"]
