"""A rule that groups by a label which the scrape gives to the exporter instead of the work.

dcgm-exporter names the pod that holds a card in `namespace`, `pod` and `container`. With `honorLabels: false` Prometheus
keeps its own labels of the target under these names and renames the exporter's to `exported_pod` and so on: by `pod`, all
cards of a node belong to the exporter. With `honorLabels: true` there is no `exported_pod`.

Source: NVIDIA/dcgm-exporter 85, 150 and pull request 76.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Related, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.metrics.alerting import Rule, rules
from gpuplan.inventory.metrics.promql import Aggregation, Binary, Node, Selector, walk
from gpuplan.inventory.metrics.scrapes import POD_LABELS, Scrape, scrapes
from gpuplan.inventory.metrics.uses import DCGM, recorded
from gpuplan.rulebook import RuleDoc
from gpuplan.words import in_a_row

DOC = RuleDoc(
    id="mon/label-clash",
    severity=Severity.ERROR,
    summary="A label that names the exporter, not the work on the card",
    why="Every card is counted to the exporter's own pod and namespace: no team or job is told from another.",
    fix="Set `honorLabels: true` on the exporter's endpoint, or group by `exported_namespace` and `exported_pod`.",
    bad="- {record: 'team:card_util:avg', expr: avg by (namespace) (DCGM_FI_DEV_GPU_UTIL)}   # scraped with honorLabels: false",
    good="- {record: 'team:card_util:avg', expr: avg by (exported_namespace) (DCGM_FI_DEV_GPU_UTIL)}",
)
_EXPORTED = tuple(f"exported_{name}" for name in POD_LABELS)


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each rule whose labels are not those that the scrape leaves; nothing where scrapes differ."""
    found = tuple(scrapes(inventory))
    if not found or len({one.honors for one in found}) > 1 or any(one.renames for one in found):
        return
    wrong = _EXPORTED if found[0].honors else POD_LABELS
    made = recorded(inventory)
    for rule in rules(inventory):
        labels = (
            [label for label in _labels(rule.expression.tree, made) if label in wrong] if rule.expression.tree else []
        )
        if found[0].honors:
            labels += [label for label in _demanded(rule.expression.tree, made) if label in wrong]
        if labels:
            yield _finding(rule, sorted(set(labels), key=wrong.index), found[0])


def _labels(tree: Node | None, made: frozenset[str]) -> Iterator[str]:
    """Yield the labels that series of the exporter are grouped or joined by."""
    for node in walk(tree) if tree is not None else ():
        if isinstance(node, Aggregation) and node.labels and not node.excluded and _of_cards(node.of, made):
            yield from node.labels
        elif (
            isinstance(node, Binary)
            and node.matching
            and any(_of_cards(side, made) for side in (node.left, node.right))
        ):
            yield from node.matching


def _demanded(tree: Node | None, made: frozenset[str]) -> Iterator[str]:
    """Yield the labels that series of the exporter are selected by and must not be empty."""
    for node in walk(tree) if tree is not None else ():
        if isinstance(node, Selector) and DCGM.fullmatch(node.name) and node.name not in made:
            for one in node.matchers:
                if (one.op == "=" and one.value) or (one.op, one.value) in (("!=", ""), ("=~", ".+")):
                    yield one.label


def _of_cards(node: Node, made: frozenset[str]) -> bool:
    """Tell whether all series in it are the exporter's own, none of them with labels made anew."""
    names = [one.name for one in walk(node) if isinstance(one, Selector)]
    relabelled = any(getattr(one, "name", "") in ("label_replace", "label_join") for one in walk(node))
    return bool(names) and not relabelled and all(DCGM.fullmatch(name) and name not in made for name in names)


def _finding(rule: Rule, labels: list[str], scrape: Scrape) -> Diagnostic:
    at = re.search(rf"\b{labels[0]}\b", rule.text)
    shown = in_a_row([f"`{label}`" for label in labels])
    summary = f"By {shown} these series tell of the exporter's own pod: the scrape does not honour their labels"
    renamed = in_a_row([f"`exported_{label}`" for label in labels])
    fix, why = f"Set `honorLabels: true` on the exporter's endpoint, or group by {renamed}.", None
    if scrape.honors:
        summary = f"Series of the exporter have no {shown}: they are scraped with `honorLabels: true`"
        fix = f"Write {shown.replace('exported_', '')}."
        why = "The labels are empty, and everything falls into one group."
    return DOC.found(
        summary,
        at=rule.inside(at.start()) if at else rule.at,
        detail=why,
        also=(Related("scraped here", scrape.at),),
        fix=fix,
    )
