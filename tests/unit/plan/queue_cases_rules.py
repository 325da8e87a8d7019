"""Changes of how queues work, what is allowed and who evicts whom, and what each does."""

from __future__ import annotations

from tests.unit.plan.queue_fleet import HEAD, Case

RULES: tuple[Case, ...] = (
    Case(
        "guaranteed work that is only queued",
        (("pretrain: {kind: training, service: guaranteed", "pretrain: {kind: training, service: queued"),),
        (
            "disruptive task-pool/service-changed of task pool pretrain (nlp) (vision)",
            "none guard-rail/follows of guard rails of eu",
        ),
    ),
    Case(
        "queued work that is guaranteed",
        (("service: queued", "service: guaranteed"),),
        (
            "low priority/class-removed of priority classes of eu",
            "low task-pool/service-changed of task pool tune",
            "none guard-rail/follows of guard rails of eu",
        ),
    ),
    Case(
        "a floor that is only what is idle",
        (
            ("tune: {kind: training, service: queued", "tune: {kind: training, service: reclaimable"),
            ("tune: {train: {guaranteed: 32}}", "tune: {}"),
        ),
        (
            "disruptive task-pool/service-changed of task pool tune (vision)",
            "low priority/class-removed of priority classes of eu",
            "none guard-rail/follows of guard rails of eu",
            "none quota/rest-grown of flavor train-h100-sxm-80gb, nvidia.com/gpu",
        ),
    ),
    Case(
        "a strict queue",
        (("service: queued", "queueing: strict, service: queued"),),
        ("low task-pool/queueing-changed of task pool tune",),
    ),
    Case(
        "another fallback",
        (("fallback: nextTier", "fallback: lastResort"),),
        ("low task-pool/fallback-changed of task pool scratch",),
    ),
    Case(
        "another order of tiers",
        (("[lab, train]", "[train, lab]"),),
        ("low task-pool/flavor-order of task pool scratch",),
    ),
    Case(
        "a topology that jobs must ask for",
        (
            (
                "largestJob: {pods: 1, cardsPerPod: 8}",
                "largestJob: {pods: 1, cardsPerPod: 8}, topology: {required: kubernetes.io/hostname}",
            ),
        ),
        (
            "low guard-rail/stricter of guard rail gpuplan-topology",
            "low task-pool/topology-changed of task pool pretrain",
        ),
    ),
    Case(
        "a larger largest job",
        (("pods: 1", "pods: 4"),),
        ("none task-pool/largest-job of task pool pretrain",),
    ),
    Case(
        "less time to hand over",
        (("drainSeconds: 600", "drainSeconds: 300"),),
        (
            "low task-pool/drain-changed of task pool chat",
            "none guard-rail/follows of guard rails of eu",
        ),
    ),
    Case(
        "others who must agree",
        (("owners: [nlp-leads]", "owners: [others]"),),
        ("low approval/owners-changed of team nlp (nlp)",),
        first=(("[nlp-eng]", "[nlp-eng]\n    owners: [nlp-leads]"),),
    ),
    Case(
        "other people",
        (("[nlp-eng]", "[nlp-lead]"),),
        ("low rights/groups-changed of namespace nlp (nlp)",),
    ),
    Case(
        "stricter pods",
        ((HEAD, HEAD + "\ngovernance: {podSecurity: restricted}"),),
        (
            "disruptive namespace/security-tightened of namespace nlp (nlp)",
            "disruptive namespace/security-tightened of namespace sight (vision)",
            "disruptive namespace/security-tightened of namespace vision (vision)",
        ),
    ),
    Case(
        "laxer pods",
        ((HEAD, HEAD + "\ngovernance: {podSecurity: privileged}"),),
        (
            "low namespace/security-loosened of namespace nlp",
            "low namespace/security-loosened of namespace sight",
            "low namespace/security-loosened of namespace vision",
        ),
    ),
    Case(
        "a guard rail that denies",
        ((HEAD, HEAD + "\ngovernance: {guardRails: {queueRequired: deny}}"),),
        ("low guard-rail/stricter of guard rail gpuplan-queue-required",),
    ),
    Case(
        "a guard rail that is off",
        ((HEAD, HEAD + "\ngovernance: {guardRails: {producedResources: off}}"),),
        ("low guard-rail/looser of guard rail gpuplan-produced-resources",),
    ),
    Case(
        "a user who may pass",
        ((HEAD, HEAD + "\ngovernance: {guardRails: {exemptUsers: [bob]}}"),),
        ("low guard-rail/exempt-changed of guard rail gpuplan-queue-required",),
    ),
    Case(
        "less time to start",
        (('kubernetes: "1.36"', 'kubernetes: "1.36", kueue: {podsReadyTimeoutSeconds: 600}'),),
        (
            "disruptive kueue/pods-ready-changed of Kueue of eu",
            "low kueue/restarts of Kueue of eu",
        ),
    ),
    Case(
        "a kind of work less",
        (
            ("tune: {kind: training", "tune: {frameworks: [job], kind: training"),
            ("pretrain: {kind: training", "pretrain: {frameworks: [job], kind: training"),
        ),
        (
            "disruptive kueue/frameworks-removed of Kueue of eu",
            "low kueue/restarts of Kueue of eu",
            "low rights/role-changed of rights of teams",
            "none guard-rail/follows of guard rails of eu",
        ),
    ),
    Case(
        "idle work that is suspended",
        (
            (
                HEAD,
                HEAD
                + '\nmonitoring: {prometheus: {url: "http://p:9090"}}\ngovernance: {reclaim: {mode: suspend, image: "r/g:1"}}',
            ),
        ),
        (
            "disruptive reclaim/mode-changed of reclaiming in eu (nlp) (vision)",
            "low rights/role-changed of rights of teams",
        ),
    ),
    Case(
        "idle work that is told",
        (
            (
                HEAD,
                HEAD
                + '\nmonitoring: {prometheus: {url: "http://p:9090"}}\ngovernance: {reclaim: {mode: dryRun, image: "r/g:1"}}',
            ),
        ),
        ("none reclaim/mode-changed of reclaiming in eu",),
    ),
)
