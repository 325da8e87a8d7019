"""Changes that begin elsewhere than at the base, and what each does."""

from __future__ import annotations

from tests.unit.plan.queue_fleet import HEAD, Case

NO_TOPOLOGY = ("{cards: [a100-sxm-40gb]}", "{cards: [a100-sxm-40gb], topology: off}")
RECLAIM = """
monitoring: {prometheus: {url: "http://p:9090"}}
governance: {reclaim: {mode: MODE, image: "r/g:1", everyMinutes: 5, idle: {idleMinutes: 60}}}"""
SUSPEND = (HEAD, HEAD + RECLAIM.replace("MODE", "suspend"))
DRY_RUN = (HEAD, HEAD + RECLAIM.replace("MODE", "dryRun"))
MEMORY = ("{labels: {pool: a100}}", "{labels: {pool: a100}}, companions: {memory: 100Gi}")
FAR = (
    ('{eu: {kubernetes: "1.36"}}', '{eu: {kubernetes: "1.36"}, us: {kubernetes: "1.36"}}'),
    ("cardTiers:\n", "cardTiers:\n  far: {cards: [l4]}\n"),
    (
        "nodePools:\n",
        'nodePools:\n  l4: {cluster: us, tier: far, nodes: 1, cardsPerNode: 8, selectedBy: {nfd: {}}, driver: {branch: "580"}}\n',
    ),
    ("taskPools:\n", "taskPools:\n  edge: {kind: training, service: guaranteed, tiers: [far]}\n"),
    ("      scratch: {}\n", "      scratch: {}\n      edge: {far: {guaranteed: 4}}\n"),
)
"""A second cluster, in which one team has a queue."""

OTHERWISE: tuple[Case, ...] = (
    Case(
        "other labels of a flavor without topology",
        (("{labels: {pool: a100}}", "{labels: {pool: a100-new}}"),),
        ("low flavor/labels-changed of flavor lab-a100-sxm-40gb",),
        (NO_TOPOLOGY,),
    ),
    Case(
        "a taint that a flavor without topology tolerates",
        (("{labels: {pool: a100}}", "{labels: {pool: a100}}, taints: [{key: nvidia.com/gpu, effect: NoSchedule}]"),),
        ("low flavor/tolerations-changed of flavor lab-a100-sxm-40gb",),
        (NO_TOPOLOGY,),
    ),
    Case(
        "a topology for a flavor",
        ((", topology: off", ""),),
        (
            "low flavor/topology-set of flavor lab-a100-sxm-40gb",
            "none topology/added of topology lab",
        ),
        (NO_TOPOLOGY,),
    ),
    Case(
        "a larger cap",
        (("cap: 4", "cap: 8"),),
        ("none quota/cap-grown of queue vision-scratch",),
        (("scratch: {}", "scratch: {lab: {cap: 4}}"),),
    ),
    Case(
        "less memory on nodes",
        (("memory: 100Gi", "memory: 50Gi"),),
        ("low quota/companions-changed of resources of eu",),
        (MEMORY,),
    ),
    Case(
        "idle work that is suspended earlier",
        (("idleMinutes: 60", "idleMinutes: 30"),),
        ("disruptive reclaim/tightened of reclaiming in eu (nlp) (vision)",),
        (SUSPEND,),
    ),
    Case(
        "idle work that is told earlier",
        (("idleMinutes: 60", "idleMinutes: 30"),),
        ("none reclaim/tightened of reclaiming in eu",),
        (DRY_RUN,),
    ),
    Case(
        "idle work that is looked for less often",
        (("everyMinutes: 5", "everyMinutes: 10"),),
        ("none reclaim/follows of reclaiming in eu",),
        (SUSPEND,),
    ),
    Case(
        "idle work that keeps its cards",
        (("mode: suspend", 'mode: "off"'),),
        (
            "low rights/role-changed of rights of teams",
            "none reclaim/mode-changed of reclaiming in eu",
        ),
        (SUSPEND,),
    ),
    Case(
        "a kind of work more",
        (("frameworks: [job]", "frameworks: [job, mpijob]"),),
        (
            "low kueue/restarts of Kueue of eu",
            "low rights/role-changed of rights of teams",
            "none guard-rail/follows of guard rails of eu",
            "none kueue/frameworks-added of Kueue of eu",
        ),
        (("tune: {kind: training", "tune: {frameworks: [job], kind: training"),),
    ),
    Case(
        "another limit where others install Kueue",
        (("kueue: external", "kueue: {install: external, podsReadyTimeoutSeconds: 3600}"),),
        (
            "low kueue/configuration-of-others of Kueue of eu",
            "low kueue/pods-ready-changed of Kueue of eu",
        ),
        (('kubernetes: "1.36"', 'kubernetes: "1.36", kueue: external'),),
    ),
    Case(
        "work of a class that nothing had",
        (("tune: {kind: training, service: guaranteed", "tune: {kind: training, service: queued"),),
        (
            "disruptive task-pool/service-changed of task pool tune (vision)",
            "none guard-rail/follows of guard rails of eu",
            "none priority/class-added of priority classes of eu",
        ),
        (("tune: {kind: training, service: queued", "tune: {kind: training, service: guaranteed"),),
    ),
    Case(
        "a namespace that another cluster still has",
        (("      edge: {far: {guaranteed: 4}}\n", ""),),
        (
            "destructive namespace/removed of namespace sight (vision)",
            "destructive namespace/removed of namespace vision (vision)",
            "destructive queue/removed of queue vision-edge (vision)",
            "low guard-rail/looser of guard rail gpuplan-priority-band",
            "low guard-rail/looser of guard rail gpuplan-produced-resources",
            "low guard-rail/looser of guard rail gpuplan-queue-required",
            "low kueue/restarts of Kueue of us",
            "low rights/role-changed of rights of teams",
            "none quota/rest-grown of flavor far-l4, nvidia.com/gpu",
        ),
        FAR,
    ),
    Case(
        "small pods by right where others run whole nodes",
        (
            (
                "  scratch: {kind",
                "  extra: {kind: experiment, service: shared, tiers: [train], pool: {train: 16}}\n  scratch: {kind",
            ),
            ("notebooks: {}", "notebooks: {}\n      extra: {}"),
        ),
        (
            "low quota/rest-shrunk of flavor train-h100-sxm-80gb, nvidia.com/gpu",
            "low quota/room-cut of queue nlp-pretrain, train-h100-sxm-80gb (nlp)",
            "low quota/room-cut of queue vision-pretrain, train-h100-sxm-80gb (vision)",
            "low quota/room-cut of queue vision-tune, train-h100-sxm-80gb (vision)",
            "none guard-rail/follows of guard rails of eu",
            "none queue/added of queue vision-extra",
            "none task-pool/added of task pool extra",
        ),
        (("service: queued, tiers: [train]", "service: queued, tiers: [train], largestJob: {cardsPerPod: 8}"),),
    ),
    Case(
        "a shared pool on another tier",
        (("tiers: [lab], pool: {lab: 16}", "tiers: [train], pool: {train: 8}"),),
        (
            "disruptive task-pool/flavor-removed of task pool notebooks (nlp) (vision)",
            "low quota/rest-shrunk of flavor train-h100-sxm-80gb, nvidia.com/gpu",
            "none quota/rest-grown of flavor lab-a100-sxm-40gb, nvidia.com/gpu",
            "none task-pool/flavor-added of task pool notebooks",
        ),
    ),
)
