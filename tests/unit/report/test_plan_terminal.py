"""A plan in a terminal: how its lines are broken, and what is never broken."""

from __future__ import annotations

from typing import Any

from gpuplan.plan.parts import Risk, Rollout, Step
from gpuplan.report.plans import terminal
from gpuplan.report.plans.view import view
from tests.unit.report.plan_parts import balance, change, effect, plan, row

LONG = " ".join(f"word{number}" for number in range(40))


def lines(width: int = 80, *, colour: bool = False, **parts: Any) -> list[str]:
    return terminal.drawn(view(plan(**parts)), colour=colour, width=width).splitlines()


def test_a_long_line_goes_on_below_its_text_and_loses_no_word() -> None:
    drawn = lines(effects=(effect(LONG),))
    first = next(number for number, line in enumerate(drawn) if "! eu: word0" in line)
    last = next(number for number, line in enumerate(drawn) if "word39" in line)
    assert all(len(line) <= 80 for line in drawn[first : last + 1])
    assert all(line.startswith("      word") for line in drawn[first + 1 : last + 1])
    assert " ".join(" ".join(drawn[first : last + 1]).split()).startswith(f"! eu: {LONG}")


def test_what_is_to_be_copied_is_never_broken_or_cut() -> None:
    command = f"kubectl get nodes -l {'x' * 200}"
    step = Step(title="look", commands=(command,))
    drawn = lines(rollouts=(Rollout(kind="shrink", cluster="eu", subject="a", reason="", steps=(step,)),))
    assert any(line.endswith(command) for line in drawn)


def test_a_terminal_too_narrow_to_break_anything_gets_whole_lines() -> None:
    assert any(LONG in line for line in lines(width=20, effects=(effect(LONG),)))


def test_a_table_keeps_to_the_terminal() -> None:
    drawn = lines(width=100, quotas=(row("a" * 150),), balances=(balance(),))
    assert all(len(line) <= 100 for line in drawn)
    assert "".join(line.strip() for line in drawn).count("a" * 10)


def test_colour_comes_only_where_it_is_asked_for() -> None:
    parts: dict[str, Any] = {"effects": (effect("gone", Risk.DESTRUCTIVE),), "objects": (change("a"),)}
    assert not any("\x1b" in line for line in lines(**parts))
    coloured = "\n".join(lines(colour=True, **parts))
    assert "\x1b[1;31mDestructive" in coloured
    assert "\x1b[33m~" in coloured


def test_names_between_backticks_lose_them() -> None:
    assert any("    ! eu: queue a of b" in line for line in lines(effects=(effect("queue `a` of b"),)))
