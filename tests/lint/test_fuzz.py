"""Whatever a file holds, lint and import end with findings and never with a traceback."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from gpuplan import catalog
from gpuplan.importer import imported
from gpuplan.importer.reading import from_files
from gpuplan.inventory.assuming import assumed
from gpuplan.lint import lint
from tests.build import TODAY
from tests.cases.table import CASES
from tests.lint.mutating import mutated

SEEDS = [case.path for case in CASES if case.is_manifests]
EACH = int(os.environ.get("GPUPLAN_FUZZ", "20"))
"""Mutants of each input; `GPUPLAN_FUZZ=100` makes more than 5,000 in all."""
FACTS = assumed(["card=h100-sxm-80gb", "cardsPerNode=8", "counters=default", "mig=true"], catalog.load().cards)


@pytest.mark.parametrize("seed", SEEDS, ids=lambda path: path.stem)
def test_mutated_files_are_judged_without_a_traceback(seed: Path, tmp_path: Path) -> None:
    source = random.Random(seed.stem)
    text = seed.read_text(encoding="utf-8")
    for number in range(EACH):
        path = tmp_path / f"{number}.yaml"
        path.write_bytes(mutated(text, source))
        lint([path], FACTS)
        if number % 5 == 0:
            read = from_files([path], FACTS, "prod")
            imported(read.inventories, "acme", TODAY)
