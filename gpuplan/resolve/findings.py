"""What can go wrong while names are bound, in words."""

from __future__ import annotations

from gpuplan.diagnostics import Severity
from gpuplan.rulebook import RuleDoc

UNKNOWN_NAME = RuleDoc(
    id="ref/unknown-name",
    severity=Severity.ERROR,
    summary="A reference to something that the fleet does not define",
    why="Nothing of that name exists in `fleet/` or in the catalogue, so there is nothing to compile it to.",
    fix="Write the name of one that exists, or define it.",
    bad="nodePools:\n  h100-a: {cluster: prod-eu, tier: trian, nodes: 16, cardsPerNode: 8}",
    good="nodePools:\n  h100-a: {cluster: prod-eu, tier: train, nodes: 16, cardsPerNode: 8}",
)
CARD_NOT_IN_TIER = RuleDoc(
    id="ref/card-not-in-tier",
    severity=Severity.ERROR,
    summary="A pool's card that its tier does not list",
    why="Task pools trust a tier to hold the cards that it lists and no others.",
    fix="Add the card to the tier's `cards`, or put the pool into another tier.",
    bad="cardTiers:\n  train: {cards: [h100-sxm-80gb]}\nnodePools:\n  a: {tier: train, card: l40s}",
    good="cardTiers:\n  train: {cards: [h100-sxm-80gb]}\nnodePools:\n  a: {tier: train, card: h100-sxm-80gb}",
)
CARD_NEEDED = RuleDoc(
    id="ref/card-needed",
    severity=Severity.ERROR,
    summary="A pool of a tier with several cards that does not say which card it has",
    why="The card decides the labels, the MIG profiles and the driver. gpuplan does not guess it.",
    fix="Add `card:` to the pool.",
    bad="cardTiers:\n  train: {cards: [h100-sxm-80gb, h200-141gb]}\nnodePools:\n  a: {tier: train}",
    good="cardTiers:\n  train: {cards: [h100-sxm-80gb, h200-141gb]}\nnodePools:\n  a: {tier: train, card: h200-141gb}",
)
AMBIGUOUS_ADDRESS = RuleDoc(
    id="quota/ambiguous-address",
    severity=Severity.ERROR,
    summary="A quota for a tier that offers several resources or flavors",
    why="Kueue keeps one number for each flavor and resource. Splitting one number over several would be a guess.",
    fix="Give each its own number.",
    bad="teams:\n  nlp: {quotas: {notebooks: {lab: {cap: 28}}}}   # lab offers 1g.5gb and 3g.20gb",
    good="teams:\n  nlp: {quotas: {notebooks: {lab/1g.5gb: {cap: 20}, lab/3g.20gb: {cap: 8}}}}",
)
UNKNOWN_ADDRESS = RuleDoc(
    id="quota/unknown-address",
    severity=Severity.ERROR,
    summary="A quota for something that no pool offers",
    why="The tier, card, way of sharing or MIG profile behind the slash does not exist in that cluster.",
    fix="Write one of the addresses that exist there.",
    bad="teams:\n  nlp: {quotas: {notebooks: {lab/1g.10gb: {cap: 28}}}}   # the pool is cut into 1g.5gb",
    good="teams:\n  nlp: {quotas: {notebooks: {lab/1g.5gb: {cap: 28}}}}",
)
TIER_NOT_IN_TASK_POOL = RuleDoc(
    id="quota/tier-not-in-task-pool",
    severity=Severity.ERROR,
    summary="A quota for a tier that the task pool does not use",
    why="Jobs of the task pool never reach that tier, so the cards would be set aside for nobody.",
    fix="Add the tier to the task pool's `tiers`, or give the quota for one of its tiers.",
    bad="taskPools:\n  pretrain: {tiers: [train]}\nteams:\n  nlp: {quotas: {pretrain: {serve: {guaranteed: 8}}}}",
    good="taskPools:\n  pretrain: {tiers: [train]}\nteams:\n  nlp: {quotas: {pretrain: {train: {guaranteed: 8}}}}",
)
WHICH_CLUSTER = RuleDoc(
    id="quota/which-cluster",
    severity=Severity.ERROR,
    summary="A quota for a tier that exists in several clusters, without the cluster",
    why="Each cluster has its own Kueue with its own numbers.",
    fix="Give the numbers cluster by cluster, under `clusters:`.",
    bad="teams:\n  nlp: {quotas: {pretrain: {train: {guaranteed: 8}}}}   # train exists in eu and us",
    good="teams:\n  nlp: {quotas: {pretrain: {clusters: {eu: {train: {guaranteed: 8}}}}}}",
)
KEY_NOT_FOR_SERVICE = RuleDoc(
    id="quota/key-not-for-service",
    severity=Severity.ERROR,
    summary="A quota key that the task pool's service class does not have",
    why="Guaranteed and queued pools know `guaranteed`, `borrow` and `lend`; shared and reclaimable ones only `cap`, and only "
    "shared ones `pool`, `poolBorrow` and `weight`. The key would have no effect.",
    fix="Use the keys of the service class, or choose another service class.",
    bad="taskPools:\n  scratch: {service: reclaimable}\nteams:\n  nlp: {quotas: {scratch: {lab: {guaranteed: 8}}}}",
    good="taskPools:\n  scratch: {service: reclaimable}\nteams:\n  nlp: {quotas: {scratch: {lab: {cap: 8}}}}",
)
TASK_POOL_WITHOUT_HARDWARE = RuleDoc(
    id="queue/no-hardware",
    severity=Severity.ERROR,
    summary="A team's queue for a task pool that no cluster has cards for",
    why="The queue would exist nowhere: none of the task pool's tiers has a node pool there.",
    fix="Add a node pool of one of the tiers, or remove the quota.",
    bad="teams:\n  nlp: {quotas: {pretrain: {}}}   # no nodePools entry has tier train",
    good="nodePools:\n  h100-a: {cluster: prod-eu, tier: train, nodes: 2, cardsPerNode: 8}",
)
OVERRIDE_OF_NOTHING = RuleDoc(
    id="names/override-of-nothing",
    severity=Severity.ERROR,
    summary="A name in use for something that gpuplan does not name",
    why="`names` maps the name that gpuplan would give to the one in use. Nothing has the name on the left, so nothing would be "
    "called as it is wished.",
    fix="Write the name that gpuplan would give, as `gpuplan show` lists it.",
    bad="names: {clusterQueues: {vision-pretrian: vision}}",
    good="names: {clusterQueues: {vision-pretrain: vision}}",
)
FINDINGS = (
    UNKNOWN_NAME,
    CARD_NOT_IN_TIER,
    CARD_NEEDED,
    AMBIGUOUS_ADDRESS,
    UNKNOWN_ADDRESS,
    TIER_NOT_IN_TASK_POOL,
    WHICH_CLUSTER,
    KEY_NOT_FOR_SERVICE,
    TASK_POOL_WITHOUT_HARDWARE,
    OVERRIDE_OF_NOTHING,
)
