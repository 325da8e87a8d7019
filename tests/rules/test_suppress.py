"""Accepted findings: what `suppress:` takes away, what it leaves, and what is said of the suppressions themselves."""

from __future__ import annotations

import re

import pytest

from gpuplan import rules
from gpuplan.diagnostics import Diagnostics
from gpuplan.rules import suppress
from tests.build import TODAY, fleet

ENDED = "driver/branch-ended"
FLEET = """\
apiVersion: gpuplan.dev/v1alpha1
metadata: {name: acme}
clusters: {eu: {kubernetes: "1.36"}}
delivery: {argocd: {repoURL: https://git.acme.io/fleet.git}}
cardTiers: {lab: {cards: [l4]}, serve: {cards: [l40s]}}
nodePools:
  a:
    cluster: eu
    tier: lab
    nodes: 2
    cardsPerNode: 8
    selectedBy: {nfd: {}}
    driver:
      branch: "535"
    taints:
      - {key: nvidia.com/gpu, effect: PreferNoSchedule}
  b: {cluster: eu, tier: serve, nodes: 2, cardsPerNode: 4, selectedBy: {labels: {pool: b}}, driver: {branch: "535"}}
"""
"""On line 14 and on line 17 a branch that has ended; on line 16 a soft taint, and taints that nobody sets."""


def left(*entries: str, text: str = FLEET) -> Diagnostics:
    """Return what is left of the fleet's findings under these suppressions."""
    made = fleet(text + "suppress:\n" + "".join(f"- {entry}\n" for entry in entries) if entries else text)
    return suppress.apply(rules.check(made), made.suppressions, made.places, TODAY)


def lines_of(found: Diagnostics, rule: str) -> list[int]:
    return [finding.at.line for finding in found if finding.rule == rule]


def test_without_a_suppression_every_finding_stays() -> None:
    assert lines_of(left(), ENDED) == [14, 17]


def test_a_suppression_without_a_place_takes_every_finding_of_its_rule_and_no_other() -> None:
    found = left(f"{{rule: {ENDED}, reason: waiting for new images}}")
    assert lines_of(found, ENDED) == []
    assert lines_of(found, "taint/not-set-by-nfd") == [16]
    assert lines_of(found, "suppress/unused") == []


@pytest.mark.parametrize("place", ["nodePools.a", "nodePools/a", "nodePools.a.driver", "nodePools.a.driver.branch"])
def test_a_suppression_takes_findings_at_or_below_its_place(place: str) -> None:
    assert lines_of(left(f"{{rule: {ENDED}, at: {place}, reason: waiting for new images}}"), ENDED) == [17]


def test_a_place_may_be_a_position_in_a_list() -> None:
    soft = "taint/prefer-no-schedule-ignored"
    assert lines_of(left(f"{{rule: {soft}, at: nodePools.a.taints.0, reason: other work may run here}}"), soft) == []


@pytest.mark.parametrize("place", ["teams.nlp.quotas.scratch.lab/1g.5gb", "teams/nlp/quotas/scratch/lab/1g.5gb"])
def test_a_name_in_a_place_may_hold_dots_and_slashes_itself(place: str) -> None:
    text = FLEET.replace("l4]", "a100-sxm-40gb]").replace(
        "    selectedBy: {nfd: {}}\n", "    selectedBy: {nfd: {}}\n    sharing: {mig: {profiles: {1g.5gb: 7}}}\n"
    )
    text += """\
taskPools: {scratch: {kind: experiment, service: reclaimable, tiers: [lab]}}
teams: {nlp: {namespaces: [nlp], quotas: {scratch: {lab/1g.5gb: {cap: 999}}}}}
"""
    above = "quota/cap-above-capacity"
    assert lines_of(left(text=text), above) == [20]
    assert lines_of(left(f"{{rule: {above}, at: {place}, reason: cards are on their way}}", text=text), above) == []


@pytest.mark.parametrize("place", ["nodePools.c", "nodePools.a.drivers", "nodePools.a.taints.1", "nodePool"])
def test_a_place_that_does_not_exist_takes_nothing_and_is_reported(place: str) -> None:
    found = left(f"{{rule: {ENDED}, at: {place}, reason: waiting for new images}}")
    assert lines_of(found, ENDED) == [14, 17]
    assert lines_of(found, "suppress/unused") == [19]


def test_a_suppression_that_nothing_answers_to_is_reported_where_it_stands() -> None:
    found = left(
        f"{{rule: {ENDED}, reason: waiting for new images}}", "{rule: tier/no-price, reason: the lab is written off}"
    )
    assert lines_of(found, "suppress/unused") == [20]


def test_a_misspelt_rule_is_reported_with_the_rule_that_was_meant() -> None:
    (unused,) = [
        one
        for one in left("{rule: driver/branch-end, reason: waiting for new images}")
        if one.rule == "suppress/unused"
    ]
    assert unused.fix == "Write `driver/branch-ended` if that is meant, or remove the entry."


def test_the_examples_of_suppressions_name_rules_that_exist() -> None:
    examples = "".join(doc.bad + doc.good for doc in suppress.FINDINGS)
    named = set(re.findall(r"rule: ([a-z/-]+)", examples))
    assert named
    assert named <= {rule.doc.id for rule in rules.RULES}


def test_a_suppression_that_another_one_makes_needless_is_reported() -> None:
    entry = f"{{rule: {ENDED}, reason: waiting for new images}}"
    assert lines_of(left(entry, entry), "suppress/unused") == [20]


@pytest.mark.parametrize(("until", "lines"), [("2026-11-29", [14, 17]), ("2026-11-30", []), ("2026-12-01", [])])
def test_a_suppression_holds_through_its_last_day(until: str, lines: list[int]) -> None:
    found = left(f"{{rule: {ENDED}, reason: waiting for new images, until: {until}}}")
    assert lines_of(found, ENDED) == lines
    assert lines_of(found, "suppress/expired") == ([19] if lines else [])
    assert lines_of(found, "suppress/unused") == []


def test_an_error_is_never_taken_away() -> None:
    broken = FLEET.replace("PreferNoSchedule", "NoSchedule").replace(
        "key: nvidia.com/gpu", "key: node.kubernetes.io/gpu"
    )
    found = left("{rule: taint/system-key, reason: we know what we do}", text=broken)
    assert lines_of(found, "taint/system-key") == [16]
    assert lines_of(found, "suppress/error") == [19]
