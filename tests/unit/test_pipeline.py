"""The example fleet compiles to the same bytes whatever the hash seed, the locale, the time zone, the umask or the Python."""

from __future__ import annotations

import fcntl
import hashlib
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
"""Other Pythons that have to give the same bytes, where the machine has them."""
LIBRARIES = (
    "click",
    "grafana-foundation-sdk",
    "jinja2",
    "jsonschema-rs",
    "promql-parser",
    "pydantic",
    "PyYAML",
    "rich",
)
"""What rendering imports."""
INSTALL_LIMIT_SECONDS = 300

PLAIN = {"PYTHONHASHSEED": "0", "LC_ALL": "C", "TZ": "UTC"}
ELSEWHERE = (
    {"PYTHONHASHSEED": "4294967295"},
    {"LC_ALL": "C.UTF-8", "LANG": "de_DE.UTF-8", "LANGUAGE": "tr"},
    {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"},
    {"TZ": "Asia/Kathmandu"},
    {"TZ": "America/St_Johns", "SOURCE_DATE_EPOCH": "1"},
    {"PYTHONOPTIMIZE": "2", "PYTHONDONTWRITEBYTECODE": "1"},
    {"NO_COLOR": "1", "TERM": "dumb", "COLUMNS": "40"},
    {"FORCE_COLOR": "1", "COLUMNS": "300"},
)
"""Surroundings that must leave no trace in the output."""


def rendered(out: Path, surroundings: Mapping[str, str], python: Path = Path(sys.executable)) -> dict[str, str]:
    """Render the example fleet in a process of its own; return the hash of each file."""
    inherited = {key: value for key, value in os.environ.items() if not key.startswith(("LC_", "LANG", "PYTHON"))}
    environment = {**inherited, **PLAIN, **surroundings, "GPUPLAN_TODAY": "2026-11-30", "PYTHONPATH": str(ROOT)}
    command: list[str | Path] = [
        python,
        "-c",
        "from gpuplan.cli import main; main()",
        "render",
        "--fleet",
        "fleet",
        "--out",
        out,
    ]
    done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    return hashes(out)


def hashes(tree: Path) -> dict[str, str]:
    """Return the SHA-256 of each file below a folder, the index among them."""
    files = sorted(path for path in tree.rglob("*") if path.is_file())
    return {path.relative_to(tree).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


@pytest.fixture(scope="session")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The output in plain surroundings."""
    return rendered(tmp_path_factory.mktemp("plain") / "rendered", {})


@pytest.mark.parametrize("surroundings", ELSEWHERE, ids=lambda given: " ".join(f"{k}={v}" for k, v in given.items()))
def test_the_surroundings_leave_no_trace(
    expected: dict[str, str], surroundings: dict[str, str], tmp_path: Path
) -> None:
    assert rendered(tmp_path / "rendered", surroundings) == expected


def test_a_second_render_writes_nothing(expected: dict[str, str], tmp_path: Path) -> None:
    rendered(tmp_path / "rendered", {})
    written = {path: path.stat().st_mtime_ns for path in (tmp_path / "rendered").rglob("*")}
    assert rendered(tmp_path / "rendered", {"PYTHONHASHSEED": "7"}) == expected
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "rendered").rglob("*")} == written


@pytest.mark.parametrize("version", PYTHONS)
def test_other_pythons_give_the_same_bytes(expected: dict[str, str], version: str, tmp_path: Path) -> None:
    assert rendered(tmp_path / "rendered", {}, other_python(version)) == expected


def other_python(version: str) -> Path:
    """Return a Python of that minor version with our libraries, in a virtual environment that is kept in the user's cache.

    Skips where the machine has no such Python, or its libraries cannot be had in time.
    """
    if sys.version_info[:2] == tuple(map(int, version.split("."))):
        pytest.skip(f"this is Python {version}")
    interpreter = _interpreter(version)
    if interpreter is None:
        pytest.skip(f"no Python {version} on this machine")
    pins = (ROOT / "requirements/dev.txt").read_bytes() + " ".join(LIBRARIES).encode()
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "gpuplan" / "python"
    venv = cache / f"{version}-{hashlib.sha256(pins).hexdigest()[:8]}"
    cache.mkdir(parents=True, exist_ok=True)
    with (cache / f"{venv.name}.lock").open("w") as lock:  # tests may run side by side
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (venv / "complete").exists():
            _install(interpreter, venv)
    return venv / "bin" / "python"


def _interpreter(version: str) -> Path | None:
    """Find a Python: pyenv's, else one on PATH. pyenv's own shims exist for versions that are switched off."""
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    on_path = (Path(folder, f"python{version}") for folder in os.get_exec_path() if "shims" not in folder)
    found = (*sorted(pyenv.glob(f"{version}.*/bin/python")), *on_path)
    return next((path for path in found if path.exists()), None)


def _install(interpreter: Path, venv: Path) -> None:
    """Make the environment; `complete` is written last, so that a broken one is made again."""
    pip: list[str | Path] = [venv / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    try:
        subprocess.run([interpreter, "-m", "venv", "--clear", venv], check=True, capture_output=True, timeout=60)
        subprocess.run(
            [*pip, "-c", ROOT / "requirements/dev.txt", *LIBRARIES],
            check=True,
            capture_output=True,
            timeout=INSTALL_LIMIT_SECONDS,
        )
    except (subprocess.SubprocessError, OSError) as error:
        said = getattr(error, "stderr", b"") or str(error).encode()
        pytest.skip(f"no libraries for {interpreter}: {said.decode(errors='replace').strip()[-200:]}")
    (venv / "complete").touch()
