"""A rule on metrics that no card of the cluster has: they are another vendor's.

Its series never exist, so the alert never fires, and nobody notices that the cards are not watched.

Source: defilantech/LLMKube 1356; the vendors' exporters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from gpuplan.catalog import Catalog
from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.metrics.promql import Binary, Call, Node, Selector, walk
from gpuplan.inventory.metrics.uses import DCGM, NVIDIA, lacks_vendor, recorded, uses
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="mon/metric-wrong-vendor",
    severity=Severity.ERROR,
    summary="A metric of another vendor's cards",
    why="No exporter of the cluster has the metric: the rule never gives anything, and no card is watched by it.",
    fix="Write the rule on the metrics of the vendor's own exporter, such as AMD's `gpu_junction_temperature`.",
    bad="- {alert: CardHot, expr: DCGM_FI_DEV_GPU_TEMP > 85}   # and nodes with amd.com/gpu alone",
    good="- {alert: CardHot, expr: gpu_junction_temperature > 95}",
)

_NAME = re.compile(r"[a-zA-Z_]\w*")
_TOO_COMMON = frozenset({"gpu_health"})
"""Names that another program may use as well."""


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each metric of a vendor that no node has cards of, once a line."""
    names = _names(inventory.catalog)
    made = recorded(inventory)
    seen = set()
    for use in uses(inventory):
        domain = NVIDIA if DCGM.fullmatch(use.name) else names.get(use.name, "")
        if not domain or use.name in made or not lacks_vendor(inventory, domain) or (use.name, use.at) in seen:
            continue
        tree = use.rule.expression.tree
        if tree is not None and any(_for_others_too(node, use.name, domain, names) for node in walk(tree)):
            continue
        seen.add((use.name, use.at))
        yield DOC.found(
            f"`{use.name}` is a metric of {domain} cards, and no node has any",
            at=use.at,
            severity=None if domain == NVIDIA else Severity.WARNING,
        )


def _for_others_too(node: Node, name: str, domain: str, names: Mapping[str, str]) -> bool:
    """Tell whether a node joins a metric with another vendor's, so that one expression serves every fleet.

    That is `a or b`, and `absent(a) and absent(b)`.
    """
    if not isinstance(node, Binary) or node.op not in ("or", "and"):
        return False
    if node.op == "and" and not all(isinstance(one, Call) and one.name == "absent" for one in (node.left, node.right)):
        return False
    sides = [{one.name for one in walk(side) if isinstance(one, Selector)} for side in (node.left, node.right)]
    others = [{one for one in side if (NVIDIA if DCGM.fullmatch(one) else names.get(one)) != domain} for side in sides]
    return (name in sides[0] and bool(others[1])) or (name in sides[1] and bool(others[0]))


def _names(catalog: Catalog) -> Mapping[str, str]:
    """Return the metrics of other vendors' exporters, with the domain of their cards' resources."""
    found = {}
    for family in catalog.vendors.by_name.values():
        metrics = family.exporter.metrics
        texts = [metrics.presence, metrics.temperature, metrics.power]
        texts += [metrics.utilisation, metrics.memory_used, metrics.memory_total]
        for match in (_NAME.match(text) for text in texts):
            if match is not None and match.group() not in _TOO_COMMON:
                found[match.group()] = family.domain
    return found
