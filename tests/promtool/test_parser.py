"""What lint calls an expression that does not parse, Prometheus refuses, and nothing else: our own rules, and thousands near them."""

from __future__ import annotations

import json
import random
import re
import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest

from gpuplan.inventory.assumed import Assumed
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.metrics import promql
from gpuplan.inventory.metrics.alerting import rules
from gpuplan.inventory.reading.read import read_paths
from tests.controlplane.fixtures import promtools

__all__ = ["promtools"]
RENDERED = Path(__file__).parents[2] / "rendered" / "clusters"
WORDS = re.compile(r'"[^"]*"|[\w:]+|\s+|.', re.DOTALL)
_PIECES = """( ) { } [5m] [1h:5m] by(node) on(x) group_left(y) and or unless bool == != > * / - ^ % rate( sum( @end() "x" 5 1e3 foo
{a="b"} {a=~"("} topk(3, without(a) ignoring(b) atan2 0x1f NaN 1m30s , vector( absent( !~ " `x` : time() nan a:b .5 5."""
PIECES = _PIECES.split()
NOT_ENABLED = re.compile(r"is not enabled|experimental|binop fill")
"""Prometheus knows these, behind a switch that its checks leave off; the parser has no switches."""
ONE_SIDED = re.compile(r"unary expression only allowed")
"""A plus before a text or a range, which the parser drops."""


def own() -> list[str]:
    read = read_paths([RENDERED])
    return sorted({rule.text for rule in rules(Inventory(objects=read.objects, assumed=Assumed()))})


def mutated(expression: str, chance: random.Random) -> str:
    words = WORDS.findall(expression)
    for _ in range(chance.randint(1, 2)):
        at = chance.randrange(len(words))
        words[at : at + chance.randint(0, 1)] = [f" {chance.choice(PIECES)} "] if chance.random() < 0.7 else []
        if not words:
            break
    return "".join(words)


def refused(promtool: Path, expressions: Iterable[str], folder: Path) -> dict[int, str]:
    """Return what promtool has against each expression, by its number."""
    groups = [{"name": f"g{n}", "rules": [{"record": f"r{n}", "expr": one}]} for n, one in enumerate(expressions)]
    file = folder / "rules.yaml"
    file.write_text(json.dumps({"groups": groups}))
    ran = subprocess.run(
        [promtool, "check", "rules", "--lint=none", file], capture_output=True, text=True, check=False, timeout=120
    )
    said = re.finditer(r'group "g(\d+)".*?(?=group "g|\Z)', ran.stdout + ran.stderr, re.DOTALL)
    return {int(one[1]): one[0] for one in said}


@pytest.fixture(scope="module")
def expressions() -> list[str]:
    chance = random.Random(7)
    ours = own()
    short = [one for one in ours if len(one) < 260]
    near = [mutated(chance.choice(short), chance) for _ in range(1500)]
    made = [" ".join(chance.choice(PIECES) for _ in range(chance.randint(1, 6))) for _ in range(1500)]
    return [one for one in dict.fromkeys([*ours, *near, *made]) if one.strip()]


def test_every_rule_of_ours_parses() -> None:
    ours = own()
    assert len(ours) > 100
    assert [one for one in ours if promql.read(one).problem] == []


def test_lint_and_prometheus_refuse_the_same_expressions(
    promtools: tuple[Path, ...], expressions: list[str], tmp_path: Path
) -> None:
    theirs = refused(promtools[0], expressions, tmp_path)
    differs = []
    for number, text in enumerate(expressions):
        read = promql.read(text)
        known = (
            read.of_some_versions
            or NOT_ENABLED.search(theirs.get(number, ""))
            or ONE_SIDED.search(theirs.get(number, ""))
        )
        if bool(read.problem) != (number in theirs) and not known:
            differs.append((text, read.problem, theirs.get(number)))
    assert differs == []
    assert len(expressions) - len(theirs) > 250


def test_an_error_of_lint_is_refused_by_the_oldest_prometheus_too(
    promtools: tuple[Path, ...], expressions: list[str], tmp_path: Path
) -> None:
    theirs = refused(promtools[1], expressions, tmp_path)
    ours = {number: promql.read(text) for number, text in enumerate(expressions)}
    errors = {number for number, read in ours.items() if read.problem and not read.of_some_versions}
    assert [expressions[number] for number in errors - theirs.keys()] == []
    assert len(errors) > 1000
