"""A MIG layout that no table has.

The label of a node, or the default, names a layout that is not in the table: the MIG manager fails on that node and leaves its
cards as they were.

Source: NVIDIA/mig-parted, `cmd/nvidia-mig-parted/apply`. Reports: NVIDIA/gpu-operator #281, #249, NVIDIA/mig-parted #157.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.cards.mig_cuts import ALL, layouts_in_use, uses
from gpuplan.inventory.cards.operator import MADE_BY_OPERATOR, MIG, operators
from gpuplan.inventory.inventory import Inventory
from gpuplan.rulebook import RuleDoc
from gpuplan.suggest import meant
from gpuplan.words import in_a_row

DOC = RuleDoc(
    id="mig/unknown-config",
    severity=Severity.ERROR,
    summary="A node takes a MIG layout that no table has",
    why="The MIG manager fails on such a node (mig.config.state=failed) and leaves its cards as they were.",
    fix="Write one of the layouts that are there, or add it to the table.",
    bad="metadata:\n  labels: {nvidia.com/mig.config: half}  # the table has half-cut",
    good="metadata:\n  labels: {nvidia.com/mig.config: half-cut}",
)

READ_AS = {"off": "false", "no": "false", "on": "true", "yes": "true"}
"""How YAML 1.1 reads the name of a layout that is written without quotes."""


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each label and default that names no layout; silent where the table is elsewhere."""
    known = layouts_in_use(inventory)
    if not known:
        return
    stated = [operator.config(MIG) for operator in operators(inventory)]
    own = bool(stated) and not any(ref.created or ref.name not in {"", *MADE_BY_OPERATOR} for ref in stated)
    named = [(ref.default, ref.default.text(), "The default") for ref in stated if ref.default.text()]
    named += [(use.view, use.layout, use.subject) for use in uses(inventory) if not use.by_default]
    for view, layout, who in named:
        if layout not in known and READ_AS.get(layout) not in known and not (own and layout.startswith(ALL)):
            fix = f"{meant(layout, known, '')} Known are {in_a_row([_shown(name) for name in known])}.".strip()
            yield DOC.found(f"{who} names MIG layout `{layout}`, which the table does not have", at=view.span, fix=fix)


def _shown(name: str) -> str:
    """Return a name as it was probably written."""
    words = [f"`{word}`" for word, read in READ_AS.items() if read == name]
    return f"`{name}` (as {words[0]} is read)" if words else f"`{name}`"
