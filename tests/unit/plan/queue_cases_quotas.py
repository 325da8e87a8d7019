"""Changes of numbers of quota, and what each does."""

from __future__ import annotations

from tests.unit.plan.queue_fleet import Case

NUMBERS: tuple[Case, ...] = (
    Case(
        "a cut floor that goes to nobody",
        (("guaranteed: 64", "guaranteed: 48"),),
        (
            "low quota/guaranteed-cut of queue nlp-pretrain (nlp)",
            "none quota/rest-grown of flavor train-h100-sxm-80gb, nvidia.com/gpu",
        ),
    ),
    Case(
        "a cut floor that the rest makes good",
        (
            ("guaranteed: 64", "guaranteed: 48"),
            ("pretrain: {train: {guaranteed: 32}}", "pretrain: {train: {guaranteed: 48}}"),
        ),
        (
            "low quota/guaranteed-cut of queue nlp-pretrain (nlp)",
            "low quota/guaranteed-grown of queue vision-pretrain",
        ),
    ),
    Case(
        "a cut floor that another floor takes over",
        (
            ("guaranteed: 64, borrow: 16", "guaranteed: 40"),
            ("      pretrain: {train: {guaranteed: 32}}\n", "      pretrain: {train: {guaranteed: 72}}\n"),
        ),
        (
            "disruptive quota/guaranteed-cut of queue nlp-pretrain (nlp)",
            "low quota/borrow-cut of queue nlp-pretrain (nlp)",
            "low quota/guaranteed-grown of queue vision-pretrain",
            "low quota/rest-shrunk of flavor train-h100-sxm-80gb, nvidia.com/gpu",
        ),
    ),
    Case(
        "a guaranteed floor that a queued one takes over",
        (
            ("guaranteed: 64, borrow: 16", "guaranteed: 32, borrow: 16"),
            ("tune: {train: {guaranteed: 32}}", "tune: {train: {guaranteed: 64}}"),
        ),
        (
            "low quota/guaranteed-cut of queue nlp-pretrain (nlp)",
            "low quota/guaranteed-grown of queue vision-tune",
        ),
    ),
    Case(
        "a queued floor that a guaranteed one takes over",
        (
            ("tune: {train: {guaranteed: 32}}", "tune: {train: {guaranteed: 8}}"),
            ("guaranteed: 64, borrow: 16", "guaranteed: 88, borrow: 16"),
        ),
        (
            "disruptive quota/guaranteed-cut of queue vision-tune (vision)",
            "low quota/guaranteed-grown of queue nlp-pretrain",
        ),
    ),
    Case(
        "a cut of shares",
        (("desk: {guaranteed: 16}", "desk: {guaranteed: 4}"),),
        (
            "low quota/guaranteed-cut of queue nlp-chat (nlp)",
            "none quota/rest-grown of flavor desk-t4-time-slicing-4, nvidia.com/gpu.shared",
        ),
    ),
    Case(
        "borrowed cards that become a floor",
        (("guaranteed: 64, borrow: 16", "guaranteed: 80"),),
        (
            "low quota/guaranteed-grown of queue nlp-pretrain",
            "low quota/rest-shrunk of flavor train-h100-sxm-80gb, nvidia.com/gpu",
        ),
    ),
    Case(
        "less to borrow",
        (("borrow: 16", "borrow: 8"),),
        ("low quota/borrow-cut of queue nlp-pretrain (nlp)",),
    ),
    Case(
        "more to borrow",
        (("borrow: 16", "borrow: 32"),),
        ("none quota/borrow-grown of queue nlp-pretrain",),
    ),
    Case(
        "less to lend",
        (("borrow: 16", "borrow: 16, lend: 8"),),
        ("low quota/lend-changed of queue nlp-pretrain",),
    ),
    Case(
        "a cap",
        (("scratch: {}", "scratch: {lab: {cap: 4}}"),),
        ("low quota/cap-cut of queue vision-scratch (vision)",),
    ),
    Case(
        "a cap in a shared pool",
        (("notebooks: {}", "notebooks: {lab: {cap: 4}}"),),
        ("low quota/cap-cut of queue vision-notebooks (vision)",),
    ),
    Case(
        "a smaller shared pool",
        (("pool: {lab: 16}", "pool: {lab: 8}"),),
        (
            "low quota/pool-cut of task pool notebooks (nlp) (vision)",
            "none quota/rest-grown of flavor lab-a100-sxm-40gb, nvidia.com/gpu",
        ),
    ),
    Case(
        "a larger shared pool",
        (("pool: {lab: 16}", "pool: {lab: 24}"),),
        (
            "low quota/pool-grown of task pool notebooks",
            "low quota/rest-shrunk of flavor lab-a100-sxm-40gb, nvidia.com/gpu",
        ),
    ),
    Case(
        "a shared pool that may borrow",
        (("pool: {lab: 16}", "pool: {lab: 16}, poolBorrow: {lab: 8}"),),
        ("none quota/pool-borrow-changed of task pool notebooks",),
    ),
    Case(
        "a weight",
        (("weight: 2", "weight: 1"),),
        ("low quota/fair-share of task pool notebooks (nlp)",),
    ),
    Case(
        "a node less",
        (("nodes: 4", "nodes: 3"),),
        ("low quota/capacity-shrunk of flavor lab-a100-sxm-40gb, nvidia.com/gpu",),
    ),
    Case(
        "a node more",
        (("nodes: 4", "nodes: 5"),),
        ("none quota/capacity-grown of flavor lab-a100-sxm-40gb, nvidia.com/gpu",),
    ),
)
