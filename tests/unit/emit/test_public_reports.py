"""What went wrong in public and no rule can show: settings, names and decisions. The others: tests/promtool/reports.yaml.

Each test begins its docstring with the numbers and the reports; together with the rules' cases they are all twenty-four.
"""

from __future__ import annotations

import inspect
import re
import sys
from pathlib import Path

import pytest

from gpuplan import versions
from gpuplan.emit import counters, dashboards, dcgm
from gpuplan.emit.monitoring import publish, series, settings
from gpuplan.reclaim.decide import decide
from gpuplan.reclaim.observed import PodUse
from gpuplan.reclaim.verdicts import Action
from tests.unit.emit.fleets import Place, environment, one, place, pod
from tests.unit.reclaim import scenery

RULES = Path(__file__).parents[2] / "promtool" / "reports.yaml"
SHARED = "a: {tier: desk, sharing: {timeSlicing: {replicas: 4}}}"
EVERYTHING = "a: {tier: big}, b: {tier: desk, sharing: {timeSlicing: {replicas: 4}}}, c: {tier: amd, stack: operator}"
TEAMS = """
taskPools:
  pretrain: {kind: training, service: guaranteed, tiers: [big]}
  chat: {kind: onlineInference, service: guaranteed, tiers: [big], serving: {engine: vllm, version: "0.12.0"}}
teams: {vision: {namespaces: [vision], quotas: {pretrain: {}, chat: {}}}}
"""


def rules(here: Place) -> str:
    """The expressions of all rules of a cluster."""
    groups = publish.groups(here.fleet, here.cluster)
    return "\n".join(
        text
        for group in groups
        for text in (*(rule["expr"] for rule in group.records), *(alert.expr for alert in group.alerts))
    )


def served(version: str) -> str:
    """The dashboards of a cluster that serves with a version of vLLM."""
    here = place("a: {tier: big}", more=TEAMS.replace("0.12.0", version))
    return "\n".join(map(str, here.of_rules(dashboards.emit)))


def test_every_report_has_its_case() -> None:
    here = [
        function for name, function in inspect.getmembers(sys.modules[__name__], inspect.isfunction) if "test_" in name
    ]
    told = re.findall(r'- name: "(\d+):', RULES.read_text(encoding="utf-8"))
    told += [number for test in here for number in re.findall(r"^(\d+):", test.__doc__ or "")]
    assert set(map(int, told)) == set(range(1, 25))


@pytest.mark.parametrize("stack", ["manual", "operator"])
def test_the_exporter_counts_xids(stack: str) -> None:
    """2: NVIDIA/dcgm-exporter#310, #317: its own list has no count of XIDs."""
    here = place("a: {tier: big}", f"stack: {stack}")
    assert "DCGM_EXP_XID_ERRORS_COUNT, gauge," in counters.csv(here.fleet, here.cluster)


def test_a_card_that_nobody_holds_is_not_the_exporters() -> None:
    """4: NVIDIA/dcgm-exporter#27, #85, #340: `pod` was the exporter's, or the workload's stood in `exported_pod`."""
    (endpoint,) = one(place("a: {tier: big}").objects(dcgm.emit), "ServiceMonitor")["spec"]["endpoints"]
    assert endpoint["honorLabels"] is True
    (dropped,) = [step["regex"] for step in endpoint["relabelings"] if step.get("action") == "labeldrop"]
    assert all(re.fullmatch(dropped, label) for label in ("pod", "namespace", "container"))
    assert not re.search(r"exported_(pod|namespace|container)", rules(place(EVERYTHING, more=TEAMS)))


def test_the_exporter_finds_the_pods_of_a_shared_card() -> None:
    """5: NVIDIA/dcgm-exporter#151, #201, #307: no pod was known where cards are shared or their resource is renamed."""
    made = one(place(SHARED).objects(dcgm.emit), "DaemonSet")
    settings_of_pod = environment(pod(made)["containers"][0])
    assert settings_of_pod["KUBERNETES_VIRTUAL_GPUS"] == "true"
    assert settings_of_pod["NVIDIA_RESOURCE_NAMES"] == "nvidia.com/gpu.shared"
    assert pod(made)["hostPID"] is True


def test_cards_that_are_claimed_are_counted_and_the_exporter_is_new_enough() -> None:
    """12: NVIDIA/dcgm-exporter#569: cards that nobody had claimed were not exported, up to 4.4.1-4.6.0."""
    here = place("a: {tier: big, exposure: dra}")
    broken = versions.parse("4.5.2")
    assert broken
    assert here.cluster.components["dcgmExporter"].version > broken
    assert "gpuplan:node_cards:count" in rules(here).partition("gpuplan_pool_gpus_per_node")[2]


def test_the_node_is_told_by_the_scrape_and_no_rule_reads_the_exporters_word_for_it() -> None:
    """13: NVIDIA/dcgm-exporter#655, #709, #572, #129: the label was renamed, was a pod's name, or said localhost."""
    (endpoint,) = one(place("a: {tier: big}").objects(dcgm.emit), "ServiceMonitor")["spec"]["endpoints"]
    (source,) = [step["sourceLabels"] for step in endpoint["relabelings"] if step.get("targetLabel") == "node"]
    assert source == ["__meta_kubernetes_pod_node_name"]
    assert not re.search(r"\bhostname\b", rules(place(EVERYTHING, more=TEAMS)), re.IGNORECASE)


def test_no_rule_asks_the_power_watch() -> None:
    """14: NVIDIA/DCGM#285: it warns at every boost."""
    assert "HEALTH_STATUS" not in rules(place(EVERYTHING, more=TEAMS))


@pytest.mark.parametrize("cluster", ["", "stack: external"])
def test_only_labels_of_nodes_are_asked_for_and_each_by_its_name(cluster: str) -> None:
    """16: kubernetes/kube-state-metrics#1115, #3064: two labels of a tenant that look alike stopped the whole scrape."""
    here = place("a: {tier: big, selectedBy: {labels: {pool: a}}}, b: {tier: gaudi}", cluster, TEAMS)
    asked = settings.values(here.fleet, here.cluster)["metricLabelsAllowlist"]
    assert isinstance(asked, list)
    assert all(re.fullmatch(r"nodes=\[[A-Za-z0-9./_-]+(,[A-Za-z0-9./_-]+)*\]", entry) for entry in asked)


def test_no_rule_reads_labels_of_pods_or_namespaces() -> None:
    """17: kubernetes/kube-state-metrics#1477, #1716, #2297: such series were empty after an upgrade."""
    assert not re.search(r"kube_(namespace|pod|deployment|job)_labels", rules(place(EVERYTHING, more=TEAMS)))


@pytest.mark.parametrize(
    ("version", "shown", "gone"),
    [
        ("0.9.2", "vllm:gpu_cache_usage_perc", "vllm:kv_cache_usage_perc"),
        ("0.12.0", "vllm:kv_cache_usage_perc", "vllm:gpu_cache_usage_perc"),
    ],
)
def test_the_version_of_the_engine_names_its_metrics(version: str, shown: str, gone: str) -> None:
    """20: vllm-project/vllm#29330, #32661, vllm-project/production-stack#989: renamed metrics left panels empty."""
    boards = served(version)
    assert shown in boards
    assert gone not in boards


@pytest.mark.parametrize("more", ["", TEAMS])
def test_only_what_we_record_or_scrape_can_be_absent(more: str) -> None:
    """22: ionfury/homelab#483: an alert on the silence of a job that never was fired for ever."""
    read = rules(place("a: {tier: big}", more=more))
    absent = set(re.findall(r"absent(?:_over_time)?\(\s*([a-zA-Z_:]+)", read))
    recorded = {known.name for known in series.ALL}
    others = {name for name in absent - recorded if not name.startswith(("kueue_", "gpuplan_reclaim_"))}
    assert not others
    assert any(name.startswith("kueue_") for name in absent) is bool(more)


def test_work_that_uses_one_of_its_cards_is_left_alone() -> None:
    """23: jupyterhub/jupyterhub#1498, kubeflow/kubeflow#6920, #7186: running work was ended, or idle work was not."""
    told = scenery.owner(pods=[scenery.pod("a-0"), scenery.pod("a-1")], notes=scenery.told(40))
    active = scenery.seen(told, use={"a-1": PodUse(cards=(scenery.card(peak=0.9),))})
    for seen, action in ((scenery.seen(told), Action.SUSPEND), (active, Action.WITHDRAW)):
        (found,) = decide(scenery.policy(), seen, scenery.NOW).reclamations
        assert found.action is action
