"""A Git repository with the example in it, as a fleet's owners have one: its spec, and what gpuplan renders from it."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from tests.controlplane.client import Object, identity, reference

ROOT = Path(__file__).parents[3]
BRANCH = "main"
CLUSTER = "prod-eu"
REPOSITORY = "https://git.acme.example/platform/gpu-fleet.git"
SERVER = f"https://{CLUSTER}.k8s.acme.example:6443"
AUTHOR = ("-c", "user.name=Fleet Owner", "-c", "user.email=owner@acme.example", "-c", "commit.gpgsign=false")
LIMIT_SECONDS = 120

Key = tuple[str, str]
"""An object by its apiVersion and by what `client.identity` calls it."""


def key(obj: Object) -> Key:
    """Return what tells an object from all others of a cluster."""
    return obj["apiVersion"], identity(obj)


def planned_key(change: Mapping[str, Any]) -> Key:
    """Return the key of the object that `gpuplan plan` speaks of."""
    return key(reference(change["api_version"], change["kind"], change["name"], change["namespace"]))


class Repository:
    """A work tree with `fleet/` and `rendered/`, and Git beneath it.

    Two addresses of the example are those of the test, its own and that of the API server; all else is the example's.
    """

    def __init__(self, folder: Path, server: str) -> None:
        self.folder = folder
        shutil.copytree(ROOT / "fleet", folder / "fleet")
        self.edit("clusters.yaml", REPOSITORY, self.url)
        self.edit("clusters.yaml", SERVER, server)
        self._git("init", "--quiet", f"--initial-branch={BRANCH}")
        self.render()
        self.commit("The example")

    @property
    def url(self) -> str:
        """The address by which others on this machine clone it."""
        return f"file://{self.folder}"

    @property
    def head(self) -> str:
        """The newest commit."""
        return self._git("rev-parse", "HEAD").strip()

    def edit(self, name: str, old: str, new: str) -> None:
        """Replace a piece of a file of `fleet/`, which must be there once."""
        path = self.folder / "fleet" / name
        text = path.read_text(encoding="utf-8")
        assert text.count(old) == 1, f"{name} holds {old!r} {text.count(old)} times"
        path.write_text(text.replace(old, new), encoding="utf-8")

    def render(self) -> None:
        """Run `gpuplan render` in it, as a person or CI does."""
        _run([sys.executable, "-m", "gpuplan", "render"], self.folder)

    def commit(self, message: str) -> str:
        """Commit all that has changed, and return the commit."""
        self._git("add", "--all")
        self._git(*AUTHOR, "commit", "--quiet", f"--message={message}")
        return self.head

    def change(self, name: str, old: str, new: str) -> str:
        """Edit the spec, render and commit; return the commit."""
        self.edit(name, old, new)
        self.render()
        return self.commit(f"{name}: {new}")

    def planned(self) -> Sequence[Mapping[str, Any]]:
        """Return the changes of the cluster's objects in the newest commit, as `gpuplan plan` foretells them."""
        command = [sys.executable, "-m", "gpuplan", "plan", "--base", "HEAD~1", "--output-format", "json"]
        plan = json.loads(_run([*command, "--cluster", CLUSTER], self.folder))
        return [change for change in plan["objects"] if change["cluster"] == CLUSTER]

    def put(self, folder: str, objects: Iterable[Object]) -> str:
        """Write objects into a folder beside the fleet's, commit, and return the commit."""
        (self.folder / folder).mkdir(exist_ok=True)
        for obj in objects:
            name = f"{obj['kind']}-{obj['metadata']['name']}.yaml".lower()
            (self.folder / folder / name).write_text(json.dumps(obj, indent=1), encoding="utf-8")
        return self.commit(f"Put {folder}")

    def rewrite(self, named: Object, change: Callable[[Object], Object]) -> None:
        """Change a rendered object by hand, as nobody should."""
        for path in (self.folder / "rendered").rglob(f"{named['kind'].lower()}-*.yaml"):
            obj = _load(path.read_text(encoding="utf-8"))
            if key(obj) == key(named):
                path.write_text(json.dumps(change(obj), indent=1), encoding="utf-8")

    def objects(self, folder: str = f"clusters/{CLUSTER}") -> Mapping[Key, Object]:
        """Return what is rendered into a folder now, for the cluster by default."""
        # Beside objects there are values for a chart.
        return {key(obj): obj for obj in _documents(self.folder / "rendered" / folder) if "kind" in obj}

    def _git(self, *arguments: str) -> str:
        self.folder.mkdir(parents=True, exist_ok=True)
        return _run(["git", *arguments], self.folder)


def _documents(folder: Path) -> Iterator[Object]:
    return (_load(path.read_text(encoding="utf-8")) for path in sorted(folder.rglob("*.yaml")))


def _load(text: str) -> Object:
    loaded: Object = yaml.load(text, Loader=yaml.CSafeLoader)
    return loaded


def _run(command: list[str], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=LIMIT_SECONDS)
    assert done.returncode == 0, f"{command} failed in {folder}:\n{(done.stdout + done.stderr)[-4000:]}"
    return done.stdout
