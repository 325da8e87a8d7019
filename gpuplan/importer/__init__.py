"""Import: what people have -> a fleet spec that renders to the same queues with the same meaning.

    Inventory -lift-> Draft -text-> fleet.yaml -(check, render)-> ManifestSet -compare with what was there-> Account

Nothing is dropped in silence: what no entry of the spec can say stands in the account, by kind and name. Nothing is guessed
without a comment that says so.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass

from gpuplan.diagnostics import Diagnostics
from gpuplan.format.style import in_style
from gpuplan.importer.account import Account, account
from gpuplan.importer.draft import Draft
from gpuplan.importer.lifting import lift
from gpuplan.importer.pool import Pool
from gpuplan.importer.trying import Tried, tried
from gpuplan.inventory.inventory import Inventory

IMPORTED_FILE = "imported.yaml"
"""Name of the file that an import writes."""


LATER = ("delivery/example-repository",)
"""Findings on what no import can know and whoever takes over fills in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """The spec, what became of every object, and what is wrong with the spec."""

    draft: Draft
    text: str
    pools: Mapping[str, tuple[Pool, ...]]
    """Every pool that was seen, by cluster; also those without cards, which no spec holds."""
    account: Account
    tried: Tried
    findings: Diagnostics


def imported(
    inventories: Mapping[str, Inventory], fleet: str, today: datetime.date, file: str = IMPORTED_FILE
) -> Imported:
    """Make a spec of what was found in each cluster, by the clusters' names, and try it; findings call it `file`."""
    made = lift(inventories, fleet, today)
    drafted = made.draft.text()
    text = in_style(file, drafted).text or drafted
    outcome = tried(text, file, today)
    return Imported(
        draft=made.draft,
        text=text,
        pools=made.pools,
        account=account(inventories, outcome.manifests, made.lifted, made.draft.left_out),
        tried=outcome,
        findings=tuple(one for one in outcome.findings if one.rule not in LATER),
    )
