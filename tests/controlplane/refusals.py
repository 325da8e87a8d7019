"""Specs that would make objects which a server refuses: the rule of ours, and what the server says.

The server's rules are those of Kueue's schemas, CEL and webhooks (v1beta2, 0.19.2), and Kubernetes' own where our text
meets them. Where such a spec does not even resolve, `by_hand` says how the same mistake is put into a sound object.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

SOUND = """
apiVersion: gpuplan.dev/v1alpha1
metadata: {name: acme}
clusters: {eu: {kubernetes: "1.36"}}
cardTiers:
  train: {cards: [h100-sxm-80gb], topology: {levels: [topology.gpuplan.dev/rack, kubernetes.io/hostname]}}
  serve: {cards: [l40s]}
nodePools:
  h100:
    {cluster: eu, tier: train, nodes: 4, cardsPerNode: 8, selectedBy: {labels: {pool: h100}}, topologyLabels: provided,
     taints: [{key: nvidia.com/gpu, effect: NoSchedule}]}
  l40s: {cluster: eu, tier: serve, nodes: 2, cardsPerNode: 4, selectedBy: {labels: {pool: l40s}}}
taskPools:
  pretrain: {kind: training, service: guaranteed, tiers: [train]}
  notebooks: {kind: experiment, service: shared, tiers: [serve], pool: {serve: 4}}
teams:
  vision:
    namespaces: [vision]
    quotas: {pretrain: {train: {guaranteed: 8}}, notebooks: {weight: 2}}
  nlp: {namespaces: [nlp], quotas: {notebooks: {}}}
"""
LEVELS, LABELS = "levels: [topology.gpuplan.dev/rack, kubernetes.io/hostname]", "labels: {pool: h100}"
TAINT, LONG = "{key: nvidia.com/gpu, effect: NoSchedule}", "x" * 64

ByHand = tuple[tuple[str | int, ...], object]
"""A path in an object, and the value that the spec would have put there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """What a spec asks for, the rule that says no, and what the server says to the object of that kind."""

    spec: str
    rule: str
    kind: str
    says: str
    by_hand: ByHand | None = None


def change(old: str, new: str, text: str = SOUND) -> str:
    """Return the sound spec with a passage replaced."""
    assert text.count(old) == 1, old
    return text.replace(old, new)


def queue_over(pools: Mapping[str, str], cards: str = "", companions: str = "") -> str:
    """Return a spec with one reclaimable queue over all of these node pools, a tier with each card."""
    entries = "\n".join(f"  {name}: {{selectedBy: {{labels: {{{name}: x}}}}, {said}}}" for name, said in pools.items())
    return f"""
apiVersion: gpuplan.dev/v1alpha1
metadata: {{name: acme}}
clusters: {{eu: {{kubernetes: "1.36", stack: external}}}}
defaults: {{nodePool: {{cluster: eu, tier: all, nodes: 1, cardsPerNode: 4, card: l4, companions: {{{companions}}}}}}}
cards: {{{cards}}}
cardTiers: {{all: {{cards: [l4{"".join(f", c{number}" for number in range(cards.count("vendor")))}]}}}}
nodePools:
{entries}
taskPools: {{scratch: {{kind: experiment, service: reclaimable, tiers: [all], fallback: nextTier}}}}
teams: {{nlp: {{namespaces: [nlp], quotas: {{scratch: {{}}}}}}}}
"""


def own_cards(count: int) -> str:
    """Return cards c0, c1, … with a resource name each."""
    return ", ".join(
        f"c{number}: {{vendor: amd, productName: x, memoryGiB: 8, resource: acme.io/c{number}}}"
        for number in range(count)
    )


def revisions(count: int, card: str = "l4", first: int = 0) -> dict[str, str]:
    """Return node pools of one card, each a flavor of its own."""
    return {f"p{first + number}": f"card: {card}, revision: {number}" for number in range(count)}


def named(count: int, prefix: str = "r") -> str:
    """Return companions, as many as asked for."""
    return ", ".join(f"acme.io/{prefix}{number}: 1" for number in range(count))


GROUPS = queue_over({f"p{number}": f"card: c{number}" for number in range(17)}, own_cards(17))
FLAVORS = queue_over(revisions(65))
NAMES = queue_over({"p": "revision: 0"}, companions=named(64))
PAIRS = queue_over(revisions(40), companions=named(12))
ALL_FLAVORS = queue_over(
    {name: said for number in range(5) for name, said in revisions(52, f"c{number}", 52 * number).items()}, own_cards(5)
)
ALL_NAMES = queue_over(
    {f"p{number}": f"card: c{number}, companions: {{{named(51, f'r{number}-')}}}" for number in range(5)}, own_cards(5)
)
CUTS = ", ".join(f"{{cards: [{card}], profiles: {{1g.5gb: 1, 1g.5gb+me: 1, 2g.10gb: 1}}}}" for card in range(8))
LONG_CUT = queue_over({"p": f"cardsPerNode: 8, sharing: {{mig: {{groups: [{CUTS}]}}}}"})
for word in ("tier: {}", "{{{}: {{", "[{}]"):
    LONG_CUT = LONG_CUT.replace(word.format("all"), word.format("t" * 63))
LONG_CUT = LONG_CUT.replace("l4", "a100-sxm-40gb")

SIZES = {
    "17 resource groups in a queue": (GROUPS, "ClusterQueue", "Too many: 17: must have at most 16 items"),
    "17 resource groups at the root": (GROUPS, "Cohort", "Too many: 17: must have at most 16 items"),
    "65 flavors in a group of a queue": (FLAVORS, "ClusterQueue", "Too many: 65: must have at most 64 items"),
    "65 flavors in a group of the root": (FLAVORS, "Cohort", "Too many: 65: must have at most 64 items"),
    "65 resource names in a group": (NAMES, "ClusterQueue", "Too many: 65: must have at most 64 items"),
    "520 pairs of flavor and resource in a group": (PAIRS, "ClusterQueue", "must be ≤ 512, got 520"),
    "260 flavors in all groups": (
        ALL_FLAVORS,
        "ClusterQueue",
        "number of flavors across all resourceGroups must be ≤ 256",
    ),
    "260 resource names in all groups": (
        ALL_NAMES,
        "ClusterQueue",
        "number of covered resources across all resourceGroups must be ≤ 256",
    ),
}
"""How much a ClusterQueue or Cohort may hold: the spec, the kind, and what the server says."""

CASES: dict[str, Case] = {
    **{
        what: Case(spec=spec, rule="kueue/queue-too-large", kind=kind, says=says)
        for what, (spec, kind, says) in SIZES.items()
    },
    "a flavor twice in a group": Case(
        spec=change("tiers: [train]", "tiers: [train, train]"),
        rule="queue/tier-twice",
        kind="ClusterQueue",
        says="duplicate entries",
    ),
    "a lending limit above the quota": Case(
        spec=change("guaranteed: 8", "guaranteed: 8, lend: 9"),
        rule="quota/lend-above-guaranteed",
        kind="ClusterQueue",
        says="must be less than or equal to the nominalQuota",
    ),
    "a negative quota at the root": Case(
        spec=change("guaranteed: 8", "guaranteed: 33"),
        rule="quota/over-capacity",
        kind="Cohort",
        says="must be greater than or equal to 0",
    ),
    "a negative quota of a queue": Case(
        spec=change("guaranteed: 8", "guaranteed: -1"),
        rule="spec/invalid-value",
        kind="ClusterQueue",
        says="must be greater than or equal to 0",
        by_hand=(("spec", "resourceGroups", 0, "flavors", 0, "resources", 0, "nominalQuota"), "-1"),
    ),
    "a negative weight": Case(
        spec=change("weight: 2", "weight: -2"),
        rule="spec/invalid-value",
        kind="ClusterQueue",
        says="must be greater than or equal to 0",
        by_hand=(("spec", "fairSharing", "weight"), "-2"),
    ),
    "a resource name of 64 characters": Case(
        spec=change(
            "cards: [l40s]",
            "cards: [own]",
            change(
                "clusters:",
                f"cards: {{own: {{vendor: amd, productName: x, memoryGiB: 8, resource: acme.io/{LONG}}}}}\nclusters:",
            ),
        ),
        rule="card/resource-name",
        kind="ClusterQueue",
        says="name part must be no more than 63 bytes",
    ),
    "a companion of 64 characters": Case(
        spec=change("nodes: 2,", f"nodes: 2, companions: {{acme.io/{LONG}: 1}},"),
        rule="names/too-long",
        kind="ClusterQueue",
        says="name part must be no more than 63 bytes",
    ),
    # ResourceFlavors.
    "9 node labels": Case(
        spec=change(LABELS, "labels: {" + ", ".join(f"l{number}: x" for number in range(9)) + "}"),
        rule="pool/too-many-labels",
        kind="ResourceFlavor",
        says="spec.nodeLabels: Too many: 9: must have at most 8 items",
    ),
    "9 tolerations": Case(
        spec=change(TAINT, ", ".join(f"{{key: t{number}, effect: NoSchedule}}" for number in range(9))),
        rule="pool/too-many-tolerations",
        kind="ResourceFlavor",
        says="spec.tolerations: Too many: 9: must have at most 8 items",
    ),
    "a topology without a node label": Case(
        spec=change(
            "taskPools:",
            "  more: {cluster: eu, tier: serve, nodes: 1, cardsPerNode: 4, selectedBy: {labels: {pool: more}}}\ntaskPools:",
        ),
        rule="pool/no-common-label",
        kind="ResourceFlavor",
        says="at least one nodeLabel is required when topology is set",
    ),
    "a node label without a proper domain": Case(
        spec=change(LABELS, "labels: {acme..io/pool: h100}"),
        rule="spec/invalid-name",
        kind="ResourceFlavor",
        says="prefix part a lowercase RFC 1123 subdomain",
        by_hand=(("spec", "nodeLabels"), {"acme..io/pool": "h100"}),
    ),
    "a node label key of 64 characters": Case(
        spec=change(LABELS, f"labels: {{{LONG}: h100}}"),
        rule="names/too-long",
        kind="ResourceFlavor",
        says="name part must be no more than 63 bytes",
    ),
    "a taint without a proper domain": Case(
        spec=change("key: nvidia.com/gpu", "key: nvidia.com./gpu"),
        rule="spec/invalid-value",
        kind="ResourceFlavor",
        says="prefix part a lowercase RFC 1123 subdomain",
        by_hand=(("spec", "tolerations", 0, "key"), "nvidia.com./gpu"),
    ),
    "a taint with an effect that there is not": Case(
        spec=change("effect: NoSchedule", "effect: Sometimes"),
        rule="spec/invalid-value",
        kind="ResourceFlavor",
        says="supported taint effect values",
        by_hand=(("spec", "tolerations", 0, "effect"), "Sometimes"),
    ),
    "a flavor name of more than 253 characters": Case(
        spec=LONG_CUT, rule="names/too-long", kind="ResourceFlavor", says="must be no more than 253"
    ),
    # Topologies.
    "a level twice": Case(
        spec=change(LEVELS, "levels: [a/rack, a/rack]"),
        rule="topology/level-twice",
        kind="Topology",
        says="must be unique",
    ),
    "a level below the hostname": Case(
        spec=change(LEVELS, "levels: [kubernetes.io/hostname, a/rack]"),
        rule="topology/hostname-not-last",
        kind="Topology",
        says="kubernetes.io/hostname label can only be used at the lowest level",
    ),
    "17 levels": Case(
        spec=change(LEVELS, "levels: [" + ", ".join(f"l{number}" for number in range(17)) + "]"),
        rule="spec/invalid-value",
        kind="Topology",
        says="Too many: 17: must have at most 16 items",
        by_hand=(("spec", "levels"), [{"nodeLabel": f"l{number}"} for number in range(17)]),
    ),
    "no level": Case(
        spec=change(LEVELS, "levels: []"),
        rule="spec/invalid-value",
        kind="Topology",
        says="should have at least 1 items",
        by_hand=(("spec", "levels"), []),
    ),
    "a level of 317 characters": Case(
        spec=change("topology.gpuplan.dev/rack", f"{'d' * 253}/{'x' * 63}"),
        rule="names/too-long",
        kind="Topology",
        says="Too long: may not be more than 316 bytes",
    ),
    "a level that is no label": Case(
        spec=change("topology.gpuplan.dev/rack", "a..b/rack"),
        rule="spec/invalid-value",
        kind="Topology",
        says="should match",
        by_hand=(("spec", "levels", 0, "nodeLabel"), "a..b/rack"),
    ),
    # Kubernetes' own, where our text meets them.
    "a namespace with a capital": Case(
        spec=change("namespaces: [vision]", "namespaces: [Vision]"),
        rule="spec/invalid-value",
        kind="Namespace",
        says="a lowercase RFC 1123 label",
        by_hand=(("metadata", "name"), "Vision"),
    ),
    "labels for Prometheus without a proper domain": Case(
        spec=SOUND + "monitoring: {selectorLabels: {a.-b/release: x}}\n",
        rule="spec/invalid-name",
        kind="PrometheusRule",
        says="prefix part a lowercase RFC 1123 subdomain",
        by_hand=(("metadata", "labels"), {"a.-b/release": "x"}),
    ),
    "more exempt users than a policy may name": Case(
        spec=SOUND
        + "governance: {guardRails: {exemptUsers: ["
        + ", ".join(f"u{n}-{LONG}" for n in range(1400))
        + "]}}\n",
        rule="governance/guard-rail-too-long",
        kind="ValidatingAdmissionPolicy",
        says="expression code point size exceeds limit",
    ),
}
