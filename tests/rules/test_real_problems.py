"""Forty problems that people reported of the GPU stack, and what becomes of each in a fleet spec.

Each is either a mistake that a spec can hold, and then the right line gets a message that helps, or one that a spec has no
words for, and then the table says why. The references are public issues: DP is NVIDIA/k8s-device-plugin, OP NVIDIA/gpu-operator,
EXP NVIDIA/dcgm-exporter, PARTED NVIDIA/mig-parted, DRA kubernetes-sigs/dra-driver-nvidia-gpu.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import pytest

from tests.rules.cases import judged

HEAD = """
apiVersion: gpuplan.dev/v1alpha1
metadata: {name: acme}
cardTiers:
  big: {cards: [h100-sxm-80gb]}
  lab: {cards: [a100-sxm-40gb]}
  lab80: {cards: [a100-sxm-80gb]}
  desk: {cards: [t4]}
  old: {cards: [v100-sxm2-32gb]}
  new: {cards: [gb200]}
  serve: {cards: [l40s]}
  claimed: {cards: [h100-sxm-80gb], topology: "off"}
defaults:
  nodePool: {cluster: eu, tier: lab, nodes: 2, cardsPerNode: 8, selectedBy: {nfd: {}}, driver: {branch: "580"}}
"""
OPERATOR = 'clusters: {eu: {kubernetes: "1.36", stack: operator}}\n'
CLUSTER = 'clusters: {eu: {kubernetes: "1.36"}}\n'
ON_OPERATOR = 'clusters: {eu: {kubernetes: "1.36", stack: operator}}\n'


@dataclass(frozen=True, slots=True)
class Caught:
    """A mistake that a spec can hold: the spec, the rule that finds it, and words of what it says."""

    row: int
    reports: str
    spec: str
    rule: str
    says: tuple[str, ...]
    cluster: str = CLUSTER

    def __str__(self) -> str:
        return f"{self.row}-{self.rule}"


@dataclass(frozen=True, slots=True)
class Unsayable:
    """A mistake that a spec has no words for, and what sees to it instead."""

    row: int
    reports: str
    mistake: str
    why: str


def pool(sharing: str, more: str = "") -> str:
    return f"nodePools: {{a: {{sharing: {sharing}{more}}}}}\n"


CAUGHT = (
    Caught(
        3,
        "DP#1548, DP#1022",
        pool("{timeSlicing: {replicas: 1}}", ", tier: desk"),
        "share/replicas-below-two",
        (">= 2", "exclusive"),
    ),
    Caught(
        7,
        "DP#929",
        pool("{mps: {replicas: 4}}", ", tier: desk")
        + "taskPools: {chat: {kind: onlineInference, service: guaranteed, tiers: [desk], largestJob: {cardsPerPod: 2}}}\n"
        + "teams: {vision: {namespaces: [v], quotas: {chat: {desk: {guaranteed: 8}}}}}",
        "share/several-shares-in-a-pod",
        ("2", "one"),
    ),
    Caught(
        8,
        "DP#647, DP#1118",
        pool("{mps: {replicas: 20}}", ", tier: old"),
        "share/mps-replicas-above-limit",
        ("16", "20"),
    ),
    Caught(
        11,
        "DP#728",
        pool("{mig: {profiles: {1g.5gb: 7}}}")
        + "taskPools: {tune: {kind: training, service: guaranteed, tiers: [lab], largestJob: {cardsPerPod: 2}}}\n"
        + "teams: {vision: {namespaces: [v], quotas: {tune: {lab: {guaranteed: 8}}}}}",
        "mig/several-instances-in-a-pod",
        ("one MIG instance",),
    ),
    Caught(
        13,
        "DP#734, gpu-feature-discovery#70",
        pool("exclusive", ", taints: [{key: acme.io/gpu, effect: NoSchedule}]"),
        "nfd/worker-tolerations",
        ("NFD's worker", "`acme.io/gpu:NoSchedule`"),
    ),
    Caught(
        14,
        "DP#255",
        "nodePools:\n  a: {tier: lab}\n  b: {tier: desk, stack: manual, selectedBy: {labels: {pool: b}}}\n",
        "operator/beside-other-agents",
        ("GPU Operator", "`b`"),
        cluster=ON_OPERATOR,
    ),
    Caught(
        14,
        "DP#255",
        "nodePools:\n  a: {}\n  b: {tier: serve, stack: manual, selectedBy: {labels: {pool: b}}}\n",
        "operator/beside-other-agents",
        ("two device plugins", "nvidia.com/gpu.deploy.operands"),
        cluster=OPERATOR,
    ),
    Caught(
        15,
        "DP#444, DP#478, DP#479",
        pool("exclusive", ", selectedBy: {labels: {pool: a}}"),
        "external/runtime-class",
        ("k3s", "`runtimeClassName: nvidia`"),
        cluster='clusters: {eu: {kubernetes: "1.36", stack: external, distribution: k3s}}\n',
    ),
    Caught(
        16,
        "OP#460, OP#479",
        pool("{mig: {strategy: single, profiles: {1g.5gb: 2, 2g.10gb: 1, 3g.20gb: 1}}}"),
        "mig/single-strategy-mixed-geometry",
        ("mixed", "3"),
    ),
    Caught(
        17,
        "OP#281, OP#249, OP#322, PARTED#157",
        pool("{mig: {profiles: {1g.5gb: 7}}}", ", selectedBy: {labels: {pool: a}}"),
        "mig/labels-not-set",
        ("nvidia.com/mig.config",),
    ),
    Caught(
        18,
        "k8s-test-infra#886",
        pool("{mig: {profiles: {1g.10gb: 4, 1g.5gb: 3}}}"),
        "mig/unplaceable",
        ("11 of 8 memory slices", "{1g.5gb: 2, 1g.10gb: 3}", "{1g.5gb: 4, 1g.10gb: 2}", "{1g.10gb: 4}"),
    ),
    Caught(
        19,
        "PARTED#18",
        pool("{mig: {profiles: {1g.5gb: 7}}}", ", tier: lab80"),
        "mig/profile-not-on-card",
        ("1g.10gb",),
    ),
    Caught(
        19,
        "PARTED#97",
        pool("{mig: {groups: [{cards: [8], profiles: {1g.5gb: 7}}]}}"),
        "mig/card-index-out-of-range",
        ("8", "0 to 7"),
    ),
    Caught(
        20,
        "PARTED#227, OP#2249",
        pool("{mig: {profiles: {1g.10gb: 7}}}", ", tier: new, cardsPerNode: 4"),
        "mig/profile-not-on-card",
        ("1g.23gb",),
    ),
    Caught(
        21,
        "OP#690, OP#418, OP#1533",
        pool("exclusive"),
        "operator/no-driver-image",
        ("`debian12`", "ubuntu24.04"),
        cluster='clusters: {eu: {kubernetes: "1.36", stack: operator, os: debian12}}\n',
    ),
    Caught(
        22,
        "OP#910, OP#682, OP#1203",
        pool("exclusive", ', driver: {branch: "535", precompiled: true}'),
        "driver/not-precompiled",
        ("branch 535", "branch 580 for kernels `6.8`"),
        cluster=ON_OPERATOR,
    ),
    Caught(
        25,
        "OP#525, OP#529",
        pool("exclusive", ", driver: {preinstalled: false}"),
        "operator/driver-of-provider",
        ("aks", "skip-gpu-driver-install"),
        cluster='clusters: {eu: {kubernetes: "1.35", stack: operator, distribution: aks}}\n',
    ),
    Caught(
        27,
        "OP#2355",
        "nodePools:\n"
        "  a: {tier: lab, selectedBy: {labels: {gpu: yes}}}\n"
        "  b: {tier: desk, selectedBy: {labels: {gpu: yes, pool: b}}}\n",
        "pool/selects-foreign-nodes",
        ("`a`", "`b`"),
        cluster=ON_OPERATOR,
    ),
    Caught(
        21,
        "OP#690, OP#418, OP#1533",
        pool("exclusive"),
        "operator/no-driver-image",
        ("flatcar", "ubuntu24.04"),
        cluster='clusters: {eu: {kubernetes: "1.36", stack: operator, os: flatcar}}\n',
    ),
    Caught(
        22,
        "OP#910, OP#682, OP#1203",
        pool("exclusive", ', driver: {branch: "570", precompiled: true}'),
        "driver/not-precompiled",
        ("570", "580"),
        cluster=OPERATOR,
    ),
    Caught(
        22,
        "OP#933",
        pool("exclusive", ', driver: {branch: "595.91.07", precompiled: true}'),
        "spec/invalid-value",
        ("595.91.07", "branch"),
        cluster=OPERATOR,
    ),
    Caught(
        25,
        "OP#525, OP#529",
        pool("exclusive", ", driver: {preinstalled: false}"),
        "operator/driver-of-provider",
        ("aks", "preinstalled"),
        cluster='clusters: {eu: {kubernetes: "1.36", stack: operator, distribution: aks}}\n',
    ),
    Caught(
        27,
        "OP#2355",
        "nodePools:\n  a: {tier: big, selectedBy: {labels: {pool: x}}}\n  b: {tier: serve, selectedBy: {labels: {pool: x}}}\n",
        "pool/same-labels-twice",
        ("`a`", "`b`"),
        cluster=OPERATOR,
    ),
    Caught(
        33,
        "EXP#430, EXP#50",
        pool("{mig: {profiles: {1g.5gb: 7}}}") + "monitoring: {exporter: {extraCounters: [DCGM_FI_DEV_GPU_UTIL]}}",
        "monitoring/counter-not-on-mig",
        ("DCGM_FI_PROF_GR_ENGINE_ACTIVE",),
    ),
    Caught(
        34,
        "NVIDIA/aicr#1327, DRA#1086",
        "nodePools:\n  a: {tier: big, exposure: dra, selectedBy: {labels: {card: h100, claims: 'yes'}}}\n"
        "  b: {tier: lab, selectedBy: {labels: {card: h100}}}\n",
        "dra/two-on-a-node",
        ("a device plugin", "`a`, where a DRA driver does"),
    ),
    Caught(
        34,
        "aicr#1327, DRA#1086",
        "nodePools:\n  a: {tier: claimed, exposure: dra, selectedBy: {labels: {gpu: h100, claims: 'yes'}}}\n"
        "  b: {tier: big, selectedBy: {labels: {gpu: h100}}}\n",
        "dra/two-on-a-node",
        ("`a`", "`b`", "the same card"),
    ),
    Caught(
        36,
        "container-toolkit users' guide #31",
        pool(
            "{timeSlicing: {replicas: 4, renameByDefault: false}}",
            ", tier: serve, selectedBy: {labels: {nvidia.com/gpu.product: NVIDIA-L40S}}",
        ),
        "pool/product-label",
        ("NVIDIA-L40S-SHARED",),
        cluster='clusters: {eu: {kubernetes: "1.36", stack: external}}\n',
    ),
    Caught(
        39,
        "nixos-hardware#1880",
        pool("exclusive", ', tier: old, driver: {branch: "595"}'),
        "driver/card-needs-older-branch",
        ("580", "595"),
    ),
    Caught(
        39,
        "nixos-hardware#1880",
        pool("exclusive", ", tier: old, driver: {}"),
        "driver/card-needs-older-branch",
        ("takes 595 from release",),
        cluster=ON_OPERATOR,
    ),
    Caught(
        40,
        "DP#61, DP#87, DP#1605",
        pool("exclusive")
        + "taskPools: {tune: {kind: training, service: guaranteed, tiers: [lab]}}\n"
        + "teams:\n  a: {namespaces: [a], quotas: {tune: {lab: {guaranteed: 8}}}}\n"
        + "  b: {namespaces: [b], quotas: {tune: {lab: {guaranteed: 8}}}}\n# nvidiaRuntime",
        "cluster/cards-open-to-all-pods",
        ("NVIDIA_VISIBLE_DEVICES", "volume-mounts"),
    ),
)

UNSAYABLE = (
    Unsayable(
        1, "DP#1433", "renameByDefault under `flags`", "a spec has no `flags`: `renameByDefault` stands with the shares"
    ),
    Unsayable(
        2, "DP#353", "a name of one's own for shares", "`renameByDefault` is the only key; others are unknown keys"
    ),
    Unsayable(
        4, "DP#990, DP#321", "a node label that names no key", "label and key come from one function of the model"
    ),
    Unsayable(5, "DP#615", "a config that nobody mounts", "each DaemonSet mounts the config made beside it"),
    Unsayable(6, "DP#732", "feature discovery without the sharing config", "both agents of a pool mount one ConfigMap"),
    Unsayable(9, "DP#982", "two DaemonSets with one selector", "selectors are made of the agent's name and the pool's"),
    Unsayable(10, "OP#717", "MPS on MIG instances", "`sharing` takes exactly one way; a second one is a conflict"),
    Unsayable(12, "DP#229", "MIG without its monitor or SYS_ADMIN", "both follow from the pool's sharing"),
    Unsayable(
        23, "OP#26, OP#270", "a pool's taint that agents do not tolerate", "tolerations are made of the pools' taints"
    ),
    Unsayable(
        24,
        "OP#473, OP#406, OP#522, OP#1109, OP#1694",
        "K3s or RKE2 without its paths",
        "they follow from the distribution",
    ),
    Unsayable(
        26, "OP#648, OP#414, OP#400", "counters under another key or namespace", "the emitter knows the operator's"
    ),
    Unsayable(
        28,
        "OP#2509, OP#901, OP#2166, OP#2820",
        "an upgrade that never moves",
        "the numbers are made of the pool's nodes",
    ),
    Unsayable(
        29, "OP#2641", "a config to create without a name or data", "the ConfigMap is rendered, the chart creates none"
    ),
    Unsayable(
        30,
        "EXP#66",
        "a comma in the help of a counter",
        "help comes from the catalogue, and the emitter takes commas out",
    ),
    Unsayable(
        31, "EXP#85, EXP#340", "alerts on `pod` without honorLabels", "monitor and alerts are made of one contract"
    ),
    Unsayable(
        32, "EXP#151, EXP#307", "shared cards that the exporter takes for whole", "it is told by the pool's sharing"
    ),
    Unsayable(
        35,
        "bottlerocket#4250",
        "a task that asks for another name than the pool's",
        "tasks name tiers; jobs meet the guard rail",
    ),
    Unsayable(
        37,
        "harvester#11636",
        "instances made in the wrong order",
        "mig-parted tries every order; the runbook says it for hands",
    ),
    Unsayable(38, "OP#423", "NFD without vendor labels", "our NodeFeatureRules match PCI ids, not NFD's own labels"),
)


@pytest.mark.parametrize("problem", CAUGHT, ids=str)
def test_the_mistake_is_found_with_a_message_that_helps(problem: Caught) -> None:
    found = [one for one in judged(HEAD + problem.cluster + problem.spec) if one.rule == problem.rule]
    assert found, f"{problem.rule} has nothing to say"
    told = " ".join((found[0].summary, found[0].detail or "", found[0].fix or ""))
    for words in problem.says:
        assert re.search(rf"(?<!\w){re.escape(words)}", told), f"no {words!r} in: {told}"


def test_every_row_of_the_table_is_here_once_or_in_parts() -> None:
    assert {row.row for row in (*CAUGHT, *UNSAYABLE)} == set(range(1, 41))
    assert not {row.row for row in CAUGHT} & {row.row for row in UNSAYABLE}
