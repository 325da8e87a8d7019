"""What findings say: the figures and the way out, where a reader would otherwise have to compute them."""

from __future__ import annotations

import functools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplan import catalog
from gpuplan.catalog.geometry import fits
from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.rules.walk import listed
from tests.rules.cases import cases, judged

WORDS = (
    ("cluster/os-unknown", "Write `ubuntu24.04` if that is meant."),
    ("cluster/os-unknown", "Supported are `rhcos`, `rhel8`"),  # and not: write `rhcos` for `cos`
    ("compat/operator-line-ended", "Go on to line 26.3."),
    ("compat/operator-line-ended", "Go on to line 25.10, and from there line by line to a supported one"),
    (
        "dra/needs-newer",
        "Pool `a` needs Kubernetes 1.34 and Kueue 0.17, and cluster `eu` has Kubernetes 1.33 and Kueue v0.17.1",
    ),
    ("dra/no-driver-in-release", "Use release `2026.08`."),
    ("dra/too-many-devices", "claim up to 40 devices, and a claim holds 32"),
    ("dra/driver-expected", "install its chart v0.5.0 with `provisioner/eu/dra-driver/values.yaml`"),
    ("dra/driver-expected", "See that whoever runs the agents there installs it, and no device plugin."),
    (
        "dra/two-on-a-node",
        "pool `b`, whose cards a device plugin offers, also select the nodes of pool `a`, where a DRA driver",
    ),
    ("driver/branch-ended", "whose support ended on 2026-06-30"),
    ("driver/branch-ended", "Supported on 2026-11-30 are `580` and `595`."),
    ("driver/card-needs-older-branch", "pool `a` takes 595 from release 2026.08"),
    ("driver/card-needs-older-branch", 'Write `driver: {branch: "580"}`.'),
    ("governance/health-rules-overlap", "Select both pools by values of one label, or both by `nfd`"),
    ("hami/chart-expected", "install its chart v2.10.0 with `provisioner/eu/hami/values.yaml`"),
    ("hami/memory-not-counted", "should ask for 25 % of a card's memory each"),
    ("hami/split-implausible", "a split of 100 leaves 163 MiB of each `t4` for a pod"),
    ("hami/splits-differ", "Pool `b` splits a card for 8 pods, and `a` of the same cluster for 4"),
    ("maintenance/bad-schedule", "Argo CD cannot read the schedule `@weekly`: it has 1 field, not 5"),
    ("maintenance/bad-schedule", "`7` in the day of week is outside 0 to 6"),
    (
        "maintenance/bad-duration",
        "Argo CD cannot use the duration `2d`: Go knows the units h, m and s; write days as hours",
    ),
    ("maintenance/revert-waits", "Taking back a bad change in `eu` waits for up to 5 d 20 h"),
    ("mig/card-index-out-of-range", "Pool `a` has no card 8: its 8 cards are 0 to 7"),
    ("mig/labels-not-set", "`nvidia.com/mig.config: 7x1g.5gb`"),
    ("mig/profile-not-on-card", "Write `1g.10gb` for `1g.5gb`."),
    ("mig/profile-not-on-card", "`1g.12gb` for `1g.10gb`, `2g.24gb` for `2g.20gb`, `3g.47gb` for `3g.40gb`."),
    ("mig/profile-not-on-card", "Write `1g.23gb` for `1g.24gb`."),
    ("mig/profile-not-on-card", "Write `7g.186gb`, unless"),
    ("mig/single-strategy-mixed-geometry", "`1g.5gb`, `2g.10gb` and `3g.20gb` on each node"),
    ("mig/single-strategy-mixed-geometry", "`1g.5gb` beside whole cards on each node"),
    ("mig/slices-left-over", "`{1g.5gb: 5, 2g.10gb: 1}` would use it."),
    ("mig/too-many-instances", "Pool `small` asks for 7 x 1g.10gb on a card; `a100-sxm-40gb` holds at most 4"),
    ("mig/too-many-instances", "Write `7g.80gb: 1` or less."),
    ("mig/unplaceable", "4 x 1g.10gb + 3 x 1g.5gb does not fit on `a100-sxm-40gb`: needs 11 of 8 memory slices"),
    ("mig/unplaceable", "`{1g.5gb: 2, 1g.10gb: 3}` or `{1g.5gb: 4, 1g.10gb: 2}` or `{1g.10gb: 4}`."),
    ("monitoring/unknown-counter", "Write `DCGM_FI_DEV_GPU_TEMP` if that is meant."),
    ("partition/plain-name", "are then called `amd.com/cpx_nps4`"),
    (
        "names/collision",
        "`a-b-c` would be the name of the queue of team `a-b` in `c` and of the queue of team `a` in `b-c`",
    ),
    ("names/too-long", "has 64 characters, 63 are allowed"),
    ("names/too-long", "Give the layout a short `name` under `sharing.mig`."),
    ("nfd/node-name-pattern", "Write `gpu-.*` if that is meant."),
    ("pool/cards-per-node-unusual", "16 x `h100-sxm-80gb` a node; servers have 8"),
    ("pool/cards-per-node-unusual", "2 x `a16` a node; servers have 4 or 8 or 16, 4 on each board"),
    ("pool/product-label", "Write `nvidia.com/gpu.product: NVIDIA-L40S-SHARED`"),
    ("pool/product-label", "its nodes have `NVIDIA-A100-SXM4-40GB-MIG-1g.5gb`"),
    ("pool/selects-foreign-nodes", "The labels of pool `a` (gpu: true) also select the nodes of pool `b`"),
    ("pool/too-many-labels", "9 node labels; Kueue takes 8"),
    ("pool/too-many-tolerations", "the 9 taints of `a`; Kueue takes 8"),
    ("release/kubernetes-out-of-range", "Write release `2026.05`, or change the cluster's version."),
    ("share/mps-replicas-above-limit", "`v100-sxm2-32gb` by MPS 17 times; 16 is the most"),
    ("share/plain-name", "32 shares a node as `nvidia.com/gpu`"),
    ("share/replicas-below-two", "number of replicas must be >= 2 (got 1)"),
    ("share/replicas-implausible", "16384 shares leave 1 MiB"),
    ("stateful/drain-too-long", "Pods of `chat` take 7200 s to go, more than 3600 s"),
    (
        "stateful/window-too-short",
        "takes 4 nodes * (1800 s to drain + 900 s to restart) = 3 h, the longest window is 2 h",
    ),
    ("tier/unused", "tier `lab` and its 16 cards"),
    ("topology/unknown-level", "Write `topology.gpuplan.dev/rack`"),
)


@functools.cache
def findings_of(rule: str) -> tuple[Diagnostic, ...]:
    """Return what a rule finds in its own firing cases."""
    own = [case for case in cases() if case.rule == rule and case.fires]
    return tuple(finding for case in own for finding in judged(case.text) if finding.rule == rule)


@pytest.mark.parametrize(("rule", "words"), WORDS)
def test_a_finding_says_the_figures_and_what_to_write(rule: str, words: str) -> None:
    said = [text for finding in findings_of(rule) for text in (finding.summary, finding.fix)]
    assert any(words in text for text in said), said


@pytest.mark.parametrize("rule", sorted({case.rule for case in cases()}))
def test_a_summary_is_one_line_of_ours_without_a_period(rule: str) -> None:
    for finding in findings_of(rule):
        assert "\n" not in finding.summary
        assert not finding.summary.endswith(".")
        assert not finding.summary[0].islower()
        assert finding.detail
        assert finding.fix


@pytest.mark.parametrize(
    ("names", "words"), [([], ""), (["a"], "`a`"), (["a", "b"], "`a` and `b`"), (["a", "b", "c"], "`a`, `b` and `c`")]
)
def test_names_are_listed_as_people_list_them(names: list[str], words: str) -> None:
    assert listed(names) == words


CLASSES = {"a100-sxm-40gb": "A40c", "h100-nvl-94gb": "H94c", "a30": "A30c", "gb200": "B186c"}
CUT = """\
apiVersion: gpuplan.dev/v1alpha1
metadata: {{name: acme}}
clusters: {{eu: {{kubernetes: "1.36"}}}}
cardTiers: {{lab: {{cards: [{card}]}}}}
nodePools:
  a:
    cluster: eu
    tier: lab
    nodes: 1
    cardsPerNode: 4
    selectedBy: {{nfd: {{}}}}
    sharing: {{mig: {{name: cut, profiles: {{{mix}}}}}}}
"""


@st.composite
def cuts_of_a_card(draw: st.DrawFn) -> tuple[str, dict[str, int]]:
    """Draw a card and a mix of profiles, most of them its own."""
    card = draw(st.sampled_from(sorted(CLASSES)))
    profiles = [*catalog.load().mig[CLASSES[card]].profiles, "1g.99gb"]
    return card, draw(st.dictionaries(st.sampled_from(profiles), st.integers(1, 8), min_size=1, max_size=4))


@given(cuts_of_a_card())
def test_a_cut_is_refused_exactly_when_it_cannot_be_placed(cut: tuple[str, dict[str, int]]) -> None:
    card, mix = cut
    text = CUT.format(card=card, mix=", ".join(f"{profile}: {count}" for profile, count in mix.items()))
    errors = [finding.rule for finding in judged(text) if finding.severity is Severity.ERROR]
    assert bool(errors) != fits(catalog.load().mig[CLASSES[card]], mix)
    assert set(errors) <= {"mig/profile-not-on-card", "mig/too-many-instances", "mig/unplaceable"}
