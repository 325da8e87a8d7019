"""What docstrings show is what the code does."""

from __future__ import annotations

import doctest
import importlib
import re
from pathlib import Path

import pytest

import gpuplan

ROOT = Path(gpuplan.__file__).parent
PROMPT = re.compile(r"^ +>>> ", re.MULTILINE)


def modules_with_examples() -> list[str]:
    paths = sorted(path for path in ROOT.rglob("*.py") if PROMPT.search(path.read_text(encoding="utf-8")))
    return [".".join(("gpuplan", *path.relative_to(ROOT).with_suffix("").parts)) for path in paths]


@pytest.mark.parametrize("name", modules_with_examples())
def test_examples_in_docstrings_hold(name: str) -> None:
    result = doctest.testmod(importlib.import_module(name))
    assert result.attempted > 0
    assert result.failed == 0
