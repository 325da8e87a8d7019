"""`gpuplan upgrade`: the steps of clusters for programs, for a terminal and as a runbook. All three say the same data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.text import Text

from gpuplan.manifests.write import yaml_text
from gpuplan.model.fleet import Fleet
from gpuplan.moving.upgrade import Upgrade
from gpuplan.moving.upgrade_target import Size
from gpuplan.plan.effects.components import TITLES
from gpuplan.report.console import table, title
from gpuplan.report.upgrade_data import Data, data
from gpuplan.words import counted, in_a_row

WAYS = {True: "runs on", False: "restarts"}
"""What becomes of pods that hold cards."""


def overview(fleet: Fleet, upgrades: Sequence[Upgrade]) -> Iterator[RenderableType]:
    """Yield what a terminal shows of each cluster, and the sources by number."""
    sources: dict[str, int] = {}
    for one in data(fleet, upgrades)["clusters"]:
        yield title(f"{one['name']}  {_way(one)}")
        if one["steps"] or one["refused"]:
            yield table(("WHAT", "FROM", "TO", "SIZE"), _rows(one))
            yield Text("")
        yield from _steps(one, sources) if one["possible"] else _refused(one)
    yield from (Text(f"[{number}] {source}") for source, number in sources.items())


def _way(one: Data) -> str:
    if one["from"] == one["to"]:
        return f"release {one['from']['release']}, Kubernetes {one['from']['kubernetes']}"
    parts = ((key, one["from"][key], one["to"][key]) for key in ("release", "kubernetes"))
    words = {"release": "release", "kubernetes": "Kubernetes"}
    return ", ".join(f"{words[key]} {old} → {new}" if old != new else f"{words[key]} {old}" for key, old, new in parts)


def named(change: Data) -> str:
    """Return a component in words, or the driver of a pool."""
    if change["pool"]:
        return f"driver of {change['pool']}"
    if change["component"] == "kubernetes":
        return "Kubernetes"
    return TITLES.get(change["component"], change["component"])


def _rows(one: Data) -> Iterator[tuple[str, ...]]:
    for change in one["components"]:
        word = change["size"] if change["used"] else "not used here"
        word = "pinned, newer than the set" if change["pinned"] else word
        yield named(change), change["from"] or "-", change["to"], word


def _refused(one: Data) -> Iterator[RenderableType]:
    for finding in one["refused"]:
        yield Text(f"Refused: {finding['summary']}", style="bold red")
        yield Text(f"  {finding['at']}  {finding['rule']}")
        if finding["fix"]:
            yield Text(f"  {finding['fix']}")
    if one["road"]:
        yield Text(f"The road: {' → '.join(one['road']['stations'])}")
        yield from (Text(f"  {line}") for line in one["road"]["commands"])
    for change in one["back"]:
        yield Text(f"Back with {named(change)}: {change['way']}. Open until: {change['until']}.")
    yield Text("")


def _steps(one: Data, sources: dict[str, int]) -> Iterator[RenderableType]:
    if not one["steps"]:
        yield Text("There is nothing to do.")
        yield Text("")
        return
    header = ("STEP", "WHAT", "TO", "RESTARTS", "GPU WORK", "BACK UNTIL")
    yield table(header, (_line(step) for step in one["steps"]), right=frozenset({0}))
    yield Text("")
    yield from (line for step in one["steps"] for line in _notes(step))
    met = [(str(step["number"]), problem) for step in one["steps"] for problem in step["problems"]]
    if met:
        yield Text("")
        yield table(("STEP", "KNOWN", "WHAT"), (_known(*pair, sources) for pair in met), right=frozenset({0}))
    yield Text("")
    last = one["pointOfNoReturn"]
    yield Text(
        f"From step {last} on there is no way back."
        if last
        else "Each step can be taken back, as long as the table says."
    )
    yield Text("What to write, to run and to do about known problems: --output-format markdown.")
    yield Text("")


def _line(step: Data) -> tuple[str, ...]:
    moved = [change["to"] for change in step["changes"] if change["used"]]
    restarts = [f"{restart['pods']} ({where(restart)})" for restart in step["restarts"]]
    lives = all(restart["gpuPodsSurvive"] for restart in step["restarts"])
    return (
        str(step["number"]),
        step["title"],
        ", ".join(moved) or step["release"] or "-",
        "; ".join(restarts) or "nothing",
        WAYS[lives],
        step["rollback"]["until"],
    )


def where(restart: Data) -> str:
    """Return where pods restart, in words."""
    if not restart["pools"]:
        return "cluster"
    return f"{counted(restart['nodes'], 'node')} of {in_a_row(restart['pools'])}"


def _notes(step: Data) -> Iterator[RenderableType]:
    for cell in step["untried"]:
        pool = f" (pool {cell['pool']})" if cell["pool"] else ""
        yield Text(f"Step {step['number']}, untried{pool}: {cell['what']}: {cell['here']}; {cell['known']}")
    for stateful in sessions(step):
        yield Text(f"Step {step['number']}, sessions: {stateful}")


def _known(number: str, problem: Data, sources: dict[str, int]) -> tuple[str, str, str]:
    source = sources.setdefault(f"{problem['checked']} {problem['source']}", len(sources) + 1)
    return number, problem["id"], f"{told(problem)} [{source}]"


def sessions(step: Data) -> tuple[str, ...]:
    """Return a line for each stateful task pool whose pods move in a step."""
    found = {one["taskPool"]: one["drainSeconds"] for restart in step["restarts"] for one in restart["stateful"]}
    return tuple(f"pods of {name} get {seconds} s to hand over, then start cold" for name, seconds in found.items())


def told(problem: Data) -> str:
    """Return a problem in a sentence."""
    condition = f"if {problem['onlyIf']}, " if problem["onlyIf"] else ""
    return f"{condition}{problem['summary']}"


def runbook(fleet: Fleet, upgrades: Sequence[Upgrade]) -> str:
    """Return the upgrades as a page of Markdown with what to write, to run and to look at."""
    from gpuplan.report.templating import filled  # noqa: PLC0415 - jinja2 costs whoever reads a terminal

    return filled(
        "upgrade.md.j2",
        fleet=fleet.name,
        clusters=data(fleet, upgrades)["clusters"],
        yaml_text=yaml_text,
        named=named,
        where=where,
        told=told,
        sessions=sessions,
        way=_way,
        unchanged=Size.UNCHANGED.value,
        twice=_drained_twice,
    )


def _drained_twice(one: Data) -> list[str]:
    """Return the pools that are drained for the operator's own step and again for another driver."""
    drained = [
        {pool for restart in step["restarts"] if not restart["gpuPodsSurvive"] for pool in restart["pools"]}
        for step in one["steps"]
    ]
    return sorted(
        {pool for number, pools in enumerate(drained) for pool in pools if any(pool in x for x in drained[:number])}
    )
