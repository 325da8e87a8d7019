"""The runbook of AMD's partitions, as a person follows it."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

import pytest

from gpuplan.model.pools import agent_labels, tolerations
from gpuplan.report.partitions import TAINT
from gpuplan.report.runbooks import of_pools as texts
from tests.unit.emit.fleets import Place, place

GOLDEN = Path(__file__).parent / "golden"
NAMED = "{partition: {compute: CPX, memory: NPS4, resourceNaming: mixed}}"
CHAT = """
taskPools: {chat: {kind: onlineInference, service: guaranteed, tiers: [amd], stateful: {drainSeconds: 900}}}
teams: {vision: {namespaces: [vision], quotas: {chat: {amd: {guaranteed: 2}}}}}
"""


def partitioned(more: str = "", cluster: str = "stack: operator", tasks: str = "") -> Place:
    return place(f"a: {{tier: amd, sharing: {NAMED}{more}}}", cluster, tasks)


def runbook(here: Place) -> str:
    (made,) = [text.text for text in texts(here.fleet) if text.path == "runbooks/eu/partition-a.md"]
    return made


def commands(text: str) -> list[str]:
    return [line for block in re.findall(r"```sh\n(.*?)```", text, re.DOTALL) for line in block.splitlines()]


def test_every_command_parses() -> None:
    for line in commands(runbook(partitioned())):
        assert shlex.split(line)[0] in {"kubectl", "read"} or line.startswith("MANAGER=")


def test_the_node_is_empty_before_its_cards_change_and_closed_until_they_are_right() -> None:
    lines = commands(runbook(partitioned()))
    order = [
        "cordon",
        "drain",
        f"{TAINT} --overwrite",
        "label node",
        "amd-smi",
        f"{TAINT}-",
        "kubectl wait",
        "uncordon",
    ]
    places = [next(index for index, line in enumerate(lines) if word in line) for word in order]
    assert places == sorted(places)


def test_the_label_is_the_one_that_the_manager_acts_on_and_the_resource_what_the_queues_count() -> None:
    here = partitioned()
    text = runbook(here)
    ((label, profile),) = agent_labels(here.pool).items()
    assert f"{label}={profile} --overwrite" in text
    assert "amd\\.com/cpx_nps4}'=64" in text
    assert "must list 64 devices" in text


def test_the_drain_gives_stateful_pods_their_grace() -> None:
    assert "--timeout=300s" in runbook(partitioned())
    assert "--timeout=900s" in runbook(partitioned(tasks=CHAT))


def test_the_manager_is_found_where_the_operator_runs_it() -> None:
    text = runbook(partitioned(cluster="stack: operator, distribution: openshift, os: rhcos4"))
    assert "kubectl -n openshift-amd-gpu exec" in text
    assert "/a-device-config-manager-" in text


@pytest.mark.parametrize(
    ("pools", "cluster"),
    [
        (f"a: {{tier: amd, sharing: {NAMED}}}", "stack: external"),
        ("a: {tier: amd}", "stack: operator"),
    ],
)
def test_no_runbook_where_nothing_of_ours_partitions(pools: str, cluster: str) -> None:
    assert not [text for text in texts(place(pools, cluster).fleet) if "partition" in text.path]


def test_nothing_of_ours_tolerates_the_taint() -> None:
    taint = ", taints: [{key: amd.com/gpu, effect: NoSchedule}]"
    assert "amd-dcm" not in {one.key for one in tolerations(partitioned(taint).cluster.pools)}


def test_a_runbook_reads_like_this() -> None:
    text, file = runbook(partitioned(tasks=CHAT)), GOLDEN / "partition.md"
    if os.environ.get("GPUPLAN_WRITE_GOLDEN"):
        file.write_text(text, encoding="utf-8")
    assert text == file.read_text(encoding="utf-8")
