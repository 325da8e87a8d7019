"""Changes of queues, flavors and namespaces that come, go or get another name, and what each does."""

from __future__ import annotations

from tests.unit.plan.queue_fleet import HEAD, Case

ENTRIES: tuple[Case, ...] = (
    Case(
        "a queue more",
        (("scratch: {}", "scratch: {}\n      chat: {desk: {guaranteed: 4}}"),),
        (
            "none queue/added of queue vision-chat",
            "none quota/rest-shrunk of flavor desk-t4-time-slicing-4, nvidia.com/gpu.shared",
        ),
    ),
    Case(
        "a queue less",
        (("      tune: {train: {guaranteed: 32}}\n", ""),),
        (
            "destructive queue/removed of queue vision-tune (vision)",
            "none guard-rail/follows of guard rails of eu",
            "none quota/rest-grown of flavor train-h100-sxm-80gb, nvidia.com/gpu",
        ),
    ),
    Case(
        "a task pool and queue more",
        (
            ("  tune: {kind", "  more: {kind: training, service: guaranteed, tiers: [train]}\n  tune: {kind"),
            ("scratch: {}", "scratch: {}\n      more: {train: {guaranteed: 4}}"),
        ),
        (
            "low quota/rest-shrunk of flavor train-h100-sxm-80gb, nvidia.com/gpu",
            "none guard-rail/follows of guard rails of eu",
            "none queue/added of queue vision-more",
            "none task-pool/added of task pool more",
        ),
    ),
    Case(
        "a team more",
        (("scratch: {}\n", "scratch: {}\n  robo: {namespaces: [robo], quotas: {scratch: {}}}\n"),),
        (
            "low kueue/restarts of Kueue of eu",
            "none guard-rail/follows of guard rails of eu",
            "none namespace/added of namespace robo",
            "none queue/added of queue robo-scratch",
        ),
    ),
    Case(
        "a namespace more",
        (("[nlp]", "[nlp, nlp-dev]"),),
        (
            "low kueue/restarts of Kueue of eu",
            "none guard-rail/follows of guard rails of eu",
            "none namespace/added of namespace nlp-dev",
        ),
    ),
    Case(
        "a namespace less",
        (("[vision, sight]", "[vision]"),),
        (
            "disruptive namespace/let-go of namespace sight (vision)",
            "low kueue/restarts of Kueue of eu",
            "none guard-rail/follows of guard rails of eu",
        ),
    ),
    Case(
        "a namespace that changes hands",
        (
            ("[nlp]", "[nlp, sight]"),
            ("[vision, sight]", "[vision]"),
        ),
        (
            "disruptive namespace/changes-hands of namespace sight (vision)",
            "disruptive queue/local-removed of local queue sight/scratch (vision)",
            "disruptive queue/local-removed of local queue sight/tune (vision)",
            "disruptive queue/local-repointed of local queue sight/notebooks (vision)",
            "disruptive queue/local-repointed of local queue sight/pretrain (vision)",
            "low queue/namespaces-changed of team vision (vision)",
            "low rights/groups-changed of namespace sight (vision)",
            "none queue/local-added of local queue sight/chat",
            "none queue/namespaces-changed of team nlp",
        ),
    ),
    Case(
        "a team with another name",
        (
            ("  nlp:\n", "  lang:\n"),
            (HEAD, HEAD + "\nmoved: [{from: teams.nlp, to: teams.lang}]"),
        ),
        (
            "disruptive queue/local-repointed of local queue nlp/chat (lang)",
            "disruptive queue/local-repointed of local queue nlp/notebooks (lang)",
            "disruptive queue/local-repointed of local queue nlp/pretrain (lang)",
            "disruptive queue/renamed of queue lang-chat (lang)",
            "disruptive queue/renamed of queue lang-notebooks (lang)",
            "disruptive queue/renamed of queue lang-pretrain (lang)",
            "disruptive team/renamed of team lang (lang)",
        ),
    ),
    Case(
        "a task pool with another name",
        (
            ("  tune: {kind", "  finetune: {kind"),
            ("tune: {train: {guar", "finetune: {train: {guar"),
            (HEAD, HEAD + "\nmoved: [{from: taskPools.tune, to: taskPools.finetune}]"),
        ),
        (
            "disruptive queue/local-renamed of local queue sight/finetune",
            "disruptive queue/local-renamed of local queue vision/finetune",
            "disruptive queue/renamed of queue vision-finetune (vision)",
            "disruptive task-pool/renamed of task pool finetune",
            "none guard-rail/follows of guard rails of eu",
        ),
    ),
    Case(
        "a tier less",
        (("tiers: [lab, train], fallback: nextTier", "tiers: [lab]"),),
        ("low task-pool/flavor-removed of task pool scratch",),
    ),
    Case(
        "a tier more",
        (("service: queued, tiers: [train]", "service: queued, tiers: [train, lab], fallback: nextTier"),),
        ("none task-pool/flavor-added of task pool tune",),
    ),
    Case(
        "a revision",
        (("{cards: [a100-sxm-40gb]}", "{cards: [a100-sxm-40gb], revision: 1}"),),
        (
            "disruptive flavor/replaced of flavor lab-a100-sxm-40gb-1",
            "low topology/removed of topology lab",
            "none topology/added of topology lab-1",
        ),
    ),
    Case(
        "other labels of a flavor with topology",
        (("{labels: {pool: a100}}", "{labels: {pool: a100-new}}"),),
        ("disruptive flavor/immutable of flavor lab-a100-sxm-40gb",),
    ),
    Case(
        "a topology level more",
        (
            (
                "{cards: [a100-sxm-40gb]}",
                "{cards: [a100-sxm-40gb], topology: {levels: [topology.gpuplan.dev/rack, kubernetes.io/hostname]}}",
            ),
            ("{labels: {pool: a100}}", "{labels: {pool: a100}}, topologyLabels: provided"),
        ),
        ("disruptive topology/immutable of topology lab",),
    ),
    Case(
        "a tier with another name",
        (
            ("  lab: {cards", "  labs: {cards"),
            ("tier: lab,", "tier: labs,"),
            ("tiers: [lab], pool: {lab: 16}", "tiers: [labs], pool: {labs: 16}"),
            ("[lab, train]", "[labs, train]"),
            (HEAD, HEAD + "\nmoved: [{from: cardTiers.lab, to: cardTiers.labs}]"),
        ),
        (
            "disruptive flavor/replaced of flavor labs-a100-sxm-40gb",
            "none topology/added of topology labs",
        ),
    ),
    Case(
        "a flavor more",
        (
            (
                "nodePools:\n",
                'nodePools:\n  h200: {cluster: eu, tier: train2, nodes: 1, cardsPerNode: 8, selectedBy: {labels: {pool: h200}}, driver: {branch: "580"}}\n',
            ),
            ("cardTiers:\n", "cardTiers:\n  train2: {cards: [h200-141gb]}\n"),
        ),
        (
            "none flavor/added of flavor train2-h200-141gb",
            "none topology/added of topology train2",
        ),
    ),
    Case(
        "a flavor less",
        (
            ("  desk: {cards: [t4]}\n", ""),
            (
                "  chat: {kind: onlineInference, service: guaranteed, tiers: [desk], stateful: {drainSeconds: 600}}\n",
                "",
            ),
            ("      chat: {desk: {guaranteed: 16}}\n", ""),
            (
                '  t4:\n    cluster: eu\n    tier: desk\n    nodes: 2\n    cardsPerNode: 4\n    selectedBy: {labels: {pool: t4}}\n    driver: {branch: "580"}\n    sharing: {timeSlicing: {replicas: 4}}\n',
                "",
            ),
        ),
        (
            "destructive queue/removed of queue nlp-chat (nlp)",
            "disruptive flavor/removed of flavor desk-t4-time-slicing-4 (nlp)",
            "disruptive kueue/frameworks-removed of Kueue of eu",
            "low guard-rail/looser of guard rail gpuplan-stateful-serving",
            "low kueue/restarts of Kueue of eu",
            "low rights/role-changed of rights of teams",
            "low task-pool/removed of task pool chat",
            "low topology/removed of topology desk",
            "none guard-rail/follows of guard rails of eu",
            "none quota/foreign-resources of resources of eu",
        ),
    ),
    Case(
        "a task pool of another class more",
        (
            (
                "  scratch: {kind",
                "  extra: {kind: experiment, service: shared, tiers: [train], pool: {train: 8}}\n  scratch: {kind",
            ),
        ),
        (
            "low quota/rest-shrunk of flavor train-h100-sxm-80gb, nvidia.com/gpu",
            "none task-pool/added of task pool extra",
        ),
    ),
)
