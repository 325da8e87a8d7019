"""Mistakes in the shape of the spec: all at once, each at its place, in our words, with the nearest right one."""

from __future__ import annotations

import datetime

import pytest

from gpuplan import catalog
from gpuplan.diagnostics import Diagnostics
from gpuplan.resolve import resolve
from gpuplan.source.yamltext import parse_text
from gpuplan.spec.load import load

SMALL = """\
apiVersion: gpuplan.dev/v1alpha1
kind: Fleet
metadata: {name: acme}
clusters: {eu: {kubernetes: "1.36"}}
cardTiers: {serve: {cards: [l40s]}}
nodePools:
  a: {cluster: eu, tier: serve, nodes: 2, cardsPerNode: 4, selectedBy: {labels: {pool: a}}}
"""


def found(*texts: str) -> Diagnostics:
    documents = [doc for number, text in enumerate(texts) for doc in parse_text(f"f{number}.yaml", text).documents]
    return load(documents)[1]


def lines(findings: Diagnostics) -> list[str]:
    return [f"{d.at.file}:{d.at.line}:{d.at.column} {d.rule} {d.summary} | {d.fix}" for d in findings]


def test_the_small_fleet_has_nothing_wrong() -> None:
    assert found(SMALL) == ()


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        (
            "taskPool: {}\n",
            "f1.yaml:1:1 spec/unknown-key the spec has no key `taskPool` | Write `taskPools`.",
        ),
        (
            "monitoring: {exporter: {intervalSecond: 3}}\n",
            "f1.yaml:1:25 spec/unknown-key `monitoring.exporter` has no key `intervalSecond` | Write `intervalSeconds`.",
        ),
        (
            "cardTiers: {x: {cards: []}}\n",
            (
                "f1.yaml:1:24 spec/invalid-value `cardTiers.x.cards` takes 1 or more entries, not an empty list "
                "| Write a value of the kind that the message names."
            ),
        ),
        (
            "teams: {Nlp: {namespaces: [nlp]}}\n",
            (
                "f1.yaml:1:9 spec/invalid-name `Nlp` cannot be a name in `teams` | Rename it: lower-case letters, digits and `-`, "
                "with a letter or digit at both ends, at most 63 characters."
            ),
        ),
        (
            "taskPools: {chat: {kind: onlineInferense, service: queued, tiers: [serve]}}\n",
            (
                "f1.yaml:1:26 spec/invalid-value `taskPools.chat.kind` takes `training`, `batchInference`, `onlineInference` or "
                "`experiment`, not the text `onlineInferense` | Write `onlineInference`."
            ),
        ),
        (
            "defaults: {nodePool: {topology: 'off'}}\n",
            (
                "f1.yaml:1:23 spec/unknown-key `defaults.nodePool` has no key `topology` | Write `topologyLabels`; `topology` is a key "
                "of `cardTiers.*` and `taskPools.*`."
            ),
        ),
        (
            "teams: {nlp: {namespaces: nlp}}\n",
            ("f1.yaml:1:27 spec/wrong-type `teams.nlp.namespaces` takes a list, not the text `nlp` | Write `[nlp]`."),
        ),
        (
            "teams: {nlp: {namespaces: [nlp], quotas: {chat: }}}\n",
            (
                "f1.yaml:1:43 spec/wrong-type `teams.nlp.quotas.chat` takes a mapping, not nothing (write `{}` for an empty "
                "mapping) | Write the value as the type that the message names."
            ),
        ),
        (
            (
                "nodePools: {b: {cluster: eu, tier: serve, nodes: 2, cardsPerNode: 4, selectedBy: {nfd: {}}, sharing: {mps: "
                "{replicas: 2}, timeSlicing: {replicas: 2}}}}\n"
            ),
            (
                "f1.yaml:1:93 spec/conflicting-keys `nodePools.b.sharing`: exactly one of mig, timeSlicing, mps, partition, vnpu, hami must be set "
                "(2 are set) | Keep exactly one of the keys that the message names."
            ),
        ),
        (
            "nodePools: {b: {cluster: eu, tier: serve, nodes: 2, selectedBy: {nfd: {}}}}\n",
            (
                "f1.yaml:1:13 spec/missing-key `nodePools.b`: a pool with nodes needs cardsPerNode | Add it; `gpuplan explain "
                "nodePools.b.cardsPerNode` says what it takes."
            ),
        ),
        (
            "nodePools: {b: {cluster: eu, tier: serve, nodes: true, cardsPerNode: 4, selectedBy: {nfd: {}}}}\n",
            (
                "f1.yaml:1:50 spec/wrong-type `nodePools.b.nodes` takes a whole number, not `true` | Write the value as the type "
                "that the message names."
            ),
        ),
    ],
)
def test_a_mistake_is_named_at_its_place_with_a_fix(more: str, expected: str) -> None:
    assert lines(found(SMALL, more)) == [expected]


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        (
            'defaults: {nodePool: {nodes: "2"}}\n',
            "`defaults.nodePool.nodes` takes a whole number, not the text `2` | Write `2`, without quotes.",
        ),
        (
            "clusters: {us: {kubernetes: 1.30}}\n",
            'not `1.30` | Write `"1.30"`, in quotes: without them it is no text.',
        ),
        (
            'monitoring: {exporter: {profiling: "True"}}\n',
            "`monitoring.exporter.profiling` takes true or false, not the text `True` | Write `true`.",
        ),
        (
            "cardTiers: {x: {cards: [l4], topology: false}}\n",
            "`cardTiers.x.topology` takes `off` or a mapping, not `false` | Write `off`.",
        ),
        (
            "defaults: {nodePool: {sharing: {hami: 10}}}\n",
            "`defaults.nodePool.sharing.hami` takes a mapping, not `10` | Write `{split: 10}`.",
        ),
        (
            "defaults: {nodePool: {sharing: {partition: CPX}}}\n",
            "takes a mapping, not the text `CPX` | Write `{compute: CPX}`.",
        ),
        (
            "clusters: {us: {kubernetes: '1.36', gpuOperator: [external]}}\n",
            "takes `managed`, `external` or a mapping, not a list | Write a mapping with `install` or `namespace`.",
        ),
        (
            "defaults: {nodePool: {driver: {branch: 580.95.05}}}\n",
            'takes a driver branch, such as `580`, not the text `580.95.05` | Write `"580"`.',
        ),
        (
            'monitoring: {exporter: {profiling: "true"}}\n',
            "`monitoring.exporter.profiling` takes true or false, not the text `true` | Write `true`, without quotes.",
        ),
    ],
)
def test_a_value_of_the_wrong_type_is_shown_as_it_should_be_written(more: str, expected: str) -> None:
    (line,) = lines(found(SMALL, more))
    assert expected in line


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        (
            "defaults: {nodePool: {sharing: shared}}\n",
            "takes `exclusive`, or a mapping with `mig`, `timeSlicing`, `mps`, `partition`, `vnpu` or `hami`, not the text `shared`",
        ),
        ("delivery: {argocd: {repoURL: ''}}\n", "takes a text that is not empty, not an empty text"),
        (
            "defaults: {cardTier: {costPerCardHour: 2.40}}\n",
            "takes a text, not `2.40` | Write a price, such as `2.40 USD`.",
        ),
        (
            "defaults: {nodePool: {sharing: {mig: {profiles: {1g5gb: 7}}}}}\n",
            "| Write a MIG profile, such as `1g.5gb`.",
        ),
        (
            "teams: {nlp: {namespaces: [N L P]}}\n",
            "takes a name of lower-case letters, digits and `-`, such as `team-a`",
        ),
        (
            "clusters: {us: {kubernetes: '1.36', gpuOperator: {driver: {}}}}\n",
            "has no key `driver` | It takes `install` or `namespace`; `driver` is a key of `nodePools.*`.",
        ),
        (
            "gpuOperator: external\n",
            "`adopted`, `moved` or `suppress`; `gpuOperator` is a key of `clusters.*`.",
        ),
        (
            "governance: {nodeHealth: {controller: nodeReadiness}}\n",
            (
                "spec/missing-key `governance.nodeHealth`: controller nodeReadiness needs at least one of conditions | Add it; "
                "`gpuplan explain governance.nodeHealth.conditions` says what it takes."
            ),
        ),
        (
            f"governance: {{maintenance: {{windows: [{{schedule: '0 2 * * 6', duration: 4h, reason: {'x' * 300}}}]}}}}\n",
            "spec/invalid-value `governance.maintenance.windows.0`: name and reason may have 255 bytes together (they have 302)",
        ),
        (
            "nodePools: {b: {nodes: 1, cardsPerNode: 4, tier: serve}}\n",
            "`nodePools.b` needs `cluster` and `selectedBy`",
        ),
    ],
)
def test_what_a_key_takes_is_said_in_words(more: str, expected: str) -> None:
    (line,) = lines(found(SMALL, more))
    assert expected in line


def test_a_misspelt_key_is_not_also_missing() -> None:
    assert lines(found(SMALL.replace("nodes: 2", "node: 2"))) == [
        "f0.yaml:7:33 spec/unknown-key `nodePools.a` has no key `node` | Write `nodes`."
    ]


def test_names_are_still_bound_where_the_only_cluster_is_broken() -> None:
    text = SMALL.replace('"1.36"', "1.36").replace("tier: serve", "tier: sevre")
    loaded, _ = load(parse_text("f.yaml", text).documents)
    assert loaded is not None
    _, names = resolve(loaded, catalog.load(), datetime.date(2026, 11, 30))
    assert [finding.summary for finding in names] == ["`sevre` is not defined in `cardTiers`"]


def test_all_mistakes_of_all_files_come_at_once() -> None:
    findings = found(
        SMALL, "teams: {a: {namespaces: []}}\n", "cardTiers: {z: {card: [l4]}}\ngovernance: {podSecurity: off}\n"
    )
    assert [(d.at.file, d.at.line, d.rule) for d in findings] == [
        ("f1.yaml", 1, "spec/invalid-value"),
        ("f2.yaml", 1, "spec/unknown-key"),
        ("f2.yaml", 2, "spec/invalid-value"),
    ]


def test_a_name_in_two_files_shows_both_places() -> None:
    (finding,) = found(SMALL, "nodePools: {a: {cluster: eu}}\n")
    assert (finding.summary, str(finding.at), [str(other.at) for other in finding.also]) == (
        "`nodePools.a` is defined twice",
        "f1.yaml:1:13",
        ["f0.yaml:7:3"],
    )


def test_api_version_may_be_repeated_but_not_contradicted() -> None:
    assert found(SMALL, "apiVersion: gpuplan.dev/v1alpha1\nteams: {}\n") == ()
    (finding,) = found(SMALL, "apiVersion: gpuplan.dev/v2\n")
    assert (finding.rule, str(finding.at)) == ("spec/duplicate-name", "f1.yaml:1:1")


def test_defaults_fill_what_an_entry_lacks_and_point_at_themselves() -> None:
    defaults = "defaults: {nodePool: {cardsPerNode: 8, nodes: 3}}\n"
    pool = "nodePools: {b: {cluster: eu, tier: serve, nodes: 2, selectedBy: {labels: {pool: b}}}}\n"
    documents = [doc for text in (SMALL, defaults, pool) for doc in parse_text("f.yaml", text).documents]
    loaded, findings = load(documents)
    assert findings == ()
    assert loaded is not None
    pool_spec = loaded.spec.node_pools["b"]
    assert (pool_spec.nodes, pool_spec.cards_per_node) == (2, 8)


def test_a_mistake_in_defaults_is_said_once_and_not_for_each_entry() -> None:
    pools = "".join(
        f"  p{n}: {{cluster: eu, tier: serve, nodes: 2, cardsPerNode: 4, selectedBy: {{labels: {{pool: p{n}}}}}}}\n"
        for n in range(3)
    )
    findings = found(SMALL, "defaults: {nodePool: {cardPerNode: 8}}\n", "nodePools:\n" + pools)
    assert lines(findings) == [
        "f1.yaml:1:23 spec/unknown-key `defaults.nodePool` has no key `cardPerNode` | Write `cardsPerNode`."
    ]


def test_a_reference_to_a_broken_entry_is_no_mistake_of_its_own() -> None:
    text = SMALL + "taskPools: {chat: {kind: onlineInference, service: guaranteed, tiers: [serve, lab]}}\n"
    broken = "cardTiers: {lab: {cards: [a30], suit: []}}\n"
    documents = [doc for part in (text, broken) for doc in parse_text("f.yaml", part).documents]
    loaded, findings = load(documents)
    assert [d.rule for d in findings] == ["spec/unknown-key"]
    assert loaded is not None
    fleet, names = resolve(loaded, catalog.load(), datetime.date(2026, 11, 30))
    assert (fleet, names) == (None, ())
