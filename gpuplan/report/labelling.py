"""`gpuplan label-nodes`: what is done to each node, whom it evicts, and which pools have which nodes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from gpuplan.labelling.change import Change, taint_text
from gpuplan.labelling.evictions import Eviction
from gpuplan.labelling.plan import LabelPlan, PoolCount
from gpuplan.report.console import table
from gpuplan.report.terminal import printable

FORMAT_VERSION: Final = "1.0"
_STYLES: Final = {"+": "green", "-": "red", "~": "yellow"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """A plan and what came of it."""

    cluster: str
    plan: LabelPlan
    evictions: tuple[Eviction, ...]
    unseen: str
    """Why pods could not be listed; empty where they were, or need not be."""
    faults: Mapping[str, str]
    """By node, what the server refuses, or what could not be done."""
    done: bool
    """Whether it was done, or only looked at."""

    @property
    def wrong(self) -> bool:
        """Whether anything stands in the way."""
        return bool(self.plan.problems or self.faults)


def overview(made: Labelled) -> Iterator[RenderableType]:
    """Yield what is done, node by node."""
    for change in made.plan.changes:
        yield from _change(change, made.faults.get(change.node, ""))
    for change in made.plan.problems:
        yield Text.assemble((printable(change.node), "bold"), ("  left alone  ", "red"), printable(change.problem))
    if made.evictions or made.unseen:
        yield Text("\nThese pods do not tolerate a new taint and are evicted:", style="bold red")
        yield table(("NODE", "POD", "TAINT", "AFTER"), map(_evicted, made.evictions))
        if made.unseen:
            yield Text(printable(f"The pods cannot be listed: {made.unseen}"))
    yield Text("")
    yield table(("POOL", "NODES", "IN THE SPEC", ""), map(_pool, made.plan.pools), right=frozenset({1, 2}))
    yield Text("")
    yield Text(summary(made), style="bold")


def _change(change: Change, fault: str) -> Iterator[RenderableType]:
    words = f"into {change.pool}" if change.pool else "out of its pool"
    yield Text.assemble((printable(change.node), "bold"), printable(f"  {words}"))
    for sign, text in lines(change):
        line = Text.assemble((f"{sign} ", _STYLES[sign]), printable(text))
        yield Padding(line, (0, 0, 0, 4), expand=False)
    if fault:
        yield Padding(Text(printable(f"refused: {fault}"), style="red"), (0, 0, 0, 4), expand=False)


def lines(change: Change) -> Iterator[tuple[str, str]]:
    """Yield what changes on a node: a sign and words."""
    for key, (old, new) in sorted(change.set_labels.items()):
        yield ("~", f"label {key}: {old} → {new}") if old else ("+", f"label {key}={new}")
    for key, value in sorted(change.dropped_labels.items()):
        yield "-", f"label {key}={value}"
    for taint in change.added_taints:
        yield "+", f"taint {taint_text(taint)}"
    for taint in change.removed_taints:
        yield "-", f"taint {taint_text(taint)}"
    if not (change.set_labels or change.dropped_labels or change.added_taints or change.removed_taints):
        yield "~", "what gpuplan notes of it"


def _evicted(one: Eviction) -> tuple[str, ...]:
    after = f"{one.after_seconds} s" if one.after_seconds else "at once"
    return printable(one.node), printable(f"{one.namespace}/{one.pod}"), taint_text(one.taint), after


def _pool(one: PoolCount) -> tuple[str, ...]:
    return one.pool.name, str(one.nodes), str(one.pool.nodes or ""), one.why if not one.nodes else ""


def summary(made: Labelled) -> str:
    """Return one line: how many nodes change, and whether that is done."""
    changes, problems = len(made.plan.changes), len(made.plan.problems)
    failed = len(made.faults)
    parts = [f"{changes} {'node' if changes == 1 else 'nodes'} to change"] if changes else ["Nothing to change"]
    parts += [f"{problems} left alone"] if problems else []
    parts += [f"{failed} refused"] if failed else []
    end = ("Done." if not made.wrong else "Done but for those.") if made.done else "Nothing was changed; --yes does it."
    outside = f" Nodes in no pool: {made.plan.outside}." if made.plan.outside else ""
    return f"{', '.join(parts)}.{outside}" + (f" {end}" if changes else "")


def data(made: Labelled) -> dict[str, Any]:
    """Return it for programs."""
    return {
        "format_version": FORMAT_VERSION,
        "cluster": made.cluster,
        "dryRun": not made.done,
        "nodes": [_node(one, made.faults.get(one.node, "")) for one in (*made.plan.changes, *made.plan.problems)],
        "evictions": list(map(_eviction, made.evictions)),
        "podsUnseen": made.unseen,
        "pools": [
            {"pool": one.pool.name, "nodes": one.nodes, "spec": one.pool.nodes, "why": one.why}
            for one in made.plan.pools
        ],
    }


def _node(change: Change, fault: str) -> dict[str, Any]:
    return {
        "node": change.node,
        "pool": change.pool,
        "labels": {key: new for key, (_, new) in sorted(change.set_labels.items())},
        "droppedLabels": sorted(change.dropped_labels),
        "addedTaints": _taints(change.added_taints),
        "removedTaints": _taints(change.removed_taints),
        "problem": change.problem or fault,
    }


def _taints(some: Iterable[Any]) -> list[str]:
    return [taint_text(one) for one in some]


def _eviction(one: Eviction) -> dict[str, Any]:
    return {
        "node": one.node,
        "namespace": one.namespace,
        "pod": one.pod,
        "taint": taint_text(one.taint),
        "afterSeconds": one.after_seconds,
    }
