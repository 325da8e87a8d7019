"""A plan as a page of its own: no script, nothing that is loaded from elsewhere, light or dark as the reader likes, printable."""

from __future__ import annotations

from typing import Final

from gpuplan.plan.parts import Action
from gpuplan.report.plans.parts import Table, View
from gpuplan.report.templating import page

SIGN_CLASSES: Final = {
    Action.CREATE.value: "add",
    Action.UPDATE.value: "change",
    Action.DELETE.value: "destroy",
    Action.REPLACE.value: "replace",
}


def as_html(view: View) -> str:
    """Return the plan as an HTML page."""
    tables = frozenset(id(block) for section in view.sections for block in section.blocks if isinstance(block, Table))
    return page("plan.html.j2", view=view, signs=SIGN_CLASSES, is_table=lambda block: id(block) in tables)
