"""A transcript: what somebody types in a shell and what comes back, with the files it needs, in one text file.

    A sentence about what it shows.

    -- fleet/fleet.yaml --
    metadata: {name: tiny}

    $ gpuplan check
      what stdout got, indented
    ! what stderr got
    exit 1

`gpuplan` runs in this process, anything else in bash. Files are written where they stand, so that a later one replaces an
earlier one between two commands. Blank lines around files and commands are layout. Counts of files from ten on read
`many`: what the emitters make has tests of its own.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gpuplan.cli import run

TODAY = "2026-11-30"
WIDTH = "100"
ENVIRONMENT = {"GPUPLAN_TODAY": TODAY, "COLUMNS": WIDTH, "LINES": "24", "LC_ALL": "C.UTF-8", "PATH": os.defpath}

_FILE = re.compile(r"-- (\S+) --")
_COMMAND = re.compile(r"\$ (.+)")
_MANY_FILES = re.compile(r"\b\d{2,}(?= (?:written|removed|unchanged|more|files?)\b)")


@dataclass(frozen=True, slots=True)
class Step:
    """A file to write (`path` and `text`), or a command to run (`text`)."""

    text: str
    path: str | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a command gave."""

    exit_code: int
    stdout: str
    stderr: str


def steps(transcript: str) -> tuple[str, list[Step]]:
    """Return the opening sentence and the steps of a transcript, without the output that it expects."""
    title, made = "", list[Step]()
    for block in _blocks(transcript):
        first, _, rest = block.partition("\n")
        if file := _FILE.fullmatch(first):
            made.append(Step(rest.strip("\n") + "\n", file.group(1)))
        elif command := _COMMAND.fullmatch(first):
            made.append(Step(command.group(1)))
        else:
            title = block.strip()
    return title, made


def _blocks(transcript: str) -> Iterator[str]:
    block: list[str] = []
    for line in transcript.splitlines():
        if block and (_FILE.fullmatch(line) or _COMMAND.fullmatch(line)):
            yield "\n".join(block)
            block = []
        block.append(line)
    yield "\n".join(block)


def played(transcript: str) -> str:
    """Run a transcript in the current folder, and return it with the output that it really gave."""
    title, todo = steps(transcript)
    parts = [title]
    for step in todo:
        if step.path is None:
            outcome = executed(step.text)
            parts.append(f"$ {step.text}\n{_shown(step.text, outcome)}".rstrip("\n"))
        else:
            path = Path(step.path)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(step.text, encoding="utf-8")
            parts.append(f"-- {step.path} --\n{step.text}".rstrip("\n"))
    return "\n\n".join(parts) + "\n"


def _shown(command: str, outcome: Outcome) -> str:
    out = "".join(f"  {line}".rstrip() + "\n" for line in outcome.stdout.splitlines())
    err = "".join(f"! {_MANY_FILES.sub('many', line)}".rstrip() + "\n" for line in outcome.stderr.splitlines())
    code = f"exit {outcome.exit_code}\n" if _is_ours(command) or outcome.exit_code else ""
    return out + err + code


def _is_ours(command: str) -> bool:
    return command.split(maxsplit=1)[0] == "gpuplan"


def executed(command: str) -> Outcome:
    """Run a command line in the current folder: gpuplan in this process, anything else in bash."""
    if _is_ours(command):
        return in_process(shlex.split(command)[1:])
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, env=ENVIRONMENT, check=False)
    return Outcome(done.returncode, done.stdout, done.stderr)


def in_process(arguments: list[str]) -> Outcome:
    """Run gpuplan in this process, with streams that are no terminal."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run(arguments)
    return Outcome(code, *(stream.buffer.getvalue().decode() for stream in (out, err)))


def in_new_process(arguments: list[str]) -> Outcome:
    """Run gpuplan as its users do."""
    done = subprocess.run(
        [sys.executable, "-m", "gpuplan", *arguments],
        capture_output=True,
        text=True,
        env=ENVIRONMENT | {"PYTHONPATH": str(Path(__file__).parents[2])},
        check=False,
    )
    return Outcome(done.returncode, done.stdout, done.stderr)
