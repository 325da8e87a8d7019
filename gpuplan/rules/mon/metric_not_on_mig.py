"""A rule on a field that DCGM does not give for the instances of a cut card.

`DCGM_FI_DEV_GPU_UTIL` and its like are zero or missing there: an alert on idle cards fires all the time or never.
The fields of the profiling module are given for each instance.

Source: NVIDIA/dcgm-exporter 216 and 105; NVIDIA/DCGM 80.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from gpuplan.conventions import LABEL_PRODUCT
from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.cards.labelled import labelled, mig_config
from gpuplan.inventory.cards.nodes import nodes
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.metrics.promql import COMPARISONS, Binary, Node, Number, Selector, children, walk
from gpuplan.inventory.metrics.units import number
from gpuplan.inventory.metrics.uses import Use, dcgm_uses, field
from gpuplan.quantity import Quantity
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="mon/metric-not-on-mig",
    severity=Severity.ERROR,
    summary="A metric that MIG instances do not have",
    why="DCGM gives the field for whole cards alone: on cut cards it is zero or missing, and the rule is wrong or silent there.",
    fix="Use `DCGM_FI_PROF_GR_ENGINE_ACTIVE`, which goes from 0 to 1, or `DCGM_FI_PROF_DRAM_ACTIVE` for memory.",
    bad="- {alert: CardIdle, expr: 'avg_over_time(DCGM_FI_DEV_GPU_UTIL[1h]) < 5'}   # and cards cut by MIG",
    good="- {alert: CardIdle, expr: 'avg_over_time(DCGM_FI_PROF_GR_ENGINE_ACTIVE[1h]) < 0.05'}",
)
_INSTEAD = {
    "DCGM_FI_DEV_GPU_UTIL": "DCGM_FI_PROF_GR_ENGINE_ACTIVE",
    "DCGM_FI_DEV_MEM_COPY_UTIL": "DCGM_FI_PROF_DRAM_ACTIVE",
}
"""Field in percent -> the one from 0 to 1 that instances have, too."""
_OFF = re.compile(r"|(all-|mig-)?(disabled|off|none)")
_MIG_LABELS = ("GPU_I_ID", "GPU_I_PROFILE")
_FIXED = frozenset({"job", "cluster", "instance", "__name__"})
"""Labels that say nothing of which cards are meant."""


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each such field, where cards are cut and the rule does not see to it."""
    cut = _cut(inventory)
    if cut is None:
        return
    for use in dcgm_uses(inventory):
        row = field(use.name, inventory.catalog)
        if (
            row is None
            or row.on_mig
            or row.name not in _INSTEAD
            or _sees_to_it(use, whole_cards_too=not cut, inventory=inventory)
        ):
            continue
        yield DOC.found(f"`{use.name}` does not exist for MIG instances", at=use.at, fix=_fix(use, row.name))


def _cut(inventory: Inventory) -> bool | None:
    """Tell whether all cards are cut, as far as is known; None where none is known to be."""
    if inventory.assumed.mig is not None:
        return True if inventory.assumed.mig else None
    kinds: set[str] = set()
    for one in nodes(inventory):
        mig = any(name.startswith("nvidia.com/mig-") and amount > Quantity(0) for name, amount in one.offers.items())
        whole = any(name.startswith("nvidia.com/gpu") and amount > Quantity(0) for name, amount in one.offers.items())
        if mig or whole:
            kinds.add("cut" if mig else "whole")
    for labels in labelled(inventory):
        if not _OFF.fullmatch(mig_config(labels).scalar()) or "-MIG-" in labels.label(LABEL_PRODUCT):
            kinds.add("cut")
    return None if "cut" not in kinds else "whole" not in kinds


def _sees_to_it(use: Use, *, whole_cards_too: bool, inventory: Inventory) -> bool:
    """Tell whether a rule is for whole cards alone, or falls back to what instances have."""
    matchers = [one for one in use.selector.matchers if one.label not in _FIXED]
    if any(one.label in _MIG_LABELS for one in matchers) or (whole_cards_too and matchers):
        return True
    tree = use.rule.expression.tree
    return tree is not None and any(_falls_back(node, use.selector, inventory) for node in walk(tree))


def _falls_back(node: Node, selector: Selector, inventory: Inventory) -> bool:
    """Tell whether a node joins the field by `or` with one that instances have."""
    if not isinstance(node, Binary) or node.op != "or":
        return False
    sides = [[one for one in walk(side) if isinstance(one, Selector)] for side in children(node)]
    for here, there in (sides, sides[::-1]):
        if any(one.name == selector.name for one in here) and any(_on_mig(one.name, inventory) for one in there):
            return True
    return False


def _on_mig(name: str, inventory: Inventory) -> bool:
    row = field(name, inventory.catalog)
    return row is None or row.on_mig


def _fix(use: Use, name: str) -> str:
    text = re.sub(rf"\b{re.escape(use.name)}\b", _INSTEAD[name], " ".join(use.rule.text.split()))
    tree = use.rule.expression.tree
    if isinstance(tree, Binary) and tree.op in COMPARISONS and isinstance(tree.right, Number):
        text = re.sub(r"[\d.]+\s*$", number(tree.right.value / 100), text)
        return f"Write `{text}`: this field goes from 0 to 1, and instances have it."
    return f"Write `{text}`, which goes from 0 to 1, and divide thresholds in percent by 100."
